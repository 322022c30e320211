"""The network as it thinks gives the numbers of the network as it is trained."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from unmask.models.bundled import BundledNetwork
from unmask.models.fused import Fused
from unmask.models.transformer import Transformer, TransformerConfig

CELLS = 12


def make_transformer(causal: bool) -> Transformer:
    torch.manual_seed(2)
    network = Transformer(TransformerConfig(50, 32, 3, 4, 16, causal))
    for weight in network.parameters():  # gains too: a gain of one hides where it lies
        torch.nn.init.normal_(weight, 0.7, 0.3) if weight.ndim == 1 else torch.nn.init.normal_(weight, std=0.3)
    return network.eval()


@pytest.fixture(autouse=True)
def thinking() -> Iterator[None]:
    with torch.inference_mode():
        yield


@pytest.mark.parametrize("causal", [False, True])
def test_it_gives_the_numbers_of_the_network_that_was_trained(causal: bool) -> None:
    plain, ids = make_transformer(causal), torch.randint(0, 50, (3, CELLS))
    fused = Fused(plain)
    wanted = plain.lm_head(plain.read(ids)[0])
    assert torch.allclose(fused.lm_head(fused.read(ids)[0]), wanted, atol=1e-4)
    rows = torch.tensor([2, 7, 11])
    assert torch.allclose(fused.lm_head(fused.read(ids, rows=rows)[0]), wanted[:, rows], atol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
def test_positions_sight_and_a_past_are_those_of_the_network_that_was_trained(causal: bool) -> None:
    """Positions reach beyond the places that were prepared."""
    plain = make_transformer(causal)
    fused = Fused(plain)
    ids, positions = torch.randint(0, 50, (2, CELLS)), torch.arange(30, 30 + CELLS).expand(2, CELLS)
    attention_mask = torch.rand(2, CELLS, CELLS) < 0.6
    attention_mask[:, 3] = False  # a cell that may look nowhere
    (ours, grown), (theirs, past) = (n.read(ids, positions, attention_mask) for n in (fused, plain))
    assert torch.allclose(fused.lm_head(ours), plain.lm_head(theirs), atol=1e-4)
    more = torch.randint(0, 50, (2, 5))
    on, _ = fused.read(more, past=grown, rows=torch.tensor([4]))
    wanted, _ = plain.read(more, past=past)
    assert torch.allclose(fused.lm_head(on), plain.lm_head(wanted)[:, 4:], atol=1e-4)


def test_what_layers_would_say_is_the_plain_networks() -> None:
    plain, ids, rows = make_transformer(False), torch.randint(0, 50, (1, CELLS)), torch.tensor([3, 8])
    network, read = BundledNetwork(Fused(plain)), list[torch.Tensor]()
    for layer in plain.layers:
        layer.register_forward_pre_hook(lambda _, x: read.append(x[0]))
    hidden, _ = plain.read(ids)
    with network.tapped() as spoken:
        logits = network.logits(ids, rows)
    states = plain.lm_head(plain.last_norm(torch.cat(read)))[:, rows]
    assert torch.allclose(spoken[0][:-1], states, atol=1e-4)
    assert torch.allclose(spoken[0][-1:], plain.lm_head(hidden)[:, rows], atol=1e-4)
    # not equal everywhere: some processors sum a product of few rows in another order than one of many
    assert torch.allclose(spoken[0][-1:], logits, atol=1e-5)


@pytest.mark.parametrize("rows", [[5], [0, 5], list(range(CELLS))])
def test_a_row_has_the_same_bits_whoever_else_is_asked_about(rows: list[int]) -> None:
    """A row alone once was a product of another kind, summed in another order."""
    network, ids = BundledNetwork(Fused(make_transformer(False))), torch.randint(0, 50, (1, CELLS))
    whole = network.logits(ids, torch.arange(CELLS))[0, 5]
    assert torch.allclose(network.logits(ids, torch.tensor(rows))[0, rows.index(5)], whole, atol=1e-5)


@pytest.mark.parametrize(("number", "apart"), [("bf16", 0.1), ("int8", 0.2)])
def test_fewer_bits_say_about_the_same(number: str, apart: float) -> None:
    plain, ids = make_transformer(False), torch.randint(0, 50, (1, CELLS))
    fused = Fused(plain, number)
    wanted, found = plain.lm_head(plain.read(ids)[0]), fused.lm_head(fused.read(ids)[0]).float()
    assert (wanted - found).norm() < apart * wanted.norm()
    assert fused.size < Fused(plain).size and fused.parameters == sum(w.numel() for w in plain.parameters())
