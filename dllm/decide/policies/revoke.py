"""Write above a low threshold, and erase tokens that the model doubts once they are masked (WINO, arXiv:2507.18578)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, best, ranked

group = "revises"
needs = Needs(rows="answer", shadow=True)
revises = True


def revoke(
    view: View,
    tau: Annotated[float, Knob(0.3, 1.0, "write a word once its probability is above this")] = 0.6,
    tau_back: Annotated[float, Knob(0.0, 1.0, "take a word back where its shadow doubts it more than this")] = 0.9,
) -> Choice:
    sure = view.eligible & (view.belief.confidence > tau)
    write = sure if sure.any() else best(view, view.belief.confidence, quota=1)
    verified = view.written & view.block & np.isfinite(view.belief.doubt)
    doubted = verified & (view.belief.doubt < tau_back)
    # fewer than were just written, the most doubted first, so that the run ends
    rank = ranked(doubted, -np.nan_to_num(view.belief.doubt))
    erase = (rank > 0) & (rank < int(write.sum()))
    why = (
        Reason(write, f"confidence {{}} against {tau:g}", view.belief.confidence),
        Reason(erase, f"its shadow gives it only {{}}, below {tau_back:g}", view.belief.doubt),
    )
    return Choice(write, erase, why=why)


PRESETS = {
    "wino": {
        "title": "WINO",
        "plain": "Bold, then a blind check",
        "says": "Writes boldly; a shadow that cannot see a word decides whether it stays.",
        "short": "Writes boldly; a second look that cannot see a word decides whether it stays.",
        "origin": "Hong et al. 2025, arXiv:2507.18578",
        "per_cell": True,
        "settings": {"options": {"tau": 0.6, "tau_back": 0.9}, "block": 128},
    },
}
