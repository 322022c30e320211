"""Write the surest cells, as many as the schedule says (LLaDA, arXiv:2502.09992)."""

from dllm.decide import Choice, View, by_rank


def confidence(view: View) -> Choice:
    return by_rank(view, view.belief.confidence)
