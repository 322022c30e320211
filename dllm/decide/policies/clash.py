"""Write only compatible tokens in one pass: each is tried alone, and one that makes another unlikely waits."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, best

group = "sure"
needs = Needs(together="tau")


def clash(
    view: View,
    tau: Annotated[float, Knob(0.1, 1.0, "a word may be written once its probability is above this")] = 0.5,
    least: Annotated[
        float, Knob(0.0, 1.0, "beside another word, a guess must keep of its likelihood at least this")
    ] = 0.5,
) -> Choice:
    confidence, tried = view.belief.confidence, view.belief.pairwise_lift
    cells = np.flatnonzero(view.eligible & (confidence > tau))
    if not len(cells) or tried is None:
        surest = best(view, confidence, quota=1)
        return Choice(surest, why=(Reason(surest, f"confidence {{}}: none was above {tau:g}", confidence),))
    suits = tried.between(cells) >= (np.log(least) if least else -np.inf)
    kept: list[int] = []
    for place in np.argsort(-confidence[cells], kind="stable").tolist():
        if suits[place, kept].all():
            kept.append(place)
    write = view.eligible & False
    write[cells[kept]] = True
    words = f"confidence {{}}, above {tau:g}"
    return Choice(write, why=(Reason(write, f"{words}, and no guess beside it suffers", confidence),))


PRESETS = {
    "compatible": {
        "title": "Only what suits",
        "plain": "Words that fit together",
        "says": "Writes above 0.5, but never two words of which one makes the other half as likely.",
        "origin": "Unmask",
        "per_cell": True,
        "settings": {"options": {"tau": 0.5, "least": 0.5}, "block": 32},
    },
}
