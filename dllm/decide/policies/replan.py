"""Rank all answer cells at every pass and remask the least sure, fewer each time (P2, arXiv:2502.03540)."""

from unmask.decide import Choice, Needs, Reason, View, ranked

group = "revises"
needs = Needs(rows="answer")
revises = True


def replan(view: View) -> Choice:
    placed, sure = view.written, view.belief.confidence
    cells = view.eligible | placed
    count = int(cells.sum())
    reopen = int(count * (1 - (view.block_pass + 1) / view.block_passes)) if view.block_pass < view.block_passes else 0
    rank = ranked(cells, -sure)
    low = (rank > 0) & (rank <= reopen)
    write, erase = view.eligible & ~low, placed & low
    why = (
        Reason(write, f"confidence {{}}: not among the {reopen} least sure of {count}", sure),
        Reason(erase, f"confidence {{}}: among the {reopen} least sure of {count}", sure),
    )
    return Choice(write, erase, why=why)


PRESETS = {
    "p2": {
        "title": "P2",
        "plain": "Rank it all again",
        "says": "Ranks everything at every look and reopens the least sure.",
        "short": "Ranks the whole text anew in every look and takes the least sure words back.",
        "origin": "Peng et al. 2025, arXiv:2502.03540",
        "per_cell": True,
        "settings": {},
    },
}
