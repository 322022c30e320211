"""Write the least uncertain cells while their joint uncertainty stays within `gamma` (EB-sampler, arXiv:2505.24857)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View, ranked

group = "sure"


def entropy_bound(
    view: View,
    gamma: Annotated[float, Knob(0.0, 10, "uncertainty that one look may take on, in nats, is at most this")] = 0.1,
) -> Choice:
    rank = ranked(view.eligible, -view.belief.entropy)
    rising = np.sort(view.belief.entropy[view.eligible])
    # the sum of all entropies but the largest bounds the joint mutual information; sorted, so the largest is the last
    count = int((np.cumsum(rising) - rising <= gamma).sum())
    write = (rank > 0) & (rank <= max(count, 1))
    return Choice(write, why=(Reason(write, f"entropy {{}}, within {gamma:g} nats together", view.belief.entropy),))


PRESETS = {
    "eb-sampler": {
        "title": "EB-sampler",
        "plain": "A budget of doubt",
        "says": "As many cells as stay within a budget of joint entropy.",
        "short": "As many words as stay within a small budget of uncertainty.",
        "origin": "Ben-Hamu et al. 2025, arXiv:2505.24857",
        "per_cell": True,
        "settings": {"options": {"gamma": 0.1}},
    },
}
