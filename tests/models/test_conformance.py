"""What every family must keep, on tiny checkpoints in the hub's own layout, opened by folder as anybody would."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.long import grown
from tests.models.forge import END, FAMILIES, MASK, WORDS, Forged
from tests.models.test_model_architecture import DENSE
from unmask.canvas import Canvas, blank
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput, get_family, load
from unmask.models.family import family_names, match_family
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start

Forge = Callable[[str], Forged]
EXACT = ["LLaDA2.0-mini", "SDAR-4B", "Fast_dLLM_v2", "Qwen3-0.6B-diffusion-bd3lm", "OPDLM-0.6B", "bd3lm-owt"]
EXACT += ["Stable-DiffCoder-8B", "WeDLM-8B", "Nemotron-3B", "diffusiongemma"]


def test_every_family_has_a_small_checkpoint_here(forged: Forge) -> None:
    """A new family adds one to `forge.py`; the tests below then hold it to the rules."""
    small = [json.loads((forged(name).folder / "config.json").read_text()) for name in FAMILIES]
    opened = {match_family(config) for config in small} | {"causal"}  # the twin's family has its own tests
    needed = {name for name in family_names() if get_family(name).checkpoint_spec is not None}
    assert needed <= opened, f"tests/models/forge.py has no small checkpoint of {sorted(needed - opened)}"


@cache
def load_checkpoint(folder: Path, **options: Any) -> Denoiser:
    return load(str(folder), number="fp32", device="cpu", **options)


def canvas(seed: int, prompt: int = 6, cells: int = 14) -> Canvas:
    """A prompt, and an answer of which some cells are written already."""
    rng = np.random.default_rng(seed)
    made = blank([rng.integers(3, 57, prompt).tolist(), cells])
    placed = np.zeros(prompt + cells, bool)
    placed[prompt:] = rng.random(cells) < 0.3
    return made.write(placed, rng.integers(3, 57, prompt + cells))


def begin(denoiser: Denoiser, made: Canvas, policy: str, **changes: Any) -> State:
    card = denoiser.card
    rules: dict[str, Any] = {"policy": policy, "passes": 8, "block": 8} | changes
    if card.noise:
        rules |= {"temperature": 0.8, "temperature_end": 0.4, "confidence": "shaped", "passes_for": "block"}
    settings = Settings().with_changes(rules)
    return start(made, replace(settings, noise=card.words) if card.noise else settings)


def policies(denoiser: Denoiser) -> tuple[str, ...]:
    return (
        ("uniform", "confidence", "threshold") if denoiser.card.noise else ("confidence", "threshold", "left_to_right")
    )


def sight(rows: np.ndarray, size: int) -> torch.Tensor:
    """Block-causal, as a 4-D mask."""
    return torch.from_numpy(rows[None, :] // size <= rows[:, None] // size)[None, None]


def reference(made: Forged, model_input: ModelInput, rows: np.ndarray | None = None) -> torch.Tensor:
    """Aligned logits of a thought by the family's formula, on the native network and without any of our parts.

    With `rows` the native network is asked for those alone: the product of fewer rows may be rounded otherwise."""
    mask = MASK if made.kind != "own" or "Nemotron" in made.folder.name else WORDS - 1
    ids = np.where(model_input.open, mask, model_input.tokens)
    n, net = len(ids), made.native
    match made.kind:
        case "full" | "shift":
            inputs: dict[str, Any] = {"attention_mask": torch.ones(1, 1, n, n, dtype=torch.bool)}
            if rows is not None:
                keep = torch.from_numpy(rows - ("shift" in made.kind))
                return net(torch.from_numpy(ids)[None], **inputs, logits_to_keep=keep).logits[0]
            raw = net(torch.from_numpy(ids)[None], **inputs).logits[0]
        case "block" | "blockshift":
            padded = -(-n // made.block) * made.block if "bd3lm" not in made.folder.name else n
            whole = np.append(ids, np.full(padded - n, mask))
            output = net(torch.from_numpy(whole)[None], attention_mask=sight(np.arange(padded), made.block))
            raw = output.logits[0, :n]
        case "encoder":
            raw = net(torch.tensor([[57, *ids, END]])).logits[0, 1:-1]
        case "reordered":
            spec = np.argsort(model_input.open, kind="stable")
            where = torch.from_numpy(spec)[None]
            output = net(torch.from_numpy(ids[spec])[None], position_ids=where, attention_mask=sight(np.arange(n), 1))
            raw = output.logits[0][torch.from_numpy(np.argsort(spec))]
        case "gemma":
            begins, ends = model_input.block
            prompt, answer = torch.from_numpy(model_input.tokens)[None].split([begins, ends - begins], 1)
            answered = net(input_ids=prompt, decoder_input_ids=answer).logits[0]
            raw = torch.cat([torch.zeros(begins, WORDS), answered])
        case _ if "Nemotron" in made.folder.name:
            begins, ends = model_input.block
            seen = sight(np.arange(n), 1)
            seen[..., begins:ends, :ends] = True
            raw = net(torch.from_numpy(ids)[None], attention_mask=seen).logits[0]
        case _:
            padded = -(-n // made.block) * made.block if made.block else n
            whole = torch.from_numpy(np.append(ids, np.full(padded - n, mask)))[None]
            seen = sight(np.arange(padded), made.block)[0] if made.block else None
            raw = net.logits(whole, torch.arange(n), attention_mask=seen)[0]
    aligned = torch.cat([raw[:1], raw[:-1]]) if "shift" in made.kind else raw
    return aligned if rows is None else aligned[torch.from_numpy(rows)]


@pytest.mark.parametrize("name", [*FAMILIES, *(f"{name} on transformers" for name in DENSE)])
def test_each_row_speaks_of_its_cell(forged: Forge, name: str) -> None:
    name, _, engine = name.partition(" on ")
    made = forged(name)
    denoiser = load_checkpoint(made.folder, engine=engine)
    for seed in range(3):
        shown = canvas(seed)
        if denoiser.card.noise:
            shown = replace(shown, tokens=np.where(shown.open, 7 + seed, shown.tokens))
        rows = np.flatnonzero(shown.answer)
        n = len(shown)
        model_input = ModelInput(shown.tokens, shown.open, rows, np.arange(n), origin=6, block=(6, n))
        answer = torch.as_tensor(denoiser.logits([model_input])[0])
        expected = reference(made, model_input)[torch.from_numpy(rows)]
        assert torch.allclose(answer, expected, atol=2e-5), float((answer - expected).abs().max())
        bit_equal = not denoiser.numpy_logits and name in (
            "LLaDA-8B",
            "Dream-v0",
            "Qwen3-0.6B-diffusion-mdlm",
            "bert-base",
            "ModernBERT-base",
        )
        assert not bit_equal or torch.equal(answer, reference(made, model_input, rows))


@pytest.mark.parametrize("name", FAMILIES)
def test_three_policies_write_no_mask_keep_the_prompt_and_rewind(forged: Forge, name: str) -> None:
    denoiser = load_checkpoint(forged(name).folder)
    for policy in policies(denoiser):
        first = begin(denoiser, canvas(5, cells=16), policy)
        states = [first, *(s for s, _ in decode(denoiser, first))]
        last = states[-1].canvas
        assert not last.open.any()
        assert np.array_equal(last.tokens[:6], first.canvas.tokens[:6])
        assert not np.isin(last.tokens[6:], denoiser.card.never).any()
        again = [s for s, _ in decode(denoiser, states[len(states) // 2])]
        assert np.array_equal(again[-1].canvas.tokens, last.tokens)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_authors_settings_on_the_card_decode(forged: Forge, name: str) -> None:
    denoiser = load_checkpoint(forged(name).folder)
    settings = RunSpec(seed=3).settings(denoiser.card, 16)
    theirs = {**preset(denoiser.card.preset["preset"]).settings, **denoiser.card.preset.get("settings", {})}
    assert settings.policy == theirs["policy"] and settings.seed == 3
    words = denoiser.card.words if denoiser.card.noise else 0
    states = [s for s, _ in decode(denoiser, start(canvas(1, cells=16), replace(settings, noise=words)))]
    assert not states[-1].canvas.open.any()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_thought_in_a_batch_is_the_thought_alone(forged: Forge, name: str) -> None:
    denoiser = load_checkpoint(forged(name).folder)
    states = [begin(denoiser, canvas(seed), policies(denoiser)[0]) for seed in range(4)]
    for alone, together in zip([infer(denoiser, [s])[0] for s in states], infer(denoiser, states), strict=True):
        assert np.array_equal(alone.token, together.token)
        assert np.allclose(alone.confidence, together.confidence, atol=1e-5)


@pytest.mark.parametrize("runs", grown(8, 30))
@pytest.mark.parametrize("name", [*EXACT, "Qwen3-0.6B"])
def test_a_cache_changes_nothing_in_any_run(forged: Forge, name: str, runs: int) -> None:
    folder = forged(name).folder
    what = f"causal:{folder}" if name == "Qwen3-0.6B" else str(folder)
    options: dict[str, Any] = {"number": "fp32", "device": "cpu"} | ({"block": 8} if name == "LLaDA2.0-mini" else {})
    with_cache, without = (load(what, cache=c, **options) for c in ("exact", "none"))
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        policy = str(rng.choice([p for p in policies(with_cache) if p != "threshold"]))
        blocks = {"block": int(rng.choice([4, 8])), "block_from": str(rng.choice(["answer", "sequence"]))}
        changes = blocks | {"passes": 4, "seed": seed}
        ends = []
        for denoiser in (with_cache, without):
            first = begin(denoiser, canvas(seed, 1 + seed % 13, 12), policy, **changes)
            ends.append([s for s, _ in decode(denoiser, first)][-1].canvas.tokens.tolist())
        assert ends[0] == ends[1], f"run {seed}, {policy}, {changes}"
    pasts: Any = with_cache
    assert pasts.pasts.hits > runs  # and it was used


@pytest.mark.parametrize("name", [*EXACT, "Qwen3-0.6B"])
def test_rewinds_and_branches_in_any_order_think_what_a_fresh_reader_thinks(forged: Forge, name: str) -> None:
    """Keys and values are written in place, so a moment that is visited again must find its own."""
    folder = forged(name).folder
    what = f"causal:{folder}" if name == "Qwen3-0.6B" else str(folder)
    options: dict[str, Any] = {"number": "fp32", "device": "cpu"} | ({"block": 4} if name == "LLaDA2.0-mini" else {})
    with_cache, without = (load(what, cache=c, **options) for c in ("exact", "none"))
    policy, moments = policies(with_cache)[0], list[State]()
    for seed in range(3):  # one prompt, and what the seeds make of it
        first = begin(with_cache, canvas(1, 7, 12), policy, passes=6, block=4, temperature=1.0, seed=seed)
        moments += [first, *(s for s, _ in decode(with_cache, first))]
    moments = [s for s in moments if not s.done]
    for at in np.random.default_rng(0).permutation(len(moments)).tolist():
        (mine,), (fresh,) = infer(with_cache, [moments[at]]), infer(without, [moments[at]])
        assert mine.token.tolist() == fresh.token.tolist(), at
        np.testing.assert_allclose(mine.confidence, fresh.confidence, atol=1e-5, equal_nan=True)
