"""Texts written for examination: held-out prompts, gone on with by one way to decode or another."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from unmask.canvas import Card, blank
from unmask.inference.decode import decode
from unmask.models import Denoiser
from unmask.pair.worlds import DRILLS, PROSE, Document, document, strict
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.run.stats import answer_text, text_cells

# cells for an answer, some more than the longest needs
LENGTHS = {
    "story": 144,
    "chat": 144,
    "dialogue": 112,
    "letter": 112,
    "recipe": 128,
    "steps": 112,
    "record": 56,
    "code": 96,
    "sudoku": 40,
    "sum": 48,
    "less": 48,
    "adding": 96,
}
SHORT = 36  # cells of an answer that is a few words
HELD_OUT = 1_000_000  # the first seed of documents for examination


@dataclass(frozen=True)
class DecodeConfig:
    """A way to decode: its name, and the settings it makes for so many open cells of a shape."""

    name: str
    settings: Callable[[Card, str, int], Settings]


def variant(name: str, settings: Callable[[int], dict[str, Any]]) -> DecodeConfig:
    """A way that differs from the others in a few settings alone."""

    def made(card: Card, shape: str, cells: int) -> Settings:
        # blocks keep the text in one piece: whole canvases begin a second document before the first has ended
        usual = {"end": "stop", "end_after": 16 if shape in PROSE else 0, "block": 32}
        return Settings().with_changes(usual | settings(cells))

    return DecodeConfig(name, made)


OWN = DecodeConfig("its own decoder", lambda card, shape, cells: RunSpec().settings(card, cells))
WAYS = (
    OWN,
    variant("one a pass", lambda n: {"policy": "confidence", "passes": n}),
    variant("threshold 0.9", lambda n: {"policy": "threshold", "options": {"tau": 0.9}, "passes": n}),
    variant("threshold 0.7", lambda n: {"policy": "threshold", "options": {"tau": 0.7}, "passes": n}),
    variant("left to right", lambda n: {"policy": "left_to_right", "passes": n}),
    variant("16 passes", lambda n: {"policy": "confidence", "passes": 16}),
    variant("8 passes", lambda n: {"policy": "confidence", "passes": 8}),
    variant("4 passes", lambda n: {"policy": "confidence", "passes": 4}),
    variant("2 passes", lambda n: {"policy": "confidence", "passes": 2}),
)


@dataclass(frozen=True)
class GeneratedText:
    """One text as it was written, and what it took."""

    document: Document
    text: str  # prompt and answer
    tokens: int
    passes: int
    seconds: float  # of processor time

    @property
    def strict(self) -> bool:
        return strict(self.document.prompt, self.text).strict


def held_out(count: int, shapes: Sequence[str] = ()) -> list[Document]:
    """Documents never trained on; of the given shapes in turn, or as the worlds mix them, drills left out."""
    if shapes:
        return [document(HELD_OUT + i, "held", shapes[i % len(shapes)]) for i in range(count)]
    drawn = (document(HELD_OUT + i, "held") for i in itertools.count())
    return list(itertools.islice((d for d in drawn if d.shape not in DRILLS), count))


def write(denoiser: Denoiser, task: Document, way: DecodeConfig = OWN, seed: int = 0, **changes: Any) -> GeneratedText:
    """Go on from a document's question."""
    prompt = denoiser.tokenizer.encode(task.prompt)
    room = min(LENGTHS.get(task.shape, SHORT), denoiser.card.longest - len(prompt))
    settings = way.settings(denoiser.card, task.shape, room).with_changes({"seed": seed, **changes})
    began = time.process_time()  # another program on the machine must not decide who is faster
    run = list(decode(denoiser, start(blank([prompt, room]), settings)))
    seconds = time.process_time() - began
    canvas = run[-1][0].canvas
    tokens = int(text_cells(canvas, denoiser.card).sum())
    text = task.prompt + answer_text(denoiser, canvas)
    return GeneratedText(task, text, tokens, sum(frame.cost for _, frame in run), seconds)
