"""Sessions and their timelines take no more than their share of room."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tests.live.stage import Stage, do
from tests.live.test_device import Slow
from tests.support import PROMPT, begin
from tests.until import until
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.live.device import Device
from unmask.models.toy import Toy
from unmask.run.command import (
    Ban,
    Play,
    Step,
)
from unmask.run.event import (
    Done,
    Refusal,
)
from unmask.run.settings import Settings
from unmask.run.state import start


async def test_long_idle_sessions_expire_and_a_full_place_makes_room(stage: Stage) -> None:
    stage.table.most, stage.table.idle = 3, 100.0
    watched, playing, old = (stage.open(begin(cells=24, passes=24), Slow(0.01)) for _ in range(3))
    watched.subscribe()
    playing.send(Play(pace=1.0))
    await until(lambda: playing.playing)
    new = stage.open(begin())
    assert old.closed and new.id in stage.table.alive and not watched.closed and not playing.closed
    new.subscribe()
    with pytest.raises(InvalidRequest, match="the server is at capacity"):
        stage.open(begin())
    playing.touched -= 200
    stage.table.expire()
    assert playing.closed and not watched.closed
    with pytest.raises(InvalidRequest, match="this session is over"):
        stage.table.find(playing.id)


async def test_timelines_too_large_together_make_room_too(stage: Stage) -> None:
    here, left = (stage.open(begin(cells=24, passes=24)) for _ in range(2))
    here.subscribe()
    for session in (here, left):
        await do(session, Step(20))
    stage.table.room = here.weight + left.weight - 1
    stage.open(begin())
    assert left.closed and not here.closed
    stage.table.room = here.weight // 2
    with pytest.raises(InvalidRequest, match="the server is at capacity"):
        stage.open(begin())
    assert not here.closed


async def test_a_timeline_is_bounded(stage: Stage, configure: Callable[..., None]) -> None:
    configure(UNMASK_MOMENTS="6")
    session = stage.open(begin(passes=16))
    await do(session, Play())
    assert "at most 6 moments" in stage.of(session, Done)[0].failed
    await do(session, Ban(3))
    assert "at most 6 moments" in stage.of(session, Refusal)[0].why


def weight(thing: Any, seen: set[int]) -> int:
    """Bytes that are reachable, each thing once."""
    if id(thing) in seen or isinstance(thing, type | Toy | Device) or callable(thing):
        return 0
    seen.add(id(thing))
    size = sys.getsizeof(thing)
    if isinstance(thing, np.ndarray):
        return size + (weight(thing.base, seen) if thing.base is not None else 0)
    if isinstance(thing, torch.Tensor):
        return size + thing.element_size() * thing.nelement()
    if isinstance(thing, dict):
        return size + sum(weight(k, seen) + weight(v, seen) for k, v in thing.items())
    if isinstance(thing, list | tuple | set | frozenset) or type(thing).__name__ == "deque":
        return size + sum(weight(x, seen) for x in thing)
    return size + (weight(vars(thing), seen) if hasattr(thing, "__dict__") else 0)


@pytest.mark.parametrize("policy", ["confidence", "replan", "stable"])
async def test_a_long_session_stays_small(stage: Stage, policy: str) -> None:
    wide = Toy(words=4096, mask=4095)
    state = start(blank([PROMPT, 123]), Settings(policy, passes=64))
    session = stage.open(state, wide)
    session.subscribe()
    await do(session, Play())
    parts = (
        list(session.timeline.nodes()),
        session.notes,
        session.subscribers,
        session.belief,
        session.client.distribution_cache,
    )
    seen: set[int] = set()
    total = sum(weight(p, seen) for p in parts)
    frames = [m.frame for m in session.head.path() if m.frame]
    assert len(frames) >= 60 and all(f.top_ids.shape == (128, 5) for f in frames)
    assert 100_000 < total < 5_000_000
    kept = weight(list(session.timeline.nodes()), set())
    assert 0.5 < session.weight / kept < 1.5, (session.weight, kept)
