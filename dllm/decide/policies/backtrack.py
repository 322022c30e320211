"""Write cells surer than the average so far, then remask those that lost most confidence (Saber, arXiv:2510.18165)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, ranked

group = "revises"
needs = Needs(rows="answer", memory="run")
revises = True


def backtrack(view: View, n: Annotated[int, Knob(1, 16, "words to write in a look, at the least")] = 2) -> Choice:
    # remembered: how sure each cell was when last written, and at the last pass
    nothing = np.full(len(view.canvas), np.nan)
    when_written, last = view.memory or (nothing, nothing)
    sure, placed = view.belief.confidence, view.written
    bar = float(np.nanmean(when_written)) if np.isfinite(when_written).any() else 1.0
    write = view.eligible & (sure > bar)
    if write.sum() < n:
        rank = ranked(view.eligible, sure)
        write = (rank > 0) & (rank <= n)
    when_written = np.where(write, sure, when_written)
    wrote = max(int(write.sum()), n)
    erase = np.zeros(len(write), bool)
    if (view.eligible & ~write).any():
        live = placed | write
        fell = np.nan_to_num(last - sure)  # a first prediction counts as no fall
        rank = ranked(live, fell)
        erase = (rank > 0) & (rank <= min(max(n // 2, (wrote + 7) // 8), wrote - 1))
    why = (
        Reason(write & ~erase, f"confidence {{}}, where {bar:.2f} was the average so far", sure),
        Reason(erase, "fell from {} more than the others", np.where(np.isnan(last), sure, last)),
    )
    seen = np.where(view.eligible | placed, sure, last)
    return Choice(write & ~erase, erase & placed, memory=(when_written, seen), why=why)


PRESETS = {
    "saber": {
        "title": "Saber",
        "plain": "Drop what got doubtful",
        "says": "Writes what is surer than the average so far, takes back what lost confidence.",
        "short": "Writes what is surer than usual so far, and takes back what has become doubtful.",
        "origin": "Dong et al. 2025, arXiv:2510.18165",
        "per_cell": True,
        "settings": {"options": {"n": 2}, "precision": "double"},
    },
}
