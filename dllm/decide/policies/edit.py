"""Write cells surer than `tau`, and overwrite tokens for which the model now prefers another (LLaDA2.1)."""

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, best

group = "revises"
needs = Needs(rows="answer")
revises = True


def edit(
    view: View,
    tau: Annotated[float, Knob(0.3, 1.0, "write a word once its probability is above this")] = 0.7,
    tau_edit: Annotated[
        float, Knob(0.0, 1.0, "replace a written word where another has a probability above this")
    ] = 0.5,
    post: Annotated[int, Knob(0, 64, "further looks after the last word is written")] = 16,
) -> Choice:
    belief, spent = view.belief, view.memory or 0
    sure = view.eligible & (belief.confidence > tau)
    surest = best(view, belief.confidence, quota=1) & ~sure if not sure.any() else sure & False
    other = view.written & view.block & (belief.token != view.canvas.tokens) & (belief.confidence > tau_edit)
    looking_back = not view.eligible.any()
    left = post - spent - looking_back
    settled = not (view.eligible & ~sure & ~surest).any()
    stay = left > 0 and bool(other.any()) if looking_back else settled and post > 0
    why = (
        Reason(sure, f"confidence {{}} is above {tau:g}", belief.confidence),
        Reason(surest, f"confidence {{}}: none was above {tau:g}, this is the surest", belief.confidence),
        Reason(other, f"changed its mind: another word has {{}}, above {tau_edit:g}", belief.confidence),
    )
    return Choice(sure | surest | other, memory=spent + looking_back, why=why, stay=stay)


# blocks counted from the sequence's start, each seen without what is behind it, with passes of its own
_BLOCKWISE = {"block": 32, "block_from": "sequence", "sight": "block", "passes": 32, "passes_for": "block"}

PRESETS = {
    "llada2.1": {
        "title": "LLaDA2.1, quality",
        "plain": "Write and correct",
        "says": "Writes above 0.7 and goes on correcting what it wrote.",
        "short": "Writes what it is 70 % sure of, and goes on correcting what it wrote.",
        "origin": "LLaDA2.1, inclusionAI 2026",
        "settings": {"options": {"tau": 0.7, "tau_edit": 0.5}, **_BLOCKWISE},
    },
    "llada2.1-speed": {
        "title": "LLaDA2.1, speed",
        "plain": "Write fast, correct",
        "says": "Writes above 0.5 and corrects each word that it would now write otherwise.",
        "short": "Writes what it is 50 % sure of, and corrects each word that it would now write otherwise.",
        "origin": "LLaDA2.1, inclusionAI 2026",
        "settings": {"options": {"tau": 0.5, "tau_edit": 0.0}, **_BLOCKWISE},
    },
}
