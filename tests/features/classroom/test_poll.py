"""A poll counts words that people see: never cells behind the end of the text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unmask.canvas import Canvas, Card, blank
from unmask.errors import InvalidRequest
from unmask.features.classroom.poll import Poll
from unmask.run.frame import Frame
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.timeline import Node

END, SKIP = 9, 8


def spelled(token: int) -> str:
    return f" {token}"


@pytest.fixture
def card(frame: Frame) -> Card:
    from unmask.models import load

    return replace(load("toy").card, ends=(END,), skips=(SKIP,))


@pytest.fixture
def frame() -> Frame:
    from unmask.inference.decode import decode
    from unmask.models import load
    from unmask.run.spec import RunSpec

    toy = load("toy")
    ((_, found), *_) = decode(toy, RunSpec("1 2", model="toy", length=8).start(toy.card, toy.tokenizer))
    return found


def wrote(frame: Frame, words: dict[int, int]) -> Frame:
    cells, tokens = np.array([*words], np.int32), np.array([*words.values()], np.int32)
    return replace(frame, cells=cells, tokens=tokens)


def poll_at(card: Card, canvas: Canvas, kind: str = "cell", cell: int = -1) -> Poll:
    return Poll.of(kind, "s", Node(start(canvas, Settings())), cell, card)


def test_cells_behind_an_end_that_this_look_writes_do_not_count(card: Card, frame: Frame) -> None:
    poll = poll_at(card, blank([[1, 2], 8]))
    many = wrote(frame, {3: 5, 6: END, 7: 5, 8: END, 9: END})
    assert poll.answered_by(many, spelled) == ["3"]


def test_a_look_that_writes_only_ends_answers_nothing_and_the_next_one_does(card: Card, frame: Frame) -> None:
    poll = poll_at(card, blank([[1, 2], 8]))
    assert poll.answered_by(wrote(frame, {6: END, 7: END}), spelled) is None
    assert poll.answered_by(wrote(frame, {8: 5}), spelled) is None  # it is behind the end by now
    assert poll.answered_by(wrote(frame, {4: 5, 5: SKIP}), spelled) == ["4"]


def test_an_answer_is_a_cell_that_was_seen_open(card: Card) -> None:
    canvas = blank([[1, 2], 8])
    where = np.arange(len(canvas)) == 6
    poll = poll_at(card, canvas.write(where, np.full(len(canvas), END, np.int64)))
    assert poll.answer("a", "5") == "5"
    for text in ("6", "7", "1", "x"):
        with pytest.raises(InvalidRequest, match="still open"):
            poll.answer("a", text)


def test_a_word_is_answered_where_it_comes(card: Card, frame: Frame) -> None:
    poll = poll_at(card, blank([[1, 2], 8]), "word", 4)
    assert poll.answered_by(wrote(frame, {3: 5}), spelled) is None
    assert poll.answered_by(wrote(frame, {3: 5, 4: 7}), spelled) == ["7"]
