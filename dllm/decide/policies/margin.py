"""Write the cells whose first guess leads its second by most (Dream's topk_margin, arXiv:2508.15487)."""

from unmask.decide import Annotated, Choice, Knob, View, by_rank, gumbel_scores

group = "surest"


def margin(view: View, order_heat: Annotated[float, Knob(0, 2, "chance in the order; 0 is strict")] = 0.0) -> Choice:
    return by_rank(view, gumbel_scores(view, view.belief.margin, order_heat))


PRESETS = {
    "dream-margin": {
        "title": "Dream, margin",
        "plain": "The clearest lead",
        "says": "The cells whose first guess leads its second by most, with a little temperature.",
        "short": "One word a look: where its first guess leads its second by most.",
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
