"""Unmask each cell with the probability of the reverse process, and sample its token (MDLM, arXiv:2406.07524)."""

from unmask.belief import ORDER
from unmask.decide import Choice, Reason, View

group = "order"


def ancestral(view: View) -> Choice:
    rate = 1 / max(view.block_passes - view.block_pass, 1)  # linear noise: (t - s) / t
    write = view.eligible & (view.random_draws(ORDER) < rate)
    return Choice(write, why=(Reason(write, f"drawn: each open cell closed with probability {rate:.2f}"),))


PRESETS = {
    "mdlm": {
        "title": "MDLM",
        "plain": "Pure chance",
        "says": "The reverse process as derived: cells close by chance, words are drawn.",
        "short": "Cells are filled at random, and words are drawn by chance.",
        "origin": "Sahoo et al. 2024, arXiv:2406.07524",
        "per_cell": True,
        "settings": {"temperature": 1.0},
    },
}
