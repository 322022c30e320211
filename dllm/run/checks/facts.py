"""Facts agree"""

import re
from collections.abc import Iterator

from unmask.run.judge import judge

SENTENCE = re.compile(r"[^\n.!?]*[.!?\n]+[\"”]?|[^\n.!?]+$")


def check(text: str, begins: int) -> Iterator[tuple[int, int, str]]:
    """The sentence of the answer without which least is wrong, of a text that can be judged."""
    prompt = text[:begins]
    if "░" in text:
        return
    reasons = _reasons(prompt, text)
    if not reasons:
        return
    parts = [found for found in SENTENCE.finditer(text, begins) if found[0].strip()]
    shorter = [(len(_reasons(prompt, text[: one.start()] + text[one.end() :])), one) for one in parts]
    better = [(left, one) for left, one in shorter if left < len(reasons)]
    least = min((left for left, _ in better), default=0)
    places = [one for left, one in better if left == least] or parts
    words = [one for reason in reasons for one in re.findall(r"[^\W_]+", reason)]
    place = max(places[::-1], key=lambda one: sum(word in re.findall(r"[^\W_]+", one[0]) for word in set(words)))
    start = place.start() + len(place[0]) - len(place[0].lstrip())
    yield start, place.start() + len(place[0].rstrip()), reasons[0]


def _reasons(prompt: str, text: str) -> list[str]:
    """Why a text does not hold."""
    verdict = judge().strict(prompt, text)
    if not verdict.known:
        return []
    wrong = [fact.why or f"{fact.what} does not fit" for fact in verdict.facts if not fact.holds]
    return [*wrong, *verdict.reasons]
