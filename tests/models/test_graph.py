"""The graph on ONNX Runtime gives the numbers of the network as it is trained, alone and in batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.long import mostly_long
from unmask.canvas import Ints, blank
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.array_ops import softmax
from unmask.models.bundled_network import TransformerNetwork
from unmask.models.graph import Builder
from unmask.models.graph_network import GraphNetwork, OwnNetwork
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.run.presets import preset
from unmask.run.state import start
from unmask.run.step import step

CELLS = 12
INT8_LOGITS = Path(__file__).with_name("int8_logits.json")
RECIPE = (
    "Recipe: mango pudding for nine\nYou need: 9 eggs, 4 mangoes, 2 cups of milk and some sugar.\n"
    "Beat the eggs with the sugar. Add the milk and the mangoes. Bake it for 20 minutes."
)


@pytest.fixture(autouse=True)
def inference_mode() -> Iterator[None]:
    with torch.inference_mode():
        yield


def make_transformer(causal: bool) -> Transformer:
    torch.manual_seed(2)
    network = Transformer(TransformerConfig(50, 32, 3, 4, 16, causal))
    for weight in network.parameters():  # gains too: a gain of one hides where it lies
        torch.nn.init.normal_(weight, 0.7, 0.3) if weight.ndim == 1 else torch.nn.init.normal_(weight, std=0.3)
    return network.eval()


def both(causal: bool) -> list[OwnNetwork]:
    plain = make_transformer(causal)
    return [plain.graph(), TransformerNetwork(plain.shape, plain.arrays())]


def shipped(kind: str, number: str = "fp32") -> GraphNetwork:
    model = load(kind, number=number)
    return model.network  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("causal", [False, True])
def test_it_gives_the_numbers_of_the_network_that_was_trained(causal: bool) -> None:
    plain, ids = make_transformer(causal), torch.randint(0, 50, (3, CELLS))
    wanted = plain.lm_head(plain.read(ids)[0])
    for network in both(causal):
        assert np.allclose(network.logits(ids, torch.arange(CELLS)), wanted, atol=1e-4)
        for rows in ([2, 7, 11], [4]):
            assert np.allclose(network.logits(ids, torch.tensor(rows)), wanted[:, rows], atol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
def test_positions_masks_and_a_cache_are_those_of_the_network_that_was_trained(causal: bool) -> None:
    """Positions reach beyond the length of the config."""
    plain = make_transformer(causal)
    ids, positions = torch.randint(0, 50, (2, CELLS)), torch.arange(30, 30 + CELLS).expand(2, CELLS)
    attention_mask = torch.rand(2, CELLS, CELLS) < 0.6
    attention_mask[:, 3] = False  # a cell that attends to nothing
    hidden, past = plain.read(ids, positions, attention_mask)
    more = torch.randint(0, 50, (2, 5))
    after, _ = plain.read(more, past=past)
    for network in both(causal):
        cache = network.cache()
        logits = network.logits(ids, torch.arange(CELLS), positions, attention_mask, cache)
        assert np.allclose(logits, plain.lm_head(hidden), atol=1e-4)
        assert cache.get_seq_length() == CELLS
        logits = network.logits(more, torch.tensor([4]), past=cache)
        assert np.allclose(logits, plain.lm_head(after)[:, 4:], atol=1e-4)
        assert cache.get_seq_length() == CELLS + 5


def test_the_logits_of_every_layer_are_those_of_the_network_that_was_trained() -> None:
    plain, ids, rows = make_transformer(False), torch.randint(0, 50, (1, CELLS)), torch.tensor([3, 8])
    states: list[Tensor] = []
    plain.read(ids, states=states)
    wanted = plain.lm_head(plain.last_norm(torch.cat(states)))[:, 8]
    for network in both(False):
        with network.tapped() as found:
            logits = network.logits(ids, rows)
        layers = network.layer_logits(found[0].states)
        assert np.allclose(layers, wanted, atol=1e-4)
        assert np.allclose(layers[-1], logits[0, -1], atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_that_of_the_network_that_was_trained(causal: bool) -> None:
    """Whole, of one row, with a mask and positions of one's own, and behind a cache."""
    plain, ids = make_transformer(causal), torch.randint(0, 50, (1, CELLS))
    mask = (torch.rand(1, CELLS, CELLS) < 0.6) | torch.eye(CELLS, dtype=torch.bool)
    own = torch.randperm(CELLS)[None]
    for rows, positions, seen in (([2, 7], None, None), ([7], None, None), ([2, 7], own, mask)):
        wanted = attention_of(plain, ids, positions, seen)[:, :, 7]
        for network in both(causal):
            with network.tapped() as found:
                network.logits(ids, torch.tensor(rows), positions, seen)
            for layer, head in np.ndindex(3, 4):
                weights = found[-1].attention(layer, head)
                assert np.allclose(weights, wanted[layer, head], atol=1e-5) and abs(weights.sum() - 1) < 1e-9
    if causal:
        for network in both(causal):
            cache = network.cache()
            network.logits(ids[:, :5], torch.tensor([4]), past=cache)
            with network.tapped() as found:
                network.logits(ids[:, 5:8], torch.tensor([2]), past=cache)
            wanted = attention_of(plain, ids[:, :8])[:, :, 7]
            assert np.allclose(found[-1].attention(1, 2), wanted[1, 2], atol=1e-5)


def attention_of(plain: Transformer, ids: Tensor, positions: Tensor | None = None, mask: Tensor | None = None) -> Any:
    """[layers, heads, L, L] as the layers compute it."""
    states: list[Tensor] = []
    plain.read(ids, positions, mask, states=states)
    length = ids.shape[1]
    places = torch.arange(length)[None] if positions is None else positions
    if mask is None:
        mask = torch.ones(1, length, length, dtype=torch.bool)
        mask = mask.tril() if plain.shape.causal else mask
    found = []
    for layer, state in zip(plain.layers, states[:-1], strict=True):
        query, key, _ = layer.project(state, *plain.angles(places))
        score = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        found.append(score.masked_fill(~mask[:, None], -torch.inf).softmax(-1)[0])
    return torch.stack(found).numpy()


def test_two_threads_do_not_see_each_others_layers() -> None:
    """A run beside a lens once put its own layers into the lens's answer."""

    def run(network: OwnNetwork) -> None:
        with torch.inference_mode():
            network.logits(torch.randint(0, 50, (1, CELLS)), torch.arange(2))

    for network in both(False):
        with network.tapped() as found:
            beside = Thread(target=run, args=(network,))
            beside.start()
            beside.join()
            assert not found
            run(network)
        assert len(found) == 1


def test_no_rows_are_answered_and_extend_the_cache() -> None:
    for network in both(True):
        cache = network.cache()
        assert network.logits(torch.arange(4)[None], torch.arange(0), past=cache).shape == (1, 0, 50)
        assert cache.get_seq_length() == 4


@pytest.mark.parametrize("kind", ["denoiser", "twin"])
def test_the_shipped_weights_give_the_logits_of_the_network_that_was_trained(kind: str) -> None:
    network = shipped(kind)
    other: Any = load(kind, engine="torch").network  # type: ignore[attr-defined]
    ids = torch.from_numpy(np.random.default_rng(0).integers(5, network.words, (2, 112)))
    rows = torch.arange(112)
    ours, theirs = network.logits(ids, rows), other.logits(ids, rows).numpy()
    assert np.allclose(ours, theirs, atol=1e-4)
    assert np.array_equal(ours.argmax(-1), theirs.argmax(-1))


@pytest.mark.parametrize("kind", ["denoiser", "twin"])
@pytest.mark.parametrize("number", ["fp32", "int8"])
@pytest.mark.parametrize("cells", mostly_long([1, 8, 16, 56, 112], [1, 16]))
def test_a_batch_has_the_bits_of_each_row_alone(kind: str, cells: int, number: str) -> None:
    network = shipped(kind, number)
    ids = torch.from_numpy(np.random.default_rng(cells).integers(5, network.words, (16, cells)))
    rows = torch.arange(0, cells, 3)
    for before in (0, 40):
        past = network.cache()
        if before:
            network.logits(
                torch.from_numpy(np.random.default_rng(1).integers(5, 999, (16, before))), rows[:1], past=past
            )
        alone = []
        for row in range(16):
            own = network.cache()
            own.layers = [type(layer)(layer.keys[row : row + 1], layer.values[row : row + 1]) for layer in past.layers]
            alone.append(network.logits(ids[row : row + 1], rows, past=own))
        for many in (2, 4, 16):
            own = network.cache()
            own.layers = [type(layer)(layer.keys[:many], layer.values[:many]) for layer in past.layers]
            assert np.array_equal(network.logits(ids[:many], rows, past=own), np.concatenate(alone[:many]))


@pytest.mark.parametrize("number", ["fp32", "int8"])
@pytest.mark.parametrize("rows", [[5], [0, 5], list(range(CELLS))])
def test_a_row_has_the_same_bits_whatever_other_rows_are_requested(rows: list[int], number: str) -> None:
    network, ids = shipped("denoiser", number), torch.arange(5, 5 + CELLS)[None]
    whole = network.logits(ids, torch.arange(CELLS))[0, 5]
    assert np.array_equal(network.logits(ids, torch.tensor(rows))[0, rows.index(5)], whole)


def test_bf16_gives_about_the_same_in_half_the_memory() -> None:
    plain, ids, rows = make_transformer(False), torch.randint(0, 50, (1, CELLS)), torch.arange(CELLS)
    full, half = (TransformerNetwork(plain.shape, plain.arrays(), number) for number in ("fp32", "bf16"))
    wanted, found = full.logits(ids, rows), half.logits(ids, rows).float()
    assert (wanted - found).norm() < 0.1 * wanted.norm()
    assert 2 * half.size == full.size and full.parameters == sum(w.numel() for w in plain.parameters())


def half_masked() -> tuple[Ints, Ints]:
    """A recipe with every third token masked, and these cells."""
    denoiser = load("denoiser")
    ids = np.array(denoiser.tokenizer.encode(RECIPE))
    rows = np.arange(1, len(ids), 3)
    ids[rows] = denoiser.mask  # type: ignore[attr-defined]
    return ids[None], rows


def test_int8_is_close_to_fp32_in_a_third_of_the_memory() -> None:
    ids, rows = half_masked()
    exact, narrow = shipped("denoiser"), shipped("denoiser", "int8")
    ours, theirs = (network.logits(ids, rows)[0] for network in (narrow, exact))
    assert (ours.argmax(-1) == theirs.argmax(-1)).mean() >= 0.9
    assert np.abs(softmax(ours).max(-1) - softmax(theirs).max(-1)).mean() < 0.03
    assert sum(map(len, Builder(narrow.weights, narrow.architecture, "int8").build())) < 10_000_000
    assert 3 * narrow.size < exact.size


def test_int8_gives_the_same_words_on_every_processor() -> None:
    """Products of eight bits saturate on some processors: the file was made on one with VNNI and AMX."""
    ids, rows = half_masked()
    stored = json.loads(INT8_LOGITS.read_text())
    logits = shipped("denoiser", "int8").logits(ids, rows)[0]
    assert ids[0].tolist() == stored["ids"] and logits.argmax(-1).tolist() == stored["likeliest"]
    np.testing.assert_allclose(np.sort(logits, -1)[:, -3:], stored["largest"], atol=0.05)


@pytest.mark.parametrize("number", ["fp32", "int8"])
@pytest.mark.parametrize("kind", ["denoiser", "twin", "fast"])
def test_a_text_is_the_same_without_caches_after_a_restart_and_on_a_fork(kind: str, number: str) -> None:
    model: Any = load(kind, number=number)
    settings = preset(model.card.preset["preset"]).over(24, temperature=0.6, seed=3)
    first = start(blank([model.tokenizer.encode("Story: Lily had a red kite."), 24]), settings)
    states = [first, *(state for state, _ in decode(model, first))]
    text = states[-1].canvas.tokens.tolist()
    uncached = first
    while not uncached.done:
        model.clear_caches()
        uncached, _ = step(uncached, infer(model, [uncached])[0])
    again = list(decode(load(kind, number=number), first))[-1][0]
    forked = list(decode(model, states[len(states) // 2]))[-1][0]
    for other in (uncached, again, forked):
        assert other.canvas.tokens.tolist() == text
