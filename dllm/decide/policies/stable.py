"""Write cells that are sure and whose prediction is stable, otherwise the quota (KLASS, arXiv:2511.05664)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, by_rank, schedule

group = "sure"
needs = Needs(moved=True)


def stable(
    view: View,
    tau: Annotated[float, Knob(0.3, 1.0, "write a word once its probability is above this")] = 0.9,
    kl: Annotated[float, Knob(0.0001, 1.0, "a belief has settled once it moves, in nats, by less than this")] = 0.01,
    history: Annotated[int, Knob(1, 8, "for so many looks")] = 2,
) -> Choice:
    # remembered: what was open when the block began, and how the last passes moved
    began, past = view.memory or (int(view.eligible.sum()), ())
    past = (*past, view.belief.moved)[-history:]
    quiet = np.all(np.stack(past) < kl, axis=0)
    ready = view.eligible & (view.belief.confidence > tau) & quiet & (view.block_pass >= history)
    memory = (began, past)
    if ready.any():
        words = f"confidence {{}} is above {tau:g}, and moved less than {kl:g} for {history} passes"
        return Choice(ready, memory=memory, why=(Reason(ready, words, view.belief.confidence),))
    quota = (
        schedule.share(began, view.block_pass, view.block_passes) if view.block_pass < view.block_passes else view.quota
    )
    choice = by_rank(view, view.belief.confidence, quota)
    return Choice(choice.write, memory=memory, why=choice.why)


PRESETS = {
    "klass": {
        "title": "KLASS",
        "plain": "Sure and settled",
        "says": "Cells that are sure and whose belief stands still; otherwise one.",
        "short": "Words that are sure and whose guess has stopped changing; otherwise one.",
        "origin": "Kim et al. 2025, arXiv:2511.05664",
        "per_cell": True,
        "settings": {"options": {"tau": 0.9, "kl": 0.01, "history": 2}, "block": 64, "precision": "double"},
    },
}
