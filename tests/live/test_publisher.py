"""Who reads: a slow reader costs nobody, and one who comes late or back misses nothing."""

import asyncio

from tests.live.stage import Stage, do
from tests.support import begin
from tests.until import until
from unmask.canvas import Canvas
from unmask.live.publisher import NumberedEvent
from unmask.run import codec
from unmask.run.command import (
    Erase,
    Pin,
    Play,
    Step,
)
from unmask.run.event import (
    Done,
    Edited,
    Opened,
    Snapshot,
    Stepped,
)


async def test_who_comes_late_is_told_how_it_came_to_be(stage: Stage) -> None:
    session = stage.open(begin())
    await do(session, Step(2), Pin((8,), (3,)), Step(1), Erase((8,)), Play())
    replayed: Canvas | None = None
    for event in session.history():
        match event:
            case Opened(canvas=canvas) | Edited(canvas=canvas):
                replayed = canvas
            case Stepped(frame=frame):
                assert replayed is not None
                replayed = codec.replay_frame(replayed, frame)
    assert replayed is not None and replayed.same(session.state.canvas)


async def test_a_slow_reader_finds_one_snapshot_and_costs_nobody(stage: Stage) -> None:
    session = stage.open(begin(cells=100, passes=100))
    asleep, awake = session.subscribe(), session.subscribe()
    seen: list[NumberedEvent] = []

    async def read() -> None:
        while True:
            seen.append(await awake.get())

    reader = asyncio.ensure_future(read())
    await do(session, Play())
    await until(lambda: bool(seen) and isinstance(seen[-1].event, Done))
    reader.cancel()
    assert [n.n for n in seen] == list(range(2, session.number + 1))
    assert len(asleep._notes) <= asleep.room and asleep.behind_since is not None
    first = await asleep.get()
    assert isinstance(first.event, Snapshot)
    later = [await asleep.get() for _ in range(len(asleep._notes))]
    assert [n.n for n in later] == list(range(first.n + 1, session.number + 1))


async def test_who_comes_back_gets_the_rest_or_a_snapshot(stage: Stage) -> None:
    session = stage.open(begin(cells=100, passes=100))
    await do(session, Step(10))
    back = session.subscribe(after=4)
    assert [(await back.get()).n for _ in range(session.number - 4)] == list(range(5, session.number + 1))
    assert not session.subscribe(after=session.number)._notes
    await do(session, Play())
    (note,) = session.subscribe(after=4)._notes
    assert isinstance(note.event, Snapshot) and note.n == session.number
    assert note.event.canvas.same(session.state.canvas)
