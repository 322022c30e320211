"""A checkpoint's graph on ONNX Runtime computes what transformers computes, and decodes to the same text."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.models.conftest import SHARED
from tests.models.forge import _MODERN, MARKS, SHAPE, Forged, native, saved, spoil
from tests.models.test_model_architecture import DENSE
from unmask.canvas import blank
from unmask.errors import InvalidRequest, Unsupported
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.describe import read_architecture
from unmask.models.graph_network import GraphNetwork
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.interface import ModelInput
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start

Forge = Callable[[str], Forged]
NEAR = 4e-6  # of the largest logit; most are within 1e-6
CELLS = 24
SCALED: dict[str, tuple[str, dict[str, Any]]] = {
    "llama3": (
        "LlamaForCausalLM",
        {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    ),
    "linear": ("Qwen2ForCausalLM", {"rope_type": "linear", "factor": 4.0}),
    "yarn": ("Qwen3ForCausalLM", {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}),
    "ministral": (
        "Ministral3ForCausalLM",
        {"rope_type": "yarn", "factor": 16.0, "mscale": 1.0, "mscale_all_dim": 1.0}
        | {"original_max_position_embeddings": 8, "llama_4_scaling_beta": 0.1},
    ),
    "plain": ("MistralForCausalLM", {"rope_type": "default"}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def inference_mode() -> Iterator[None]:
    with torch.inference_mode():
        yield


def both(what: str, **options: Any) -> list[Any]:
    """A model on each engine."""
    return [load(what, engine=engine, number="fp32", device="cpu", **options) for engine in ("onnx", "transformers")]


def name_of(forged: Forge, name: str) -> str:
    return ("causal:" if name == "Qwen3-0.6B" else "") + str(forged(name).folder)


def relative(ours: Any, theirs: torch.Tensor) -> float:
    return float(np.abs(ours - theirs.numpy()).max() / theirs.abs().max())


def compare(graph: GraphNetwork, other: Any) -> None:
    """Whole, with a mask and positions of their own, and behind a cache."""
    rng = np.random.default_rng(0)
    ids, rows = rng.integers(3, min(57, graph.words), (2, CELLS)), np.array([2, 3, 11, 23])
    mask = rng.random((2, CELLS, CELLS)) < 0.7
    mask |= np.eye(CELLS, dtype=bool)
    places = np.stack([rng.permutation(CELLS), np.arange(5, 5 + CELLS)])
    for extra in ((), (places, mask)):
        theirs = other.logits(*map(torch.from_numpy, (ids, rows, *extra)))
        assert relative(graph.logits(ids, rows, *extra), theirs) < NEAR
    ours, kept = graph.cache(), other.cache()
    for begin, end in ((0, 10), (10, 11), (11, CELLS)):
        part, last = ids[:1, begin:end], np.array([end - begin - 1])
        theirs = other.logits(*map(torch.from_numpy, (part, last)), past=kept)
        assert relative(graph.logits(part, last, past=ours), theirs) < NEAR
    assert ours.get_seq_length() == CELLS


@pytest.mark.parametrize("name", [*DENSE, "Qwen3-0.6B"])
def test_logits_are_those_of_transformers(forged: Forge, name: str) -> None:
    ours, theirs = both(name_of(forged, name))
    assert isinstance(ours.network, GraphNetwork) and not isinstance(theirs.network, GraphNetwork)
    assert ours.network.words == theirs.network.words and ours.card.size == theirs.card.size
    compare(ours.network, theirs.network)


@pytest.mark.parametrize("name", [*DENSE, "Qwen3-0.6B", "ModernBERT-base", "bert-base"])
def test_layers_and_attention_are_those_of_transformers(forged: Forge, name: str) -> None:
    """The last layer's answer is the model's own, in both engines."""
    ours, theirs = both(name_of(forged, name))
    tokens = np.random.default_rng(0).integers(3, min(57, ours.card.words), CELLS)
    cells = np.array([11])
    question = ModelInput(tokens, np.isin(np.arange(CELLS), cells), cells, np.arange(CELLS), block=(0, CELLS))
    with torch.inference_mode():
        layers, wanted = ours.layers(question), theirs.layers(question)
        logits = [np.asarray(one.logits([question])[0])[0] for one in (ours, theirs)]
    assert layers is not None and wanted is not None and len(layers) == len(wanted) >= 3
    assert relative(layers, wanted) < 5 * NEAR
    for found, own in zip((layers, wanted), logits, strict=True):
        assert np.abs(np.asarray(found)[-1] - own).max() < NEAR * np.abs(own).max()
    assert np.abs(layers[0] - layers[-1]).max() > 0.01
    count, heads = ours.attention_heads()
    assert count == len(layers) - 1 and theirs.attention_heads() == (count, heads)
    weights = np.stack([ours.attention(question, *at) for at in np.ndindex(count, heads)])
    assert weights.shape[1] == CELLS and weights.min() >= 0 and weights.max() <= 1
    with torch.inference_mode():
        same = np.stack([theirs.attention(question, *at) for at in np.ndindex(count, heads)])
        again = np.asarray(theirs.logits([question])[0])[0]  # with the fast attention again
    assert np.abs(weights - same).max() < 1e-5 and np.array_equal(again, logits[1])
    with ours.tapped() as taps:
        ours.logits([question])
    ids, sums = taps[-1].states, [taps[-1].attention(*at).sum() for at in np.ndindex(count, heads)]
    assert len(ids) == count + 1 and np.allclose(sums, 1)


@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "Qwen3-0.6B", "ModernBERT-base", "bert-base"])
def test_attention_is_that_of_transformers(forged: Forge, name: str) -> None:
    """The weights that its own class reports: of full, causal, windowed and grouped heads; [CLS] is no cell."""
    ours, theirs = both(name_of(forged, name))
    tokens = np.random.default_rng(0).integers(3, min(57, ours.card.words), CELLS)
    causal, row = ours.card.causal, 11
    question = ModelInput(tokens, np.zeros(CELLS, bool), np.array([row]), np.arange(CELLS))
    before = ours.tokens_before(question)
    framed = [*([ours.cls_sep[0]] if before else []), *tokens, *([ours.cls_sep[1]] if before else [])]
    model = theirs.network.model
    model.set_attn_implementation("eager")
    seen = torch.ones(len(framed), len(framed)).tril() if causal else torch.ones(len(framed), len(framed))
    mask = {} if "bert" in name.lower() else {"attention_mask": torch.where(seen[None, None] > 0, 0.0, -torch.inf)}
    found = model(torch.tensor(framed)[None], output_attentions=True, **mask).attentions
    predicts = row - 1 if causal else int(ours.answering_rows(np.array([row]))[0]) + before
    for layer, head in np.ndindex(*ours.attention_heads()):
        wanted = found[layer][0, head, predicts, before : before + CELLS].numpy()
        assert np.abs(ours.attention(question, layer, head) - wanted).max() < 1e-5
    if causal:  # the first cell is predicted by a token before the text
        first = ModelInput(tokens, np.zeros(CELLS, bool), np.array([0]), np.arange(CELLS))
        assert not ours.attention(first, 0, 0).any()


@pytest.mark.parametrize(("name", "mode"), [("diffusiongemma", ""), ("diffusiongemma", "ar"), ("mdlm-owt", "")])
def test_a_model_with_forwards_of_its_own_shows_neither(forged: Forge, name: str, mode: str) -> None:
    """Its forward is no plain stack of layers, so there is nothing to apply its head to."""
    model = load(str(forged(name).folder), number="fp32", device="cpu", **({"mode": mode} if mode else {}))
    rows = np.array([5])
    question = ModelInput(np.full(8, 7), np.arange(8) == 5, rows, np.arange(8), block=(4, 8), origin=4)
    assert model.logits([question])[0].shape[0] == 1
    assert model.layers(question) is None and model.attention(question, 0, 0) is None


@pytest.mark.parametrize("kind", SCALED)
@pytest.mark.parametrize("stored", [torch.float32, torch.bfloat16])
def test_scaled_rotations_biases_and_tied_heads_are_those_of_transformers(
    tmp_path: Path, kind: str, stored: torch.dtype
) -> None:
    name, rope = SCALED[kind]
    fields = SHAPE | MARKS | {"rope_parameters": rope | {"rope_theta": 1e4}, "tie_word_embeddings": kind != "linear"}
    fields |= {"head_dim": 16, "hidden_act": "gelu" if kind == "plain" else "silu", "sliding_window": None}
    fields |= {"attention_bias": True, "mlp_bias": True} if kind == "llama3" else {}
    model = native(name, **fields)
    for parameter in model.parameters():
        if parameter.dim() == 1:  # gains and biases
            torch.nn.init.normal_(parameter, 1, 0.3)
    saved(model.to(stored), tmp_path, fields | {"architectures": [name]})
    ours, theirs = both(f"causal:{tmp_path}")
    compare(ours.network, theirs.network)


def states(model: Any, settings: Settings | None = None) -> list[State]:
    canvas = blank([[5, 9, 11, 4, 30], 19])
    settings = settings or RunSpec(seed=3).settings(model.card, 19)
    return [state for state, _ in decode(model, start(canvas, settings))]


def texts(model: Any, settings: Settings | None = None) -> list[tuple[list[int], list[bool]]]:
    return [(s.canvas.tokens.tolist(), s.canvas.open.tolist()) for s in states(model, settings)]


@pytest.mark.parametrize("name", ["bert-base", "roberta-base", "ModernBERT-base"])
@pytest.mark.parametrize("padded", [False, True])
def test_encoders_give_the_logits_of_transformers(forged: Forge, name: str, padded: bool) -> None:
    """Longer than ModernBERT's window; RoBERTa does not count padding tokens."""
    ours, theirs = both(name_of(forged, name))
    ids, rows = np.random.default_rng(0).integers(3, 57, (2, CELLS)), np.array([2, 3, 11, 23])
    if padded and name == "roberta-base":
        ids[:, [4, 9]] = 1
    for some in (rows, rows[:1]):
        wanted = theirs.network.logits(torch.from_numpy(ids), torch.from_numpy(some))
        assert relative(ours.network.logits(ids, some), wanted) < NEAR
    assert texts(ours) == texts(theirs) and ours.shares


@pytest.mark.parametrize(
    "changes", [{"norm_bias": True, "attention_bias": True, "mlp_bias": True}, {"classifier_bias": True}]
)
def test_modernberts_options_are_those_of_transformers(tmp_path: Path, changes: dict[str, Any]) -> None:
    fields = _MODERN | {"pad_token_id": 59, "hidden_activation": "gelu_pytorch_tanh", "decoder_bias": False} | changes
    model = native("ModernBertForMaskedLM", **fields)
    for parameter in model.parameters():
        if parameter.dim() == 1:
            torch.nn.init.normal_(parameter, 1, 0.3)
    saved(model, tmp_path, fields | {"architectures": ["ModernBertForMaskedLM"], "mask_token_id": 60})
    ours, theirs = both(str(tmp_path))
    ids = np.random.default_rng(0).integers(3, 57, (1, CELLS))
    wanted = theirs.network.logits(torch.from_numpy(ids), torch.arange(CELLS))
    assert relative(ours.network.logits(ids, np.arange(CELLS)), wanted) < 2 * NEAR  # GELU's tanh


@pytest.mark.parametrize("name", [*DENSE, "Qwen3-0.6B"])
def test_every_pass_writes_what_it_writes_on_transformers(forged: Forge, name: str) -> None:
    ours, theirs = both(name_of(forged, name))
    assert texts(ours) == texts(theirs)


@pytest.mark.parametrize("cache", ["prefix", "dual"])
@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "Qwen3-0.6B-diffusion-mdlm"])
def test_an_approximate_cache_is_the_same_on_both_engines(forged: Forge, name: str, cache: str) -> None:
    settings = Settings(policy="confidence", block=8, passes=16)
    ours, theirs = (texts(model, settings) for model in both(name_of(forged, name), cache=cache))
    assert ours == theirs


@pytest.mark.skipif(not (SHARED / "real").exists(), reason="no trained checkpoint on this machine")
def test_a_trained_model_of_antibodies_is_the_same_on_both_engines() -> None:
    ours, theirs = both(str(SHARED / "real" / "sapiens_vh"))
    framework = "EVQLVESGGGLVQPGGSLRLSCAASGFTFSSYAMSWVRQAPGKGLEWVSAISGSGGSTYYADSVKGRFTISRDNSKNTLYLQ"
    parts = [ours.tokenizer.encode(framework), 8, ours.tokenizer.encode("TAVYYCAKDRGGYFDYWGQGTLVTVSS")]
    first = start(blank(parts), Settings(policy="confidence", passes=8))
    ends = []
    for model in (ours, theirs):
        every = [state for state, _ in decode(model, first)]
        ends.append([state.canvas.tokens.tolist() for state in every])
        assert model.tokenizer.decode(ends[-1][-1][82:90]) == "MNSLRAED"
    assert ends[0] == ends[1]
    ids, rows = np.array(ends[0][0])[None] % 25, np.arange(0, 117, 5)
    assert relative(ours.network.logits(ids, rows), theirs.network.logits(*map(torch.from_numpy, (ids, rows)))) < NEAR


@pytest.mark.parametrize("changes", [{"policy": "revoke"}, {"policy": "confidence", "guidance": 1.5}])
def test_shadows_and_guidance_are_the_same_on_both_engines(forged: Forge, changes: dict[str, Any]) -> None:
    settings = Settings().with_changes(changes)
    ours, theirs = (texts(model, settings) for model in both(name_of(forged, "LLaDA-8B")))
    assert ours == theirs


def test_a_draft_that_is_verified_is_the_same_on_both_engines(forged: Forge) -> None:
    settings = Settings(policy="self_speculate", passes=20, block=5)
    ours, theirs = (texts(model, settings) for model in both(name_of(forged, "Nemotron-3B")))
    assert ours == theirs


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "Qwen3-0.6B-diffusion-mdlm"])
def test_bits_do_not_depend_on_company_rows_or_threads(
    forged: Forge, monkeypatch: pytest.MonkeyPatch, name: str, threads: int
) -> None:
    monkeypatch.setattr("unmask.models.hub.hardware.threads", lambda: threads)
    model: Any = load(name_of(forged, name), engine="onnx", device="cpu")
    assert model.shares and model.network.threads == threads
    monkeypatch.setattr("unmask.models.hub.hardware.threads", lambda: 1)
    network = load(name_of(forged, name), engine="onnx", device="cpu").network  # type: ignore[attr-defined]
    ids, every = np.random.default_rng(1).integers(3, 57, (4, CELLS)), np.arange(CELLS)
    alone = [network.logits(one[None], every)[0] for one in ids]
    for many in (1, 2, 4):
        assert np.array_equal(model.network.logits(ids[:many], every), np.stack(alone[:many]))
    for rows in ([7], [0, 7], [7, 20, 23]):
        assert np.array_equal(model.network.logits(ids[:1], np.array(rows))[0], alone[0][rows])


def test_bits_of_a_layer_as_wide_as_a_real_one_do_not_depend_on_company_rows_or_threads() -> None:
    """Products of small layers are never split: these are as wide as Qwen3-0.6B's."""
    fields = {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 2, "num_attention_heads": 16}
    spec = CheckpointSpec(
        "Qwen3ForCausalLM", fields | {"num_key_value_heads": 8, "vocab_size": 4001, "is_causal": False}
    )
    architecture, rng = read_architecture(spec), np.random.default_rng(0)
    weights = {role: 0.05 * rng.standard_normal(p.shape, np.float32) for role, p in architecture.parts.items()}
    one, two = (GraphNetwork(architecture, weights, threads) for threads in (1, 2))
    ids, every = rng.integers(0, 4001, (4, 33)), np.arange(33)
    alone = [one.logits(each[None], every)[0] for each in ids]
    for network in (one, two):
        for many in (1, 2, 4):
            assert np.array_equal(network.logits(ids[:many], every), np.stack(alone[:many]))
        for rows in ([7], [0, 7], [7, 20, 23]):
            assert np.array_equal(network.logits(ids[:1], np.array(rows))[0], alone[0][rows])
        cache = network.cache()
        network.logits(ids[:1, :16], np.array([0]), past=cache)
        behind = network.logits(ids[:1, 16:], np.arange(17), past=cache)[0]
        seen = (every < 16) | (every[:, None] >= 16)  # the cached cells saw only each other
        whole = network.logits(ids[:1], every[16:], None, seen[None])[0]
        assert np.array_equal(behind.argmax(-1), whole.argmax(-1)) and np.allclose(behind, whole, atol=1e-4)


@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0"])
def test_a_later_text_is_the_same_after_caches_are_lost_and_on_a_branch(forged: Forge, name: str) -> None:
    model: Any = load(name_of(forged, name), engine="onnx", device="cpu", cache="dual")
    every = states(model, Settings(policy="confidence", block=8, passes=16))
    model.clear_caches()
    again = [state for state, _ in decode(model, every[5])]
    assert again[-1].canvas.tokens.tolist() == every[-1].canvas.tokens.tolist()


def test_an_engine_is_chosen_by_what_it_can_do(forged: Forge, tmp_path: Path) -> None:
    folder, experts = str(forged("LLaDA-8B").folder), str(forged("LLaDA-MoE").folder)
    assert isinstance(load(folder).network, GraphNetwork)  # type: ignore[attr-defined]
    for name in (f"{folder}?number=bf16", f"{folder}?engine=transformers", experts):
        assert not isinstance(load(name).network, GraphNetwork)  # type: ignore[attr-defined]
    with pytest.raises(Unsupported, match="Qwen3MoeForCausalLM runs on transformers alone"):
        load(experts, engine="onnx")
    with pytest.raises(Unsupported, match="no number type 'bf16'"):
        load(folder, engine="onnx", number="bf16")
    with pytest.raises(InvalidRequest, match="no engine 'torch'; there are onnx, transformers"):
        load(folder, engine="torch")
    shutil.copytree(forged("Dream-v0").folder, tmp_path / "Dream-v0")
    spoil(tmp_path / "Dream-v0", rope_scaling={"rope_type": "longrope"})
    with pytest.raises(Unsupported, match="'longrope' is not known here"):
        load(str(tmp_path / "Dream-v0"), engine="onnx")


def test_damaged_weights_are_refused_in_a_sentence(folder: Path) -> None:
    file, down = folder / "model.safetensors", "model.transformer.blocks.1.ff_out.weight"
    whole = load_file(file)
    for changed, sentence in (
        ({k: v for k, v in whole.items() if k != down}, r"missing model\.layers\.1\.mlp\.down_proj\.weight"),
        (whole | {"extra.weight": torch.ones(2)}, r"unknown extra\.weight"),
        (whole | {down: torch.ones(32, 63)}, r"of another shape model\.layers\.1\.mlp\.down_proj\.weight"),
        (whole | {down: torch.full((32, 64), float("nan"))}, "NaN or infinite"),
    ):
        save_file(changed, file)
        with pytest.raises(InvalidRequest, match=sentence):
            load(str(folder))
