"""The answer is the reference, or one of them where it is a list; spaces around and between words do not count."""

from typing import Any


def score(prompt: str, text: str, reference: Any) -> float:
    wanted = reference if isinstance(reference, list) else [reference]
    return float(" ".join(text.split()) in {" ".join(str(one).split()) for one in wanted})
