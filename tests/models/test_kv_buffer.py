"""Keys and values written in place: a text that grows is not copied, and no text is written over by another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from unmask.models.hub.kv_buffer import STEP, KVBuffer, KVCache, growable_cache
from unmask.models.hub.prefix_cache import PrefixCache, cache_bytes, crop_cache

HEADS, WIDTH = 2, 3


def theirs() -> Any:
    from transformers import DynamicCache

    made = DynamicCache()
    made.update(*numbers(np.arange(0)), 0)
    return growable_cache(made)


def ours() -> KVCache:
    made = KVCache()
    made.update(*numbers(np.arange(0)), 0)
    return made


def numbers(tokens: np.ndarray, at: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """What a network would make of these tokens at these places."""
    cells = torch.arange(at, at + len(tokens))
    row = torch.from_numpy(np.asarray(tokens, np.float32)) * 1000 + cells
    keys = row[None, None, :, None].expand(1, HEADS, -1, WIDTH) + torch.arange(WIDTH)
    return keys, -keys


def read(pasts: PrefixCache, text: np.ndarray, settled: int, step: int = 1) -> torch.Tensor:
    """As an adapter reads: from what is known on, keeping what is settled."""
    known, cache, _ = pasts.longest(text[:settled], step)
    keys, values = cache.update(*numbers(text[known:], known), 0)
    assert torch.equal(keys, -values)
    pasts.keep(text[:settled], cache)
    return keys


def true(pasts: PrefixCache) -> bool:
    """Whether each kept text has its own keys."""
    return all(
        torch.equal(cache.layers[0].keys, numbers(key)[0]) and torch.equal(cache.layers[0].values, numbers(key)[1])
        for key, cache, _ in pasts.kept.values()
    )


def grounds(pasts: PrefixCache) -> set[int]:
    return {cache.layers[0].buffer.keys.data_ptr() for _, cache, _ in pasts.kept.values()}


@pytest.mark.parametrize("empty", [theirs, ours])
def test_a_text_that_grows_stays_where_it_lies(empty: Any) -> None:
    pasts, text = PrefixCache(empty), np.arange(STEP)
    seen = set()
    for settled in range(8, STEP - 8, 8):
        for _ in range(3):  # passes of a block, each written over by the next
            text[settled : settled + 8] += 1
            assert torch.equal(read(pasts, text[: settled + 8], settled), numbers(text[: settled + 8])[0])
        seen |= grounds(pasts)
    assert len(seen) == 1
    assert true(pasts)
    assert cache_bytes(next(iter(pasts.kept.values()))[1]) == 2 * 4 * HEADS * WIDTH * STEP


@pytest.mark.parametrize("empty", [theirs, ours])
def test_a_rewind_writes_over_nothing(empty: Any) -> None:
    pasts, text = PrefixCache(empty), np.arange(40)
    read(pasts, text, 32)
    other = text.copy()
    other[20:] += 7
    assert torch.equal(read(pasts, other, 28), numbers(other)[0])
    assert len(pasts.kept) == 2 == len(grounds(pasts))
    assert true(pasts)
    assert torch.equal(read(pasts, text, 36), numbers(text)[0])
    assert true(pasts)


@pytest.mark.parametrize("empty", [theirs, ours])
@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_texts(empty: Any, seed: int) -> None:
    """Growing, rewinding and branching, with room for a few texts only, in steps of one and of four."""
    rng = np.random.default_rng(seed)
    step = (1, 4)[seed % 2]
    cell = 2 * 4 * HEADS * WIDTH
    pasts = PrefixCache(empty, room=3 * STEP * cell)
    texts = [rng.integers(0, 3, 2 * STEP + 40)]
    for _ in range(150):
        text = texts[rng.integers(len(texts))]
        if rng.random() < 0.2:
            text = text.copy()
            text[rng.integers(len(text)) :] += 1
            texts = [*texts[-3:], text]
        upto = int(rng.integers(8, len(text)))
        assert torch.equal(read(pasts, text[:upto], int(rng.integers(0, upto)) // step * step, step),
                           numbers(text[:upto])[0])  # fmt: skip
        assert true(pasts)


def test_the_law_can_break(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were nothing marked as kept, a rewind would write over what is."""
    monkeypatch.setattr(KVBuffer, "kept", property(lambda _: 0, lambda *_: None), raising=False)
    pasts, text = PrefixCache(theirs), np.arange(40)
    read(pasts, text, 32)
    other = text.copy()
    other[20:] += 7
    read(pasts, other, 28)
    assert not true(pasts)


def test_a_part_of_a_cache_is_not_lengthened_into_the_whole() -> None:
    pasts, text = PrefixCache(theirs), np.arange(40)
    read(pasts, text, 32)
    _, cache, _ = pasts.longest(text[:32])
    part = crop_cache(cache, 24)  # a block is taken back by an adapter that needs its rows
    part.update(*numbers(np.full(8, 9), 24), 0)
    assert true(pasts)


def test_who_reads_outside_inference_mode_may_go_on() -> None:
    pasts, text = PrefixCache(theirs), np.arange(40)
    with torch.inference_mode():
        read(pasts, text, 16)
    assert torch.equal(read(pasts, text, 24), numbers(text)[0])
    with torch.inference_mode():
        assert torch.equal(read(pasts, text, 32), numbers(text)[0])
    assert true(pasts)
