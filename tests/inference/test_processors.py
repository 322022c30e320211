"""Every processor changes what its key says and nothing else, so that what is recalled is never the wrong thing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import RepetitionPenaltyLogitsProcessor

from tests.support import begin, run
from unmask.canvas import Card, blank
from unmask.inference import infer
from unmask.inference.processors import apply_processors, model_processors, sampling_processors
from unmask.inference.query import distribution_key
from unmask.models.toy import Toy
from unmask.run.command import Erase, Stretch
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import State

TOY = Toy(seed=6)
TOY.card = replace(TOY.card, ends=(9, 10))
CELLS = np.arange(5, 21)

CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "bans": st.sets(st.integers(0, 48), max_size=3).map(tuple),
        "boosts": st.dictionaries(st.integers(0, 48), st.integers(-3, 3).map(float), max_size=2),
        "precision": st.sampled_from(["model", "single", "double"]),
        "end": st.sampled_from(["allow", "penalise", "forbid", "stop"]),
        "end_penalty": st.integers(0, 3).map(float),
        "end_after": st.integers(0, 4),
        "guidance": st.sampled_from([0.0, 0.5]),
    },
)


def shaped(state: State) -> torch.Tensor:
    logits, without = (torch.from_numpy(TOY.hashed_logits(np.full(21, t))[CELLS]) for t in (1, TOY.mask))
    return (
        apply_processors(model_processors(state, state.canvas, TOY.card, without), logits, CELLS).double().softmax(-1)
    )


@given(CHANGES, CHANGES)
def test_equal_keys_are_equal_distributions(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A setting that shaped but stood in no key once gave a wrong KL, and nobody saw it."""
    states = [begin(**changes) for changes in (one, other)]
    keys = [distribution_key(s.canvas, s, TOY.card) for s in states]
    if not torch.equal(*map(shaped, states)):
        assert keys[0] != keys[1]


def test_what_does_not_shape_stands_in_no_key() -> None:
    state = begin()
    warm = replace(state, settings=state.settings.with_changes({"temperature": 1.0, "top_k": 3, "seed": 5}))
    assert distribution_key(state.canvas, state, TOY.card) == distribution_key(warm.canvas, warm, TOY.card)
    assert [p.key[0] for p in sampling_processors(warm)] == ["temperature", "top_k"] and sampling_processors(
        state
    ) == []


def test_a_card_may_calibrate_confidence_by_the_share_that_is_open() -> None:
    toy = Toy(seed=6)
    plain = run(toy, begin(passes=16, precision="double"))
    toy.card = replace(toy.card, calibration=(1.0, 3.0))  # as it is where little is open, a third where all is
    calibrated = run(toy, begin(passes=16, precision="double"))
    state = begin(precision="double")
    (belief,) = infer(toy, [state])
    p = torch.from_numpy(TOY.hashed_logits(np.where(state.canvas.open, TOY.mask, state.canvas.tokens)) / 3).softmax(-1)
    assert belief.confidence[5:] == pytest.approx(p.numpy().max(-1)[5:], rel=1e-6)
    assert calibrated[0][1].tokens.tolist() == plain[0][1].tokens.tolist()  # the surest word stays the surest
    toy.card = replace(toy.card, hesitant=1.0)  # who is unsure is divided by less, and by how sure it is
    (belief,) = infer(toy, [state])
    logits = torch.from_numpy(TOY.hashed_logits(np.where(state.canvas.open, TOY.mask, state.canvas.tokens)))
    sure = (logits.softmax(-1).amax(-1, keepdim=True) / 0.8).clamp(max=1)
    p = (logits / (1 + 2 * sure)).softmax(-1)
    assert belief.confidence[5:] == pytest.approx(p.numpy().max(-1)[5:], rel=1e-6)
    half = replace(state, canvas=state.canvas.write(np.arange(21) >= 13, np.full(21, 4)))
    assert [q.key for q in model_processors(half, half.canvas, toy.card)][-1] == ("calibration", 2.0)


@given(presence=st.sampled_from([0.5, 1.5]), frequency=st.sampled_from([0.0, 0.5]))
def test_what_the_answer_holds_is_taken_down_by_how_often_it_holds_it(presence: float, frequency: float) -> None:
    plain, taken = begin(), begin(presence=presence, frequency=frequency)
    c = plain.canvas
    answer = c.write(c.mask([5, 6, 7]), np.full(21, 4)).write(c.mask([8]), np.full(21, 7))
    logits = torch.from_numpy(TOY.hashed_logits(np.full(21, 1))[CELLS])
    before, after = (
        apply_processors(model_processors(s, answer, TOY.card), logits.clone(), CELLS).double() for s in (plain, taken)
    )
    down = (before - after)[0]
    assert down[4].item() == pytest.approx(presence + 3 * frequency, abs=1e-4)
    assert down[7].item() == pytest.approx(presence + frequency, abs=1e-4)
    assert down[[t for t in range(49) if t not in (4, 7)]].abs().max() < 1e-4


@given(penalty=st.floats(1.01, 10) | st.floats(0.1, 0.99), seed=st.integers(0, 99))
def test_repetition_is_penalised_as_in_transformers(penalty: float, seed: int) -> None:
    state = begin(repetition=penalty)
    answer = state.canvas.write(state.canvas.mask([5, 6, 8]), np.full(21, 4)).write(
        state.canvas.mask([9]), np.full(21, 7)
    )
    logits = torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (len(CELLS), 49)).astype(np.float32))
    logits[:, 11] = -torch.inf
    (ours,) = (p for p in model_processors(state, answer, TOY.card) if p.key[0] == "repetition")
    seen = torch.from_numpy(answer.tokens[~answer.open])[None].repeat(len(CELLS), 1)
    theirs = RepetitionPenaltyLogitsProcessor(penalty)(seen, logits.clone())
    assert torch.equal(ours.apply(logits.clone(), CELLS), theirs)
    assert torch.equal(torch.from_numpy(ours.apply(logits.numpy().copy(), CELLS)), theirs)


@given(share=st.floats(0.01, 1.0))
def test_no_word_is_drawn_that_is_less_likely_than_a_share_of_the_likeliest(share: float) -> None:
    logits = torch.from_numpy(TOY.hashed_logits(np.full(21, 1))[CELLS])
    p = logits.double().softmax(-1)
    cut = apply_processors(sampling_processors(begin(min_p=share)), logits, CELLS).double().softmax(-1)
    assert torch.equal(cut > 0, p >= share * p.amax(-1, keepdim=True) * (1 - 1e-12)) or share > 0.999


def test_a_belief_keeps_as_many_candidates_as_are_asked_for() -> None:
    (belief,) = infer(TOY, [begin(candidates=20)])
    assert belief.top_ids.shape[1] == 20
    (_, frame), *_ = run(TOY, begin(candidates=20))
    assert frame.top_ids.shape[1] == 5  # of a frame only those that every pass keeps


def test_an_erased_passage_does_not_begin_as_it_did() -> None:
    """Also at temperature 0, after a rewind, and if it is erased again."""
    state = run(TOY, begin(cells=8))[-1][0]
    seen = set()
    for _ in range(4):
        seen.add(int(state.canvas.tokens[7]))
        opened = apply(state, Erase((7, 8, 9), differently=True))
        assert opened.avoid[-1] == (int(state.canvas.ids[7]), int(state.canvas.tokens[7]))
        state = run(TOY, opened)[-1][0]
        assert int(state.canvas.tokens[7]) not in seen
    assert len(seen) == 4


def test_inserted_cells_do_not_begin_as_what_follows_them() -> None:
    """Otherwise a model writes the next sentence there, and the text is the same as before."""
    state = run(TOY, begin(cells=8))[-1][0]
    longer = apply(state, Stretch(9, 2, differently=True))
    following = int(state.canvas.tokens[9])
    assert longer.avoid == ((int(longer.canvas.ids[9]), following),)
    assert int(run(TOY, longer)[-1][0].canvas.tokens[9]) != following
    assert apply(state, Stretch(9, 2)).avoid == apply(state, Stretch(9, -2, differently=True)).avoid == ()
    assert apply(state, Stretch(len(state.canvas), 2, differently=True)).avoid == ()  # nothing follows
    assert apply(begin(cells=8), Stretch(9, 2, differently=True)).avoid == ()  # what follows is not written yet
    twice = apply(longer, Stretch(9, 1, differently=True))  # a person inserts one cell after the other
    assert twice.avoid == ((int(twice.canvas.ids[9]), following),)  # the others may say it
    assert int(run(TOY, twice)[-1][0].canvas.tokens[9]) != following


def test_a_text_does_not_end_before_words_that_were_given() -> None:
    """What comes after an end is not shown. A model that has no token for an empty cell may end the text there."""
    before, after = np.arange(3, 6), np.arange(6, 9)
    empty = replace(TOY.card, skips=(8,))

    def never_ends(card: Card, *parts: Any, **changes: Any) -> list[int]:
        canvas = blank([before, *parts])
        state = State(canvas, Settings().with_changes(changes))
        keys = [p.key for p in model_processors(state, canvas, card)]
        return [key[1] for key in keys if key[0] == "no end"]

    assert never_ends(empty, 8, after) == [13]
    assert never_ends(empty, 2, after, 4) == [7]  # but after the last word that was given
    assert never_ends(empty, 8) == never_ends(TOY.card, 8, after) == []
    assert never_ends(empty, 8, after, room=20) == []  # an end is then a cell too many


def test_an_end_that_was_erased_may_come_again() -> None:
    state = begin(cells=8)
    ended = replace(state, avoid=((5, 9), (6, 3)))
    keys = [p.key for p in model_processors(ended, ended.canvas, TOY.card)]
    assert ("avoid", (6, 3)) in keys
