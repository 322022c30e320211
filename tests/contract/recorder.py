"""A page without a browser: what it sends and receives on a socket, replayed by the page's own reducers."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.until import LONG
from unmask.canvas import Canvas
from unmask.run.codec import canvas_to_dict
from unmask.run.trace import lines
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.runtime import Runtime

REPLAY = Path(__file__).with_name("replay.js")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not here")


class Recorder:
    """One side of a page: what it sends, every message it receives, and what Python's canvases were meanwhile."""

    def __init__(self, runtime: Runtime, line: FallbackConnection, seed: int) -> None:
        self.runtime, self.line, self.rng = runtime, line, random.Random(seed)
        self.messages: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.session = ""

    def send(self, do: str, **fields: Any) -> None:
        text = json.dumps({"do": do, "session": self.session} | fields)
        self.line.inward.put_nowait({"type": "websocket.receive", "text": text})

    async def until(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names; a refusal ends any wait."""
        async with asyncio.timeout(LONG):
            while True:
                row: dict[str, Any] = json.loads(await self.line.outward.get() or "{}")
                if not row:
                    continue
                self.messages.append(row)
                if row["did"] == "opened":
                    self.session = str(row["session"])
                if row["did"] in (*names, "refused"):
                    return row

    async def settle(self) -> None:
        """Until everything has come that was on its way; then Python's canvases are kept beside the messages so far."""
        self.send("peek", cell=0)  # answered in turn: what comes before the answer is all there was
        await self.until("peeked")
        self.checks.append({"after": len(self.messages), "session": self.session, "canvases": self.canvases()})

    def canvases(self) -> list[dict[str, Any]]:
        return [_whole(node.canvas) for node in self.runtime.sessions.alive[self.session].head.path()]

    @property
    def canvas(self) -> Canvas:
        return self.runtime.sessions.alive[self.session].state.canvas

    async def open(self, model: str, policy: str) -> None:
        side = {"model": model, "settings": {"policy": policy, "passes": 12, "temperature": 0.7}}
        self.send("open", prompt="3 1 [MASK:6] 4 1", own_from=1, length=18, sides=[side])
        assert (await self.until("opened"))["did"] == "opened", self.messages[-1]

    async def think(self, passes: int) -> None:
        self.send("step", passes=passes)
        for _ in range(passes):
            if (await self.until("stepped", "done"))["did"] != "stepped":
                break
        await self.settle()

    async def edit(self, kind: str) -> None:
        """One edit of this kind, at cells that luck chooses; some are refused, and that must change nothing."""
        cells = sorted(self.rng.sample(range(len(self.canvas)), 2))
        free = [c for c in cells if not self.canvas.prompt[c]]
        match kind:
            case "pin":
                self.send("pin", cells=free, tokens=[self.rng.randrange(49) for _ in free])
            case "release":
                self.send("release", cells=self.canvas.pinned.nonzero()[0].tolist()[:2])
            case "erase":
                self.send("erase", cells=free)
            case "ban":
                words = self.canvas.tokens[self.canvas.tokens >= 0].tolist()
                self.send("ban", token=self.rng.choice(words))
            case "stretch":
                self.send("stretch", at=max(free or [5]), by=self.rng.choice([-1, 1, 3]))
            case "tune":
                self.send("tune", changes={"temperature": self.rng.choice([0.0, 0.5])})
            case "undo":
                self.send("undo")
        await self.settle()

    async def switch(self) -> None:
        """Back to the first branch, which stands as it was left."""
        self.send("switch", head="1")
        await self.until("branched")
        await self.settle()

    async def fork(self, kind: str) -> None:
        """An edit of an earlier moment: the run goes on as a branch of its own."""
        at = self.rng.randrange(len(self.canvases()) - 1)  # of the newest one it would be no fork
        fields: dict[str, Any] = {}
        if kind == "pin":
            fields = {"cells": [len(self.canvas) - 1], "tokens": [7], "at_moment": at}
        self.send(kind, **(fields or {"at": at}))
        await self.until("branched")
        await self.settle()


def _whole(canvas: Canvas) -> dict[str, Any]:
    return {"ids": canvas.ids.tolist()} | canvas_to_dict(canvas)


def replayed(file: Path, recorder: Recorder) -> dict[str, Any]:
    """What the page makes of a recording."""
    session = recorder.runtime.sessions.alive[recorder.session]
    row = {"messages": recorder.messages, "checks": recorder.checks}
    row |= {"trace": "\n".join(lines(session.trace())), "canvases": recorder.canvases()}
    file.write_text(json.dumps(row))
    out = subprocess.run(["node", str(REPLAY), str(file)], capture_output=True, text=True, timeout=60)
    assert not out.returncode, out.stderr
    result: dict[str, Any] = json.loads(out.stdout)
    return result
