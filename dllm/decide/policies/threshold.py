"""Write every cell surer than `tau`, and always the surest (Fast-dLLM, arXiv:2505.22618)."""

from unmask.decide import Annotated, Choice, Knob, Reason, View, best

group = "sure"


def threshold(
    view: View, tau: Annotated[float, Knob(0.5, 1.0, "write a word once its probability is above this")] = 0.9
) -> Choice:
    sure = view.eligible & (view.belief.confidence >= tau)
    surest = best(view, view.belief.confidence, quota=1) & ~sure
    sentences = (
        Reason(sure, f"confidence {{}} is at least {tau:g}", view.belief.confidence),
        Reason(surest, f"confidence {{}}: none reached {tau:g}, this is the surest", view.belief.confidence),
    )
    return Choice(sure | surest, why=sentences)


PRESETS = {
    "fast-dllm": {
        "title": "Fast-dLLM",
        "plain": "Only when sure",
        "says": "Every cell surer than 0.9, in blocks of 32.",
        "short": "Every word it is sure enough of, in blocks of 32.",
        "origin": "Wu et al. 2025, arXiv:2505.22618",
        "per_cell": True,
        "settings": {"options": {"tau": 0.9}, "block": 32, "precision": "double"},
    },
}
