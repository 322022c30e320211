"""The words that a rule wants, put before the prompt as well, where the model was trained to be asked for words.

A rule alone finds a place for its word when there is hardly another; a model that knows of it writes towards it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from unmask.canvas import Card
from unmask.canvas.text import BLANK

MOST = 3  # words of one line, as in training
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


def wanted_texts(constraint: Mapping[str, Any]) -> list[str]:
    """The texts that a constraint wants somewhere, in its order."""
    if constraint.get("kind") == "every":
        return [text for part in constraint.get("of", ()) for text in wanted_texts(part)]
    text = str(constraint.get("text", "")).strip()
    return [text] if constraint.get("kind") == "contains" and text else []


def wanted_words(constraint: Mapping[str, Any]) -> list[str]:
    """Those of them that are single words."""
    return [text for text in wanted_texts(constraint) if WORD.fullmatch(text)]


def with_word_request(prompt: str, card: Card, constraint: Mapping[str, Any]) -> str:
    """The prompt under a line that asks for these words; the prompt itself where the model knows no such line."""
    words = wanted_words(constraint)[:MOST]
    title = prompt.partition(":")[0]
    if not words or title not in card.word_titles or BLANK.search(prompt):
        return prompt
    return f"Words: {', '.join(words)}\n{prompt}"
