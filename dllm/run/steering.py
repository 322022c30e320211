"""What edits make of a state, for one model: all that is checked before anything of a run changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unmask.canvas import Card, Refused, Speller
from unmask.run.command import Ban, Edit, Stretch, Tune
from unmask.run.constraint_check import check
from unmask.run.edit import apply, resolved
from unmask.run.state import State


@dataclass(frozen=True)
class Steering:
    """Edits of a run of one model."""

    card: Card
    speller: Speller

    def after(self, state: State, edits: Sequence[Edit]) -> State:
        """The state after some edits, each of which is possible; or a sentence about why one is not."""
        for edit in edits:
            if isinstance(edit, Stretch) and edit.own:
                raise Refused("cells come or go by the model's own wish when the model says so, and by no one else")
            state = apply(state, self.spelled_out(state, edit), self.card.words)
            if len(state.canvas) > self.card.longest:
                raise Refused(f"this model sees at most {self.card.longest} cells")
            state = check(self.card, self.speller, state)
        return state

    def spelled_out(self, state: State, edit: Edit) -> Edit:
        """With the settings that a decoder's name means here."""
        return resolved(state, edit, self.card)

    def is_slow(self, state: State, edit: Edit) -> bool:
        """Whether a constraint has to be prepared for it: another one, or for other words."""
        match edit:
            case Tune(changes, _):
                return bool(changes.get("constraint") or state.settings.constraint)
            case Ban():
                return bool(state.settings.constraint)
        return False
