"""A line that breaks, comes back, floods or is left: nothing is lost, doubled or shared, and no run goes on unseen."""

import contextlib
import json
from collections.abc import Callable

import pytest
from websockets.exceptions import ConnectionClosed

from tests.serve.place import Place, drawn
from tests.support import begin, ending
from tests.until import until
from unmask.models.toy import Toy
from unmask.serve.doors.messages import LARGEST


async def test_who_comes_back_misses_nothing_and_hears_nothing_twice(place: Place) -> None:
    async with place.caller() as first:
        await first.open("denoiser", play=True, length=24, settings={"passes": 24})
        while len([r for r in first.messages if r["did"] == "stepped"]) < 5:
            await first.hear("stepped")
    await place.quiet()
    async with place.caller() as second:
        second.session = first.session
        await second.say("resume", key=first.keys["own"], after=first.messages[-1]["n"])
        await second.hear("done")
        rows = first.messages + [r for r in second.messages if r["did"] != "allowed"]
        assert [r["n"] for r in rows] == list(range(1, len(rows) + 1))
        assert drawn(rows) == ending(Toy(), begin(cells=24, passes=24))
        spelled = {t for r in second.messages for t in r.get("pieces", {})}
        assert spelled >= {str(t) for r in second.messages if r["did"] == "stepped" for t in r["t"]}  # a new line, anew


async def test_who_was_away_long_gets_a_snapshot(place: Place) -> None:
    async with place.caller() as caller, place.caller() as late:
        await caller.open(length=100, settings={"passes": 100}, play=True)
        await caller.hear("done")
        late.session = caller.session
        await late.say("resume", key=caller.keys["own"], after=2)
        fields = await late.hear("snapshot")
        assert fields["canvas"]["tokens"] == drawn(caller.messages)
        assert [r["did"] for r in late.messages] == ["allowed", "snapshot"]


async def test_a_session_is_its_visitors_alone(place: Place) -> None:
    async with place.caller() as mine, place.caller() as theirs:
        await mine.open(prompt="7 7 7", play=True)
        await theirs.open(prompt="8 8 8")
        await mine.hear("done")
        keys = ({"key": theirs.keys["own"]}, {"key": "é"}, {})
        for do, more in [*(("resume", key) for key in keys), ("play", {})]:
            await theirs.say(do, **more | {"session": mine.session})
            assert (await theirs.hear("refused"))["do"] == do
        await theirs.say("peek", cell=4, session=mine.session)
        await theirs.hear("refused")
        assert not [r for r in theirs.messages if r.get("session") == mine.session and r["did"] != "refused"]
        for key in mine.keys.values():
            assert key not in json.dumps(theirs.messages) and key not in json.dumps(mine.messages[1:])


async def test_too_much_too_fast_or_junk_ends_the_line(place: Place, configure: Callable[..., None]) -> None:
    async with place.caller() as caller:
        await caller.line.send(json.dumps({"do": "open", "prompt": "x" * (1 << 20)}))
        assert await caller.closed() == 1009
    async with place.caller() as caller:
        await caller.open(prompt="1 " * (LARGEST // 2 - 200))  # large, but allowed
        assert caller.messages[-1]["did"] == "refused"
    for junk in ("hello", "[]", '"open"', "{}", '{"do": 3}', b"\xff\xfe\x00", "[" * 50_000, '{"do": NaN}'):
        async with place.caller() as caller:
            await caller.line.send(junk)
            assert await caller.closed() == 1008
    configure(UNMASK_MESSAGES="50")
    async with place.caller() as caller:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(300):
                await caller.line.send('{"do": "peek"}')
        assert await caller.closed() == 1008


async def test_an_address_has_so_many_sessions_and_gets_them_back(place: Place) -> None:
    place.runtime.sessions.share = 3
    async with place.caller() as caller:
        for _ in range(3):
            assert (await caller.open())["did"] == "opened"
        first_session = caller.session
        assert "too many runs" in (await caller.open())["why"]
        await caller.say("close", session=first_session)
        assert (await caller.open())["did"] == "opened"
    await place.quiet()
    async with place.caller() as caller:  # what was left makes room
        for _ in range(3):
            assert (await caller.open())["did"] == "opened"


async def test_a_visitor_who_leaves_stops_the_decoding_within_a_pass(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open("denoiser", play=True, length=200, settings={"passes": 200})
        await caller.hear("stepped")
        caller.line.transport.abort()  # no goodbye
    await place.quiet()
    await until(lambda: not place.runtime.device.waiting)
    model_input = len(place.slow.batches)
    async with place.caller() as other:  # whose own run takes longer than a pass of the other's
        await other.open(play=True)
        await other.hear("done")
    assert len(place.slow.batches) <= model_input + 1 < 150


async def test_a_beat_tells_that_the_line_lives(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unmask.serve.doors.socket.BEAT", 0.02)
    async with place.caller() as caller:
        await caller.hear("beat"), await caller.hear("beat")
