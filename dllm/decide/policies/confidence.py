"""Write the surest cells, as many as the schedule says (LLaDA, arXiv:2502.09992)."""

from unmask.decide import Choice, View, by_rank

group = "surest"


def confidence(view: View) -> Choice:
    return by_rank(view, view.belief.confidence)


PRESETS = {
    "llada": {
        "title": "LLaDA",
        "plain": "Surest first",
        "says": "The surest cells first, in blocks of 32, one a look.",
        "short": "One word a look, the surest, in blocks of 32.",
        "origin": "Nie et al. 2025, arXiv:2502.09992",
        "per_cell": True,
        # confidence in the model's own number type, as published
        "settings": {"block": 32, "precision": "model"},
    },
}
