"""What visitors made is on disk, as little of it as is needed, for as long as is said; and it comes back as it was."""

import asyncio
import os
import sqlite3
import stat
import time
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.live.test_device import Slow
from tests.support import NoisyToy
from tests.until import until
from unmask.config import parse_environment
from unmask.errors import InvalidRequest
from unmask.features.kept_runs import store as store_own
from unmask.features.kept_runs.keeper import StoreKeeper
from unmask.features.kept_runs.store import Store, open_store
from unmask.live.permissions import Permission
from unmask.live.session import Session
from unmask.models.toy import Toy
from unmask.run import command as do
from unmask.run.event import Event, Refusal
from unmask.run.spec import RunSpec
from unmask.serve.model_list import routes as menu_routes
from unmask.serve.runtime import NOT_STORED, Runtime


def kept_in(file: Path) -> StoreKeeper | None:
    store = open_store(file, 12)
    return store and StoreKeeper(store)


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[Runtime]:
    made = Runtime(keeper=kept_in(tmp_path / "here" / "runs.sqlite"))
    yield made
    await made.close()


async def send(session: Session, *commands: do.Command) -> None:
    """Send these one by one, each after the one before was done."""
    for one in commands:
        number = session.number
        session.send(one)
        await until(lambda number=number: session.number != number and not session.playing)


def key(session: Session, right: Permission = Permission.OWN) -> str:
    return session.rights.keys[right]


STEERED: list[do.Command] = [
    do.Step(2), do.Pin((7, 8), (1, 2)), do.Boost(4, 2.5), do.Step(1), do.Erase((7,)), do.Stretch(9, 2), do.Step(2),
    do.Ban(3), do.Tune({"temperature": 0.7, "passes": 12}), do.Step(1), do.Fork(3, "a way round"), do.Release((8,)),
    do.Step(2), do.Switch("1"), do.Step(1), do.Pin((10,), (5,)), do.Undo(), do.Fork(2), do.Step(1),
    do.Rename("2", "other"), do.Switch("1"), do.Drop("a way round"), do.Step(1),
]  # fmt: skip


@pytest.mark.parametrize("policy", ["confidence", "threshold", "remask", "stable"])
async def test_a_run_comes_back_as_it_was_with_all_its_branches(runtime: Runtime, policy: str) -> None:
    spec = RunSpec("1 2 3 4 5", "toy", 20, changes={"policy": policy, "passes": 16, "seed": 3})
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, *STEERED)
    await comes_back(runtime, session, Toy())


async def test_a_run_from_noise_comes_back_too(runtime: Runtime) -> None:
    spec = RunSpec("1 2 3", "toy", 12, changes={"policy": "uniform", "passes": 12})
    toy = NoisyToy()
    session = runtime.begin(toy, spec, await runtime.prepared(toy, spec), "me", kept=True)
    await send(session, do.Step(3), do.Erase((4, 5)), do.Step(2), do.Pin((6,), (9,)), do.Step(1))
    await comes_back(runtime, session, toy)


async def comes_back(runtime: Runtime, session: Session, toy: Toy) -> None:
    runtime.sessions.close(session)
    await until(lambda: session.id not in runtime.sessions.alive)
    kept = await runtime.kept(session.id, key(session))
    back = await runtime.resume(kept, toy, "me", session.number - 5)
    assert (back.id, back.rights.keys, back.timeline.on) == (session.id, session.rights.keys, session.timeline.on)
    assert back.number > session.number
    assert list(back.timeline.heads) == list(session.timeline.heads)
    for name, head in session.timeline.heads.items():
        for mine, again in zip(head.path(), back.timeline.heads[name].path(), strict=True):
            assert mine.canvas.same(again.canvas) and mine.settings == again.settings
            assert (mine.frame is None) == (again.frame is None)
            assert mine.frame is None or again.frame is None or mine.frame.same(again.frame)
    await send(session := back, do.Step(1))  # and it is written down from here on
    kept = await runtime.kept(back.id, key(back))
    assert len(kept.moments) == sum(1 for _ in session.timeline.nodes()) - 1


async def test_nobody_else_gets_it_and_whoever_closes_it_ends_it(runtime: Runtime) -> None:
    spec = RunSpec("1 2", "toy", 8)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, do.Step(1))
    for name, guess in ((session.id, "guess"), ("none", key(session)), ("' OR 1=1 --", "x")):
        with pytest.raises(InvalidRequest, match="this session is over"):
            await runtime.kept(name, guess)
    assert isinstance(runtime.keeper, StoreKeeper)
    assert stat.S_IMODE(os.stat(runtime.keeper.store.file).st_mode) == 0o600
    runtime.keeper.forget(session.id)
    with pytest.raises(InvalidRequest):
        await runtime.kept(session.id, key(session))


async def test_what_is_not_to_be_kept_is_not(runtime: Runtime) -> None:
    session = await runtime.open(Toy(), RunSpec("1 2", "toy", 8))  # as /v1 and others open theirs
    await send(session, do.Step(1))
    with pytest.raises(InvalidRequest):
        await runtime.kept(session.id, key(session))


def test_it_is_for_private_hosts_unless_its_owner_says_so(tmp_path: Path) -> None:
    hours: dict[Any, float] = {
        (): 12, (("SPACE_HOST", "a.hf.space"),): 0, (("GRADIO_SERVER_NAME", "0.0.0.0"),): 0,
        (("UNMASK_PROXIES", "1"),): 0, (("UNMASK_HOSTS", "a.example"),): 0, (("UNMASK_KEEP_HOURS", "0"),): 0,
        (("SPACE_HOST", "a.hf.space"), ("UNMASK_KEEP_HOURS", "2")): 2,
    }  # fmt: skip
    for variables, wanted in hours.items():
        assert parse_environment(dict(variables)).retention_hours == wanted, variables
    assert open_store(tmp_path / "x", 0) is None


def test_what_is_older_than_said_is_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.sqlite", 1)
    store.keep("old", {"own": "k"}, "me", "toy", "{}")
    store.add_moment("old", 1, 0, None)
    store.keep("new", {"own": "k"}, "me", "toy", "{}")
    assert store.find("old", "k").result() is not None
    with sqlite3.connect(store.file) as other:
        other.execute("UPDATE runs SET touched = ? WHERE name = 'old'", (time.time() - 3700,))
    store.tidy()
    assert store.find("old", "k").result() is None and store.find("new", "k").result() is not None
    with sqlite3.connect(store.file) as other:
        assert other.execute("SELECT count(*) FROM moments").fetchone() == (0,)
    store.close()


@pytest.mark.parametrize("years", [10, -10])
def test_a_clock_that_jumps_forgets_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int) -> None:
    store, now = Store(tmp_path / "runs.sqlite", 1), time.time
    store.keep("before", {"own": "k"}, "me", "toy", "{}")
    monkeypatch.setattr(time, "time", lambda: now() + years * 31_557_600)
    store.keep("after", {"own": "k"}, "me", "toy", "{}")
    store.tidy()
    assert store.find("before", "k").result() is not None and store.find("after", "k").result() is not None
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
    runtime = Runtime(keeper=kept_in(Path(where)))
    spec = RunSpec("1 2", "toy", 8)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, do.Step(1))
    assert session.end == 1
    with pytest.raises(InvalidRequest):
        await runtime.kept(session.id, key(session))
    assert len([r for r in caplog.records if "stored" in r.message]) == 1
    await runtime.close()


async def test_two_pages_that_come_back_at_once_find_one_run(runtime: Runtime) -> None:
    spec = RunSpec("1 2", "toy", 8)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, do.Step(3))
    runtime.sessions.close(session)
    kept = await runtime.kept(session.id, key(session))
    one, two = await asyncio.gather(*(runtime.resume(kept, Toy(), "me", 0) for _ in range(2)))
    assert one is two and one.end == 3


async def test_a_key_that_was_made_useless_stays_so(runtime: Runtime) -> None:
    spec = RunSpec("1 2", "toy", 8)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    old = key(session, Permission.STEER)
    guest = session.rights.join(Permission.STEER, lambda: None)
    session.rights.give(guest, Permission.WATCH)
    assert runtime.keeper is not None
    runtime.keeper.rekey(session)
    runtime.sessions.close(session)
    with pytest.raises(InvalidRequest):
        await runtime.kept(session.id, old)
    kept = await runtime.kept(session.id, key(session, Permission.WATCH))
    back = await runtime.resume(kept, Toy(), "me", 0)
    # a key opens what it opened before
    assert back.rights.opened_by(key(session, Permission.WATCH)) is Permission.WATCH


def in_file(file: Path) -> int:
    """Moments that are on disk."""
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file)) as other:
        return int(other.execute("SELECT count(*) FROM moments").fetchone()[0])
    return 0  # the tables are not made yet, or the file is locked


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_own, "PAUSES", (0.01, 0.05))
    monkeypatch.setattr(store_own, "LOCKED", 0.01)


@pytest.mark.usefixtures("quickly")
async def test_what_comes_while_the_waiting_rows_are_written_is_written_too(runtime: Runtime) -> None:
    """It found the store still in trouble, which ended in the same moment: it stayed in memory until the next event."""
    keeper = runtime.keeper
    assert isinstance(keeper, StoreKeeper)
    store = keeper.store
    await asyncio.wrap_future(store._do(lambda _: None))
    store.trouble, write, late = "locked", store._write, iter([("SELECT ?", 1)])

    def written_meanwhile(connection: sqlite3.Connection) -> None:
        write(connection)
        for statement, value in late:
            store._put(statement, value)

    store._write = written_meanwhile  # type: ignore[method-assign]
    await asyncio.wrap_future(store._do(lambda _: None))
    await until(lambda: not store._batch.rows)
    assert store.trouble == ""


async def test_a_lock_is_waited_for_and_nothing_is_lost(runtime: Runtime) -> None:
    """A lock of five seconds once ended the store for good, while `/menu` still promised twelve hours."""
    spec, keeper = RunSpec("1 2", "toy", 8), runtime.keeper
    assert isinstance(keeper, StoreKeeper)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    reader = session.subscribe(0)
    await send(session, do.Step(1))
    await until(lambda: in_file(keeper.store.file) == 1)
    other = sqlite3.connect(keeper.store.file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    await send(session, do.Step(1))
    await until(lambda: keeper.trouble != "")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(Starlette(routes=menu_routes(runtime)))) as web:
        menu = (await web.get("http://localhost/menu")).json()
        assert menu["kept_hours"] == 0 and menu["not_kept"] == NOT_STORED
        await send(session, do.Step(1))
        events: list[Event] = []
        while not events or not isinstance(events[-1], Refusal):
            events.append((await reader.get()).event)
        assert events[-1].why == NOT_STORED
        other.close()
        await until(lambda: keeper.trouble == "")
        menu = (await web.get("http://localhost/menu")).json()
        assert menu["kept_hours"] == 12 and menu["not_kept"] == ""
    await until(lambda: in_file(keeper.store.file) == 3)


@pytest.mark.usefixtures("quickly")
async def test_memory_is_bounded_while_nothing_can_be_stored_and_runs_are_stored_again_later(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_own, "WAITING", 2_000)
    spec, keeper = RunSpec("1 2", "toy", 32, changes={"passes": 32}), runtime.keeper
    assert isinstance(keeper, StoreKeeper)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    closed = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(closed, do.Step(1))
    await until(lambda: in_file(keeper.store.file) == 1)
    other = sqlite3.connect(keeper.store.file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    keeper.forget(closed.id)
    await send(session, do.Step(1))
    await until(lambda: keeper.trouble != "")
    for _ in range(20):
        await send(session, do.Step(1))
        assert keeper.store._batch.size <= 3_000
    other.close()
    await until(lambda: keeper.trouble == "")
    await send(session, do.Step(1))
    await until(lambda: in_file(keeper.store.file) == session.end)
    with pytest.raises(InvalidRequest):
        await runtime.kept(closed.id, key(closed))
    await comes_back(runtime, session, Toy())


@pytest.mark.usefixtures("quickly")
async def test_a_damaged_file_is_set_aside(runtime: Runtime) -> None:
    keeper = runtime.keeper
    assert isinstance(keeper, StoreKeeper)
    spec = RunSpec("1 2", "toy", 8)
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, do.Step(1))
    await until(lambda: in_file(keeper.store.file) == 1)
    keeper.close()
    keeper.store.file.write_bytes(b"torn" * 5_000)
    again = kept_in(keeper.store.file)
    assert again is not None
    runtime.keeper = again
    session = runtime.begin(Toy(), spec, await runtime.prepared(Toy(), spec), "me", kept=True)
    await send(session, do.Step(2))
    await until(lambda: keeper.store.file.with_name("runs.sqlite.damaged").exists())
    await send(session, do.Step(1))
    await until(lambda: again.store.file.exists() and in_file(again.store.file) == 3)
    assert again.trouble == ""


async def test_a_newcomer_does_not_wait_for_runs_that_are_restored(runtime: Runtime) -> None:
    """24 runs that were restored at once filled the threads: a newcomer waited 11.8 seconds for `open`."""
    toy, spec = Slow(0.005), RunSpec("1 2", "toy", 60, changes={"policy": "confidence", "passes": 60})
    before = []
    for n in range(24):
        session = runtime.begin(toy, spec, await runtime.prepared(toy, spec), f"v{n % 3}", kept=True)
        session.send(do.Step(40))
        before.append(session)
    await until(lambda: all(session.end == 40 for session in before))
    for session in before:
        runtime.sessions.close(session)
    kept = [(await runtime.kept(one.id, key(one)), one.client.visitor) for one in before]
    restoring = [asyncio.ensure_future(runtime.resume(one, toy, who, 0)) for one, who in kept]
    await asyncio.sleep(0.05)
    began = time.monotonic()
    newcomer = await runtime.open(toy, spec, "newcomer")
    newcomer.send(do.Step(1))
    await until(lambda: newcomer.end == 1)
    assert time.monotonic() - began < 1.0 and not all(one.done() for one in restoring)
    assert all(one.end == 40 for one in await asyncio.gather(*restoring))
