"""Start from random tokens; accept cells by joint entropy and redraw the others (DiffusionGemma)."""

import numpy as np

from unmask.decide import Annotated, Choice, Knob, Needs, Reason, View, ranked

group = "revises"
needs = Needs(rows="answer")
revises = True


def uniform(
    view: View,
    gamma: Annotated[float, Knob(0.0, 10, "uncertainty that one look may take on, in nats, is at most this")] = 0.1,
    settled: Annotated[
        float, Knob(0.0, 5, "stop when the guesses stand still and the mean entropy is below this")
    ] = 0.005,
    still: Annotated[int, Knob(0, 8, "they must stand still for so many looks")] = 1,
) -> Choice:
    # what a person opened in an earlier block is decided along with the present one
    belief, cells = view.belief, view.eligible | (view.written & view.block)
    entropy = np.where(cells, belief.entropy, np.inf)
    rank = ranked(cells, -entropy)
    rising = np.sort(entropy[cells])
    accepted = (rank > 0) & (rank <= int((np.cumsum(rising) - rising <= gamma).sum()))
    guess = np.where(cells, belief.top_ids[:, 0], -1)
    past = view.memory or ()
    same = len(past) >= still and all(np.array_equal(guess, g) for g in past[len(past) - still :])
    calm = bool(cells.any()) and float(rising.mean()) < settled
    if (same and calm) or view.block_pass >= view.block_passes - 1:
        words = "the guesses stand still" if same and calm else "forced by the last pass"
        return Choice(cells, why=(Reason(cells, words),), settle=True)
    taken_back = cells & ~view.canvas.open & ~accepted
    why = (
        Reason(accepted, f"entropy {{}}, within {gamma:g} nats together", belief.entropy),
        Reason(taken_back, "entropy {}: thrown anew", belief.entropy),
    )
    memory = (*past, guess)[-max(still, 1) :]
    return Choice(accepted, taken_back, memory=memory, why=why, stay=True)


PRESETS = {
    "diffusion-gemma": {
        "title": "DiffusionGemma",
        "plain": "Starts from noise",
        "says": "Starts from random words; keeps what is certain together, throws the rest anew.",
        "short": "Begins with random words, keeps what is certain, and draws the rest again.",
        "origin": "Google DeepMind 2026; arXiv:2505.24857",
        "settings": {
            "options": {"gamma": 0.1, "settled": 0.005, "still": 1},
            "passes": 48,
            "passes_for": "block",
            "temperature": 0.8,
            "temperature_end": 0.4,
            "confidence": "shaped",
        },
    },
}
