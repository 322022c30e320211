"""Generates the answers of one request, as one body or as a stream; stops as soon as the caller leaves."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import orjson
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from unmask.errors import InvalidRequest
from unmask.inference.nonsense import is_readable, nonsense_note
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.serve.answer import Answer, AnswerLimits, AnswerProgress
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import Runtime
from unmask.serve.sessions import SHARE

if TYPE_CHECKING:
    from unmask.serve.v1.api_format import ApiFormat

PATIENCE = 30.0  # seconds that a reader may take for one chunk
HEARTBEAT = 10.0  # seconds without an event after which a stream sends a comment
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # otherwise proxies buffer the chunks
]

T = TypeVar("T")
Row = dict[str, Any]
News = tuple[int, AnswerProgress] | ApiError


@dataclass(frozen=True)
class Task:
    """One answer to generate."""

    spec: RunSpec
    state: State
    limits: AnswerLimits
    model: Denoiser | None = None  # that of its passes, if it stands before that of the request


class ConcurrencyLimit:
    """Limits how many answers are generated at once; a caller beyond that gets 429 with Retry-After."""

    def __init__(self, most: int) -> None:
        self.most, self.in_use = most, 0

    @contextmanager
    def take(self, many: int) -> Iterator[None]:
        """Hold so many places during a `with` block."""
        self.check(many)
        self.in_use += many
        try:
            yield
        finally:
            self.in_use -= many

    def check(self, many: int) -> None:
        if many > self.most:
            raise ApiError(400, f"{many} answers are too many: ask for at most {self.most}", "n", "invalid_value")
        if self.in_use + many > self.most:
            why = f"{self.in_use} of {self.most} answers are in progress: try again in a moment"
            raise ApiError(429, why, code="too_many_requests", headers={"Retry-After": "2"})


@dataclass
class Generation:
    """ASGI application that generates all answers of a request."""

    runtime: Runtime
    places: ConcurrencyLimit
    tasks: Sequence[Task]
    api_format: ApiFormat
    visitor: str
    stream: bool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.runtime.answering():
            with self.places.take(len(self.tasks)), _OpenSessions(self) as answers:
                if self.stream:
                    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
                    await while_there(receive, lambda: self._stream(answers, send))
                    return
                row = await while_there(receive, lambda: self._whole(answers))
            if row is not None:
                await json_response(row)(scope, receive, send)

    async def _whole(self, answers: Sequence[Answer]) -> Row:
        failed: ApiError | None = None
        async with _merge_streams(answers) as news:
            async for item in news:
                if isinstance(item, ApiError):
                    failed = item
                    break
        if failed is not None:
            raise failed
        await self._read(answers)
        return self.api_format.whole([answer.last for answer in answers])

    async def _stream(self, answers: Sequence[Answer], send: Send) -> None:
        async def send_bytes(data: bytes, more: bool = True) -> None:
            with anyio.fail_after(PATIENCE):  # a reader that stops reading must not hold its sessions
                await send({"type": "http.response.body", "body": data, "more_body": more})

        async def send_events(rows: Iterable[tuple[str, Row]]) -> None:
            for name, row in rows:
                await send_bytes(event(name, row))

        async def follow(news: MemoryObjectReceiveStream[News]) -> bool:
            """Send the events of all passes; whether it finished without an error."""
            async for item in _with_heartbeat(news):
                match item:
                    case None:
                        await send_bytes(b": still waiting\n\n")
                    case ApiError():  # the status is sent already, so the error is an event
                        await send_events([self.api_format.error(item)])
                        return False
                    case (which, progress):
                        await send_events(self.api_format.chunks(which, answers[which], progress))
            return True

        with suppress(TimeoutError):
            await send_events(self.api_format.first())
            timed_out = whole = False
            async with _merge_streams(answers) as news:
                try:
                    whole = await follow(news)
                except TimeoutError:
                    timed_out = True
            if whole:
                await self._read(answers)
                await send_events(self.api_format.last([answer.last for answer in answers]))
            if not timed_out:
                await send_bytes(self.api_format.end, more=False)

    async def _read(self, answers: Sequence[Answer]) -> None:
        """Put a note into the format if an answer makes little sense, and the prompt has not led to one already."""
        denoiser, client = self.api_format.denoiser, Client("questions", visitor=self.visitor)
        if self.api_format.note or not is_readable(denoiser.card, self.tasks[0].state):
            return
        for task, answer in zip(self.tasks, answers, strict=True):
            reading = partial(nonsense_note, denoiser, task.state, answer.last.text)
            self.api_format.note = self.api_format.note or await self.runtime.device.run(reading, client)


class _OpenSessions:
    """Context manager for the sessions of a request; closes them at its end."""

    def __init__(self, work: Generation) -> None:
        self.work = work
        self.answers: list[Answer] = []

    def __enter__(self) -> list[Answer]:
        work = self.work
        try:
            for task in work.tasks:
                session = work.runtime.begin(
                    work.api_format.denoiser, task.spec, task.state, work.visitor, watched=work.api_format.drafts
                )
                if task.model is not None:
                    session.pass_by(task.model)
                self.answers.append(Answer(session, task.limits, work.api_format.candidates))
        except InvalidRequest as refused:
            self.__exit__()
            if refused.code == SHARE:
                why = "you have as many answers in progress as one caller may: try again in a moment"
                raise ApiError(429, why, code="too_many_requests", headers={"Retry-After": "2"}) from None
            raise ApiError(503, str(refused), code="full", headers={"Retry-After": "5"}) from None
        return self.answers

    def __exit__(self, *_: object) -> None:
        for answer in self.answers:
            answer.close()
            self.work.runtime.sessions.alive.pop(answer.session.id, None)


@asynccontextmanager
async def _merge_streams(answers: Sequence[Answer]) -> AsyncIterator[MemoryObjectReceiveStream[News]]:
    """Merge several answers into one stream of (index, progress); an error ends it."""
    into, news = anyio.create_memory_object_stream[News](8)

    async def pump(which: int, answer: Answer, into: MemoryObjectSendStream[News]) -> None:
        async with into:
            try:
                async for progress in answer.passes():
                    await into.send((which, progress))
            except ApiError as error:
                await into.send(error)
            except anyio.BrokenResourceError:  # the reader has left
                return

    async with anyio.create_task_group() as group:
        for which, answer in enumerate(answers):
            group.start_soon(pump, which, answer, into.clone())
        into.close()
        with news:
            yield news
        group.cancel_scope.cancel()


async def _with_heartbeat(news: MemoryObjectReceiveStream[News]) -> AsyncIterator[News | None]:
    """The items of a stream, and None whenever `HEARTBEAT` seconds pass without one."""
    while True:
        item: News | None = None
        with anyio.move_on_after(HEARTBEAT):
            try:
                item = await news.receive()
            except anyio.EndOfStream:
                return
        yield item


async def while_there(receive: Receive, work: Callable[[], Awaitable[T]]) -> T | None:
    """Do the work, but cancel it as soon as the caller leaves; None if that happened."""
    found: T | None = None
    error: Exception | None = None
    async with anyio.create_task_group() as group:

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(leave)
        try:
            found = await work()
        except Exception as raised:  # raised again outside, where it is not wrapped in an `ExceptionGroup`
            error = raised
        group.cancel_scope.cancel()
    if error is not None:
        while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        raise error
    return found


def event(name: str, row: Row) -> bytes:
    """A server-sent event; OpenAI's older interfaces have no names."""
    head = b"event: " + name.encode() + b"\n" if name else b""
    return head + b"data: " + _json(row) + b"\n\n"


def json_response(row: Row, status: int = 200) -> Response:
    return Response(_json(row), status, media_type="application/json")


def _json(row: Row) -> bytes:
    try:
        return orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # half of a surrogate pair, or an integer of more than 64 bits: JSON allows both
        return json.dumps(row).encode()
