"""How much of a text will not be taken back: published once for each piece."""

from __future__ import annotations

from unmask.decide import get_policy
from unmask.models import Denoiser
from unmask.run.event import Settled
from unmask.run.state import State
from unmask.run.stats import decided_prefix, text_cells


class CommittedText:
    """The front of a run's settled text, as its readers know it."""

    def __init__(self, denoiser: Denoiser) -> None:
        self.denoiser = denoiser
        self._known = 0  # cells

    def reset(self) -> None:
        """The run goes on elsewhere, so nothing is known to be settled."""
        self._known = 0

    def update(self, state: State) -> Settled | None:
        """All the settled text, where there is more of it than before; a policy that revises settles at its end."""
        if get_policy(state.settings.policy).revises and not state.done:
            return None
        canvas = state.canvas
        upto = decided_prefix(canvas)
        if upto <= self._known:
            return None
        self._known = upto
        front = canvas.tokens[:upto][text_cells(canvas, self.denoiser.card)[:upto]]
        return Settled(self.denoiser.tokenizer.decode(front.tolist()), upto)
