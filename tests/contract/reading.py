"""How the old files are read: a trace as a summary, a talk on the socket, a request to `/v1`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.lettered import Lettered
from tests.serve.process import checkpoint
from tests.support import NoisyToy
from tests.until import LONG
from unmask.canvas import Canvas
from unmask.models import Denoiser, load
from unmask.models.toy import Toy
from unmask.run import command
from unmask.run.codec import canvas_to_dict
from unmask.run.timeline import Node, Timeline
from unmask.serve import server
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime

FOLDERS = ("old", "0.1.0")  # before the modules were moved, and as the first version has them
Row = dict[str, Any]


def folder_of(version: str) -> Path:
    return Path(__file__).parent / version


def loaded(name: str) -> list[tuple[str, Any]]:
    """The rows of a JSON file, each with its folder."""
    files = [(version, json.loads((folder_of(version) / name).read_text("utf-8"))) for version in FOLDERS]
    rows = [(version, file.items() if isinstance(file, dict) else file) for version, file in files]
    return [(version, row) for version, some in rows for row in some]


def runtime(folder: Path | None = None) -> Runtime:
    """A host with the toys that the old files name; with a folder also a small network of random numbers, `toy:78`."""
    made = Runtime()
    toys: dict[str, Denoiser] = {"toy": Toy(seed=0), "toy:9": NoisyToy(seed=9), "toy:70": Toy(words=70_000, mask=7)}
    toys["toy:77"] = Lettered(7)
    if folder is not None:
        toys["toy:78"] = load(f"denoiser:{checkpoint(folder / 'small', causal=False, width=32)}")
    for name, toy in toys.items():
        made.loader.put(name, toy)
    return made


# traces


def summary(run: Timeline) -> Row:
    """What was read of a run: short values as they are, long ones as digests."""
    return {
        "prompt": run.about.get("prompt", ""),
        "model": run.about["model"]["name"],
        "words": run.about["words"],
        "on": run.on,
        "pieces": digest(f"{token}:{piece}" for token, piece in sorted(run.pieces.items())),
        "branches": {name: _branch(head.path()) for name, head in run.heads.items()},
    }


def _branch(path: Sequence[Node]) -> Row:
    return {
        "moments": len(path),
        "canvases": digest(_line(node.canvas) for node in path),
        "frames": digest(_frame(node) for node in path if node.frame is not None),
        "edits": json.loads(json.dumps([[n.at, command.command_to_dict(n.edit)] for n in path if n.edit is not None])),
        "times": digest(_numbers(node.times) for node in path),
        "settings": json.loads(json.dumps(path[-1].settings.to_dict())),
    }


def digest(lines: Iterator[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _line(canvas: Canvas) -> str:
    """Read by the page too, so it is spelled the same there."""
    row = {"ids": canvas.ids.tolist()} | canvas_to_dict(canvas)
    return f"{_numbers(row['tokens'])}|{row['kinds']}|{_numbers(row['ids'])}"


def _frame(node: Node) -> str:
    frame = node.frame
    assert frame is not None
    rows = [frame.cells, frame.tokens, frame.was, frame.confidence.round(4), frame.erased, frame.noise, frame.stale]
    rows += [frame.guess, frame.sure, frame.entropy, frame.margin, frame.top_ids.ravel(), frame.top_probs.ravel()]
    counts = [frame.step, frame.block, frame.turn, frame.quota, frame.cost, frame.open, int(frame.done)]
    return "|".join([_numbers(counts), *(_numbers(row.tolist()) for row in rows), json.dumps(frame.why)])


def _numbers(row: Sequence[float]) -> str:
    return ",".join(f"{x:g}" for x in row)


# messages and requests: what differs every time is replaced by a name of its own

SECRET = {"session", "own", "steer", "watch", "follower", "room", "key", "seat", "you", "tool_use_id"}
IDS = {"id", "call_id", "item_id"}  # their beginnings say of what they are
CLOCKS = {"ms", "thinking_ms", "other_ms", "first_text", "finished", "tokens_per_second", "seconds"}
CLOCKS |= {"device_ms", "tokens_per_second_after_first", "created", "created_at", "made", "threads", "device"}
RIGHTS = {"own", "steer", "watch"}
LOOSE = {"why", "message", "note"}  # sentences for people, which may be said better one day


class Names:
    """Secrets by the names that the old files have for them, in the order in which they were first seen."""

    def __init__(self, clocks: Set[str] = CLOCKS) -> None:
        self.clocks, self.of = clocks, dict[str, str]()

    def plain(self, row: Any, key: str = "") -> Any:
        """A message without what differs every time."""
        if isinstance(row, Mapping):
            if key == "rights":
                return {self._name(name, "follower"): right for name, right in row.items()}
            found = {
                name: zero(value) if name in self.clocks else self.plain(value, name) for name, value in row.items()
            }
            return found | {"text": "<script>"} if row.get("did") == "script" else found
        if isinstance(row, list):
            return [self.plain(value, "session" if key == "sides" else key) for value in row]
        if isinstance(row, str) and row in self.of:
            return self.of[row]
        if isinstance(row, str) and row and key in SECRET and row not in RIGHTS:
            return self._name(row, key)
        if isinstance(row, str) and key in IDS and not row.startswith("mine"):
            return self._name(row, re.match("([a-z]+[_-])?", row)[0] or key)
        return row

    def real(self, row: Any) -> Any:
        """A request of an old file with the secrets of today."""
        back = {name: secret for secret, name in self.of.items()}
        if isinstance(row, Mapping):
            return {name: self.real(value) for name, value in row.items()}
        if isinstance(row, list):
            return [self.real(value) for value in row]
        return back.get(row, row) if isinstance(row, str) else row

    def _name(self, secret: str, kind: str) -> str:
        return self.of.setdefault(secret, f"<{kind} {len(self.of) + 1}>")


def zero(value: Any) -> Any:
    """A time or a name of this machine, as the old files have it."""
    if isinstance(value, Mapping):
        return {name: zero(each) for name, each in value.items()}
    if isinstance(value, list):
        return [zero(each) for each in value]
    return "" if isinstance(value, str) else 0


class Caller:
    """Several connections to one host, each by a letter; what they hear is kept for the one who asks."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.names = runtime, Names()
        self.lines: dict[str, FallbackConnection] = {}
        self.visits: list[asyncio.Future[None]] = []

    def say(self, who: str, row: Row) -> None:
        if who not in self.lines:
            self.lines[who] = FallbackConnection(None)
            visit = Visit(self.runtime, self.lines[who], at_home=True)
            self.visits.append(asyncio.ensure_future(visit.run()))
        text = json.dumps(self.names.real(row))
        self.lines[who].inward.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self, who: str, seconds: float = LONG) -> Row:
        """The next message that is no sign of life."""
        while (row := await self._next(who, seconds))["did"] == "beat":
            pass
        return row

    async def beat(self, who: str, seconds: float = LONG) -> Row:
        """The next sign of life."""
        while (row := await self._next(who, seconds))["did"] != "beat":
            pass
        return row

    async def _next(self, who: str, seconds: float) -> Row:
        async with asyncio.timeout(seconds):
            row = json.loads(await self.lines[who].outward.get() or '{"did": "closed"}')
        found: Row = self.names.plain(row)
        return found


@asynccontextmanager
async def calling(runtime: Runtime) -> Any:
    caller = Caller(runtime)
    yield caller
    for line in caller.lines.values():
        line.hang_up()
    await asyncio.wait(caller.visits, timeout=5)
    await runtime.close()


async def posted(client: httpx.AsyncClient, path: str, body: Any) -> Row:
    """The answer to a request: its status, and its object or the events of its stream."""
    answer = await client.post(path, json=body)
    names = Names(CLOCKS if "seed" in body else CLOCKS | {"seed"})
    if answer.headers["content-type"].startswith("text/event-stream"):
        rows = [_event(block) for block in answer.text.strip().split("\n\n")]
        return {"status": answer.status_code, "events": names.plain(rows)}
    return {"status": answer.status_code, "answer": names.plain(answer.json())}


def _event(block: str) -> Row:
    """One event of a stream: its name where it has one, and its data."""
    row: Row = {}
    for line in block.split("\n"):
        name, _, value = line.partition(": ")
        row[name] = json.loads(value) if name == "data" and value != "[DONE]" else value
    return row


@asynccontextmanager
async def v1() -> Any:
    """A client of `/v1` in this process."""
    made = runtime()
    app = server.app(made, ["toy", "letters=toy:77"])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        yield client
    await made.close()


def same(old: Any, new: Any, where: str = "", wrong: Callable[[str], None] = pytest.fail) -> None:
    """Everything that an old file says is said again; what it does not say may be new."""
    match old:
        case str() if LOOSE & {*re.findall(r"\w+", where)}:
            if not isinstance(new, str) or bool(old) != bool(new):
                wrong(f"{where}: {new!r}, where there was a sentence")
        case bool() if where.endswith(".shared"):  # whether passes of two sides met on the device: luck decides
            if not isinstance(new, bool):
                wrong(f"{where}: {new!r}, where there was yes or no")
        case dict():
            for name, value in old.items():
                if not isinstance(new, dict) or name not in new:
                    wrong(f"{where}.{name} is missing")
                same(value, new[name], f"{where}.{name}", wrong)
        case list():
            if not isinstance(new, list) or len(old) != len(new):
                wrong(f"{where}: {new}, where there was {old}")
            for i, (one, other) in enumerate(zip(old, new, strict=True)):
                same(one, other, f"{where}[{i}]", wrong)
        case float():
            if new != pytest.approx(old, rel=1e-3, abs=1e-4):
                wrong(f"{where}: {new}, where there was {old}")
        case _:
            if old != new:
                wrong(f"{where}: {new!r}, where there was {old!r}")
