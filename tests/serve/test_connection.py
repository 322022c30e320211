"""A visit is told what the page needs: its branches by their names, and the answer to each request by its number."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.until import LONG
from unmask.live.pace import Pace
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime


class Caller:
    """Somebody who speaks with a host, without a network between."""

    def __init__(self, line: FallbackConnection, runtime: Runtime) -> None:
        self.line, self.runtime, self.session = line, runtime, ""

    def say(self, do: str, **fields: Any) -> None:
        text = json.dumps({"do": do, "session": self.session} | fields)
        self.line.inward.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self, did: str) -> dict[str, Any]:
        """The next event of this name."""
        async with asyncio.timeout(LONG):
            while True:
                row = json.loads(await self.line.outward.get() or "{}")
                if row.get("did") == did:
                    return dict(row)

    async def open(self, **fields: Any) -> dict[str, Any]:
        self.say("open", **{"prompt": "1 2 3", "length": 16, "sides": [{"model": "toy"}]} | fields)
        opened = await self.hear("opened")
        self.session = opened["session"]
        return opened


@asynccontextmanager
async def called(runtime: Runtime, visitor: str = "") -> AsyncIterator[Caller]:
    line = FallbackConnection(None)
    visit = asyncio.ensure_future(Visit(runtime, line, visitor).run())
    yield Caller(line, runtime)
    line.hang_up()
    await asyncio.wait([visit], timeout=LONG)
    await runtime.close()


async def test_an_edit_of_the_past_begins_a_branch_in_the_same_session() -> None:
    async with called(Runtime()) as caller:
        session = (await caller.open())["session"]
        caller.say("step", passes=2)
        await caller.hear("stepped")
        caller.say("pin", cells=[5], tokens=[7], at_moment=0, ref=12)
        fields = await caller.hear("branched")
        assert (fields["session"], fields["head"], fields["left"], fields["at"]) == (session, "2", "1", 0)
        edited = await caller.hear("edited")
        assert (edited["session"], edited["ref"], edited["at"]) == (session, 12, 1)


async def test_an_edit_carries_the_number_of_its_request() -> None:
    async with called(Runtime()) as caller:
        await caller.open()
        for ref in (3, 4):
            caller.say("pin", cells=[ref], tokens=[7], ref=ref)
        assert [(await caller.hear("edited"))["ref"] for _ in range(2)] == [3, 4]
        caller.say("erase", cells=[3])
        assert "ref" not in await caller.hear("edited")


async def test_a_branch_goes_on_at_the_pace_of_the_one_it_left() -> None:
    runtime = Runtime()
    async with called(runtime) as caller:
        session = runtime.sessions.alive[(await caller.open())["session"]]
        caller.say("play", slow=3.0, pace=0.05)
        await caller.hear("stepped")
        caller.say("fork", at=0)
        await caller.hear("branched")
        assert session._pace == Pace(slow=3.0, least=0.05)


async def test_an_order_is_planned_before_anything_runs() -> None:
    async with called(Runtime()) as caller:
        caller.say("plan", model="toy", prompt="1 2", length=112, preset="llada2", id="x")
        planned = await caller.hear("planned")
        assert planned["id"] == "x" and planned["plan"]["blocks"] == 4 and sum(planned["plan"]["quotas"]) == 112
        assert planned["settings"]["policy"] == "block_threshold"
        caller.say("plan", model="toy", length="many")
        assert "length must be a whole number" in (await caller.hear("refused"))["why"]


async def test_who_comes_late_may_ask_for_the_history() -> None:
    async with called(Runtime()) as caller:
        await caller.open()
        caller.say("step", passes=2)
        for _ in range(2):
            await caller.hear("stepped")
        caller.say("pin", cells=[3], tokens=[7])
        await caller.hear("edited")
        caller.say("history")
        history = await caller.hear("history")
        kinds = [event["did"] for event in history["events"]]
        assert kinds == ["opened", "stepped", "stepped", "edited", "branched", "moved"] and history["n"] >= 4


async def test_branches_are_compared_on_the_socket() -> None:
    async with called(Runtime()) as caller:
        await caller.open(play=True)
        await caller.hear("done")
        caller.say("compare")
        assert [b["name"] for b in (await caller.hear("compare"))["branches"]] == ["1"]
        caller.say("pin", cells=[5], tokens=[7], at_moment=1)
        await caller.hear("edited")
        caller.say("play")
        await caller.hear("done")
        caller.say("compare", one="1", two="2", ref=4)
        found = await caller.hear("compare")
        assert (found["ref"], found["on"], found["since"], found["one"]) == (4, "2", 1, "1")
        assert found["branches"][1] == {"name": "2", "end": found["branches"][1]["end"], "left": "1", "since": 1}
        assert found["edits"][0] == [] and found["edits"][1][0]["do"] == "pin"
        assert 5 in [cell for cell, _ in found["changed"]]
        caller.say("compare", one="1", two="x")
        assert "no branch 'x'" in (await caller.hear("refused"))["why"]
