"""Decoders that belong to one family write what their authors' rules give, on the same weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.forge import MASK, Forged
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.run.spec import RunSpec
from unmask.run.state import start

Forge = Callable[[str], Forged]


def load_checkpoint(folder: Path) -> Denoiser:
    return load(str(folder), number="fp32", device="cpu")


def ours(denoiser: Denoiser, prompt: list[int], cells: int, **changes: Any) -> tuple[list[int], int]:
    """Tokens and passes under the authors' own settings, with changes."""
    settings = RunSpec(changes={"end": "allow", **changes}).settings(denoiser.card, cells)
    states = [state for state, _ in decode(denoiser, start(blank([prompt, cells]), settings))]
    return states[-1].canvas.tokens.tolist(), len(states)


def chances(net: Any, ids: list[int], sight: np.ndarray, places: np.ndarray | None = None) -> torch.Tensor:
    """A distribution for each row, the mask left out."""
    inputs: dict[str, Any] = {"attention_mask": torch.from_numpy(sight)[None, None]}
    if places is not None:
        inputs["position_ids"] = torch.from_numpy(places)[None]
    logits = net(torch.tensor([ids]), **inputs).logits[0]
    logits[:, MASK] = -1e30
    return logits.softmax(-1)


@pytest.mark.parametrize("small", [4, 8])
def test_fast_dllm_v2_decides_small_blocks_and_begins_each_block_with_one_token(forged: Forge, small: int) -> None:
    """It lacked both, so that 17 to 42 of 43 to 59 tokens agreed: another decoder."""
    made = forged("Fast_dLLM_v2")
    size, tau = made.block, 0.3
    for seed in range(4):
        prompt = np.random.default_rng(seed).integers(3, 57, 5 + 3 * seed).tolist()
        ids, passes, cells = list(prompt), 0, 27 - (5 + 3 * seed) % 8 + 5
        cells = -(-(len(prompt) + cells) // size) * size - len(prompt)
        while len(ids) < len(prompt) + cells:
            row = np.arange(-(-(len(ids) + 1) // size) * size)
            seen = row[None, :] // size <= row[:, None] // size
            if len(ids) % size == 0:  # a clean block says the next one's first token
                n = len(ids)
                ids.append(int(chances(made.native, ids, seen[:n, :n])[-1].argmax()))
                passes += 1
            block = ids + [MASK] * (len(row) - len(ids))
            for begins in range(len(row) - size, len(row), small):
                while MASK in block[begins : begins + small]:
                    p = chances(made.native, block, seen)
                    sure = {i: p[i - 1].max().item() for i in range(begins, begins + small) if block[i] == MASK}
                    most = max(sure, key=lambda i: sure[i])
                    for i in sure:
                        if sure[i] > tau or i == most:
                            block[i] = int(p[i - 1].argmax())
                    passes += 1
            ids = block
        options = {"tau": 0.5, "size": size} | {"tau": tau}
        options = {"tau": tau, "size": size}
        assert ours(load_checkpoint(made.folder), prompt, cells, block=small, options=options) == (ids, passes)


def test_wedlm_writes_near_cells_of_low_entropy_within_its_window(forged: Forge) -> None:
    """It was decoded by a threshold of 0.9, which is not its authors' rule."""
    made = forged("WeDLM-8B")
    for seed, bound in ((1, 0.4), (2, 1.5), (3, 2.5)):
        prompt = np.random.default_rng(seed).integers(3, 57, 6).tolist()
        ids, passes = prompt + [MASK] * 24, 0
        while MASK in ids:
            spec = np.argsort(np.array(ids) == MASK, kind="stable")
            seen = np.tril(np.ones((len(ids), len(ids)), bool))
            p = chances(made.native, [ids[i] for i in spec], seen, spec)[torch.from_numpy(np.argsort(spec))]
            first = ids.index(MASK)
            entropy = {
                i: float(-(p[i] * p[i].clamp(min=1e-30).log()).sum()) + 0.02 * (i - first)
                for i in range(first, min(first + 16, len(ids)))
                if ids[i] == MASK
            }
            chosen = [i for i in entropy if entropy[i] < bound] or [min(entropy, key=lambda i: entropy[i])]
            for i in chosen:
                ids[i] = int(p[i].argmax())
            passes += 1
        options = {"bound": bound, "penalty": 0.02, "window": 16}
        assert ours(load_checkpoint(made.folder), prompt, 24, temperature=0.0, options=options) == (ids, passes)


@pytest.mark.parametrize(("name", "rule"), [("LLaDA2.0-mini", "stop"), ("Fast_dLLM_v2", "stop"), ("SDAR-4B", "allow")])
def test_a_text_ends_as_its_authors_end_it(forged: Forge, name: str, rule: str) -> None:
    assert RunSpec().settings(load_checkpoint(forged(name).folder).card, 32).end == rule


def test_an_answer_in_blocks_ends_with_a_whole_one(forged: Forge) -> None:
    """Authors decode the cells that fill the last block; left as masks, up to 26 of 64 tokens were others."""
    denoiser = load_checkpoint(forged("SDAR-4B").folder)
    canvas = RunSpec(prompt="5 6 7 8 9 10", length=9).canvas(denoiser.card, denoiser.tokenizer)
    assert len(canvas) == 16 and int(canvas.open.sum()) == 10
    whole = load_checkpoint(forged("LLaDA-8B").folder)
    assert len(RunSpec(prompt="5 6 7 8 9 10", length=9).canvas(whole.card, whole.tokenizer)) == 15


@pytest.mark.parametrize("cells", [31, 33, 40, 64])
def test_llada_takes_a_pass_for_each_cell_whatever_the_length(forged: Forge, cells: int) -> None:
    """Passes were shared evenly among blocks, so 33 cells took 17 and 40 took 28."""
    assert ours(load_checkpoint(forged("LLaDA-8B").folder), [3, 4, 5], cells, passes=cells)[1] == cells
