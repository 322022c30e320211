"""The claims of lessons that need a trained model, asserted on the shipped pair over texts it never learned.

Margins leave room for other weights: what was measured last stands beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.long import grown
from unmask.canvas import blank
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.models.bundled import available_builtins
from unmask.pair.eval.generate import GeneratedText, held_out, variant, write
from unmask.pair.worlds import Document, check, strict
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.stats import answer_text, text_cells
from unmask.ui.lessons import lessons

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not {"denoiser", "twin"} <= set(available_builtins()), reason="the pair is not here"),
]
WHEN_SURE = variant("when sure", lambda n: {"policy": "threshold", "options": {"tau": 0.9}, "passes": n})
LEFT = variant("left to right", lambda n: {"policy": "left_to_right", "passes": n, "block": 0})
SUREST = variant("surest first", lambda n: {"policy": "confidence", "passes": n, "block": 0})
SIXTEEN = variant("16 passes", lambda n: {"policy": "confidence", "passes": 16, "block": 0})


def few_or_many(few: int, many: int) -> pytest.MarkDecorator:
    """How many texts a claim is tried on; many are tried where there is time for them."""
    return pytest.mark.parametrize("count", grown(few, many))


@pytest.fixture(scope="module")
def denoiser() -> Denoiser:
    return load("denoiser")


def facts(texts: Sequence[GeneratedText]) -> float:
    """The share of their facts that agree."""
    found = [fact.holds for text in texts for fact in check(text.text)]
    return float(np.mean(found))


def begun(denoiser: Denoiser, task: Document, room: int, **changes: object) -> State:
    prompt = denoiser.tokenizer.encode(task.prompt)
    settings = {"policy": "threshold", "options": {"tau": 0.9}, "passes": room, "end": "stop"}
    return start(blank([prompt, room]), Settings().with_changes(settings | changes))


def test_1_a_record_takes_a_handful_of_passes_where_the_twin_takes_one_for_each_word(denoiser: Denoiser) -> None:
    """Measured: 6.8 passes of 8 records on average, 8 at the most; the twin one for each of 29 to 32 words."""
    records = held_out(8, ("record",))
    ours = [write(denoiser, one, WHEN_SURE).passes for one in records]
    twins = [write(load("twin"), one, LEFT) for one in records[:3]]
    assert np.mean(ours) < 10  # as the lesson says
    assert all(one.passes >= one.tokens for one in twins)
    assert np.mean([one.passes for one in twins]) > 2 * np.mean(ours)


def first_guesses(denoiser: Denoiser, task: Document, room: int) -> float:
    """The share of what was believed before anything was written that stands at the end."""
    state = begun(denoiser, task, room)
    (belief,) = infer(denoiser, [state])
    *_, (last, _) = decode(denoiser, state)
    cells = text_cells(last.canvas, denoiser.card) & last.canvas.answer
    return float((belief.token[cells] == last.canvas.tokens[cells]).mean())


@few_or_many(4, 8)
def test_2_nearly_all_of_a_record_is_known_before_anything_is_written_less_of_a_story(
    denoiser: Denoiser, count: int
) -> None:
    """Measured: 97 % of a record, 51 % of a story (8 of each)."""
    record, story = (
        np.mean([first_guesses(denoiser, one, room) for one in held_out(count, (shape,))])
        for shape, room in (("record", 56), ("story", 112))
    )
    assert record > 0.85 and story < 0.75 and record > 1.25 * story


@few_or_many(5, 8)
def test_3_a_decoder_that_writes_when_it_is_sure_finds_out_how_many_passes_a_text_needs(
    denoiser: Denoiser, count: int
) -> None:
    """Measured: 6.8 passes for a record (8), 20 for a story (16), of whose facts 94 % agree; with 16 passes 92 %."""
    stories = held_out(count, ("story",))
    sure = [write(denoiser, one, WHEN_SURE) for one in stories]
    records = [write(denoiser, one, WHEN_SURE).passes for one in held_out(4, ("record",))]
    assert np.mean([one.passes for one in sure]) > 2 * np.mean(records)
    assert facts(sure) > facts([write(denoiser, one, SIXTEEN) for one in stories])


@few_or_many(4, 12)
def test_6_who_may_choose_is_right_more_often_than_who_must_go_from_the_left(denoiser: Denoiser, count: int) -> None:
    """Measured (16 each): from the left 14 sums and 10 sudokus are right, surest first 15 and 16; of lists 6 and 11."""
    tasks = held_out(count, ("sum", "sudoku"))
    left, surest = (sum(write(denoiser, one, way).strict for one in tasks) for way in (LEFT, SUREST))
    assert surest > left


def planted(denoiser: Denoiser, task: Document, decoder: str) -> bool:
    """Whether a wrong word that was there early still stands at the end."""
    for state, _ in decode(denoiser, begun(denoiser, task, 96)):
        there = state.canvas.answer & ~state.canvas.open
        if there.sum() >= 8:
            break
    cell = int(np.flatnonzero(there)[3])
    where = np.arange(len(there)) == cell
    wrong = (int(state.canvas.tokens[cell]) + 1000) % denoiser.card.words
    canvas = state.canvas.write(where, np.full(len(there), wrong, np.int64))
    state = replace(state, canvas=canvas, memory=None, settings=preset(decoder).over(96))
    *_, (last, _) = decode(denoiser, state)
    return int(last.canvas.tokens[cell]) == wrong


@few_or_many(2, 6)
def test_7_a_wrong_word_stays_unless_something_opens_it_again(denoiser: Denoiser, count: int) -> None:
    """A decoder that never takes back keeps all of them; WINO, which hides a word to ask for it again, reopens most."""
    stories = held_out(count, ("story",))
    assert all(planted(denoiser, one, "llada") for one in stories)
    assert np.mean([planted(denoiser, one, "wino") for one in stories]) <= 0.5


def test_a_list_that_a_lesson_sorts_comes_out_sorted(denoiser: Denoiser) -> None:
    """Its prompt was once of a form that the pair never met, and the list on the stage was wrong."""
    orders = [order for lesson in lessons() for order in lesson.specs if order.prompt.startswith("Sort:")]
    assert orders
    for order in orders:
        *_, (state, _) = decode(denoiser, order.start(denoiser.card, denoiser.tokenizer))
        text = order.prompt + answer_text(denoiser, state.canvas)
        assert strict(order.prompt, text).strict, text
