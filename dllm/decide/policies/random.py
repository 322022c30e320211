"""Write cells in random order, as many as the schedule says (LLaDA, arXiv:2502.09992)."""

from unmask.belief import ORDER
from unmask.decide import Choice, Reason, View, best

group = "order"


def random(view: View) -> Choice:
    write = best(view, view.random_draws(ORDER))
    return Choice(write, why=(Reason(write, f"drawn by luck, {view.quota} a pass"),))


PRESETS = {
    "llada-random": {
        "title": "LLaDA, random order",
        "plain": "One at random",
        "says": "One cell a look in a random order, in blocks of 32.",
        "short": "One word a look, anywhere, in blocks of 32.",
        "origin": "Nie et al. 2025, arXiv:2502.09992",
        "per_cell": True,
        "settings": {"block": 32, "precision": "model"},
    },
}
