"""Translates edits that name text into edits of tokens, tokenized for their place on the canvas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.canvas.text import encode_at, single_tokens
from unmask.errors import InvalidRequest
from unmask.live.session import Session
from unmask.run.command import Ban, Boost, Edit, Pin
from unmask.run.fields import check_field


def edits_in_tokens(row: Mapping[str, Any], session: Session) -> tuple[Edit, ...]:
    """The edits of one request that names text."""
    text, tokenizer = check_field("str", "text", row.get("text")), session.denoiser.tokenizer
    if row["do"] == "pin":
        at, moment = check_field("int", "at", row.get("at")), row.get("at_moment")
        canvas = session.head.ancestor(
            session.end if moment is None else check_field("int", "at_moment", moment)
        ).canvas
        tokens = encode_at(canvas, at, text, tokenizer)
        return (Pin(tuple(range(at, at + len(tokens))), tuple(tokens)),)
    if row["do"] == "ban":
        return tuple(Ban(t, bool(row.get("lift"))) for t in single_tokens(text, tokenizer))
    if row["do"] == "boost":
        amount = check_field("float", "amount", row.get("amount", 3.0))
        return tuple(Boost(t, amount) for t in single_tokens(text, tokenizer))
    raise InvalidRequest(f"'{row['do']}' takes no text")
