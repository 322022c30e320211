"""The small transformer answers for each row alone, and a cache changes nothing."""

import pytest
import torch

from unmask.models.transformer import Transformer, TransformerConfig

SHAPE = TransformerConfig(vocabulary=50, width=32, layers=2, heads=2, length=64, causal=False)


def network(causal: bool) -> Transformer:
    torch.manual_seed(3)
    made = Transformer(TransformerConfig(**{**SHAPE.__dict__, "causal": causal}))
    for weight in made.parameters():  # a fresh one adds nothing to its stream; this one thinks
        torch.nn.init.normal_(weight, std=0.2)
    return made.eval()


@pytest.mark.parametrize("causal", [False, True])
def test_a_row_does_not_depend_on_its_batch(causal: bool) -> None:
    made, ids = network(causal), torch.randint(0, 50, (5, 20))
    together = made.lm_head(made.read(ids)[0])
    alone = torch.cat([made.lm_head(made.read(row[None])[0]) for row in ids])
    assert torch.allclose(together, alone, atol=1e-4)


def test_reading_on_equals_reading_at_once() -> None:
    made, ids = network(True), torch.randint(0, 50, (2, 12))
    whole, _ = made.read(ids)
    first, past = made.read(ids[:, :5])
    second, past = made.read(ids[:, 5:11], past=past)
    third, past = made.read(ids[:, 11:], past=past)
    assert torch.allclose(whole, torch.cat([first, second, third], dim=1), atol=1e-4)
    assert past[0][0].shape[2] == 12


def test_a_causal_cell_does_not_see_what_follows() -> None:
    made, ids = network(True), torch.randint(0, 50, (1, 10))
    other = ids.clone()
    other[0, 7:] = (other[0, 7:] + 1) % 50
    assert torch.allclose(made.read(ids)[0][:, :7], made.read(other)[0][:, :7], atol=1e-5)
    assert not torch.allclose(made.read(ids)[0][:, 7:], made.read(other)[0][:, 7:], atol=1e-3)


def test_a_bidirectional_cell_sees_both_sides() -> None:
    made, ids = network(False), torch.randint(0, 50, (1, 10))
    other = ids.clone()
    other[0, 9] = (other[0, 9] + 1) % 50
    assert not torch.allclose(made.read(ids)[0][:, 0], made.read(other)[0][:, 0], atol=1e-4)


def test_an_attention_relation_is_kept() -> None:
    made, ids = network(False), torch.randint(0, 50, (1, 10))
    attention_mask = torch.ones(1, 10, 10, dtype=torch.bool).tril()
    plain = network(True).read(ids)[0]
    assert torch.allclose(made.read(ids, attention_mask=attention_mask)[0], plain, atol=1e-5)


def test_only_distances_matter() -> None:
    made, ids = network(False), torch.randint(0, 50, (1, 10))
    far = torch.arange(10)[None] + 100
    assert torch.allclose(made.read(ids)[0], made.read(ids, positions=far)[0], atol=1e-3)
