"""Write the longest run of surest cells that parallel decoding can afford, by rank (Fast-dLLM, arXiv:2505.22618)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Reason, View, ranked

group = "sure"


def factor(view: View, f: Annotated[float, Knob(0.05, 5, "how boldly more words are written at once")] = 1.0) -> Choice:
    rank = ranked(view.eligible, view.belief.confidence)
    count = int(rank.max(initial=0))
    fails = (rank >= 2) & (view.belief.confidence < 1 - f / (rank + 1))
    stop = int(rank[fails].min(initial=count))
    # as published: a stop at the very last candidate takes it even if it failed
    write = (rank > 0) & ((rank < stop) | (rank == 1) | (stop == count))
    return Choice(
        write, why=(Reason(write, f"rank {{}} of {count}, bar 1 - {f:g}/(rank + 1)", rank.astype(np.float64)),)
    )


PRESETS = {
    "fast-dllm-factor": {
        "title": "Fast-dLLM, factor",
        "plain": "The surer, the more",
        "says": "As many of the surest cells as their ranks allow.",
        "short": "Several words a look: the surer they are, the more of them.",
        "origin": "Wu et al. 2025, arXiv:2505.22618",
        "per_cell": True,
        "settings": {"options": {"f": 1.0}, "block": 32, "precision": "double"},
    },
}
