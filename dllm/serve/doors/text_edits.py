"""Translates edits that name text into edits of tokens, tokenized for their place on the canvas."""

from __future__ import annotations

from typing import assert_never

from unmask.canvas.text import encode_at, single_tokens
from unmask.live.session import Session
from unmask.run.command import Ban, Boost, Edit, Pin
from unmask.serve.doors.requests import BanText, BoostText, PinText, TextEdit


def edits_in_tokens(edit: TextEdit, session: Session) -> tuple[Edit, ...]:
    """The edits of one request that names text."""
    tokenizer = session.denoiser.tokenizer
    match edit:
        case PinText(at, text, moment):
            canvas = session.head.ancestor(session.end if moment is None else moment).canvas
            tokens = encode_at(canvas, at, text, tokenizer)
            return (Pin(tuple(range(at, at + len(tokens))), tuple(tokens)),)
        case BanText(text, lift):
            return tuple(Ban(token, lift) for token in single_tokens(text, tokenizer))
        case BoostText(text, amount):
            return tuple(Boost(token, amount) for token in single_tokens(text, tokenizer))
        case _:
            assert_never(edit)
