"""A talk with a model that has a chat template: the turns before a prompt, and which cells of it hold what was said."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Annotated

from pydantic import Field

from unmask.canvas import BaseTokenizer
from unmask.errors import InvalidRequest
from unmask.run.message import Text

MOST_TURNS = 100
Turns = Annotated[tuple[tuple[Text, Text], ...], Field(max_length=MOST_TURNS)]  # each a question and its answer
Span = list[int]  # the first cell, and the one after the last


def talk_tokens(tokenizer: BaseTokenizer, talk: Turns, prompt: str) -> list[int]:
    """The tokens of a talk that ends with this prompt, in the chat template."""
    return _in_template(tokenizer, [*(text for turn in talk for text in turn), prompt])


def letters(talk: Turns) -> int:
    return sum(len(question) + len(answer) for question, answer in talk)


def newest_turns(talk: Turns, most: int) -> Turns:
    """The last turns, with at most so many letters together."""
    while letters(talk) > most:
        talk = talk[1:]
    return talk


def turn_cells(tokenizer: BaseTokenizer, talk: Turns, prompt: str, tokens: Sequence[int]) -> list[Span]:
    """The cells of each question and answer among the tokens of a talk; all others are the template's.

    Empty where that cannot be told: the model has no template, or the template changes what is said."""
    texts = [*(text for turn in talk for text in turn), prompt]
    if not tokenizer.chat:
        return []
    try:
        between = _between(tokenizer, len(texts))
    except InvalidRequest:  # the vocabulary lacks the letters of the marks
        return []
    parts = [tokenizer.token_bytes(token) for token in tokens]
    whole, ends = b"".join(parts), [*accumulate(map(len, parts))]
    at, spans = 0, []
    for before, text in zip(between, texts, strict=False):
        at += len(before)
        if not whole.startswith(before, at - len(before)):
            return []
        found = next((one for one in (text.encode(), text.strip().encode()) if whole.startswith(one, at)), None)
        if found is None:
            return []
        first, at = bisect_right(ends, at), at + len(found)
        spans.append([first, bisect_left(ends, at) + 1 if found else first])
    return spans if len(between) == len(texts) + 1 and whole[at:] == between[-1] else []


def _in_template(tokenizer: BaseTokenizer, texts: Sequence[str]) -> list[int]:
    roles = ("user", "assistant")
    return tokenizer.apply_chat_template([{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)])


def _between(tokenizer: BaseTokenizer, count: int) -> list[bytes]:
    """What the template writes before, between and after so many messages."""
    marks = [f"zq{'x' * (i + 1)}qz" for i in range(count)]
    rest = b"".join(tokenizer.token_bytes(token) for token in _in_template(tokenizer, marks))
    parts = []
    for mark in marks:
        before, _, rest = rest.partition(mark.encode())
        parts.append(before)
    return [*parts, rest]
