"""A gap that is filled again with fewer cells where its text does not lead on, on beliefs made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np

from tests.decide.test_proofread import END, SKIP, believed, filled, where
from unmask.belief import Belief
from unmask.canvas import Canvas
from unmask.decide import Choice, View
from unmask.decide.gap_lengths import FEWER, GapFills, fill_again, read_fill
from unmask.decide.interface import Aside

WORDS = 40
CANVAS = filled([1, 2], [*range(30, 30 + WORDS)], [3, 4])


def view(canvas: Canvas = CANVAS, fixed: float = 0.9, **more: Any) -> View:
    """All written, and read: each word of the gap is likely, each fixed word as likely as `fixed`."""
    kept = np.where(canvas.free, 0.9, fixed)
    belief = believed(canvas, canvas.tokens.tolist(), kept=kept, known=~canvas.open)
    return View(
        belief=more.pop("belief", belief),
        canvas=canvas,
        eligible=canvas.open,
        block=canvas.answer,
        quota=1,
        block_pass=0,
        block_passes=8,
        random_draws=lambda use: np.zeros(len(canvas)),
        **more,
    )


def scored(fixed: float) -> tuple[Choice, GapFills]:
    choice = fill_again(view(fixed=fixed), GapFills(spent=4))
    return choice, choice.memory


def tried(score: float, text: tuple[int, ...] = (80,) * 18) -> Choice:
    """What is done with a text that was written aside."""
    _, past = scored(1e-6)
    found = Aside(CANVAS, GapFills(spent=3, texts=(text,), scores=(score,), leads=score > -6))
    return fill_again(view(fixed=1e-6, aside=found), past)


def test_a_full_gap_before_the_end_of_the_text_is_read_with_what_is_fixed_behind_it() -> None:
    nothing = Choice(CANVAS.open)
    reading = read_fill(view(), nothing, 4)
    assert reading.stay and where(reading.verify) == [*range(2, len(CANVAS))]
    short, middle = filled([1], [30] * 12, [3]), filled([1], [*range(30, 60)]).pin([20], [5])
    for canvas in (short, middle):
        assert read_fill(view(canvas), Choice(canvas.open), 4).verify is None
    assert read_fill(view(), Choice(CANVAS.open, CANVAS.free), 4).verify is None  # it is not full after this pass
    bare: Belief = replace(view().belief, skips=())
    assert read_fill(view(belief=bare), nothing, 4).verify is None  # no cell of it can stay empty


def test_a_text_that_leads_to_the_fixed_words_stays() -> None:
    choice, past = scored(0.9)
    assert past.leads and choice.aside is None and not choice.stay and where(choice.write) == []


def test_a_text_that_does_not_is_written_again_with_fewer_cells() -> None:
    """It went on behind its plot's end, so that the given ending came as a surprise."""
    choice, past = scored(1e-6)
    assert not past.leads and choice.aside is not None
    assert len(choice.aside) == len(CANVAS) - FEWER[0] and where(choice.aside.open) == [*range(2, 2 + WORDS - FEWER[0])]
    assert choice.aside.tokens[-2:].tolist() == [3, 4] and where(choice.write) == []


def test_a_likelier_text_takes_its_place_and_leaves_cells_empty() -> None:
    choice = tried(-5.0)
    assert choice.tokens is not None and choice.aside is None
    assert choice.tokens[2 : 2 + WORDS].tolist() == [80] * 18 + [SKIP] * (WORDS - 18)
    assert where(choice.write) == [*range(2, 2 + WORDS)]


def test_a_text_that_is_less_likely_is_not_kept() -> None:
    choice = tried(-500.0)
    assert choice.aside is not None and len(choice.aside) == len(CANVAS) - FEWER[1]
    late = replace(choice.memory, spent=1000)
    last = fill_again(view(fixed=1e-6, aside=Aside(CANVAS, None)), late)
    assert last.aside is None and where(last.write) == []


def test_a_run_aside_tries_nothing_itself() -> None:
    choice = fill_again(view(fixed=1e-6, is_aside=True), GapFills(spent=4))
    assert choice.aside is None and choice.memory.scores and END not in choice.memory.texts[0]
