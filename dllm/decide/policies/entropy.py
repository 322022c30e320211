"""Write the cells of lowest entropy (Dream, arXiv:2508.15487)."""

from unmask.decide import Annotated, Choice, Knob, View, by_rank, gumbel_scores

group = "surest"


def entropy(view: View, order_heat: Annotated[float, Knob(0, 2, "chance in the order; 0 is strict")] = 0.0) -> Choice:
    return by_rank(view, gumbel_scores(view, -view.belief.entropy, order_heat))


PRESETS = {
    "dream": {
        "title": "Dream",
        "plain": "Where it wavers least",
        "says": "The least uncertain cells first, over the whole canvas, with a little temperature.",
        "short": "One word a look, anywhere in the text: where the model wavers least.",
        "origin": "Ye et al. 2025, arXiv:2508.15487",
        "per_cell": True,
        "settings": {
            "schedule": "timesteps",
            "temperature": 0.2,
            "top_p": 0.95,
            "confidence": "shaped",
            "precision": "model",
        },
    },
}
