"""The bench for a GPU runs in small here, and its large shapes are the published ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import torch

from bench import gpu, table


def test_every_way_gives_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "TOTAL", 200.0)
    rows = gpu.main(small=True)
    assert [row.what for row in rows] == [row.what for row in gpu.rows()]
    assert not [row for row in rows if "failed" in row.figure or "not reached" in row.figure]
    for way in gpu.WAYS:
        (speed,) = (row.figure for row in rows if row.what == gpu.whats(way)["speed"][0])
        assert float(re.findall(r"([\d.]+) cells a pass", speed)[0]) == pytest.approx(way.quota, rel=0.1)
    for what in ("tokens as without", "procedure over our loop, same weights, greedy"):
        found = [re.search(r"(\d+) of (\d+)", row.figure) for row in rows if what in row.what]
        assert found and all(same is not None and same[1] == same[2] for same in found)


def test_without_a_gpu_each_row_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of the wanted figures that needs a GPU stands in the table of all, so that nobody takes it for done."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    rows = list(table.answered("gpu", tiny=False))
    assert rows and all(row.figure == "not measured: no GPU here" and row.wanted is not None for row in rows)
    for goal in (">= 550 tok/s", ">= 1,000 tok/s", ">= 1.6 x", ">= 3 x", ">= 80 %", "<= 10 %"):
        assert any(goal in row.wanted for row in rows), goal
    listed = table.RESULTS.read_text()
    assert all(row.what in listed for row in rows)


def test_one_way_that_fails_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "WAYS", gpu.WAYS[:2])
    monkeypatch.setattr(gpu, "network", lambda *_: (None, None))

    def figures(way: gpu.Way, *_: object) -> Iterator[tuple[str, str]]:
        yield "speed", "1 tok/s"
        if way is gpu.WAYS[0]:
            raise RuntimeError("CUDA error: a kernel was lost\nand more")

    monkeypatch.setattr(gpu, "figures", figures)
    found = {row.what: row.figure for row in gpu.answered(small=True)}
    first, second = (gpu.whats(way) for way in gpu.WAYS)
    assert found[first["speed"][0]] == found[second["speed"][0]] == "1 tok/s"
    assert found[first["over"][0]] == "failed: CUDA error: a kernel was lost"
    assert found[second["over"][0]] == "not reached in time"


@pytest.mark.parametrize(("kind", "billions"), [("llada", 8.0), ("llada2", 16.3), ("diffusion_gemma", 25.5)])
def test_a_large_shape_has_as_many_numbers_as_its_model(kind: str, billions: float) -> None:
    way = next(w for w in gpu.WAYS if w.kind == kind)
    model, _ = gpu.network(way, "meta", small=False)
    numbers = sum(p.numel() for p in model.parameters())
    assert numbers / 1e9 == pytest.approx(billions, rel=0.04)
    assert next(model.parameters()).dtype is torch.bfloat16
