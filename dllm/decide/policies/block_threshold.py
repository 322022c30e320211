"""Write all cells surer than `tau` if they are at least the quota, otherwise the quota (LLaDA2.0, arXiv:2512.15745)."""

from unmask.decide import Annotated, Choice, Knob, Reason, View, by_rank, schedule

group = "blocks"


def block_threshold(
    view: View, tau: Annotated[float, Knob(0.3, 1.0, "write a word once its probability is above this")] = 0.95
) -> Choice:
    # the published quota is a share of what was open when the block began, however much has been written since
    began = int(view.eligible.sum()) if view.memory is None else view.memory
    quota = (
        schedule.share(began, view.block_pass, view.block_passes) if view.block_pass < view.block_passes else view.quota
    )
    sure = view.eligible & (view.belief.confidence > tau)
    if sure.sum() >= quota and sure.any():
        why = (Reason(sure, f"confidence {{}} is above {tau:g}", view.belief.confidence),)
        return Choice(sure, memory=began, why=why)
    choice = by_rank(view, view.belief.confidence, quota)
    return Choice(choice.write, memory=began, why=choice.why)


PRESETS = {
    "llada2": {
        "title": "LLaDA2.0",
        "plain": "Block after block",
        "says": "Blocks of 32 that see nothing behind them; all cells surer than 0.95, or the quota.",
        "short": "Blocks of 32, as if nothing came after; in each, every word it is 95 % sure of.",
        "origin": "Bie et al. 2025, arXiv:2512.15745",
        "settings": {
            "options": {"tau": 0.95},
            # counted from the sequence's start, each seen without what is behind it, with passes of its own
            "block": 32,
            "block_from": "sequence",
            "sight": "block",
            "passes": 32,
            "passes_for": "block",
        },
    },
}
