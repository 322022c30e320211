"""The door for OpenAI's clients: /v1, on the sessions and the device of the page."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dllm.canvas import Refused
from dllm.config import config
from dllm.models import Denoiser
from dllm.run.order import LENGTH, Order
from dllm.run.state import State
from dllm.serve.answer import Answer, Progress
from dllm.serve.errors import ApiError
from dllm.serve.host import LEAVING, Host
from dllm.serve.openai import response as shapes
from dllm.serve.openai.limits import Places, json_body
from dllm.serve.openai.order import about, ordered
from dllm.serve.openai.request import Body, Chat, Completion, parse
from dllm.serve.openai.schema import document
from dllm.serve.origin import visitor
from dllm.serve.registry import Registry, catalogue

PATIENCE = 30.0  # seconds that a reader may take for one chunk
BREATH = 10.0  # seconds after which a silent stream shows that it lives
SEEDS = 2**53  # every JSON reader can hold these

T = TypeVar("T")
Start = tuple[Order, State]


def routes(host: Host, models: Sequence[str] = ()) -> list[BaseRoute]:
    """The routes of this door; errors of every kind have one shape."""
    app = Starlette(
        routes=Api(host, Registry(host, catalogue(models))).routes,
        exception_handlers={ApiError: _refused, Refused: _refused, HTTPException: _refused, Exception: _refused},
    )
    app.router.redirect_slashes = False
    mount = Mount("/v1", app=app)
    mount.path_regex = re.compile(r"^/v1/(?P<path>.*)$", re.DOTALL)  # an address with a newline is ours too
    return [mount]


class Api:
    """The answers to each request."""

    def __init__(self, host: Host, registry: Registry) -> None:
        self.host, self.registry, self.places = host, registry, Places(config().answers)
        self.created = int(time.time())
        self.document = orjson.dumps(document(), option=orjson.OPT_INDENT_2)
        self.routes: list[BaseRoute] = [
            Route("/models", self.models, methods=["GET"]),
            Route("/models/{name:path}", self.model, methods=["GET"]),
            Route("/chat/completions", self.chat, methods=["POST"]),
            Route("/completions", self.completion, methods=["POST"]),
            Route("/fim/completions", self.completion, methods=["POST"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
        ]

    async def openapi(self, _: Request) -> Response:
        return Response(self.document, media_type="application/json")

    async def models(self, _: Request) -> Response:
        rows = [shapes.model(name, self.created) for name in self.registry.names]
        return _json({"object": "list", "data": rows})

    async def model(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in self.registry.names:
            raise ApiError(404, "there is no model of this name", "model", "model_not_found")
        return _json(shapes.model(name, self.created))

    async def chat(self, request: Request) -> ASGIApp:
        body = parse(Chat, await self._json_body(request))
        questions = [m for m in body.messages if m.role == "user"]
        if not questions:
            raise ApiError(400, "there is no message of the role user to go on from", "messages", "invalid_value")
        denoiser = await self.registry.find(body.model)
        prompt: str | list[int] = questions[-1].text
        if denoiser.card.chat and (converse := getattr(denoiser.speller, "converse", None)):
            rows = [{"role": m.role, "content": m.text} for m in body.messages]
            try:
                prompt = await asyncio.to_thread(converse, rows)
            except Refused as refused:  # templates have their own idea of who may speak when
                raise ApiError(400, str(refused), "messages", "invalid_value") from None
        return await self._respond(request, body, denoiser, [prompt], shapes.Chatting)

    async def completion(self, request: Request) -> ASGIApp:
        body = parse(Completion, await self._json_body(request))
        denoiser = await self.registry.find(body.model)
        return await self._respond(request, body, denoiser, body.prompts, shapes.Completing)

    async def _json_body(self, request: Request) -> dict[str, Any]:
        if self.host.draining:
            raise ApiError(503, LEAVING, code="stopping", headers={"Retry-After": "30"})
        return await json_body(request)

    async def _respond(
        self,
        request: Request,
        body: Body,
        denoiser: Denoiser,
        prompts: Sequence[str | list[int]],
        shape: type[shapes.Shape],
    ) -> ASGIApp:
        many = body.n or 1
        self.places.check(len(prompts) * many)
        seed = secrets.randbelow(SEEDS) if body.seed is None else body.seed % SEEDS
        work: list[Start] = []
        for prompt in prompts:
            order, state = await self._prepared(body, denoiser, prompt)
            for i in range(many):
                own = (seed + i) % SEEDS
                work.append((replace(order, seed=own), replace(state, settings=replace(state.settings, seed=own))))
        prompt_tokens = sum(int(state.canvas.given.sum()) for _, state in work[::many])
        form = shape(body, denoiser, prompt_tokens, seed)
        who = visitor(request.headers, request.client.host if request.client else "")
        return _Streamed(self, work, form, who) if body.stream else _Whole(self, work, form, who)

    async def _prepared(self, body: Body, denoiser: Denoiser, prompt: str | list[int]) -> Start:
        """What one prompt asks for, and the state it starts from."""
        order, name = ordered(body, denoiser, prompt), "messages" if isinstance(body, Chat) else "prompt"
        try:
            state = await self.host.prepared(denoiser, order)
            room = denoiser.card.longest - int(state.canvas.given.sum())
            length = body.length or min(LENGTH, room)
            if length > room:
                param = "max_completion_tokens" if getattr(body, "max_completion_tokens", None) else "max_tokens"
                why = f"{length} tokens do not fit: beside this prompt the model has room for {room}"
                raise ApiError(400, why, param, "context_length_exceeded")
            order = replace(order, length=length)
            return order, await self.host.prepared(denoiser, order)
        except Refused as refused:
            why = str(refused)
            if "cells; this model sees at most" in why or "letters" in why:
                raise ApiError(400, why, name, "context_length_exceeded") from None
            raise ApiError(400, why, about(body, why) or name, "invalid_value") from None

    def begin(self, work: Sequence[Start], form: shapes.Shape, who: str) -> list[Answer]:
        """Every answer of a request, as sessions that are ready to play."""
        answers: list[Answer] = []
        try:
            for order, state in work:
                session = self.host.begin(form.denoiser, order, state, who, watched=False)
                answers.append(Answer(session, form.body.stops, form.body.candidates))
        except Refused as refused:
            for answer in answers:
                self.end(answer)
            raise ApiError(503, str(refused), code="full", headers={"Retry-After": "5"}) from None
        return answers

    def end(self, answer: Answer) -> None:
        """The slot is free within a pass."""
        answer.close()
        self.host.sessions.alive.pop(answer.session.id, None)


@dataclass
class _Whole:
    """All answers of a request at once, when all are written."""

    api: Api
    work: Sequence[Start]
    form: shapes.Shape
    visitor: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.api.places.take(len(self.work)):
            progress = await _while_there(receive, self._finished())
        if progress is not None:
            await _json(self.form.whole(progress))(scope, receive, send)

    async def _finished(self) -> list[tuple[Answer, Progress]]:
        answers = self.api.begin(self.work, self.form, self.visitor)
        try:
            await asyncio.gather(*(_to_the_end(answer) for answer in answers))
        finally:
            for answer in answers:
                self.api.end(answer)
        return [(w, w.last) for w in answers]


@dataclass
class _Streamed:
    """The answers of a request as they are written, as server-sent events."""

    api: Api
    work: Sequence[Start]
    form: shapes.Shape
    visitor: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.api.places.take(len(self.work)):
            answers = self.api.begin(self.work, self.form, self.visitor)
            try:
                headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
                await send({"type": "http.response.start", "status": 200, "headers": [*headers, *_UNBUFFERED]})
                await _while_there(receive, self._json_body(answers, send))
            finally:
                for answer in answers:
                    self.api.end(answer)

    async def _json_body(self, answers: Sequence[Answer], send: Send) -> None:
        async def say(line: bytes, more: bool = True) -> None:
            async with asyncio.timeout(PATIENCE):  # a reader that takes nothing holds nothing for long
                await send({"type": "http.response.body", "body": line, "more_body": more})

        try:
            for i in range(len(answers)):
                for chunk in self.form.first(i):
                    await say(_event(chunk))
            async with _together(answers) as news:
                async for i, progress in _or_breath(news):
                    if progress is None:
                        await say(b": still waiting\n\n")
                        continue
                    for chunk in self.form.chunks(i, answers[i], progress):
                        await say(_event(chunk))
            for chunk in self.form.last([w.last for w in answers]):
                await say(_event(chunk))
        except ApiError as wrong:  # the answer has begun, so its error comes in the stream
            await say(_event(wrong.plain()))
        except TimeoutError:
            return
        await say(b"data: [DONE]\n\n", more=False)


_UNBUFFERED = [(b"x-accel-buffering", b"no")]  # proxies would keep the chunks together


class _together:
    """Several answers as one stream of (which, where it stands)."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = answers
        self.queue: asyncio.Queue[tuple[int, Progress | Exception | None]] = asyncio.Queue(maxsize=8)

    async def __aenter__(self) -> AsyncIterator[tuple[int, Progress]]:
        if len(self.answers) == 1:
            self.tasks: list[asyncio.Task[None]] = []
            return self._one(self.answers[0])
        self.tasks = [asyncio.ensure_future(self._pump(i, w)) for i, w in enumerate(self.answers)]
        return self._all()

    async def __aexit__(self, *_: Any) -> None:
        for task in self.tasks:
            task.cancel()

    async def _one(self, answer: Answer) -> AsyncIterator[tuple[int, Progress]]:
        async for progress in answer.passes():
            yield 0, progress

    async def _pump(self, which: int, answer: Answer) -> None:
        try:
            async for progress in answer.passes():
                await self.queue.put((which, progress))
            await self.queue.put((which, None))
        except ApiError as wrong:
            await self.queue.put((which, wrong))

    async def _all(self) -> AsyncIterator[tuple[int, Progress]]:
        left = len(self.answers)
        while left:
            which, news = await self.queue.get()
            if isinstance(news, Exception):
                raise news
            if news is None:
                left -= 1
            else:
                yield which, news


async def _or_breath(news: AsyncIterator[tuple[int, Progress]]) -> AsyncIterator[tuple[int, Progress | None]]:
    """What comes, and a sign of life whenever nothing has come for a while."""
    coming: asyncio.Future[tuple[int, Progress]] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(news))
            done, _ = await asyncio.wait({coming}, timeout=BREATH)
            if not done:
                yield 0, None
                continue
            try:
                json_body = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield json_body
    finally:
        if coming is not None and not coming.done():
            coming.cancel()


async def _to_the_end(answer: Answer) -> None:
    async for _ in answer.passes():
        pass


async def _while_there(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """Do the work, and drop it as soon as the caller has left; None where that happened."""
    task, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for one in (task, leaving):
            one.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await one


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(chunk, option=orjson.OPT_NON_STR_KEYS) + b"\n\n"


def _json(row: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS), status, media_type="application/json")


def _respond(wrong: ApiError) -> Response:
    response = _json(wrong.plain(), wrong.status)
    response.headers.update(wrong.headers)
    return response


async def _refused(request: Request, error: Exception) -> Response:
    """Any error in the one shape; what went wrong in here is told to the owner's log and not to the caller."""
    match error:
        case ApiError():
            return _respond(error)
        case Refused():
            return _respond(ApiError(400, str(error), code="invalid_value"))
        case HTTPException(status_code=404):
            return _respond(ApiError(404, "there is nothing at this address", code="unknown_url"))
        case HTTPException(status_code=405):
            why = f"{request.method[:16]} is not possible here"
            return _respond(ApiError(405, why, code="method_not_allowed", headers=error.headers))
        case HTTPException():
            return _respond(ApiError(error.status_code, str(error.detail)))
        case _:
            return _respond(ApiError(500, "something went wrong in here; it is in the log", code="internal_error"))
