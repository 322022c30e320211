"""Samplers as their papers state them, over a tiny model: nothing here knows that it is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

WORDS, MASK, WIDE = 40, 39, 32


@dataclass
class Output:
    """What a forward returns."""

    logits: Any
    past_key_values: Any = None


class Tiny(nn.Module):
    """One layer of attention over tokens and positions, with a cache of keys and values."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.words, self.places = nn.Embedding(WORDS, WIDE), nn.Embedding(256, WIDE)
        self.inward, self.outward = nn.Linear(WIDE, 3 * WIDE), nn.Linear(WIDE, WORDS)
        self.forwards = 0
        with torch.no_grad():
            self.outward.weight *= 6  # sure of some words
            self.outward.bias[MASK] = -1e4
        self.eval()

    def forward(
        self,
        input_ids: Any,
        past_key_values: Any = None,
        position_ids: Any = None,
        replace_position: Any = None,
        use_cache: bool = False,
    ) -> Output:
        self.forwards += 1
        count = input_ids.shape[1]
        begin = past_key_values[0][0].shape[-2] if past_key_values is not None else 0
        if replace_position is not None:
            at = replace_position[0].nonzero()[:, 0]
        elif position_ids is not None:
            at = position_ids[0]
        else:
            at = torch.arange(begin, begin + count)
        x = self.words(input_ids) + self.places(at)
        q, k, v = self.inward(x).chunk(3, -1)
        if past_key_values is not None:
            keys, values = (part[:, 0] for part in past_key_values[0])
            if replace_position is not None:
                keys, values = keys.clone(), values.clone()
                keys[:, at], values[:, at] = k, v
            else:
                keys, values = torch.cat([keys, k], 1), torch.cat([values, v], 1)
            k, v = keys, values
        mixed = (q @ k.transpose(1, 2) / WIDE**0.5).softmax(-1) @ v
        logits = self.outward(x + mixed)
        return Output(logits, ((k[:, None], v[:, None]),) if use_cache else None)


def canvas(prompt: Any, length: int) -> Any:
    """The prompt, and masks after it."""
    x = torch.full((prompt.shape[0], prompt.shape[1] + length), MASK)
    x[:, : prompt.shape[1]] = prompt
    return x


def llada(model: Any, prompt: Any, length: int, steps: int, block: int, scale: float = 0.0) -> Any:
    """LLaDA (arXiv:2502.09992): per block, keep the most confident predictions; guidance feeds the row twice."""
    x, given = canvas(prompt, length), prompt.shape[1]
    for begin in range(given, given + length, block):
        rounds = steps * block // length
        for step in range(rounds):
            masked = x == MASK
            if scale:
                bare = x.clone()
                bare[:, :given] = MASK
                plain, without = model(torch.cat([x, bare])).logits.chunk(2)
                logits = without + (scale + 1) * (plain - without)
            else:
                logits = model(x).logits
            sure, best = logits.double().softmax(-1).max(-1)
            sure[~masked] = -1
            sure[:, begin + block :] = -1
            for row in range(len(x)):
                left = int(masked[row, : begin + block].sum())
                chosen = sure[row].topk(max(1, left // (rounds - step))).indices
                x[row, chosen] = best[row, chosen]
    return x


def dream(model: Any, prompt: Any, length: int, steps: int) -> Any:
    """Dream (arXiv:2508.15487): a cell is predicted at the cell before; the lowest entropies are written."""
    x = canvas(prompt, length)
    for step in range(steps):
        logits = model(x).logits
        logits = torch.cat([logits[:, :1], logits[:, :-1]], 1)
        shares = logits.softmax(-1)
        spread = -(shares * shares.clamp(min=1e-30).log()).sum(-1)
        spread[x != MASK] = torch.inf
        count = max(1, int((x == MASK).sum()) // (steps - step))
        chosen = spread[0].topk(count, largest=False).indices
        x = x.clone()  # a new canvas each time
        x[0, chosen] = shares[0, chosen].argmax(-1)
    return x


def dual_cache(model: Any, prompt: Any, length: int, block: int, threshold: float) -> Any:
    """Fast-dLLM (arXiv:2505.22618): a whole forward fills the cache, then the block alone is fed until it is full."""
    x, given = canvas(prompt, length), prompt.shape[1]
    for begin in range(given, given + length, block):
        end = begin + block
        output = model(x, use_cache=True)
        past, logits = output.past_key_values, output.logits[:, begin:end]
        replace = torch.zeros_like(x, dtype=torch.bool)
        replace[:, begin:end] = True
        while True:
            sure, best = logits.softmax(-1).max(-1)
            sure[x[:, begin:end] != MASK] = -1
            write = (sure > threshold) | (sure == sure.max(-1, keepdim=True).values)
            write &= x[:, begin:end] == MASK
            x[:, begin:end][write] = best[write]
            if not (x[:, begin:end] == MASK).any():
                break
            logits = model(x[:, begin:end], past_key_values=past, use_cache=True, replace_position=replace).logits
    return x


def growing_blocks(model: Any, prompt: Any, blocks: int, block: int) -> Any:
    """Block diffusion (arXiv:2503.09573): each block is denoised behind a cache, then fed once more to extend it."""
    past, text = model(prompt, use_cache=True).past_key_values, prompt
    for _ in range(blocks):
        now = torch.full((1, block), MASK)
        begin = text.shape[1]
        at = torch.arange(begin, begin + block)[None]
        while (now == MASK).any():
            logits = model(now, past_key_values=past, position_ids=at).logits
            sure, best = logits.softmax(-1).max(-1)
            sure[now != MASK] = -1
            chosen = sure.argmax(-1)
            now[0, chosen] = best[0, chosen]
        past = model(now, past_key_values=past, position_ids=at, use_cache=True).past_key_values
        text = torch.cat([text, now], 1)
    return text


def remdm(model: Any, prompt: Any, length: int, steps: int, again: float) -> Any:
    """ReMDM (arXiv:2503.00307): written tokens are masked again with a small probability, and sampled anew."""
    x = canvas(prompt, length)
    given = torch.arange(x.shape[1]) < prompt.shape[1]
    for step in range(steps):
        shares = model(x).logits.softmax(-1)
        masked = x == MASK
        drawn = torch.multinomial(shares[0], 1)[:, 0][None]
        write = masked & (torch.rand(x.shape) < 1 / (steps - step))
        erase = ~masked & ~given & (torch.rand(x.shape) < again) & torch.tensor(step < steps - 1)
        x = torch.where(write, drawn, torch.where(erase, MASK, x))
    return x


def uniform(model: Any, prompt: Any, length: int, steps: int) -> Any:
    """Uniform noise (Austin et al., arXiv:2107.03006): open cells hold random words, some drawn anew each step."""
    given = prompt.shape[1]
    x = torch.cat([prompt, torch.randint(0, MASK, (1, length))], 1)
    for step in range(steps):
        shares = model(x).logits.softmax(-1)
        drawn = torch.multinomial(shares[0], 1)[:, 0]
        renew = torch.rand(x.shape[1]) < 1 / (steps - step)
        renew[:given] = False
        x[0, renew] = drawn[renew]
    return x
