"""Translates edits that name text into edits of tokens, tokenized for their place on the canvas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from unmask.canvas import BaseTokenizer, Canvas
from unmask.canvas.text import encode_at, single_tokens
from unmask.errors import InvalidRequest
from unmask.live.session import Session
from unmask.run.command import Ban, Boost, Edit, Pin
from unmask.serve.doors.requests import TEXT_EDITS, BanText, BoostText, PinText, TextEdit


def scheduled_in_tokens(
    pairs: Sequence[tuple[int, Mapping[str, Any]]], canvas: Canvas, tokenizer: BaseTokenizer
) -> list[tuple[int, Mapping[str, Any]]]:
    """Scheduled edits with pinned texts as tokens, spelled as on the first canvas."""
    return [(moment, _pin_in_tokens(row, canvas, tokenizer) if "text" in row else row) for moment, row in pairs]


def _pin_in_tokens(row: Mapping[str, Any], canvas: Canvas, tokenizer: BaseTokenizer) -> Mapping[str, Any]:
    pin = TEXT_EDITS.read(row)
    if not isinstance(pin, PinText):
        raise InvalidRequest("of the edits with a text, only a pin can be scheduled", "edits")
    tokens = encode_at(canvas, pin.at, pin.text, tokenizer)
    return {"do": "pin", "cells": [*range(pin.at, pin.at + len(tokens))], "tokens": tokens}


def edits_in_tokens(edit: TextEdit, session: Session) -> tuple[Edit, ...]:
    """The edits of one request that names text."""
    tokenizer = session.denoiser.tokenizer
    match edit:
        case PinText(at, text, over, moment):
            canvas = session.head.ancestor(session.end if moment is None else moment).canvas
            tokens = encode_at(canvas, at, text, tokenizer)
            insert = len(tokens) - over if over else 0
            return (Pin(tuple(range(at, at + len(tokens))), tuple(tokens), insert),)
        case BanText(text, lift):
            return tuple(Ban(token, lift) for token in single_tokens(text, tokenizer))
        case BoostText(text, amount):
            return tuple(Boost(token, amount) for token in single_tokens(text, tokenizer))
        case _:
            assert_never(edit)
