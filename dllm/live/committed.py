"""The part of a run's text that will not change any more."""

from __future__ import annotations

from unmask.decide import get_policy
from unmask.models import Denoiser
from unmask.run.event import Settled
from unmask.run.state import State
from unmask.run.stats import decided_prefix, text_cells


class CommittedText:
    """Publishes the final part of a text whenever it grows."""

    def __init__(self, denoiser: Denoiser) -> None:
        self.denoiser = denoiser
        self._published = 0  # cells

    def reset(self) -> None:
        """Begin again, since the run continues from another moment."""
        self._published = 0

    def update(self, state: State) -> Settled | None:
        """The final text so far, if it has grown. Where a policy or a check takes words back, there is none
        until the run is done."""
        if (get_policy(state.settings.policy).revises or state.settings.checks) and not state.done:
            return None
        canvas = state.canvas
        end = decided_prefix(canvas)
        if end <= self._published:
            return None
        self._published = end
        tokens = canvas.tokens[:end][text_cells(canvas, self.denoiser.card)[:end]]
        return Settled(self.denoiser.tokenizer.decode(tokens.tolist()), end)
