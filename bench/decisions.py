"""Eight questions about a text of 68 tokens, over the forward that answers them: processor time, alternately."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.row import Row, at_most
from bench.timer import over
from unmask.features.decisions.question import read_questions
from unmask.features.decisions.reading import read
from unmask.models import load
from unmask.models.interface import ModelInput

TEXT = (
    "Story: Mia had a red kite. Tom had a blue ball. Mia gives the kite to Tom. Tom was happy. Then they went home and "
    "had tea with a friend. The friend was old and kind and had a cat. The cat was black and sat on the mat all day."
)
ASKS = {"type": "choice", "instructions": "Who has the kite?", "criteria": {"Mia": None, "Tom": None}}


def rows(tiny: bool = False) -> Iterator[Row]:
    model, questions = load("denoiser"), read_questions({str(n): ASKS for n in range(8)})
    found = read(model, TEXT, questions, True, False)
    assert found.forwards == 1
    text = model.tokenizer.encode(TEXT)
    behind = [token for one in questions for token in (*model.tokenizer.encode(one.text()), -1)]
    tokens = np.array([*text, *behind])
    opened = tokens < 0
    bare = ModelInput(
        tokens, opened, np.flatnonzero(opened), np.arange(len(tokens)), None, len(text), block=(len(text), len(tokens))
    )
    share = over(
        lambda: read(model, TEXT, questions, True, False), lambda: model.logits([bare]), rounds=2 if tiny else 40
    )
    yield at_most("eight questions, one forward: over the bare forward", 1 + share, 1.1)
