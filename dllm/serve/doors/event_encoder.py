"""Encodes a session's events as messages: each token's text is sent once, and guesses only when they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unmask.decide.pause import may_pause
from unmask.live.publisher import NumberedEvent
from unmask.live.session import Session
from unmask.run import event as events
from unmask.run.codec import pack


class EventEncoder:
    """Encoder for one connection, or for a class that shares one; it remembers what was sent already."""

    def __init__(self, session: Session, entropy: bool = False) -> None:
        self.session = session
        self.entropy = entropy  # whether to send the entropy of every cell with every pass, for the map
        self.sent: set[int] = set()  # tokens whose text was sent
        self.guesses: tuple[str, str] = ("", "")  # the packed guesses and their confidence, as last sent

    def message(self, note: NumberedEvent) -> dict[str, Any]:
        """An event as a message."""
        event, width = note.event, int(self.session.timeline.about["width"])
        if (row := note.encoded.get("plain")) is None:
            row = note.encoded["plain"] = events.event_to_dict(event, width, whole=False)
        row = row | {"session": self.session.id, "n": note.n}
        if isinstance(event, events.Stepped):
            if (row["g"], row["s"]) == self.guesses:
                row.pop("g"), row.pop("s")
            else:
                self.guesses = (row["g"], row["s"])
            if self.entropy:
                row["e"] = pack(event.frame.entropy, 1)
        if fresh := {t for t in _shown_tokens(event) - self.sent if t >= 0}:
            self.sent |= fresh
            row["pieces"] = self.pieces(fresh)
        return row

    def history(self) -> Callable[[], dict[str, Any]]:
        """A function for a thread: encodes the present branch for new viewers; later events have higher numbers."""
        session, sent, number = self.session, {*self.sent}, self.session.notes[-1].n
        width, past = int(session.timeline.about["width"]), session.history()

        def encode() -> dict[str, Any]:
            rows, seen = [], sent
            for event in past:
                may_pause()
                rows.append(events.event_to_dict(event, width, whole=False))
                seen |= {t for t in _shown_tokens(event) if t >= 0}
            row = {"did": "history", "session": session.id, "n": number}
            return row | {"events": rows, "pieces": self.pieces(seen)}

        return encode

    def pieces(self, tokens: set[int]) -> dict[str, str]:
        return {str(t): self.session.denoiser.tokenizer.display_piece(t) for t in sorted(tokens)}


def _shown_tokens(event: events.Event) -> set[int]:
    """The tokens that an event shows; candidates are sent with a peek, together with their text."""
    match event:
        case events.Stepped():
            return {*event.frame.tokens.tolist(), *event.frame.guess.tolist(), *event.frame.noise.tolist()}
        case events.Opened() | events.Snapshot() | events.Edited():
            return set(event.canvas.tokens.tolist())
    return set()
