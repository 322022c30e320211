"""A rival whose every byte and delay is written down beforehand."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.until import until

Line = tuple[float, bytes]  # wait so many seconds, then send
CUT = b"<cut>"  # close the line in the middle


@dataclass
class Clock:
    """Time that passes only where a script waits, for a rival and for the client that measures it."""

    now: float = 1000.0
    looks: int = 0

    def perf_counter(self) -> float:
        self.looks += 1
        return self.now

    def read(self, pieces: int) -> bool:
        """Has the client read so many pieces? It looks once when it begins, once when its request is out, and once for
        each piece of the answer."""
        return self.looks >= 2 + pieces


@dataclass
class Rival:
    """What it is asked, and when; `script` says what each request gets. With a clock of its own it never sleeps."""

    script: Callable[[int], Sequence[Line]]
    clock: Clock | None = None
    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    open_lines: int = 0
    sent: list[float] = field(default_factory=list)  # when each line of the last answer went out, in seconds

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_lines += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (int(h.split(":")[1]) for h in head.split("\r\n") if h.lower().startswith("content-length")), 0
            )
            body = await reader.readexactly(length)
            began = asyncio.get_running_loop().time()
            self.heads.append(head)
            self.requests.append(json.loads(body) if body else {})
            at, received, self.sent = 0.0, time.perf_counter(), []
            for number, (wait, data) in enumerate(self.script(len(self.requests))):
                at += wait  # against the clock, so that small lags do not add up
                if self.clock is None:
                    await asyncio.sleep(max(0.0, began + at - asyncio.get_running_loop().time()))
                else:
                    await until(partial(self.clock.read, max(0, number - 1)))
                    self.clock.now += wait
                if data == CUT:
                    writer.transport.abort()
                    return
                self.sent.append(at if self.clock else time.perf_counter() - received)
                writer.write(data)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self.open_lines -= 1
            writer.close()


@asynccontextmanager
async def rival(script: Callable[[int], Sequence[Line]] | Sequence[Line], clock: Clock | None = None) -> Any:
    """A scripted rival on a port of its own."""
    one = Rival(script if callable(script) else lambda _: script, clock)
    server = await asyncio.start_server(one.answer, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    async with server:
        yield one


def head(kind: str = "text/event-stream", status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n{more}\r\n".encode()


def chunk(content: str | None = None, finish: str | None = None, usage: dict[str, Any] | None = None) -> bytes:
    choices = [] if usage else [{"index": 0, "delta": {"content": content} if content else {}, "finish_reason": finish}]
    row = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, "usage": usage}
    return b"data: " + json.dumps(row).encode() + b"\n\n"


def usage(prompt: int, answer: int, reasoning: int = 0, **more: Any) -> dict[str, Any]:
    row = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    return row | {"completion_tokens_details": {"reasoning_tokens": reasoning}} | more


DONE = b"data: [DONE]\n\n"
HELLO: Sequence[Line] = (
    (0, head()),
    (0, chunk("Hello")),
    (0, chunk(" you", "stop")),
    (0, chunk(usage=usage(3, 2))),
    (0, DONE),
)
