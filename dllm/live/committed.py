"""How much of a text will not be taken back: published once for each piece."""

from __future__ import annotations

from unmask.decide import named
from unmask.models import Denoiser
from unmask.run.event import Settled
from unmask.run.state import State
from unmask.run.stats import settled, text_cells


class Settling:
    """The front of a run's settled text, as its readers know it."""

    def __init__(self, denoiser: Denoiser) -> None:
        self.denoiser = denoiser
        self._known = 0  # cells

    def start_anew(self) -> None:
        """The run goes on elsewhere, so nothing is known to be settled."""
        self._known = 0

    def news(self, state: State) -> Settled | None:
        """All the settled text, where there is more of it than before; a policy that revises settles at its end."""
        if named(state.settings.policy).revises and not state.done:
            return None
        canvas = state.canvas
        upto = settled(canvas)
        if upto <= self._known:
            return None
        self._known = upto
        front = canvas.tokens[:upto][text_cells(canvas, self.denoiser.card)[:upto]]
        return Settled(self.denoiser.speller.decode(front.tolist()), upto)
