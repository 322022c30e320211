"""Turned networks are the same function; in eight bits they are close to it, and their bits depend on nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unmask.errors import Unsupported
from unmask.models.architecture import Architecture, Part, whole_shapes
from unmask.models.checkpoint_weights import Array, CheckpointWeights
from unmask.models.describe import read_architecture
from unmask.models.float_pass import divergence, float_logits
from unmask.models.graph import Builder
from unmask.models.graph_network import GraphNetwork, open_session
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.engine import graph_number, pick_engine
from unmask.models.int8_graph import Int8Builder
from unmask.models.rotated_weights import RotatedWeights, can_turn, inner_size, turn

SIZES = {"vocab_size": 64, "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2}
SIZES |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12, "is_causal": False}
CONFIGS: dict[str, dict[str, Any]] = {
    "LlamaForCausalLM": {"attention_bias": True, "mlp_bias": True},
    "Qwen2ForCausalLM": {"tie_word_embeddings": True},
    "Qwen3ForCausalLM": {"tie_word_embeddings": True, "head_dim": 16},
    "Ministral3ForCausalLM": {"hidden_size": 44, "intermediate_size": 72},
}
IDS = np.arange(24) * 7 % 64
ALL = np.arange(24)


class Turned(Int8Builder):
    """The turned network without eight bits."""

    def _embedded(self) -> str:
        return Builder._embedded(self)

    def _head(self, x: str) -> str:
        return Builder._head(self, x)

    def _multiply(self, x: str, packed: Any, scales: Any) -> str:
        return self.graph.node("MatMul", x, self.graph.constant(packed))


def network(native: str) -> tuple[Architecture, CheckpointWeights]:
    """A network with random weights, gains and biases."""
    shape = read_architecture(CheckpointSpec(native, SIZES | CONFIGS.get(native, {})))
    parts = dict(shape.parts)
    if CONFIGS.get(native, {}).get("tie_word_embeddings"):
        parts["head"] = parts["embedding"]
    rng = np.random.default_rng(0)
    arrays = {
        key: (rng.standard_normal(sizes) * 0.3 + (not sizes[1:] and "norm" in key)).astype(np.float32)
        for key, sizes in whole_shapes(parts.values()).items()
    }

    def read(part: Part) -> Array:
        return arrays[part.key][part.begin : part.begin + part.shape[0]]

    return replace(shape, parts=parts), CheckpointWeights(read, parts)


def test_turning_is_orthogonal_at_any_width() -> None:
    for width in (1, 7, 32, 44, 576, 896, 1024):
        matrix = turn(np.eye(width, dtype=np.float32)).astype(np.float64)
        assert np.abs(matrix @ matrix.T - np.eye(width)).max() < 1e-6
        assert np.abs(matrix).max() * width**0.5 < 2.1 or width < 8, "no number is left where it was"


@pytest.mark.parametrize("native", CONFIGS)
def test_a_turned_network_is_the_same_function(native: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gains, biases, tied tables and odd widths included."""
    shape, weights = network(native)
    plain = GraphNetwork(shape, weights)
    monkeypatch.setattr("unmask.models.int8_graph._quantize", lambda weight: (weight.T, 1))
    monkeypatch.setattr("unmask.models.graph_network.Int8Builder", Turned)
    turned = GraphNetwork(shape, RotatedWeights(weights, shape))
    assert inner_size(shape.ffn_width) > 1
    answers = []
    for one in (turned, plain):
        with one.tapped() as found:
            answers.append([one.logits(IDS[None], ALL)])
        answers[-1] += [one.layer_logits(found[-1].states), found[-1].attention(1, 1)]
    for found, exact in zip(*answers, strict=True):
        assert np.abs(found - exact).max() < 4e-6 * max(1, np.abs(exact).max())


@pytest.mark.parametrize("native", CONFIGS)
def test_eight_bits_are_close(native: str, tmp_path: Path) -> None:
    shape, weights = network(native)
    exact = GraphNetwork(shape, weights).logits(IDS[None], ALL)[0]
    narrow = GraphNetwork(shape, RotatedWeights(weights, shape), number="int8").logits(IDS[None], ALL)[0]
    assert 0 < divergence(exact, narrow) < 0.02
    assert np.abs(float_logits(weights, shape, IDS, 1, tmp_path) - exact).max() < 2e-6 * np.abs(exact).max()


def test_an_outlier_does_not_cost_the_other_numbers_their_precision() -> None:
    """One number of each vector is a hundred times the others and hardly counts, as in trained networks."""
    shape, weights = network("LlamaForCausalLM")
    weights.read(weights.parts["embedding"])[:, 3] = 100
    for role in weights:
        if role.endswith("_norm"):
            weights.read(weights.parts[role])[3] = 0.01
    exact = GraphNetwork(shape, weights).logits(IDS[None], ALL)[0]
    narrow = GraphNetwork(shape, RotatedWeights(weights, shape), number="int8").logits(IDS[None], ALL)[0]
    plain = GraphNetwork(shape, weights, number="int8").logits(IDS[None], ALL)[0]
    assert divergence(exact, narrow) < 0.2 * divergence(exact, plain)


def test_bits_depend_neither_on_company_nor_on_threads() -> None:
    shape, weights = network("Qwen3ForCausalLM")
    turned = RotatedWeights(weights, shape)
    one, two = (GraphNetwork(shape, turned, threads, number="int8") for threads in (1, 2))
    alone = one.logits(IDS[None], ALL)[0]
    assert np.array_equal(two.logits(IDS[None], ALL)[0], alone)
    for batch in (2, 4):
        others = np.stack([IDS, *np.random.default_rng(1).integers(0, 64, (batch - 1, 24))])
        assert np.array_equal(one.logits(others, ALL)[0], alone)
    for row in (0, 23):
        assert np.array_equal(one.logits(IDS[None], np.array([row]))[0, 0], alone[row])


def test_large_products_of_bytes_are_exact(tmp_path: Path) -> None:
    """Two of them do not fit into 16 bits, in which some processors add them."""
    shape, weights = network("Qwen3ForCausalLM")
    builder = Int8Builder(RotatedWeights(weights, shape), shape, "int8")
    packed, scales = np.full((256, 8), 127, np.int8), np.full(8, 1 / 127, np.float32)
    builder.graph.input("x", "float32", 1, "rows", 256)
    builder.graph.output("y", "float32", 1, "rows", 8)
    builder.graph.node("Identity", builder._multiply("x", packed, scales), outputs=["y"])
    file = tmp_path / "product.onnx"
    file.write_bytes(b"".join(builder.graph.file()))
    session = open_session(file, 1, large=True)
    for rows in (1, 9):
        assert np.allclose(session.run(["y"], {"x": np.ones((1, rows, 256), np.float32)})[0], 256, rtol=1e-6)


def test_signed_and_unsigned_weights_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a processor whose signed products overflow has unsigned weights."""
    shape, weights = network("Qwen3ForCausalLM")
    found, files = [], []
    for unsigned in (False, True):
        monkeypatch.setattr("unmask.models.int8_graph.saturates", lambda unsigned=unsigned: unsigned)
        made = GraphNetwork(shape, RotatedWeights(weights, shape), number="int8")
        found.append(made.logits(IDS[None], ALL))
        files.append(b"".join(Int8Builder(RotatedWeights(weights, shape), shape, "int8").build()))
    assert np.array_equal(*found) and files[0] != files[1]


def test_what_cannot_be_turned_stays_in_fp32() -> None:
    """Norms that subtract a mean do not commute with turning: those networks are in fp32, and eight bits are refused
    by name where this engine is asked for."""
    bert = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4}
    spec = CheckpointSpec("BertForMaskedLM", bert | {"intermediate_size": 64, "max_position_embeddings": 64})
    llama = CheckpointSpec("LlamaForCausalLM", SIZES)
    assert not can_turn(read_architecture(spec))
    assert graph_number("", spec, 340_000_000) == "fp32"
    assert [graph_number("", llama, count) for count in (100_000_000, 100_000_001)] == ["fp32", "int8"]
    assert graph_number("fp32", llama, 600_000_000) == "fp32"
    assert pick_engine("", spec, "cpu", "int8") == "transformers"
    with pytest.raises(Unsupported, match="subtract the mean"):
        pick_engine("onnx", spec, "cpu", "int8")
