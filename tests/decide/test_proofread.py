"""Draft and proofread, on beliefs made by hand: what stays, what is mended, and what becomes of a gap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Canvas, blank
from unmask.decide import Choice, View, get_policy
from unmask.decide.policies.proofread import ReadState

END, SKIP = 0, 9


def believed(canvas: Canvas, best: list[int], sure: float | list[float] = 0.9, **more: Any) -> Belief:
    """A word a cell, how sure, and what stands there as likely as `kept` says."""
    n = len(canvas)
    token, p = np.array(best), np.broadcast_to(np.array(sure, float), n)
    rest = (1 - p) / 4
    kept = np.where(canvas.tokens == token, p, 0.0)
    return Belief(
        known=more.pop("known", canvas.answer),
        token=token,
        confidence=p,
        margin=p - rest,
        entropy=np.zeros(n),
        top_ids=np.stack([token, *[token + 20 + k for k in range(4)]], 1),
        top_probs=np.stack([p, rest, rest, rest, rest], 1),
        kept=more.pop("kept", kept),
        moved=np.full(n, np.nan),
        doubt=np.full(n, np.nan),
        background=np.full(n, np.nan),
        ends=(END,),
        skips=(SKIP,),
        next_word_probs=more.pop("leads", np.full(n, np.nan)),
        **more,
    )


def chosen(
    canvas: Canvas,
    belief: Belief,
    verified: list[int] | None = None,
    past: ReadState | None = None,
    spent: int = -40,
    block_pass: int = 0,
) -> Choice:
    """What the policy does. Few cells allow few passes, so there are 40 more unless `spent` says otherwise."""
    view = View(
        belief=belief,
        canvas=canvas,
        eligible=canvas.open & belief.known,
        block=canvas.answer,
        quota=1,
        block_pass=block_pass,
        block_passes=8,
        random_draws=lambda use: np.zeros(len(canvas)),
        memory=replace(past or ReadState(), spent=spent),
        verified=None if verified is None else canvas.mask(verified),
    )
    return get_policy("proofread").decide(view)


def filled(prompt: list[int], words: list[int], behind: list[int] | None = None) -> Canvas:
    canvas = blank([prompt, len(words), behind or []])
    at = slice(len(prompt), len(prompt) + len(words))
    row = canvas.tokens.copy()
    row[at] = words
    return canvas.write(canvas.open, row)


def where(mask: Any) -> list[int]:
    return [] if mask is None else np.flatnonzero(mask).tolist()


def test_bold_words_are_written_and_nothing_is_read_before_all_stands() -> None:
    canvas = blank([[5], 4])
    some = chosen(canvas, believed(canvas, [5, 1, 2, 3, 4], [1, 0.7, 0.2, 0.7, 0.7]))
    assert where(some.write) == [1, 3, 4] and some.verify is None and not some.stay
    every = chosen(canvas, believed(canvas, [5, 1, 2, 3, 4], 0.7))
    assert where(every.write) == where(every.verify) == [1, 2, 3, 4] and every.stay


def test_a_cell_that_is_sure_is_written_whichever_word_was_drawn() -> None:
    canvas = blank([[5], 4])
    drawn = replace(
        believed(canvas, [5, 1, 2, 3, 4], [1, 0.7, 0.2, 0.7, 0.2]), confidence=np.array([1, 0.05, 0.2, 0.7, 0.2])
    )
    assert where(chosen(canvas, drawn).write) == [1, 3]
    unsure = replace(
        believed(canvas, [5, 1, 2, 3, 4], [1, 0.1, 0.2, 0.1, 0.1]), confidence=np.array([1, 0.1, 0.01, 0.1, 0.1])
    )
    assert where(chosen(canvas, unsure).write) == [2]


def test_a_text_that_has_ended_is_read_up_to_its_end() -> None:
    canvas = blank([[5], 4])
    choice = chosen(canvas, believed(canvas, [5, 1, END, 3, 4], [1, 0.9, 0.9, 0.2, 0.2]))
    assert where(choice.write) == where(choice.verify) == [1, 2]


def test_a_slip_is_mended_where_it_stands_and_a_second_close_by_takes_the_rest_along() -> None:
    canvas = filled([5], [1, 2, 3, 4])
    once = chosen(canvas, believed(canvas, [5, 1, 7, 3, 4]), [1, 2, 3, 4])
    assert where(once.write) == [2] and where(once.erase) == [] and where(once.verify) == [3, 4] and once.stay
    assert once.memory.read == {1, 2} and once.memory.corrected == 2
    twice = chosen(canvas, believed(canvas, [5, 1, 2, 7, 4]), [3, 4], once.memory)
    assert where(twice.write) == [3] and where(twice.erase) == [4] and twice.verify is None and not twice.stay


def test_what_reading_hardly_likes_less_stays() -> None:
    """A word needs only a share of the best word's probability: two good wordings are both right."""
    canvas = filled([5], [1, 2])
    kept = np.array([0, 0.9, 0.3])
    assert not chosen(canvas, believed(canvas, [5, 1, 7], kept=kept), [1, 2]).write.any()
    assert chosen(canvas, believed(canvas, [5, 1, 7], kept=kept / 2), [1, 2]).write.any()


def test_a_word_that_was_only_the_best_of_doubtful_ones_must_be_nearly_the_readers_best() -> None:
    """A name that comes up for the first time: each is unlikely, and one that stands already is likelier than most."""
    canvas = blank([[5], 2])
    forced = chosen(canvas, believed(canvas, [5, 1, 2], [1, 0.9, 0.2]))
    assert where(forced.write) == [1] and not forced.memory.forced
    half = canvas.write(canvas.mask([1]), np.array([5, 1, 2]))
    forced = chosen(half, believed(half, [5, 1, 2], [1, 0.9, 0.2]), None, forced.memory)
    assert where(forced.write) == [2] and forced.memory.forced == {2}
    canvas = filled([5], [1, 2])
    kept = np.array([0, 0.9, 0.3])
    assert where(chosen(canvas, believed(canvas, [5, 1, 7], kept=kept), [1, 2], forced.memory).write) == [2]
    assert not chosen(canvas, believed(canvas, [5, 1, 7], kept=kept), [1, 2]).write.any()


def test_what_was_read_is_settled_and_so_every_run_ends() -> None:
    canvas = filled([5], [1, 2])
    choice = chosen(canvas, believed(canvas, [5, 7, 8]), [1, 2], ReadState(frozenset({1, 2})))
    assert not choice.write.any() and choice.erase is None and not choice.stay


def test_a_word_that_is_fixed_behind_the_gap_may_stand_though_reading_cannot_know_of_it() -> None:
    canvas = filled([5], [1, 6, 3], [8, 6])
    choice = chosen(canvas, believed(canvas, [5, 1, 7, 3, 8, 6]), [1, 2, 3])
    assert not choice.write.any() and choice.memory.read == {1, 2, 3}
    canvas = filled([5, 6], [1, 6, 3], [8, 6])  # the question has it too, so reading does know of it
    assert where(chosen(canvas, believed(canvas, [5, 6, 1, 7, 3, 8, 6]), [2, 3, 4]).write) == [3]
    canvas = filled([5], [1, 6, 6], [8, 6])  # the second time reading has met it
    assert where(chosen(canvas, believed(canvas, [5, 1, 7, 7, 8, 6]), [1, 2, 3]).write) == [3]


def test_text_that_leads_to_fixed_words_is_doubted_less() -> None:
    kept = np.array([0, 0.9, 0.1, 0, 0])
    free, steered = filled([5], [1, 2, 3, 4]), filled([5], [1, 2], [8, 6])
    assert where(chosen(free, believed(free, [5, 1, 7, 3, 4], kept=kept), [1, 2]).write) == [2]
    assert not chosen(steered, believed(steered, [5, 1, 7, 8, 6], kept=kept), [1, 2]).write.any()
    assert where(chosen(steered, believed(steered, [5, 1, 7, 8, 6], kept=kept / 3), [1, 2]).write) == [2]


def test_text_behind_the_last_fixed_word_is_doubted_as_ever() -> None:
    canvas = blank([[5], 4]).pin((2,), (8,))
    canvas = canvas.write(canvas.open, np.array([5, 1, 8, 2, 3]))
    belief = believed(canvas, [5, 1, 8, 7, 3], kept=np.array([0, 0.9, 0.9, 0.1, 0.9]))
    assert where(chosen(canvas, belief, [1, 3, 4]).write) == [3]


def test_where_an_end_becomes_a_word_the_text_is_read_up_to_the_next_end() -> None:
    """A refilled sentence was longer than the one before, and its story stopped in the middle of the last sentence."""
    canvas = filled([5], [1, END, 6, END, END])
    mended = chosen(canvas, believed(canvas, [5, 1, 7, 6, END, END]), [1, 2])
    assert where(mended.write) == [2] and where(mended.verify) == [3, 4] and mended.stay
    read = ReadState(frozenset({3, 4}))
    assert chosen(canvas, believed(canvas, [5, 1, 7, 6, END, END]), [1, 2], read).verify is None
    only_read = believed(canvas, [5, 7, END, 6, END, END], known=canvas.mask([1, 2]))
    near = chosen(canvas, only_read, [1, 2], ReadState(corrected=0))
    assert where(near.write) == [1] and where(near.erase) == [2]  # this pass did not compute what is behind the end


def test_a_gap_that_is_too_long_is_cut_where_the_fixed_word_could_have_followed() -> None:
    canvas = filled([5], [1, 2, 3, 4], [6])
    leads = np.array([np.nan, 0.0, 0.0, 0.5, 0.0, np.nan])
    belief = believed(canvas, [5, 1, 2, 3, 4, 7], leads=leads, known=np.ones(6, bool))
    choice = chosen(canvas, belief, [1, 2, 3, 4, 5])
    assert choice.skip is not None and where(choice.skip) == where(choice.write) == [3, 4] and choice.erase is None


def test_a_gap_that_ended_early_goes_on_in_cells_that_were_thought_too_many() -> None:
    canvas = filled([5], [1, 2, SKIP, SKIP], [6])
    leads = np.array([np.nan, 0.0, 0.0, 0.0, 0.0, np.nan])
    belief = believed(canvas, [5, 1, 2, 3, 3, 7], leads=leads, known=np.ones(6, bool))
    choice = chosen(canvas, belief, [1, 2, 3, 4, 5])
    assert choice.skip is None and where(choice.write) == [3] and where(choice.erase) == [4]
    assert 5 not in choice.memory.read  # the fixed word is read again, when the gap stands


def test_a_wrong_word_behind_cells_too_many_uses_them() -> None:
    canvas = filled([5], [1, SKIP, SKIP, 4, 3])
    choice = chosen(canvas, believed(canvas, [5, 1, 7, 7, 7, 3]), [1, 2, 3, 4, 5])
    assert where(choice.write) == [2] and where(choice.erase) == [3, 4, 5]


def test_only_what_stands_before_the_first_open_cell_is_read() -> None:
    """A person may open a cell in between; behind it, reading would see a hole."""
    canvas = filled([5], [1, 2, 3])
    opened = canvas.erase(canvas.mask([2]))
    choice = chosen(opened, replace(believed(opened, [5, 1, 7, 8])), [1, 2, 3])
    assert not choice.write.any() and choice.memory.read == {1} and not choice.stay


def test_after_three_rounds_the_reader_finishes_and_erases_nothing() -> None:
    canvas = filled([5], [1, 2, 3, 4])
    past = ReadState(corrected=1, rounds=3)
    belief = believed(canvas, [5, 1, 7, 8, 4])
    choice = chosen(canvas, belief, [1, 2, 3, 4], past, block_pass=9)
    assert where(choice.write) == [2, 3] and choice.erase is None
    assert where(choice.verify) == [3, 4] and choice.memory.read == {1, 2}  # the first wrong cell is settled
    fresh = chosen(canvas, belief, [1, 2, 3, 4], past)
    assert where(fresh.erase) == [3, 4] and fresh.memory.rounds == 1  # in the next block all is as before


def test_with_no_passes_left_all_open_cells_are_drafted_at_once() -> None:
    canvas = blank([[5], 30])
    belief = believed(canvas, [5, *range(1, 31)], 0.1)
    assert len(where(chosen(canvas, belief).write)) == 1
    assert len(where(chosen(canvas, belief, spent=20).write)) == 30


def test_a_text_that_the_reader_ends_has_nothing_behind_its_end() -> None:
    canvas = filled([5], [1, 2, 3, 4])
    choice = chosen(canvas, believed(canvas, [5, 1, END, 3, 4]), [1, 2, 3, 4], ReadState(rounds=2), block_pass=9)
    assert where(choice.write) == [2] and where(choice.erase) == [3, 4] and choice.verify is None and not choice.stay


def test_text_before_fixed_words_stays_as_it_is_when_no_passes_are_left() -> None:
    canvas = filled([5], [1, 2, 3, 4], [6])
    choice = chosen(canvas, believed(canvas, [5, 1, 7, 8, 4, 6]), [1, 2, 3, 4], spent=9)
    assert not choice.write.any() and not choice.stay and choice.memory.read == {1, 2, 3, 4}
