"""What one visitor may have: runs and bytes, counted while they grow."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest

from tests.until import LONG, until
from unmask.errors import InvalidRequest
from unmask.live.session import Session
from unmask.models.toy import Toy
from unmask.run.command import Boost, Peek, Play
from unmask.run.event import Done, Peeked, Refusal
from unmask.run.spec import RunSpec
from unmask.serve.answer import Answer
from unmask.serve.runtime import Runtime

ORDER = RunSpec("1 2 3", "toy", 64, changes={"policy": "confidence", "passes": 64})


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    made = Runtime()
    yield made
    await made.close()


async def open_session(runtime: Runtime, visitor: str, spec: RunSpec = ORDER) -> Session:
    return await runtime.open(Toy(), spec, visitor)


async def test_a_visitor_has_a_share_of_runs_and_others_still_find_a_place(runtime: Runtime) -> None:
    """3,148 sessions in 20 seconds of one visitor once left "place is full" for all."""
    runtime.sessions.share = 3
    mine = [await open_session(runtime, "a") for _ in range(3)]
    for session in mine:
        session.subscribe()
    with pytest.raises(InvalidRequest, match="too many runs"):
        await open_session(runtime, "a")
    assert await open_session(runtime, "b")
    assert all(session.id in runtime.sessions.alive for session in mine)


async def test_timelines_are_weighed_while_they_grow(runtime: Runtime) -> None:
    """The limit was looked at on `open` only: four runs took 444 MB in 50 seconds, and gave nothing back."""
    session, other = await open_session(runtime, "a"), await open_session(runtime, "b")
    reader = session.subscribe(0)
    other.subscribe()
    runtime.sessions.share_room = 100_000
    session.send(Play())
    async with asyncio.timeout(LONG):
        while not isinstance(event := (await reader.get()).event, Done):
            pass
    assert "too large" in event.failed or session.weight > 100_000
    await until(lambda: session.id not in runtime.sessions.alive)
    assert other.id in runtime.sessions.alive


async def test_an_answer_of_v1_that_outgrows_the_memory_is_cut(runtime: Runtime) -> None:
    """It was answered with status 500."""
    long = RunSpec("1 2 3", "toy", 2000, changes={"policy": "confidence", "passes": 2000})
    session = await open_session(runtime, "a", long)
    runtime.sessions.share_room = 1_000_000
    async with asyncio.timeout(LONG):
        last = [progress async for progress in Answer(session).passes()][-1]
    assert last.finish == "length" and last.passes < 2000
    assert session.id not in runtime.sessions.alive


async def test_a_long_text_is_refused_before_it_is_spelled(runtime: Runtime) -> None:
    """A prompt of 1 MB once held the event loop for 5.5 seconds before it was refused."""
    toy = Toy()
    toy.tokenizer.encode = lambda text: pytest.fail("it was spelled")  # type: ignore[method-assign, assignment]
    with pytest.raises(InvalidRequest, match="characters"):
        await runtime.prepared(toy, RunSpec("1 " * (1 << 19), "toy"))


async def test_cells_and_passes_are_bounded(runtime: Runtime, configure: Callable[..., None]) -> None:
    configure(UNMASK_CELLS="40", UNMASK_PASSES="50")
    await runtime.prepared(Toy(), RunSpec("1 2", "toy", 38, changes={"passes": 50}))
    with pytest.raises(InvalidRequest, match="41 cells; this server allows 40"):
        await runtime.prepared(Toy(), RunSpec("1 2", "toy", 39))
    with pytest.raises(InvalidRequest, match="51 passes are planned; this server allows 50"):
        await runtime.prepared(Toy(), RunSpec("1 2", "toy", 8, changes={"passes": 51}))


async def test_a_word_is_one_request_and_is_answered_once(runtime: Runtime) -> None:
    """A word is spelled with and without the space before it: a refused boost by word once answered twice."""
    session = await open_session(runtime, "a")
    for edits, refused in (
        ((Boost(4, 1.0), Boost(5, 1.0)), False),
        ((Boost(4, 200.0), Boost(5, 200.0)), True),
        ((Boost(6, 1.0), Boost(99, 1.0)), True),  # the second cannot be, so the first is not done either
    ):
        before = session.number
        session.send(edits, ref=7)
        session.send(Peek(3), ref=8)  # what is answered behind it closes its answers
        await until(lambda before=before: any(isinstance(n.event, Peeked) for n in session.notes if n.n > before))
        answers = [n.event for n in session.notes if n.n > before and getattr(n.event, "ref", None) == 7]
        assert len(answers) == 1 and isinstance(answers[0], Refusal) == refused
        assert 6 not in session.state.settings.boosts
    assert dict(session.state.settings.boosts) == {4: 1.0, 5: 1.0}


async def test_when_memory_runs_short_new_work_is_refused_and_what_runs_goes_on(runtime: Runtime) -> None:
    running = await open_session(runtime, "a")
    runtime.sessions.memory.most = 1
    await until(lambda: runtime.not_ready_reason == "no memory left")  # a look lasts for a while
    with pytest.raises(InvalidRequest, match="the server is at capacity"):
        await open_session(runtime, "b")
    reader = running.subscribe(0)
    running.send(Play())
    async with asyncio.timeout(LONG):
        while not isinstance(event := (await reader.get()).event, Done):
            pass
    assert not event.failed
    runtime.sessions.memory.most = 1 << 50
    await until(lambda: runtime.not_ready_reason != "no memory left")
    assert await open_session(runtime, "b")


async def test_spelling_does_not_hold_the_loop(runtime: Runtime) -> None:
    toy = Toy()
    spell, begun, free = toy.tokenizer.encode, threading.Event(), threading.Event()

    def slow(text: str) -> list[int]:
        begun.set()
        assert free.wait(LONG), "the loop stood still meanwhile"
        return spell(text)

    toy.tokenizer.encode = slow  # type: ignore[method-assign]
    task = asyncio.ensure_future(runtime.prepared(toy, RunSpec("1 2", "toy")))
    await until(begun.is_set)
    free.set()
    assert (await task).canvas.given.sum() == 2
