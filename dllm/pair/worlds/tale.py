"""Tales: free stories of others, for which no law holds but that they end, and do not go round in circles."""

from random import Random

from unmask.pair.worlds.document import Document, World
from unmask.pair.worlds.fact_agreement import circles, ending, sentences, unlike
from unmask.run.judge import Verdict


def write(rng: Random, new: bool = False) -> Document:
    raise LookupError("tales are collected, not written")


def read(question: str, answer: str) -> Verdict:
    text = f"{question}{answer}".strip()
    lines = sentences(text)
    reasons = unlike([one for one in lines if len(one) > 12])
    if len(lines) < 4:
        reasons = (*reasons, "fewer than four sentences")
    return Verdict((ending(text), circles(text)), reasons)


WORLD = World("tale", "Tale", write, read)
