"""What is found out about any text: its checkable facts, and whether a world could have written it."""

from collections.abc import Iterable
from dataclasses import replace

from unmask.pair.worlds.asking import requested_facts
from unmask.pair.worlds.mixture import TITLES
from unmask.run.judge import Fact, Verdict
from unmask.run.stats import repetition as repetition

SEPARATOR = "<|endoftext|>"
LONGEST = 8000  # characters; what is longer is judged by its beginning
NOTHING = Verdict((), ("it names no shape we know",), known=False)


def strict(prompt: str, text: str) -> Verdict:
    """The verdict on a text that goes on from its prompt. What stands in the prompt is not the writer's to answer for,
    but it holds: who is in it stays who they are."""
    text = text.split(SEPARATOR)[0][:LONGEST].rstrip()
    if not text.startswith(prompt.rstrip()):
        return Verdict((), ("the prompt is not kept",))
    given = min(len(prompt), len(text))
    facts, rest = requested_facts(text)
    skipped = len(text) - len(rest)
    title, colon, body = rest.partition(":")
    shape = title.partition(",")[0]  # "Sum, answer first: …"
    if not colon or shape not in TITLES or "\x01" in text:
        return NOTHING
    if shape != title:
        body = f"{title[len(shape) :]} {body.lstrip(' ')}"
    else:
        shape = title
    cut = max(0, given - skipped - len(rest) + len(body))
    verdict = TITLES[shape].read(body[:cut], body[cut:])
    return replace(verdict, facts=(*facts, *verdict.facts))


def check(text: str) -> list[Fact]:
    """Every checkable fact of the first document in this text; none if its first word names no shape we know."""
    return list(strict("", text.strip()).facts)


def consistency(texts: Iterable[str]) -> float:
    """The share of checkable facts that hold; one if there are none."""
    facts = [fact for text in texts for fact in check(text)]
    return sum(fact.holds for fact in facts) / len(facts) if facts else 1.0


def distinct(texts: Iterable[str], n: int = 3) -> float:
    """The share of n-word sequences that are different: low when the texts are all alike."""
    runs = [run for text in texts for run in zip(*(text.split()[at:] for at in range(n)), strict=False)]
    return len(set(runs)) / len(runs) if runs else 1.0
