"""Write sure cells early in the block, and rare words before common ones (PC-sampler, arXiv:2508.13021)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, View, by_rank

group = "surest"
needs = Needs(background=True)


def position(
    view: View,
    decay: Annotated[float, Knob(0, 2, "how strongly the front of a block comes first")] = 0.25,
    alpha: Annotated[float, Knob(0.1, 100, "the most that rarity may count")] = 10.0,
) -> Choice:
    place = np.cumsum(view.block) - 1  # the first cell of the block is 0
    rarity = np.minimum(-view.belief.confidence * np.log(view.belief.background + 1e-9), alpha)
    return by_rank(view, np.exp(-decay * np.maximum(place, 0)) * rarity)


PRESETS = {
    "pc-sampler": {
        "title": "PC-sampler",
        "plain": "Front and rare first",
        "says": "The front of the text and rare words first.",
        "short": "One word a look: rather at the front, and rare words before common ones.",
        "origin": "Huang et al. 2025, arXiv:2508.13021",
        "per_cell": True,
        "settings": {"options": {"decay": 0.25, "alpha": 10.0}},
    },
}
