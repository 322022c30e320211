"""Write what is surer than `tau`, and overwrite what the model would now say otherwise (LLaDA2.1)."""

from dllm.decide import Annotated, Choice, Knob, Needs, Reason, View, best

needs = Needs(rows="answer")
revises = True


def edit(
    view: View,
    tau: Annotated[float, Knob(0.3, 1.0, "how sure is sure")] = 0.7,
    tau_edit: Annotated[float, Knob(0.0, 1.0, "how sure another word must be to replace a written one")] = 0.5,
    post: Annotated[int, Knob(0, 64, "looks back after the last cell is written")] = 16,
) -> Choice:
    belief, spent = view.belief, 0 if view.memory is None or view.turn == 0 else view.memory
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
