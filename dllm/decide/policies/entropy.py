"""Write the cells of lowest entropy (Dream, arXiv:2508.15487)."""

from dllm.decide import Annotated, Choice, Knob, View, by_rank, shaken


def entropy(view: View, order_heat: Annotated[float, Knob(0, 2, "luck in the order: 0 is strict")] = 0.0) -> Choice:
    return by_rank(view, shaken(view, -view.belief.entropy, order_heat))
