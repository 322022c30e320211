"""A visit is told what the page needs: its branches by their names, and the answer to each request by its number."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from dllm.serve.fallback import Line
from dllm.serve.host import Host
from dllm.serve.socket import Visit


class Caller:
    """Somebody who speaks with a host, without a network between."""

    def __init__(self, line: Line) -> None:
        self.line, self.session = line, ""

    def say(self, do: str, **fields: Any) -> None:
        text = json.dumps({"do": do, "session": self.session} | fields)
        self.line.inward.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self, did: str) -> dict[str, Any]:
        """The next event of this name."""
        async with asyncio.timeout(10):
            while True:
                row = json.loads(await self.line.outward.get() or "{}")
                if row.get("did") == did:
                    return dict(row)

    async def open(self, **fields: Any) -> dict[str, Any]:
        self.say("open", **{"prompt": "1 2 3", "length": 16, "lanes": [{"model": "toy"}]} | fields)
        opened = await self.hear("opened")
        self.session = opened["session"]
        return opened


@asynccontextmanager
async def called(host: Host) -> AsyncIterator[Caller]:
    line = Line(None)
    visit = asyncio.ensure_future(Visit(host, line).run())
    yield Caller(line)
    line.hang_up()
    await asyncio.wait([visit], timeout=5)
    await host.close()


async def test_a_fork_is_told_by_its_own_name_and_its_parents() -> None:
    async with called(Host()) as caller:
        parent = (await caller.open())["session"]
        caller.say("step", passes=2)
        await caller.hear("stepped")
        caller.say("pin", cells=[5], tokens=[7], at_moment=0, ref=12)
        fields = await caller.hear("forked")
        assert fields["session"] == fields["parent"] == parent and fields["child"] != parent
        edited = await caller.hear("edited")
        assert (edited["session"], edited["ref"]) == (fields["child"], 12)  # the request's own number, in the branch


async def test_an_edit_carries_the_number_of_its_request() -> None:
    async with called(Host()) as caller:
        await caller.open()
        for ref in (3, 4):
            caller.say("pin", cells=[ref], tokens=[7], ref=ref)
        assert [(await caller.hear("edited"))["ref"] for _ in range(2)] == [3, 4]
        caller.say("erase", cells=[3])
        assert "ref" not in await caller.hear("edited")


async def test_a_fork_goes_on_at_the_pace_of_its_parent() -> None:
    host = Host()
    async with called(host) as caller:
        await caller.open()
        caller.say("play", slow=3.0, pace=0.05)
        await caller.hear("stepped")
        caller.say("fork", at=0)
        child = host.sessions.alive[(await caller.hear("forked"))["child"]]
        assert (child._slow, child._pace, child._passes_left) == (3.0, 0.05, None)
        caller.session = child.id
        await caller.open()
        caller.say("step", passes=50)
        await caller.hear("moved")
        caller.say("fork", at=0)
        assert (host.sessions.alive[(await caller.hear("forked"))["child"]]._passes_left or 0) > 0
