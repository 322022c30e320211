"""A table in parts is the table as a whole, to the last bit; and a row says the same alone and in company."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from threading import get_ident
from typing import Any

import numpy as np
import pytest
import torch

import unmask.inference.logit_stats
from unmask.canvas import Card, blank
from unmask.inference import infer
from unmask.inference.logit_stats import LogitStats, by_chunks, row_chunks
from unmask.models import Denoiser, ModelInput
from unmask.models.toy import NumberTokenizer
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step

FIELDS = ("token", "confidence", "margin", "entropy", "top_ids", "top_probs", "kept", "background", "known")


class Table(Denoiser):
    """Answers with rows of a fixed table."""

    def __init__(self, cells: int, words: int, numpy: bool = False, threads: int = 1) -> None:
        torch.manual_seed(words)
        self.table = torch.randn(cells, words) * 4
        self.table[1, [5, 7]] = 30.0  # two words tie at the top
        self.table[2, 3:9] = -torch.inf  # the model itself forbids some
        self.background = torch.rand(words)
        self.card, self.tokenizer = Card("table", "bench", words, 512, never=(1,)), NumberTokenizer(words)
        self.card = replace(self.card, threads=threads)
        self.numpy_logits = numpy
        if numpy:
            self.background = self.background.numpy()

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        tables = [self.table[t.rows].clone() for t in model_inputs]
        return [table.numpy() for table in tables] if self.numpy_logits else tables


@pytest.mark.parametrize("rule", [
    {},
    {"temperature": 0.9, "top_p": 0.9},
    {"temperature": 0.7, "confidence": "shaped", "min_p": 0.05},
    {"policy": "remask"},
    {"policy": "position"},
    {"precision": "double", "bans": (4,), "boosts": {6: 2.0}, "end": "allow"},
])  # fmt: skip
@pytest.mark.parametrize("words", [300, 5003])
def test_parts_are_the_whole(rule: dict[str, Any], words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Table(40, words)
    state = start(blank([40]), Settings(passes=8, **rule))
    (whole,) = infer(model, [state], [True])
    monkeypatch.setattr(unmask.inference.logit_stats, "CACHED", 3 * words)
    assert len(row_chunks(40, words, 1)) > 1
    (parts,) = infer(model, [state], [True])
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name), err_msg=name)


@pytest.mark.parametrize("rule", [{}, {"temperature": 0.9, "top_p": 0.9}, {"policy": "remask"}])
def test_threads_change_no_bit(rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """numpy has one thread; chunks of rows are shared out to several."""
    words, seen = 5003, set[int]()
    real = LogitStats.collect

    def collect(*arguments: Any, **options: Any) -> Any:
        time.sleep(0.001)  # so that each thread gets a chunk
        seen.add(get_ident())
        return real(*arguments, **options)

    monkeypatch.setattr(LogitStats, "collect", collect)
    monkeypatch.setattr(unmask.inference.logit_stats, "CACHED", 3 * words)
    state, found = start(blank([40]), Settings(passes=8, **rule)), []
    for threads in (1, 3):
        seen.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found += infer(Table(40, words, numpy=True, threads=threads), [state], [True])
        assert len(seen) == threads
    for name in FIELDS:
        np.testing.assert_array_equal(*(getattr(one, name) for one in found), err_msg=name)


def test_an_error_in_a_thread_is_raised() -> None:
    def fail(part: slice) -> dict[str, Any]:
        time.sleep(0.001)
        if part.start:
            raise MemoryError
        return {}

    with pytest.raises(MemoryError):
        by_chunks(fail, np.zeros((8, 10_000_000), np.int8), 2)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_row_is_alone_only_where_one_thread_works(threads: int) -> None:
    for rows in range(1, 40):
        for words in (10, 100_000, 10_000_000):
            parts = row_chunks(rows, words, threads)
            assert [i for part in parts for i in range(rows)[part]] == list(range(rows))
            assert min(len(range(rows)[part]) for part in parts) >= min(rows, threads)


@pytest.mark.parametrize("rule", [
    {},
    {"temperature": 0.9, "top_p": 0.6},
    {"temperature": 0.9, "top_p": 0.999},
    {"temperature": 0.8, "top_k": 7},
    {"temperature": 0.7, "confidence": "shaped", "min_p": 0.05},
    {"policy": "remask"},
    {"policy": "position"},
    {"policy": "stable"},
    {"guidance": 1.5, "presence": 0.4, "frequency": 0.2},
    {"repetition": 1.3},
    {"precision": "double", "bans": (4,), "boosts": {6: 2.0}, "end": "allow"},
    {"precision": "model", "constraint": {"kind": "avoids", "text": "7"}},
])  # fmt: skip
@pytest.mark.parametrize("words", [300, 5003])
def test_numpy_and_torch_give_the_same_belief(rule: dict[str, Any], words: int) -> None:
    states = [start(blank([40]), Settings(passes=8, **rule))]
    beliefs = []
    for numpy in (False, True):
        model, found, state = Table(40, words, numpy), [], states[0]
        for _ in range(3):
            (belief,) = infer(model, [state], [True])
            found.append(belief)
            state, _ = step(state, belief)
        beliefs.append(found)
    for torchs, numpys in zip(*beliefs, strict=True):
        # tokens of probability 0 tie, in any order
        np.testing.assert_array_equal(*(np.where(b.top_probs > 0, b.top_ids, -1) for b in (numpys, torchs)))
        for name in ("token", "known", "allowed"):
            np.testing.assert_array_equal(getattr(numpys, name), getattr(torchs, name), err_msg=name)
        for name in ("confidence", "margin", "entropy", "top_probs", "kept", "moved", "background", "doubt"):
            np.testing.assert_allclose(getattr(numpys, name), getattr(torchs, name), atol=1e-4, err_msg=name)
