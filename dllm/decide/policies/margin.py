"""Write the cells whose first guess leads its second by most (Dream's topk_margin, arXiv:2508.15487)."""

from dllm.decide import Annotated, Choice, Knob, View, by_rank, shaken


def margin(view: View, order_heat: Annotated[float, Knob(0, 2, "luck in the order: 0 is strict")] = 0.0) -> Choice:
    return by_rank(view, shaken(view, view.belief.margin, order_heat))
