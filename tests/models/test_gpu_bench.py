"""The bench for a GPU runs in small here, and its large shapes are the published ones."""

from __future__ import annotations

import re

import pytest
import torch

from bench import gpu


def test_every_way_gives_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "LIMIT", 20)
    rows = gpu.main(small=True)
    for way in gpu.WAYS:
        mine = [row for row in rows if f"(small), {way.title}: " in row]
        assert len(mine) >= 2, way.title
        cells = float(re.findall(r"([\d.]+) cells a pass \|", mine[0])[0])
        assert cells == pytest.approx(way.quota, rel=0.1)
    assert sum("16 sessions" in row for row in rows) == 1
    (same,) = (re.search(r"tokens as without \| (\d+) of (\d+)", row) for row in rows if "as without" in row)
    assert same is not None and same[1] == same[2]


@pytest.mark.parametrize(("kind", "billions"), [("llada", 8.0), ("llada2", 16.3), ("diffusion_gemma", 25.5)])
def test_a_large_shape_has_as_many_numbers_as_its_model(kind: str, billions: float) -> None:
    way = next(w for w in gpu.WAYS if w.kind == kind)
    model, _ = gpu.network(way, "meta", small=False)
    numbers = sum(p.numel() for p in model.parameters())
    assert numbers / 1e9 == pytest.approx(billions, rel=0.04)
    assert next(model.parameters()).dtype is torch.bfloat16
