"""A session's events as messages: each word's spelling is given once, and ghosts only when they change."""

from __future__ import annotations

from typing import Any

from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run import event as events
from unmask.run.codec import pack


class EventEncoder:
    """What those who hear it know of a session already. One for a connection, or for a whole class."""

    def __init__(self, session: Session, entropy: bool = False) -> None:
        self.session = session
        self.entropy = entropy  # of every cell with every pass: wanted where somebody looks at a map of it
        self.spelled: set[int] = set()
        self.ghosts: tuple[str, str] = ("", "")

    def message(self, note: NumberedEvent) -> dict[str, Any]:
        """A note as these need it."""
        event, width = note.event, int(self.session.timeline.about["width"])
        if (row := note.encoded.get("plain")) is None:
            row = note.encoded["plain"] = events.event_to_dict(event, width, whole=False)
        row = row | {"session": self.session.id, "n": note.n}
        if isinstance(event, events.Stepped):
            if (row["g"], row["s"]) == self.ghosts:
                row.pop("g"), row.pop("s")
            else:
                self.ghosts = (row["g"], row["s"])
            if self.entropy:
                row["e"] = pack(event.frame.entropy, 1)
        if fresh := {t for t in _shown_tokens(event) - self.spelled if t >= 0}:
            self.spelled |= fresh
            row["pieces"] = self.pieces(fresh)
        return row

    def history(self) -> dict[str, Any]:
        """The whole of the present branch, for those who come late; events after it have higher numbers."""
        session = self.session
        width, past = int(session.timeline.about["width"]), session.history()
        rows = [events.event_to_dict(event, width, whole=False) for event in past]
        seen = {t for event in past for t in _shown_tokens(event) if t >= 0}
        number = session.notes[-1].n
        return {
            "did": "history",
            "session": session.id,
            "n": number,
            "events": rows,
            "pieces": self.pieces(seen | self.spelled),
        }

    def pieces(self, tokens: set[int]) -> dict[str, str]:
        return {str(t): self.session.denoiser.tokenizer.display_piece(t) for t in sorted(tokens)}


def _shown_tokens(event: events.Event) -> set[int]:
    """The tokens that are seen with an event; candidates travel on a peek, so they need no spelling here."""
    match event:
        case events.Stepped():
            return {*event.frame.tokens.tolist(), *event.frame.guess.tolist(), *event.frame.noise.tolist()}
        case events.Opened() | events.Snapshot() | events.Edited():
            return set(event.canvas.tokens.tolist())
    return set()
