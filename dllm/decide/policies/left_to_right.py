"""Write the leftmost open cell; with a causal model this is autoregression."""

import numpy as np

from unmask.decide import Choice, Needs, Reason, View

group = "order"
needs = Needs(rows="next")


def left_to_right(view: View) -> Choice:
    write = view.eligible & (np.cumsum(view.eligible) == 1)
    return Choice(write, why=(Reason(write, "the leftmost open cell"),))


PRESETS = {
    "autoregressive": {
        "title": "Autoregressive",
        "plain": "One after another",
        "says": "One word a look, from left to right.",
        "short": "One word a look, from left to right, as most language models do.",
        "origin": "the usual way",
        "per_cell": True,
        "settings": {},
    },
}
