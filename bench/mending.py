"""What checks and drafts mend, with the bundled pair: texts that a seeded script has spoilt, judged afterwards.

`python -m bench mending`. It takes about four minutes of processor time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from statistics import median
from typing import Any

import numpy as np

from bench.row import Row, at_least, at_most
from unmask.inference.checker_of import checker_of
from unmask.inference.decode import nodes, timelines
from unmask.inference.draft import opening
from unmask.models import Denoiser, load
from unmask.run.edit import apply
from unmask.run.judge import judge
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text
from unmask.run.timeline import Node

CHECKS = ("sums", "repeats", "names", "quotes", "facts")
SHAPES = {"a sum": ("sum", "less"), "a name": ("story", "letter"), "a sentence twice": ("story",), "a fact": ("story",)}
SENTENCE = re.compile(r"[^\s.!?][^.!?\n]*[.!?]+[\"”]?")
NUMBER = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
NUMBERS = NUMBER.pattern[3:-3].split("|")
NAMES = ("Toby", "Karin", "Wilma", "Oskar", "Priya")
KEEP = 0.6
PLANTED = ("a name", "a name", "a fact")


@dataclass(frozen=True)
class Text:
    """A text that the judge passes, and the same with something spoilt."""

    prompt: str
    right: str
    wrong: str


def spoilt(kind: str, prompt: str, text: str, rng: Random) -> str | None:
    """The text with one thing wrong; None if it has nothing of this kind."""
    if kind == "a sentence twice":
        parts = [*SENTENCE.finditer(text)]
        if len(parts) < 4:
            return None
        at = rng.randrange(1, len(parts) - 2)
        return text[: parts[at + 1].start()] + parts[at][0] + text[parts[at + 1].end() :]
    if kind == "a name":
        places = [found for found in re.finditer(r"\b[A-Z][a-z]+\b", text) if found[0] in prompt and found[0] != "Dear"]
        new = rng.choice([name for name in NAMES if name not in prompt + text])
    elif kind == "a sum":
        places = [*re.finditer(r"(?<== )\d+", text)]
        new = str(int(places[-1][0]) + rng.choice((1, 2, 3, 10))) if places else ""
        places = places[-1:]
    else:
        places = [*NUMBER.finditer(text)][-1:]
        new = rng.choice([number for number in NUMBERS if not places or number != places[0][0]])
    if not places:
        return None
    place = rng.choice(places)
    return text[: place.start()] + new + text[place.end() :]


def texts(denoiser: Denoiser, kinds: Sequence[str], many: int) -> Iterator[Text]:
    """Held-out texts of the pair that are strictly right, and not so any more with one mistake of each kind."""
    rng, found, shapes = Random(" ".join(kinds)), 0, SHAPES[kinds[-1]]
    for prompt in judge().prompts(12 * many, shapes):
        length = judge().cells(shapes[0])
        *_, run = timelines(denoiser, RunSpec(prompt, length=length))
        right = answer_text(denoiser, run.head.canvas)
        wrong: str | None = right
        for kind in kinds:
            wrong = wrong and spoilt(kind, prompt, wrong, rng)
        fits = wrong and len(denoiser.tokenizer.encode(wrong)) <= length
        if not wrong or not fits or not strict(prompt, right) or strict(prompt, wrong):
            continue
        yield Text(prompt, right, wrong)
        found += 1
        if found == many:
            return


def strict(prompt: str, text: str) -> bool:
    return judge().strict(prompt, prompt + text).strict


def begun(denoiser: Denoiser, text: Text, **changes: Any) -> Node:
    """A run that begins with the spoilt text."""
    length = len(denoiser.tokenizer.encode(text.wrong)) + 8
    spec = RunSpec(text.prompt, length=length, draft=text.wrong, changes=changes)
    return Node(spec.start(denoiser.card, denoiser.tokenizer))


def finished(denoiser: Denoiser, node: Node) -> Node:
    return [node, *nodes(denoiser, node)][-1]


def mended_by_checks(denoiser: Denoiser, text: Text) -> bool:
    """Whether check and judge pass afterwards, with as many sentences as before."""
    end = finished(denoiser, begun(denoiser, text, checks=CHECKS))
    answer = answer_text(denoiser, end.canvas)
    left = checker_of(denoiser).findings(replace(end.state, findings=()))
    same = len(SENTENCE.findall(answer)) == len(SENTENCE.findall(text.wrong))
    return strict(text.prompt, answer) and not left and same


def mended_draft(denoiser: Denoiser, text: Text, way: str) -> tuple[bool, float]:
    """Whether the judge passes a draft afterwards, and the share of its right words that are as they were."""
    node = begun(denoiser, text)
    edit = opening(denoiser, node.state, KEEP, way)
    assert edit is not None
    end = finished(denoiser, node.child(apply(node.state, edit), edit=edit))
    answer = answer_text(denoiser, end.canvas)
    before, after, right = text.wrong.split(), answer.split(), text.right.split()
    if len(before) != len(right):
        return strict(text.prompt, answer), float("nan")
    sound = [i for i, word in enumerate(right) if word == before[i]]
    kept = sum(i < len(after) and after[i] == right[i] for i in sound)
    return strict(text.prompt, answer), kept / max(len(sound), 1)


def cost(denoiser: Denoiser, runs: int) -> float:
    """The time of a run whose check finds nothing after each pass, over that of one without, run in turn."""
    spec = RunSpec("Story: Lily had a red kite.", changes={"check_when": "pass"})
    ratios = []
    for _ in range(runs):
        times = []
        for checks in ((), (lambda text: [],)):
            began = time.perf_counter()
            *_, run = timelines(denoiser, spec, checks=checks)
            times.append((time.perf_counter() - began) / run.measured().passes)
        ratios.append(times[1] / times[0])
    return median(ratios)


def rows(tiny: bool = False) -> Iterator[Row]:
    """The rows of the table."""
    denoiser = load("denoiser")
    yield at_most("a pass with a check that takes no time, over one without", cost(denoiser, 3 if tiny else 21), 1.05)
    good, many = 0, 0
    for kind in SHAPES:
        some = [mended_by_checks(denoiser, text) for text in texts(denoiser, (kind,), 1 if tiny else 15)]
        yield Row(f"texts with {kind} that is wrong: mended by checks", f"{sum(some)} of {len(some)}")
        good, many = good + sum(some), many + len(some)
    yield at_least(
        f"all {many}: check and strict judge pass, as many sentences", 100 * good / max(many, 1), 70, " %", 0
    )
    drafts = [*texts(denoiser, PLANTED, 1 if tiny else 40)]
    for way, name, wanted in (("doubt", "the words it doubts most", 70), ("random", "random words", None)):
        some = [mended_draft(denoiser, text, way) for text in drafts]
        share = 100 * sum(one for one, _ in some) / len(some)
        yield at_least(f"{len(drafts)} drafts kept at 60 %, {name} opened: strictly right", share, wanted, " %", 0)
        kept = 100 * float(np.nanmean([share for _, share in some]))
        yield at_least("the same: words that were right and are as they were", kept, wanted and 90, " %", 0)
