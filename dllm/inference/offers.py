"""What may be written instead of a prompt that a model does not know: only kinds that come out right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from unmask.canvas import Card
from unmask.paths import ASSETS
from unmask.run.judge import Offer, judge

FILE = ASSETS / "models" / "offers.json"
LONGEST = 500  # characters of a prompt that are looked at
RIGHT = 0.9  # of a hundred tries, at least


@cache
def tried() -> Mapping[str, Any]:
    """The weights whose offers were tried, and the counts by kind (`python -m pair.evaluation.offers`)."""
    found: Mapping[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def offers(card: Card, prompt: str) -> tuple[Offer, ...]:
    """Prompts near to this one that these weights write well; none for other weights."""
    if card.weights not in tried().get("weights", ()):
        return ()
    counts = tried()["kinds"]
    return tuple(
        offer
        for offer in judge().offers(prompt[:LONGEST])
        if (count := counts.get(offer.kind)) and count["right"] >= RIGHT * count["of"]
    )
