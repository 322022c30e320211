"""A record that is taken from a whole one.

A model that was trained on whole records knows a value by its place: asked for the day alone it writes what usually
comes second. So it writes the whole record aside, and the fields that a schema wants are taken from that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.canvas import BaseTokenizer, Canvas, Ints

BEFORE = 8  # tokens before the answer in which its question's end is looked for


@dataclass(frozen=True, eq=False)
class RecordRule:
    """The fields that a schema wants, and the words with which a model is asked for a record."""

    fields: Mapping[str, Any]
    required: frozenset[str]
    question: str  # its end, right before the answer
    tokenizer: BaseTokenizer

    def is_asked(self, canvas: Canvas) -> bool:
        """Whether a record is still to be written, right behind its question and without anything after it."""
        first = int(canvas.free.argmax())
        before = self.tokenizer.decode(canvas.tokens[max(0, first - BEFORE) : first].tolist())
        return bool(canvas.open[first:].all()) and before.rstrip().endswith(self.question)

    def answer(self, whole: Canvas, end: int) -> Ints | None:
        """The tokens of a canvas whose record has the fields that are wanted, of those of a whole one; None if one is
        not in it, or there is no record."""
        first = int(whole.free.argmax())
        answer = whole.tokens[first:].tolist()
        text = self.tokenizer.decode(answer[: answer.index(end)] if end in answer else answer)
        try:
            found, _ = json.JSONDecoder().raw_decode(text.strip())
        except ValueError:
            return None
        if not isinstance(found, dict) or not self.required <= found.keys():
            return None
        wanted = {name: found[name] for name in self.fields if name in found}
        tokens = self.tokenizer.encode(f" {json.dumps(wanted, ensure_ascii=False)}")
        if len(tokens) > len(answer):
            return None
        row = whole.tokens.copy()
        row[first:] = np.array([*tokens, *[end] * (len(answer) - len(tokens))])
        return row


def record_rule(constraint: Mapping[str, Any], question: str, tokenizer: BaseTokenizer) -> RecordRule | None:
    """The record that a constraint wants; None for one that wants none, and for a model that is not asked for one."""
    wanted = constraint.get("schema")
    if constraint.get("kind") != "schema" or not isinstance(wanted, Mapping) or not question:
        return None
    fields = wanted.get("properties")
    if not isinstance(fields, Mapping) or not fields:
        return None
    return RecordRule(fields, frozenset(map(str, wanted.get("required", ()))), question, tokenizer)
