"""What single families promise beyond what all do: shift, carry, drafts, staleness, and the published numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import unmask.inference.logit_stats
import unmask.run.state
import unmask.run.step
from tests.models.conftest import SHARED
from tests.models.forge import MARKS, MASK, SHAPE, Forged, native, saved
from unmask.canvas import Canvas, blank
from unmask.errors import InvalidRequest
from unmask.inference.checkpoint_check import check
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput, load
from unmask.models.hub import selftest
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.state import State, start

Forge = Callable[[str], Forged]
CPU: dict[str, Any] = {"number": "fp32", "device": "cpu"}


def ended(denoiser: Denoiser, state: State) -> list[State]:
    return [state, *(s for s, _ in decode(denoiser, state))]


def words(states: list[State]) -> list[int]:
    return states[-1].canvas.tokens.tolist()


@pytest.mark.skipif(not SHARED.exists(), reason="the authors' numbers are not beside this checkout")
@pytest.mark.parametrize("folder", sorted(p.parent.name for p in SHARED.glob("*/expected.json")))
def test_a_checkpoint_computes_what_its_authors_code_computes(folder: str) -> None:
    lines = list(check(str(SHARED / folder)))
    assert not [line.text for line in lines if line.wrong]
    assert sum("case" in line.text for line in lines) == 3


def test_a_model_that_knows_its_own_position_is_read_one_cell_ahead(tmp_path: Path) -> None:
    """Trained so that the hub's row i says the word of cell i + 1; a reader without the shift is one cell off."""
    net = native("Qwen2ForCausalLM", **SHAPE, **MARKS, rope_theta=1e4, is_causal=False).requires_grad_(True)
    cells = 16
    learner = torch.optim.AdamW(net.parameters(), 3e-3)
    rng = torch.Generator().manual_seed(0)
    ids = torch.full((8, cells), MASK)
    truth = torch.arange(1, cells + 1).expand(8, -1) + 10
    for _ in range(200):
        first = torch.randint(3, 50, (8,), generator=rng)
        shown = torch.cat([first[:, None], ids[:, 1:]], 1)
        loss = torch.nn.functional.cross_entropy(net(shown).logits.flatten(0, 1), truth.flatten())
        learner.zero_grad()
        loss.backward()
        learner.step()
    config = SHAPE | MARKS | {"rope_theta": 1e4, "mask_token_id": MASK}
    folder, straight = tmp_path / "Dream-v0", tmp_path / "A2D"
    for at, architecture in ((folder, "DreamModel"), (straight, "A2DQwen2LMHeadModel")):
        at.mkdir()
        saved(net, at, config | {"architectures": [architecture]})
    place = np.arange(cells)
    model_input = ModelInput(np.full(cells, 7), place > 0, place[1:], place, origin=1)
    aligned = load(str(folder), **CPU).logits([model_input])[0].argmax(-1)
    assert aligned.tolist() == [10 + i for i in range(1, cells)]
    unaligned = load(str(straight), **CPU)  # the same network, read without a shift
    assert unaligned.logits([model_input])[0].argmax(-1).tolist() == [10 + i for i in range(2, cells + 1)]


@pytest.mark.parametrize("numpy", [True, False])
def test_the_self_test_sees_a_row_that_speaks_of_its_neighbour(numpy: bool) -> None:
    class Oracle:
        """Knows the text; looks `off` cells away."""

        numpy_logits = numpy

        def __init__(self, off: int) -> None:
            letters = sorted(set(selftest.TEXT))
            self.tokenizer: Any = self
            self.encode = lambda text: [letters.index(c) for c in text]
            self.off, self.text = off, np.array(self.encode(selftest.TEXT))
            from unmask.canvas import Card

            self.card = Card("oracle", "test", len(letters), 200, tokenizer="letters")

        def logits(self, model_inputs: Any) -> list[Any]:
            logits = np.full((len(model_inputs[0].rows), self.card.words), -9.0, np.float32)
            cells = np.clip(model_inputs[0].rows + self.off, 0, len(self.text) - 1)
            logits[np.arange(len(cells)), self.text[cells]] = 0
            return [logits if numpy else torch.from_numpy(logits)]

    for off, says in ((0, "its own cell"), (1, "+1 from theirs")):
        oracle: Any = Oracle(off)
        assert says in selftest.report(oracle)


def gemma_loop(denoiser: Denoiser, prompt: list[int], seed: int, settings: dict[str, Any], length: int) -> list[State]:
    """Our loop with luck taken from torch's global stream, in the order in which the reference draws."""
    size = int(denoiser.card.preset["settings"]["block"])
    rule = preset("diffusion-gemma").over(length, block=size, **settings)
    settles = False
    step, reading = unmask.run.step, unmask.inference.logit_stats

    def noise() -> np.ndarray:
        return torch.randint(0, denoiser.card.words, (1, size))[0].numpy()

    def noisy(canvas: Canvas, seed: int, pass_: int, words: int) -> Canvas:
        if not words:
            return canvas
        fresh = noise()
        if settles and canvas.open.any():  # the reference renoises the finished canvas too, and then opens the next
            fresh = noise()
        row, still_open = canvas.tokens.copy(), np.flatnonzero(canvas.open)
        if len(still_open):
            begins = canvas.origin + (int(still_open[0]) - canvas.origin) // size * size
            inside = np.arange(begins, begins + size)
            row[inside] = np.where(canvas.open[inside], fresh, row[inside])
        return replace(canvas, tokens=row)

    advance = step._advance

    def watched(state: State, canvas: Canvas, choice: Any, belief: Any) -> State:
        nonlocal settles
        settles = choice.settle
        return advance(state, canvas, choice, belief)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "fill_with_noise", noisy)
        patch.setattr(unmask.run.state, "fill_with_noise", noisy)
        patch.setattr(step, "_advance", watched)
        patch.setattr(reading, "sample", lambda p, _: torch.multinomial(p, 1)[:, 0])
        torch.manual_seed(seed)
        return ended(denoiser, start(blank([prompt, length]), replace(rule, noise=denoiser.card.words)))


def test_diffusion_gemma_writes_what_its_reference_writes(forged: Forge) -> None:
    from transformers.models.diffusion_gemma.generation_diffusion_gemma import EntropyBoundSamplerConfig

    made = forged("diffusiongemma")
    denoiser = load(str(made.folder), **CPU)
    for seed, bound, enough in ((1, 0.5, 0.005), (2, 2.0, 1.0), (3, 6.0, 1.5)):
        prompt = list(range(5 + seed, 12 + seed))
        torch.manual_seed(seed)
        theirs = made.native.generate(
            torch.tensor([prompt]),
            sampler_config=EntropyBoundSamplerConfig(entropy_bound=bound),
            max_denoising_steps=10,
            confidence_threshold=enough,
            max_new_tokens=48,
        )
        options = {"gamma": bound, "settled": enough, "still": 1}
        mine = gemma_loop(denoiser, prompt, seed, {"passes": 10, "options": options}, 48)
        assert words(mine) == theirs.sequences[0].tolist()
    end = words(mine)[len(prompt) + 20]  # and with an end token
    until = words(mine).index(end, len(prompt)) + 1
    torch.manual_seed(3)
    theirs = made.native.generate(
        torch.tensor([prompt]),
        sampler_config=EntropyBoundSamplerConfig(entropy_bound=6.0),
        max_denoising_steps=10,
        confidence_threshold=1.5,
        max_new_tokens=48,
        eos_token_id=end,
        pad_token_id=0,
    )
    denoiser.card = replace(denoiser.card, ends=(end,))
    ends = gemma_loop(denoiser, prompt, 3, {"passes": 10, "options": options, "end": "stop"}, 48)
    assert words(ends)[:until] == theirs.sequences[0].tolist()[:until] == words(mine)[:until]


@pytest.mark.skipif(not SHARED.exists(), reason="the reference runs are not beside this checkout")
def test_diffusion_gemma_writes_the_published_runs() -> None:
    """Drawn words hang on the last bits of a product: where the published code itself draws others on this processor,
    there is nothing to compare with, and the test above compares with what it draws here."""
    from transformers import DiffusionGemmaForBlockDiffusion
    from transformers.models.diffusion_gemma.generation_diffusion_gemma import EntropyBoundSamplerConfig

    folder = SHARED / "diffusion_gemma"
    denoiser = load(str(folder), **CPU)
    published = DiffusionGemmaForBlockDiffusion.from_pretrained(folder).eval()
    for run in json.loads((folder / "generate.json").read_text())["runs"]:
        s = run["settings"]
        torch.manual_seed(run["seed"])
        bound = EntropyBoundSamplerConfig(entropy_bound=s["sampler_config"]["entropy_bound"])
        again = published.generate(torch.tensor([run["prompt"]]), **s | {"sampler_config": bound})
        if again.sequences[0, len(run["prompt"]) :].tolist() != run["tokens"]:
            pytest.skip("the published code draws other words on this processor")
        options = {"gamma": s["sampler_config"]["entropy_bound"], "still": s["stability_threshold"]}
        options["settled"] = s["confidence_threshold"]
        end = s.get("eos_token_id")
        denoiser.card = replace(denoiser.card, ends=() if end is None else (end,))
        settings = {"passes": s["max_denoising_steps"], "options": options, "end": "allow" if end is None else "stop"}
        mine = gemma_loop(denoiser, run["prompt"], run["seed"], settings, s["max_new_tokens"])
        answer, theirs = words(mine)[len(run["prompt"]) :], run["tokens"]
        if end is None:
            assert answer == theirs
            assert len(theirs) / (len(mine) - 1) == pytest.approx(run["tokens_per_forward"][0], abs=1e-4)
        else:  # behind the end of the text the reference pads, and stops
            until = theirs.index(end) + 1
            assert answer[:until] == theirs[:until]


def test_what_diffusion_gemma_carries_is_a_soft_embedding_of_its_block_alone(forged: Forge) -> None:
    denoiser: Any = load(str(forged("diffusiongemma").folder), **CPU)
    tokens = np.arange(3, 35)
    model_input = ModelInput(tokens, np.arange(32) >= 16, np.arange(16, 32), np.arange(32), origin=16, block=(16, 32))
    first = denoiser.logits([model_input])[0]
    carry = denoiser.make_carry(model_input, first)
    assert carry.embedding.shape == (16, 32)
    assert not torch.allclose(first, denoiser.logits([replace(model_input, carry=carry)])[0], atol=1e-3)
    elsewhere = replace(carry, block=(0, 16))
    assert torch.equal(first, denoiser.logits([replace(model_input, carry=elsewhere)])[0])


def test_words_places_and_rows_of_a_diffusion_gemma_go_as_one_copy(
    forged: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once went by itself, and a host waits for each."""
    denoiser: Any = load(str(forged("diffusiongemma").folder), **CPU)
    model_input = ModelInput(
        np.arange(3, 35), np.arange(32) >= 16, np.arange(16, 32), np.arange(32), origin=16, block=(16, 32)
    )
    logits = denoiser.logits([model_input])[0]  # the text before it is read now
    sent: list[int] = []
    arrives = torch.from_numpy
    monkeypatch.setattr(torch, "from_numpy", lambda x: (sent.append(x.size), arrives(x))[1])
    denoiser.logits([model_input])
    denoiser.make_carry(model_input, logits)
    assert sent == [16 + 16 + 16, 16 + 16]


def test_the_encoder_of_diffusion_gemma_is_its_twin(forged: Forge) -> None:
    made = forged("diffusiongemma")
    twin = load(f"diffusion_gemma:{made.folder}?mode=ar", **CPU)
    tokens = np.arange(3, 27)  # longer than its window of 16
    hidden = made.native.model.encoder(input_ids=torch.from_numpy(tokens)[None]).last_hidden_state[0, -1]
    expected = torch.tanh(made.native.lm_head(hidden) / 30) * 30
    place = np.arange(25)
    for _ in range(2):  # the second time from keys and values that were kept
        logits = twin.logits([ModelInput(np.append(tokens, -1), place == 24, np.array([24]), place, origin=24)])[0]
        assert torch.allclose(logits[0], expected, atol=1e-4)
    states = ended(twin, start(blank([[5, 6, 7], 24]), Settings(policy="left_to_right", passes=24)))
    bare = load(f"diffusion_gemma:{made.folder}?mode=ar&cache=none", **CPU)
    assert words(states) == words(ended(bare, states[0]))


def test_a_verified_draft_is_greedy_autoregression(forged: Forge) -> None:
    folder = forged("Nemotron-3B").folder
    both, twin = load(str(folder), **CPU), load(f"nemotron:{folder}?mode=ar", **CPU)
    assert both.card.both and twin.card.causal and both.card.twin == f"nemotron:{folder}?mode=ar"
    for seed in range(10):
        opening = blank([np.random.default_rng(seed).integers(3, 57, 5).tolist(), 20])
        greedy = ended(twin, start(opening, Settings(policy="left_to_right", passes=20)))
        drafted = ended(both, start(opening, Settings(policy="self_speculate", passes=20, block=5)))
        assert words(drafted) == words(greedy)
        assert len(drafted) <= 2 * len(greedy)  # a draft and its verification settle at least one word


def test_only_a_model_that_answers_both_ways_verifies_drafts(forged: Forge) -> None:
    denoiser = load(str(forged("LLaDA-8B").folder), **CPU)
    with pytest.raises(InvalidRequest, match="also decodes from left to right"):
        ended(denoiser, start(blank([[3, 4], 4]), Settings(policy="self_speculate")))


@pytest.mark.parametrize("cache", ["prefix", "dual"])
@pytest.mark.parametrize("name", ["LLaDA-8B", "Dream-v0", "LLaDA-MoE"])
def test_an_approximate_cache_says_how_stale_each_cell_is_and_rewinds(forged: Forge, name: str, cache: str) -> None:
    denoiser = load(str(forged(name).folder), cache=cache, **CPU)
    assert f"Approximate {cache}" in denoiser.card.note
    first = start(blank([[3, 4, 5, 6], 16]), Settings(policy="confidence", block=8, passes=16))
    states, frames = [first], []
    for state, frame in decode(denoiser, first):
        states.append(state)
        frames.append(frame)
    assert [f.stale.max() for f in frames] == [*range(8)] * 2  # each block begins with a fresh look
    fifth = frames[4].stale
    behind = 4 - (name == "Dream-v0")  # with a shift the cell before the block is read anew too
    assert (fifth[:behind] == 4).all() and (fifth[4:12] == 0).all()
    assert (fifth[12:] == (4 if cache == "dual" else 0)).all()
    for at in (3, 8, 11):
        assert words(ended(denoiser, states[at])) == words(states)
    lost: Any = denoiser
    lost.kept.clear()  # keys and values are derived data
    assert words(ended(denoiser, states[3])) == words(states)


def test_an_approximate_cache_that_reads_all_is_exact(forged: Forge) -> None:
    folder = str(forged("LLaDA-8B").folder)
    opening = start(blank([16]), Settings(policy="confidence", passes=16))
    assert words(ended(load(folder, cache="dual", **CPU), opening)) == words(ended(load(folder, **CPU), opening))


@pytest.mark.parametrize("name", ["SDAR-4B", "bert-base", "diffusiongemma", "WeDLM-8B"])
def test_where_there_is_nothing_to_approximate_it_is_refused(forged: Forge, name: str) -> None:
    with pytest.raises(InvalidRequest, match="nothing to approximate"):
        load(str(forged(name).folder), cache="dual", **CPU)


def test_an_encoder_sees_its_marks_and_a_canvas_does_not(forged: Forge) -> None:
    denoiser = load(str(forged("ModernBERT-base").folder), **CPU)
    bare = np.array([5, 6, MASK, 8])
    framed = np.array([57, 5, 6, MASK, 8, 58])
    one = ModelInput(bare, bare == MASK, np.array([2]), np.arange(4))
    other = ModelInput(framed, framed == MASK, np.array([3]), np.arange(6))
    assert np.array_equal(denoiser.logits([one])[0], denoiser.logits([other])[0])


def test_the_small_transformer_computes_what_its_paper_says(forged: Forge) -> None:
    """DiT's formula once more, cell by cell and head by head, with nothing shared but the weights."""
    made = forged("mdlm-owt")
    w = {k.removeprefix("backbone."): v.double() for k, v in made.native.state_dict().items()}
    ids = torch.tensor([5, 9, 63, 63, 12])

    def norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ w[f"{name}.weight"].T + w.get(f"{name}.bias", torch.zeros(1, dtype=torch.float64))

    def turn(x: torch.Tensor) -> torch.Tensor:  # [cell, side]
        pace = 10_000.0 ** -(torch.arange(0, 8, 2).double() / 8)
        angle = torch.arange(len(x)).double()[:, None] * pace
        left, right = x[:, :4], x[:, 4:]
        return torch.cat([left * angle.cos() - right * angle.sin(), right * angle.cos() + left * angle.sin()], 1)

    def silu(x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(x)

    waves = torch.tensor([1.0] * 128 + [0.0] * 128, dtype=torch.float64)
    time = silu(linear(silu(linear(waves, "sigma_map.mlp.0")), "sigma_map.mlp.2"))
    x = w["vocab_embed.embedding"][ids]
    for i in range(2):
        at = f"blocks.{i}."
        move, scale, gate, move2, scale2, gate2 = linear(time, at + "adaLN_modulation").chunk(6)
        q, k, v = linear(norm(x, w[at + "norm1.weight"]) * (1 + scale) + move, at + "attn_qkv").chunk(3, -1)
        heads = []
        for h in range(4):
            part = slice(8 * h, 8 * h + 8)
            share = torch.softmax(turn(q[:, part]) @ turn(k[:, part]).T / 8**0.5, -1)
            heads.append(share @ v[:, part])
        x = x + gate * linear(torch.cat(heads, 1), at + "attn_out")
        inner = linear(norm(x, w[at + "norm2.weight"]) * (1 + scale2) + move2, at + "mlp.0")
        x = x + gate2 * linear(torch.nn.functional.gelu(inner, approximate="tanh"), at + "mlp.2")
    move, scale = linear(time, "output_layer.adaLN_modulation").chunk(2)
    expected = linear(norm(x, w["output_layer.norm_final.weight"]) * (1 + scale) + move, "output_layer.linear")
    logits = made.native.logits(ids[None], torch.arange(5))[0]
    assert torch.allclose(logits.double(), expected, atol=1e-4)
