"""Greetings, and questions about the model itself, as a talk."""

from __future__ import annotations

import re

GREETS = re.compile(
    r"(?:hello|hi|hey|hiya|good (?:morning|evening|day|afternoon|night)|good ?bye|bye|thanks|thank you)\b"
    r"(?! \w+ (?:is|has|was)\b)"
    r"|(?:who|what) are you\b|what can (?:you|i) |how are you\b|what do you know\b|help( me)?\W*$|are you (?:there|a)\b"
    r"|who am i talking to\b|what (?:sort|kind)s? of things\b"
)
LONGEST = 8  # words of a greeting


def talk(text: str) -> str:
    """The greeting as a turn of a talk; empty for anything else."""
    fits = GREETS.match(text.lower()) and len(text.split()) <= LONGEST
    return f"User: {text}\nAssistant:" if fits else ""
