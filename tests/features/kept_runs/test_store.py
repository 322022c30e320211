"""What visitors made is on disk, as little of it as is needed, for as long as is said; and it comes back as it was."""

import asyncio
import os
import sqlite3
import stat
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import NoisyToy
from tests.until import until
from unmask.config import read
from unmask.errors import Refused
from unmask.features.kept_runs.keeper import StoreKeeper
from unmask.features.kept_runs.store import Store, opened
from unmask.live.permissions import Right
from unmask.live.session import Session
from unmask.models.toy import Toy
from unmask.run import command as do
from unmask.run.spec import Order
from unmask.serve.runtime import Host


def kept_in(file: Path) -> StoreKeeper | None:
    store = opened(file, 12)
    return store and StoreKeeper(store)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    made = Host(keeper=kept_in(tmp_path / "here" / "runs.sqlite"))
    yield made
    await made.close()


async def send(session: Session, *commands: do.Command) -> None:
    """Send these one by one, each after the one before was done."""
    for one in commands:
        number = session.number
        session.send(one)
        await until(lambda number=number: session.number != number and not session.playing)


def key(session: Session, right: Right = Right.OWN) -> str:
    return session.rights.keys[right]


STEERED: list[do.Command] = [
    do.Step(2), do.Pin((7, 8), (1, 2)), do.Boost(4, 2.5), do.Step(1), do.Erase((7,)), do.Stretch(9, 2), do.Step(2),
    do.Ban(3), do.Tune({"temperature": 0.7, "passes": 12}), do.Step(1), do.Fork(3, "a way round"), do.Release((8,)),
    do.Step(2), do.Switch("1"), do.Step(1), do.Pin((10,), (5,)), do.Undo(), do.Fork(2), do.Step(1),
    do.Rename("2", "other"), do.Switch("1"), do.Drop("a way round"), do.Step(1),
]  # fmt: skip


@pytest.mark.parametrize("policy", ["confidence", "threshold", "remask", "stable"])
async def test_a_run_comes_back_as_it_was_with_all_its_branches(host: Host, policy: str) -> None:
    order = Order("1 2 3 4 5", "toy", 20, changes={"policy": policy, "passes": 16, "seed": 3})
    session = host.begin(Toy(), order, await host.prepared(Toy(), order), "me", kept=True)
    await send(session, *STEERED)
    await comes_back(host, session, Toy())


async def test_a_run_from_noise_comes_back_too(host: Host) -> None:
    order = Order("1 2 3", "toy", 12, changes={"policy": "uniform", "passes": 12})
    toy = NoisyToy()
    session = host.begin(toy, order, await host.prepared(toy, order), "me", kept=True)
    await send(session, do.Step(3), do.Erase((4, 5)), do.Step(2), do.Pin((6,), (9,)), do.Step(1))
    await comes_back(host, session, toy)


async def comes_back(host: Host, session: Session, toy: Toy) -> None:
    host.sessions.close(session)
    await until(lambda: session.id not in host.sessions.alive)
    kept = await host.kept(session.id, key(session))
    back = await host.again(kept, toy, "me", session.number - 5)
    assert (back.id, back.rights.keys, back.timeline.on) == (session.id, session.rights.keys, session.timeline.on)
    assert back.number > session.number
    assert list(back.timeline.heads) == list(session.timeline.heads)
    for name, head in session.timeline.heads.items():
        for mine, again in zip(head.path(), back.timeline.heads[name].path(), strict=True):
            assert mine.canvas.same(again.canvas) and mine.settings == again.settings
            assert (mine.frame is None) == (again.frame is None)
            assert mine.frame is None or again.frame is None or mine.frame.same(again.frame)
    await send(session := back, do.Step(1))  # and it is written down from here on
    kept = await host.kept(back.id, key(back))
    assert len(kept.moments) == sum(1 for _ in session.timeline.nodes()) - 1


async def test_nobody_else_gets_it_and_whoever_closes_it_ends_it(host: Host) -> None:
    order = Order("1 2", "toy", 8)
    session = host.begin(Toy(), order, await host.prepared(Toy(), order), "me", kept=True)
    await send(session, do.Step(1))
    for name, guess in ((session.id, "guess"), ("none", key(session)), ("' OR 1=1 --", "x")):
        with pytest.raises(Refused, match="this session is over"):
            await host.kept(name, guess)
    assert isinstance(host.keeper, StoreKeeper)
    assert stat.S_IMODE(os.stat(host.keeper.store.file).st_mode) == 0o600
    host.keeper.forget(session.id)
    with pytest.raises(Refused):
        await host.kept(session.id, key(session))


async def test_what_is_not_to_be_kept_is_not(host: Host) -> None:
    session = await host.open(Toy(), Order("1 2", "toy", 8))  # as /v1 and others open theirs
    await send(session, do.Step(1))
    with pytest.raises(Refused):
        await host.kept(session.id, key(session))


def test_it_is_for_private_hosts_unless_its_owner_says_so(tmp_path: Path) -> None:
    hours: dict[Any, float] = {
        (): 12, (("SPACE_HOST", "a.hf.space"),): 0, (("GRADIO_SERVER_NAME", "0.0.0.0"),): 0,
        (("UNMASK_PROXIES", "1"),): 0, (("UNMASK_HOSTS", "a.example"),): 0, (("UNMASK_KEEP_HOURS", "0"),): 0,
        (("SPACE_HOST", "a.hf.space"), ("UNMASK_KEEP_HOURS", "2")): 2,
    }  # fmt: skip
    for variables, wanted in hours.items():
        assert read(dict(variables)).kept_for == wanted, variables
    assert opened(tmp_path / "x", 0) is None


def test_what_is_older_than_said_is_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.sqlite", 1)
    store.keep("old", {"own": "k"}, "me", "toy", "{}")
    store.grow("old", 1, 0, None)
    store.keep("new", {"own": "k"}, "me", "toy", "{}")
    assert store.find("old", "k").result() is not None
    with sqlite3.connect(store.file) as other:
        other.execute("UPDATE runs SET touched = ? WHERE name = 'old'", (time.time() - 3700,))
    store.tidy()
    assert store.find("old", "k").result() is None and store.find("new", "k").result() is not None
    with sqlite3.connect(store.file) as other:
        assert other.execute("SELECT count(*) FROM moments").fetchone() == (0,)
    store.close()


def test_the_oldest_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.features.kept_runs.store.LARGEST", 200_000)
    store = Store(tmp_path / "runs.sqlite", 1)
    for i in range(64):
        store.keep(str(i), {"own": "k"}, "me", "toy", "x" * 10_000)
    store.tidy()
    assert store.find("0", "k").result() is None and store.find("63", "k").result() is not None
    store.close()


@pytest.mark.parametrize("where", ["/proc/none/runs.sqlite", "/dev/full"])
async def test_where_nothing_can_be_written_it_goes_on_without(where: str, caplog: pytest.LogCaptureFixture) -> None:
    host = Host(keeper=kept_in(Path(where)))
    order = Order("1 2", "toy", 8)
    session = host.begin(Toy(), order, await host.prepared(Toy(), order), "me", kept=True)
    await send(session, do.Step(1))
    assert session.end == 1
    with pytest.raises(Refused):
        await host.kept(session.id, key(session))
    assert len([r for r in caplog.records if "kept" in r.message]) == 1
    await host.close()


async def test_two_pages_that_come_back_at_once_find_one_run(host: Host) -> None:
    order = Order("1 2", "toy", 8)
    session = host.begin(Toy(), order, await host.prepared(Toy(), order), "me", kept=True)
    await send(session, do.Step(3))
    host.sessions.close(session)
    kept = await host.kept(session.id, key(session))
    one, two = await asyncio.gather(*(host.again(kept, Toy(), "me", 0) for _ in range(2)))
    assert one is two and one.end == 3


async def test_a_key_that_was_made_useless_stays_so(host: Host) -> None:
    order = Order("1 2", "toy", 8)
    session = host.begin(Toy(), order, await host.prepared(Toy(), order), "me", kept=True)
    old = key(session, Right.STEER)
    guest = session.rights.join(Right.STEER, lambda: None)
    session.rights.give(guest, Right.WATCH)
    assert host.keeper is not None
    host.keeper.rekey(session)
    host.sessions.close(session)
    with pytest.raises(Refused):
        await host.kept(session.id, old)
    kept = await host.kept(session.id, key(session, Right.WATCH))
    back = await host.again(kept, Toy(), "me", 0)
    assert back.rights.opened_by(key(session, Right.WATCH)) is Right.WATCH  # a key opens what it opened before
