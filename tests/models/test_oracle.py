"""Oracle worlds: their texts are all there are, and their beliefs are the exact posterior."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.models import full_input, load
from unmask.models.oracle import Oracle
from unmask.run.spec import RunSpec


@pytest.mark.parametrize(
    "name, count, cells",
    [
        ("permutations:4", 24, 4),
        ("permutations:6", 720, 6),
        ("sudoku4", 288, 16),
        ("balanced:8", 224, 8),
        ("smallsums", 100, 6),
    ],
)
def test_every_text_is_there_once(name: str, count: int, cells: int) -> None:
    oracle = load(name)
    assert isinstance(oracle, Oracle) and oracle.texts.shape == (count, cells)
    assert len(np.unique(oracle.texts, axis=0)) == count


def test_a_belief_is_the_count_of_texts_that_agree() -> None:
    """Every context of up to two words of a small world, against counting by hand."""
    oracle = load("permutations:4")
    assert isinstance(oracle, Oracle)
    texts = [tuple(row) for row in oracle.texts.tolist()]
    for context in product([None, 0, 1, 2, 3], repeat=4):
        agree = [t for t in texts if all(c is None or c == w for c, w in zip(context, t, strict=True))]
        if not agree:
            continue
        closed = np.array([c is not None for c in context])
        found = oracle.belief(np.array([c if c is not None else -1 for c in context]), closed)
        for cell in range(4):
            counted = Counter(t[cell] for t in agree)
            assert found[cell, :4] == pytest.approx([counted[w] / len(agree) for w in range(4)], abs=1e-12)


def test_two_confident_words_can_be_impossible_together() -> None:
    oracle = load("permutations:4")
    state = RunSpec("1 2", model="permutations:4", length=2).start(oracle.card, oracle.tokenizer)
    (belief,) = infer(oracle, [state])
    third, fourth = belief.top_ids[2:4, 0], belief.top_probs[2:4, 0]
    assert third[0] == third[1] and fourth == pytest.approx([0.5, 0.5], abs=1e-9)


def test_behind_a_text_is_its_end_and_a_context_of_no_text_is_answered_too() -> None:
    oracle = load("smallsums")
    assert isinstance(oracle, Oracle)
    spec = RunSpec("3 + 4 =", model="smallsums", length=6)
    state = spec.start(oracle.card, oracle.tokenizer)
    (logits,) = oracle.logits([full_input(state.canvas)])
    assert [oracle.tokenizer.words[i] for i in logits.argmax(-1).tolist()] == [
        "0",
        "7",
        "<end>",
        "<end>",
        "<end>",
        "<end>",
    ]
    wrong = oracle.belief(np.array(oracle.tokenizer.encode("3 + 4 = 9 9")), np.ones(6, bool))
    assert np.allclose(wrong.sum(1), 1)


def test_sizes_and_words_that_are_not_are_sentences() -> None:
    with pytest.raises(InvalidRequest, match="must be one of 2, 3, 4"):
        load("permutations:9")
    with pytest.raises(InvalidRequest, match="no word 'x'; its words are 1 2 3 4"):
        load("permutations").tokenizer.encode("1 x")


def test_a_shadow_sees_every_cell_but_its_own() -> None:
    oracle = load("permutations:3")
    assert isinstance(oracle, Oracle)
    spec = RunSpec("", model="permutations:3", length=3, preset="wino")
    state = spec.start(oracle.card, oracle.tokenizer)
    from unmask.inference.decode import decode

    *_, (last, _) = decode(oracle, state)
    assert sorted(last.canvas.tokens.tolist()) == [0, 1, 2]


def test_read_from_left_to_right_it_never_errs() -> None:
    from unmask.inference.decode import decode

    for name, length in (("permutations:6", 6), ("sudoku4", 16), ("balanced:8", 8)):
        oracle = load(name)
        assert isinstance(oracle, Oracle)
        spec = RunSpec("", model=name, length=length, preset="autoregressive", changes={"temperature": 1.0}, seed=3)
        *_, (last, _) = decode(oracle, spec.start(oracle.card, oracle.tokenizer))
        assert last.canvas.tokens.tolist() in oracle.texts.tolist()
