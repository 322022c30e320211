"""Our decoding loop against LLaDA's published one, alternating over the same network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bench.row import Row, at_least
from bench.timer import ratio
from unmask.canvas import Card, blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput, load
from unmask.models.bundled import FOLDER
from unmask.models.bundled_network import TransformerNetwork
from unmask.models.graph_network import OwnNetwork
from unmask.models.toy import NumberTokenizer
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.run.settings import Settings
from unmask.run.state import start

MASK = 1
Forward = Callable[[Tensor], Tensor]  # a canvas [1, L] to logits [1, L, V]


class Random(Denoiser):
    """A network of random weights with the bundled pair's width and any vocabulary size."""

    def __init__(self, words: int, layers: int, number: str = "fp32") -> None:
        torch.manual_seed(0)
        made = Transformer(TransformerConfig(words, 256, layers, 4, 256, False))
        self.network: OwnNetwork = (
            made.graph() if number == "fp32" else TransformerNetwork(made.shape, made.arrays(), number)
        )
        self.tokenizer, self.numpy_logits = NumberTokenizer(words), self.network.device is None
        self.card = Card("random", "bench", words, 256, never=(MASK,))

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        ids = torch.from_numpy(np.stack([np.where(t.open, MASK, t.tokens) for t in model_inputs]))
        every = np.unique(np.concatenate([t.rows for t in model_inputs]))
        logits = self.network.logits(ids, torch.from_numpy(every))
        places = [np.searchsorted(every, t.rows) for t in model_inputs]
        return [table[place] for table, place in zip(logits, places, strict=True)]


def noisy(logits: Tensor, temperature: float) -> Tensor:
    """LLaDA's Gumbel noise, in double precision over the whole vocabulary."""
    if not temperature:
        return logits
    logits = logits.to(torch.float64)
    noise = torch.rand_like(logits, dtype=torch.float64)
    return logits.exp() / (-torch.log(noise)) ** temperature


def published(forward: Forward, mask: int, prompt: list[int], cells: int, temperature: float, passes: int) -> Tensor:
    """LLaDA's own loop (arXiv:2502.09992, generate.py), one block, low-confidence remasking, linear schedule."""
    x = torch.full((1, len(prompt) + cells), mask)
    x[0, : len(prompt)] = torch.tensor(prompt, dtype=torch.long)
    base, more = divmod(cells, passes)
    with torch.inference_mode():
        for at in range(passes):
            hidden = x == mask
            logits = forward(x)
            x0 = noisy(logits, temperature).argmax(-1)
            p = F.softmax(logits, -1)
            x0_p = p.gather(-1, x0[..., None])[..., 0]
            x0 = torch.where(hidden, x0, x)
            confidence = torch.where(hidden, x0_p, -np.inf)
            _, chosen = confidence[0].topk(base + (at < more))
            x[0, chosen] = x0[0, chosen]
    return x[0]


def ours(model: Any, prompt: list[int], cells: int, temperature: float, passes: int) -> list[int]:
    settings = Settings(passes=passes, temperature=temperature)
    *_, (state, _) = decode(model, start(blank([prompt, cells]), settings))
    tokens: list[int] = state.canvas.tokens.tolist()
    return tokens


def plain(folder: Any) -> Forward:
    """The bundled weights in the training code's network, as a simple loop would call it."""
    from pair.train.ship import unpacked

    network = unpacked(folder)
    return lambda x: network.lm_head(network.read(x)[0])


def forward_of(network: OwnNetwork) -> Forward:
    return lambda x: torch.as_tensor(network.logits(x, torch.arange(x.shape[1])))


def without(forward: Forward, never: Sequence[int]) -> Forward:
    """A forward that never predicts the mask: the published loop would write it and count the cell as open."""

    def read(x: Tensor) -> Tensor:
        logits = forward(x)
        logits[..., list(never)] = -torch.inf
        return logits

    return read


def rows(tiny: bool = False) -> Iterator[Row]:
    rounds, cells = (1, 16) if tiny else (3, 64)
    denoiser: Any = load("denoiser")
    torch.set_num_threads(1)
    # calibration changes the order of confidences, so the published loop would write other cells
    denoiser.card = replace(denoiser.card, calibration=())
    prompt, mask = denoiser.tokenizer.encode("Story: Lily had a red kite."), denoiser.mask
    same = without(forward_of(denoiser.network), denoiser.card.never)
    alike = published(same, mask, prompt, cells, 0, cells).tolist() == ours(denoiser, prompt, cells, 0, cells)
    yield Row("The published loop's tokens at T = 0 are ours", "yes" if alike else "no", "yes", alike)
    for heat, wanted in ((0.0, 1.05), (1.0, 1.15)):
        times = ratio(
            rounds,
            lambda t=heat: published(same, mask, prompt, cells, t, cells),  # type: ignore[misc]
            lambda t=heat: ours(denoiser, prompt, cells, t, cells),  # type: ignore[misc]
        )
        yield at_least(f"published loop's time over ours, same network, 4,581 words, T = {heat:g}", times, wanted)
    large = Random(2_000 if tiny else 151_936, 2)
    few = 4 if tiny else 8
    for heat, goal in ((0.0, None), (1.0, 2.0)):
        times = ratio(
            1 if tiny else 2,
            lambda t=heat: published(forward_of(large.network), MASK, [5] * 8, 64, t, few),  # type: ignore[misc]
            lambda t=heat: ours(large, [5] * 8, 64, t, few),  # type: ignore[misc]
        )
        yield at_least(f"the same, {large.card.words:,} words, T = {heat:g}", times, goal)
    trained = without(plain(FOLDER / "denoiser"), denoiser.card.never)
    for heat in (0.0, 1.0):
        times = ratio(
            rounds,
            lambda t=heat: published(trained, mask, prompt, cells, t, cells),  # type: ignore[misc]
            lambda t=heat: ours(denoiser, prompt, cells, t, cells),  # type: ignore[misc]
        )
        yield at_least(f"published loop and network as trained over what ships, T = {heat:g}", times, 1.5)
