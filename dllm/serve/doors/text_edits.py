"""Edits that speak of words, in tokens: a word is spelled as it would stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.canvas.text import single_tokens, spelled_at
from unmask.errors import Refused
from unmask.live.session import Session
from unmask.run.command import Ban, Boost, Edit, Pin
from unmask.run.fields import checked


def in_tokens(row: Mapping[str, Any], session: Session) -> tuple[Edit, ...]:
    """One request may be several edits."""
    text, speller = checked("str", "text", row.get("text")), session.denoiser.speller
    if row["do"] == "pin":
        at, moment = checked("int", "at", row.get("at")), row.get("at_moment")
        canvas = session.head.back(session.end if moment is None else checked("int", "at_moment", moment)).canvas
        tokens = spelled_at(canvas, at, text, speller)
        return (Pin(tuple(range(at, at + len(tokens))), tuple(tokens)),)
    if row["do"] == "ban":
        return tuple(Ban(t, bool(row.get("lift"))) for t in single_tokens(text, speller))
    if row["do"] == "boost":
        amount = checked("float", "amount", row.get("amount", 3.0))
        return tuple(Boost(t, amount) for t in single_tokens(text, speller))
    raise Refused(f"'{row['do']}' takes no text")
