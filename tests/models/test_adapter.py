"""Adapters align rows with cells and see what they should: against the network read whole, cached and not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from unmask.canvas import Bools, Card, Ints
from unmask.models.array_ops import to_device
from unmask.models.bundled_network import TransformerNetwork
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub.adapter import AdapterParts, BothWays, Masked, OneByOne
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.tokenizer import NumberTokenizer
from unmask.models.interface import ModelInput
from unmask.models.transformer import Transformer, TransformerConfig

WORDS, MASK, MARK, CELLS, BLOCK = 50, 49, 48, 24, 6
WAYS = pytest.mark.parametrize(("shift", "first"), [(False, None), (True, None), (True, MARK), (False, MARK)])


def transformer(causal: bool) -> Transformer:
    torch.manual_seed(5)
    made = Transformer(TransformerConfig(vocabulary=WORDS, width=32, layers=2, heads=2, length=64, causal=causal))
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    return made


def network(causal: bool) -> GraphNetwork:
    return transformer(causal).graph()


def adapter(kind: type[Masked], shift: bool, first: int | None, cached: bool = True) -> Masked:
    card = Card("small", "embedded", words=WORDS, longest=64, ends=(MARK,))
    recipe = CheckpointSpec("", {}, shift=shift, longest=64)
    return kind(
        AdapterParts(network(kind is not Masked), recipe, card, NumberTokenizer(WORDS), MASK, cached, first=first)
    )


def model_input(seed: int, **more: object) -> ModelInput:
    """A canvas as a decoder in blocks leaves it: what is before the block stands, and some of what is in it."""
    rng = np.random.default_rng(seed)
    begins = int(rng.integers(0, CELLS // BLOCK)) * BLOCK
    ends = begins + BLOCK
    place = np.arange(CELLS)
    hidden = (place >= ends) | ((place >= begins) & (rng.random(CELLS) < 0.6))
    hidden[begins + int(rng.integers(BLOCK))] = True
    rows = np.flatnonzero(hidden & (place < ends))
    # one text for all, so that there is a beginning to remember
    tokens = np.random.default_rng(0).integers(0, MARK, CELLS)
    return replace(ModelInput(tokens, hidden, rows, place, block=(begins, ends)), **more)  # type: ignore[arg-type]


def read_whole(one: Masked, ids: Ints, attention_mask: Bools) -> Tensor:
    return one.network.logits(
        torch.from_numpy(ids)[None], torch.arange(len(ids)), None, torch.from_numpy(attention_mask)[None]
    )[0]


def expected(one: Masked, asked_of: ModelInput) -> Tensor:
    """The answer by the book: the network reads mark and canvas at once, each row seeing what it may see."""
    leads = int(one.first is not None)
    cells = np.where(asked_of.open, MASK, asked_of.tokens)
    ids = np.append([MARK] * leads, cells).astype(np.int64)
    place = np.arange(len(ids))
    attention_mask = np.ones((len(ids), len(ids)), bool)
    if isinstance(one, OneByOne):
        begins, ends = (b + leads for b in asked_of.block)
        inside = (place >= begins) & (place < ends)
        attention_mask = np.where(inside[:, None], place[None] < ends, place[None] <= place[:, None])
    rows = np.maximum(asked_of.rows + leads - one.shift, 0)
    return read_whole(one, ids, attention_mask)[torch.from_numpy(rows)]


@WAYS
def test_both_ways_is_the_network_read_whole_and_a_cache_changes_nothing(shift: bool, first: int | None) -> None:
    """In shifted mode this was never tried: the first cell of a block is spoken of by the last row before it."""
    kept, plain = (adapter(BothWays, shift, first, cached) for cached in (True, False))
    for seed in range(40):
        one = model_input(seed)
        (answer,), (fresh,) = kept.logits([one]), plain.logits([one])
        assert np.allclose(answer, expected(plain, one), atol=2e-5), seed
        assert np.allclose(answer, fresh, atol=2e-5), seed
    assert isinstance(kept, BothWays) and kept.pasts.hits > 20
    assert isinstance(plain, BothWays) and not plain.pasts.hits


@WAYS
def test_from_left_to_right_each_cell_is_answered_by_what_stands_before_it(shift: bool, first: int | None) -> None:
    kept = adapter(BothWays, shift, first)
    for seed in range(20):
        one = model_input(seed, causal=True)
        (answer,) = kept.logits([one])
        ids = np.append(MARK, one.tokens)
        leads = first is not None or not one.rows.min()  # without a mark of its own, only the first cell needs one
        ids, rows = (ids, one.rows) if leads else (ids[1:], one.rows - 1)
        below = np.tri(len(ids), dtype=bool)
        assert np.allclose(answer, read_whole(kept, ids, below)[torch.from_numpy(rows)], atol=2e-5), seed


@WAYS
def test_the_whole_canvas_with_a_shift_and_a_mark_before_it(shift: bool, first: int | None) -> None:
    canvas = adapter(Masked, shift, first)
    for seed in range(20):
        one = model_input(seed)
        (answer,) = canvas.logits([one])
        assert np.allclose(answer, expected(canvas, one), atol=2e-5), seed
    canvas.shares = True
    several = [model_input(seed) for seed in range(5)]
    for one, answer in zip(several, canvas.logits(several), strict=True):
        assert np.allclose(answer, expected(canvas, one), atol=2e-5)


def test_the_shift_matters() -> None:
    one = model_input(3)
    answers = [adapter(BothWays, shift, MARK).logits([one])[0] for shift in (False, True)]
    assert not np.allclose(*answers, atol=1e-2)


def test_one_that_reads_alone_says_how() -> None:
    with pytest.raises(TypeError, match="abstract"):
        adapter(OneByOne, False, None)


def test_what_is_sent_for_a_forward_goes_as_one_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words, rows and places together; who may look at whom is of another kind, and goes beside them."""
    copies: list[int] = []
    arrives = torch.from_numpy

    def from_numpy(array: Ints) -> Tensor:
        # logits come back
        if array.dtype != np.float32:
            copies.append(array.size)
        return arrives(array)

    monkeypatch.setattr(torch, "from_numpy", from_numpy)
    one = adapter(Masked, shift=False, first=None)
    plain = transformer(causal=False)
    one.network = TransformerNetwork(plain.shape, plain.arrays())
    copies.clear()
    one.logits([model_input(1)])
    assert len(copies) == 1
    sees = np.ones((CELLS, CELLS), bool)
    copies.clear()
    one.logits([model_input(1, attention_mask=sees)])
    assert sorted(copies)[1:] == [CELLS * CELLS] and len(copies) == 2


def test_arrays_arrive_as_they_were() -> None:
    arrays = [np.arange(6).reshape(2, 3), np.empty(0, np.int64), np.array([[9]])]
    came = to_device(torch.device("cpu"), *arrays)
    assert [x.tolist() for x in came] == [a.tolist() for a in arrays]
    assert all(x.dtype is torch.int64 for x in came)
