"""All that leaves the device in a pass leaves in one copy, as exact as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from unmask.canvas import blank
from unmask.inference import infer
from unmask.inference.host_transfer import HostTransfer
from unmask.inference.processors import apply_processors, sampling_processors
from unmask.models.toy import Toy
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step

LEAVES = ("aten::_local_scalar_dense", "aten::is_nonzero", "aten::item", "aten::equal", "aten::nonzero")


class Waits(TorchDispatchMode):
    """Counts what would make a host wait for its device: a value that Python looks at, or as many as it must count."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func._schema.name in LEAVES:
            self.seen.append(func._schema.name)
        return func(*args, **(kwargs or {}))


def filled(precision: str, kind: torch.dtype = torch.float32, here: bool = True) -> HostTransfer:
    """Three rows in two parts; where they are not here, packed as if they lay on another device."""
    transfer = HostTransfer(torch.zeros(1, dtype=kind), precision)
    transfer.on_host = here
    for ids, top in (([[262_143, 0], [2**24, 151_935]], [1.5, -2.25]), ([[7, 8]], [0.125])):
        transfer.put("ids", torch.tensor(ids))
        transfer.put("top", torch.tensor(top, dtype=kind))
    transfer.send()
    return transfer


@pytest.mark.parametrize("here", [True, False])
def test_parts_are_joined_and_a_token_is_exact_however_it_travels(here: bool) -> None:
    transfer = filled("single", here=here)
    got = transfer.wait()
    assert got["ids"].dtype == np.int64
    assert got["ids"].tolist() == [[262_143, 0], [2**24, 151_935], [7, 8]]
    assert got["top"].tolist() == [1.5, -2.25, 0.125]


@pytest.mark.parametrize("here", [True, False])
@pytest.mark.parametrize(("kind", "precision", "comes"), [
    (torch.bfloat16, "model", np.float32),
    (torch.bfloat16, "double", np.float64),
    (torch.float64, "model", np.float64),
    (torch.float64, "single", np.float32),
])  # fmt: skip
def test_numbers_come_in_the_type_they_were_read_in(kind: torch.dtype, precision: str, comes: type, here: bool) -> None:
    transfer = filled(precision, kind, here)
    assert transfer.wait()["top"].dtype == comes


@pytest.mark.parametrize("rule", [
    {},
    {"temperature": 0.8},
    {"policy": "remask"},
    {"policy": "revoke", "temperature": 0.5},
    {"policy": "stable"},
    {"policy": "position"},
    {"guidance": 1.5},
])  # fmt: skip
def test_a_pass_fetches_once(rule: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    fetch = HostTransfer.wait
    monkeypatch.setattr(HostTransfer, "wait", lambda transfer: (fetched.append(1), fetch(transfer))[1])
    toy = Toy(background=[0.02] * 50)
    state = start(blank([[1, 2], 16]), Settings(passes=8, **rule))
    for _ in range(3):
        fetched.clear()
        (belief,) = infer(toy, [state])
        assert fetched == [1]
        state, _ = step(state, belief)


def test_all_that_needs_no_answer_is_done_before_the_first_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thought of a batch was once waited for before the next one's numbers were even on their way."""
    done: list[str] = []

    class Stale(Toy):
        def staleness(self, model_input: Any) -> Any:
            done.append("staleness")
            return super().staleness(model_input)

    for name in ("send", "wait"):
        real = getattr(HostTransfer, name)
        monkeypatch.setattr(HostTransfer, name, lambda p, name=name, real=real: (done.append(name), real(p))[1])
    infer(Stale(), [start(blank([[1, 2], 16]), Settings(passes=8, seed=seed)) for seed in range(3)])
    assert done == ["send", "staleness"] * 3 + ["wait"] * 3


def test_a_device_of_its_own_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device that computes for itself nothing is looked at before the parcel is fetched. `meta` is the one such
    device that every machine has; nothing is computed on it, so the parcel is as far as this goes."""
    from unmask.inference.logit_stats import LogitStats

    for drawn in (False, True):
        x = torch.zeros(4, 5000, device="meta")
        draws = torch.zeros(4, dtype=torch.float64, device="meta") if drawn else None
        reading = LogitStats(5, (), False, None, draws, torch.zeros(4, 1, dtype=torch.long, device="meta"))
        transfer = HostTransfer(x, "single")
        with Waits() as waits:
            transfer.put_all(reading.collect(slice(0, 4), x, x.softmax(-1), x))
        assert waits.seen == []


def test_cutting_a_tail_off_is_not_waited_for() -> None:
    """top-p once looked at a value in every pass: whether a belief is so flat that all its words must be ordered."""
    state = start(blank([[1, 2], 16]), Settings(temperature=0.7, top_p=0.9, top_k=40, min_p=0.01))
    x = torch.zeros(4, 5000, device="meta")
    with Waits() as waits:
        cut = apply_processors(sampling_processors(state), x, np.arange(4))
    assert waits.seen == [] and cut.shape == x.shape


def test_a_share_is_cut_off_alike_wherever_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another device does, done here: everything is ordered, whether the belief is flat or not."""
    from unmask.inference.processors import _top_p

    for spread in (0.01, 1.0, 6.0):
        x = spread * torch.randn(5, 3000, generator=torch.manual_seed(3))
        for share in (0.3, 0.9, 0.999):
            apply = _top_p(share).apply
            here = apply(x, np.arange(5))
            with monkeypatch.context() as patch:
                patch.setattr(torch.Tensor, "topk", lambda x, k, dim: x.sort(dim, descending=True))
                assert torch.equal(apply(x, np.arange(5)), here)


def test_the_counter_counts() -> None:
    with Waits() as waits:
        bool(torch.ones(3).any())
    assert waits.seen
