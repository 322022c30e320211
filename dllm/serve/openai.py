"""The door for OpenAI's clients: /v1, on the sessions and the device of the page."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from dllm.canvas import Canvas, Refused, blank
from dllm.models import Denoiser
from dllm.run.settings import Settings
from dllm.serve import shapes
from dllm.serve.asked import Body, Chat, Completion, understood
from dllm.serve.document import document
from dllm.serve.host import LEAVING, Host, chosen
from dllm.serve.keys import Keys
from dllm.serve.limits import Places, told
from dllm.serve.served import Served, offered
from dllm.serve.writing import Writing, Written
from dllm.serve.wrong import Wrong

LENGTH = 96  # cells of an answer where nobody says, or as many as there is room for
PATIENCE = 30.0  # seconds that a reader may take for one chunk
BREATH = 10.0  # seconds after which a silent stream shows that it lives
PUBLIC = ("/v1/openapi.json",)  # what may be read without a key
SEEDS = 2**53  # every JSON reader can hold these

T = TypeVar("T")


def routes(host: Host, keys: Keys | None = None, models: Sequence[str] = ()) -> list[BaseRoute]:
    """The routes of this door."""
    door = _Door(Api(host, Served(host, offered(models))), keys or Keys.of_the_environment())
    mount = Mount("/v1", app=door)
    mount.path_regex = re.compile(r"^/v1/(?P<path>.*)$", re.DOTALL)  # an address with a newline is ours too
    return [mount]


class _Door:
    """Keys before anything else, errors in one shape, and other pages only where the owner names them."""

    def __init__(self, api: Api, keys: Keys) -> None:
        self.keys = keys
        self.app: ASGIApp = Starlette(
            routes=api.routes,
            exception_handlers={Wrong: _refused, Refused: _refused, HTTPException: _refused, Exception: _refused},
        )
        self.app.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        origin = shapes.trusted(request.headers.get("origin"))
        if origin and request.method == "OPTIONS":
            await Response(status_code=204, headers=shapes.cors(origin, preflight=True))(scope, receive, send)
            return
        if origin:
            send = _with_headers(send, shapes.cors(origin))
        if request.url.path not in PUBLIC:
            try:
                self.keys.admit(request.headers, request.client.host if request.client else "")
            except Wrong as wrong:
                await _answer(wrong)(scope, receive, send)
                return
        await self.app(scope, receive, send)


class Api:
    """The answers to each request."""

    def __init__(self, host: Host, served: Served) -> None:
        self.host, self.served, self.places = host, served, Places()
        self.began = int(time.time())
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
        rows = [shapes.model(name, self.began) for name in self.served.names]
        return _json({"object": "list", "data": rows})

    async def model(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in self.served.names:
            raise Wrong(404, "there is no model of this name", "model", "model_not_found")
        return _json(shapes.model(name, self.began))

    async def chat(self, request: Request) -> ASGIApp:
        asked = understood(Chat, await self._told(request))
        said = [m for m in asked.messages if m.role == "user"]
        if not said:
            raise Wrong(400, "there is no message of the role user to go on from", "messages", "invalid_value")
        denoiser = await self.served.find(asked.model)
        given: str | list[int] = said[-1].text
        if denoiser.card.chat and (converse := getattr(denoiser.speller, "converse", None)):
            try:
                given = converse([{"role": m.role, "content": m.text} for m in asked.messages])
            except Refused as refused:  # templates have their own idea of who may speak when
                raise Wrong(400, str(refused), "messages", "invalid_value") from None
        return self._answer(asked, denoiser, [_canvas(asked, denoiser, given, "")], shapes.Chatting)

    async def completion(self, request: Request) -> ASGIApp:
        asked = understood(Completion, await self._told(request))
        denoiser = await self.served.find(asked.model)
        canvases = [_canvas(asked, denoiser, prompt, asked.suffix or "") for prompt in asked.prompts]
        return self._answer(asked, denoiser, canvases, shapes.Completing)

    async def _told(self, request: Request) -> dict[str, Any]:
        if self.host.draining:
            raise Wrong(503, LEAVING, code="stopping", headers={"Retry-After": "30"})
        return await told(request)

    def _answer(
        self, asked: Body, denoiser: Denoiser, canvases: Sequence[Canvas], shape: type[shapes.Shape]
    ) -> ASGIApp:
        seed = secrets.randbelow(SEEDS) if asked.seed is None else asked.seed % SEEDS
        settings = [_settings(asked, denoiser, c, (seed + i) % SEEDS) for c in canvases for i in range(asked.n or 1)]
        work = [(c, s) for c, s in zip([c for c in canvases for _ in range(asked.n or 1)], settings, strict=True)]
        self.places.check(len(work))
        given = sum(int(c.given.sum()) for c in canvases)
        form = shape(asked, denoiser, given, seed)
        return _Streamed(self, work, form) if asked.stream else _Whole(self, work, form)

    def begin(self, work: Sequence[tuple[Canvas, Settings]], form: shapes.Shape) -> list[Writing]:
        """Every answer of a request, as sessions that are ready to play."""
        writings: list[Writing] = []
        try:
            for canvas, settings in work:
                session = self.host.open(form.denoiser, canvas, settings, watched=False)
                writings.append(Writing(session, form.asked.stops, form.asked.candidates))
        except Refused as refused:
            for writing in writings:
                self.end(writing)
            raise Wrong(503, str(refused), code="full", headers={"Retry-After": "5"}) from None
        return writings

    def end(self, writing: Writing) -> None:
        """The slot is free within a pass."""
        writing.close()
        self.host.sessions.alive.pop(writing.session.id, None)


@dataclass
class _Whole:
    """All answers of a request at once, when all are written."""

    api: Api
    work: Sequence[tuple[Canvas, Settings]]
    form: shapes.Shape

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.api.places.take(len(self.work)):
            written = await _while_there(receive, self._written())
        if written is not None:
            await _json(self.form.whole(written))(scope, receive, send)

    async def _written(self) -> list[tuple[Writing, Written]]:
        writings = self.api.begin(self.work, self.form)
        try:
            await asyncio.gather(*(_to_the_end(writing) for writing in writings))
        finally:
            for writing in writings:
                self.api.end(writing)
        return [(w, w.last) for w in writings]


@dataclass
class _Streamed:
    """The answers of a request as they are written, as server-sent events."""

    api: Api
    work: Sequence[tuple[Canvas, Settings]]
    form: shapes.Shape

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self.api.places.take(len(self.work)):
            writings = self.api.begin(self.work, self.form)
            try:
                headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
                await send({"type": "http.response.start", "status": 200, "headers": [*headers, *_UNBUFFERED]})
                await _while_there(receive, self._told(writings, send))
            finally:
                for writing in writings:
                    self.api.end(writing)

    async def _told(self, writings: Sequence[Writing], send: Send) -> None:
        async def say(line: bytes, more: bool = True) -> None:
            async with asyncio.timeout(PATIENCE):  # a reader that takes nothing holds nothing for long
                await send({"type": "http.response.body", "body": line, "more_body": more})

        try:
            for i in range(len(writings)):
                for chunk in self.form.first(i):
                    await say(_event(chunk))
            async with _together(writings) as news:
                async for i, written in _or_breath(news):
                    if written is None:
                        await say(b": still waiting\n\n")
                        continue
                    for chunk in self.form.chunks(i, writings[i], written):
                        await say(_event(chunk))
            for chunk in self.form.last([w.last for w in writings]):
                await say(_event(chunk))
        except Wrong as wrong:  # the answer has begun, so its error comes in the stream
            await say(_event(wrong.plain()))
        except TimeoutError:
            return
        await say(b"data: [DONE]\n\n", more=False)


_UNBUFFERED = [(b"x-accel-buffering", b"no")]  # proxies would keep the chunks together


class _together:
    """Several answers as one stream of (which, where it stands)."""

    def __init__(self, writings: Sequence[Writing]) -> None:
        self.writings = writings
        self.queue: asyncio.Queue[tuple[int, Written | Exception | None]] = asyncio.Queue(maxsize=8)

    async def __aenter__(self) -> AsyncIterator[tuple[int, Written]]:
        if len(self.writings) == 1:
            self.tasks: list[asyncio.Task[None]] = []
            return self._one(self.writings[0])
        self.tasks = [asyncio.ensure_future(self._pump(i, w)) for i, w in enumerate(self.writings)]
        return self._all()

    async def __aexit__(self, *_: Any) -> None:
        for task in self.tasks:
            task.cancel()

    async def _one(self, writing: Writing) -> AsyncIterator[tuple[int, Written]]:
        async for written in writing.passes():
            yield 0, written

    async def _pump(self, which: int, writing: Writing) -> None:
        try:
            async for written in writing.passes():
                await self.queue.put((which, written))
            await self.queue.put((which, None))
        except Wrong as wrong:
            await self.queue.put((which, wrong))

    async def _all(self) -> AsyncIterator[tuple[int, Written]]:
        left = len(self.writings)
        while left:
            which, news = await self.queue.get()
            if isinstance(news, Exception):
                raise news
            if news is None:
                left -= 1
            else:
                yield which, news


async def _or_breath(news: AsyncIterator[tuple[int, Written]]) -> AsyncIterator[tuple[int, Written | None]]:
    """What comes, and a sign of life whenever nothing has come for a while."""
    coming: asyncio.Future[tuple[int, Written]] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(news))
            done, _ = await asyncio.wait({coming}, timeout=BREATH)
            if not done:
                yield 0, None
                continue
            try:
                told = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield told
    finally:
        if coming is not None and not coming.done():
            coming.cancel()


async def _to_the_end(writing: Writing) -> None:
    async for _ in writing.passes():
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


def _canvas(asked: Body, denoiser: Denoiser, prompt: str | Sequence[int], suffix: str) -> Canvas:
    """Prompt, open cells and suffix in a row; in the API underscores are underscores."""
    card, speller = denoiser.card, denoiser.speller
    name = "messages" if isinstance(asked, Chat) else "prompt"
    try:
        # a model that was taught no conversation still has its own way to begin a text
        begun = speller.encode if card.chat else getattr(speller, "ask", speller.encode)
        before = begun(prompt) if isinstance(prompt, str) else [int(t) for t in prompt]
        after = speller.encode(suffix)
    except Refused as refused:
        raise Wrong(400, str(refused), name, "invalid_value") from None
    if wrong := [t for t in before if not 0 <= t < card.words]:
        raise Wrong(400, f"{wrong[0]} is not a token: they go from 0 to {card.words - 1}", name, "invalid_value")
    if after and card.causal:
        raise Wrong(400, "suffix is not supported by this model: it writes from left to right", "suffix", "unsupported")
    room = card.longest - len(before) - len(after)
    if room < 1:
        why = f"the prompt has {len(before) + len(after)} tokens and this model sees {card.longest} cells in all"
        raise Wrong(400, why, name, "context_length_exceeded")
    length = asked.length or min(LENGTH, room)
    if length > room:
        param = "max_completion_tokens" if getattr(asked, "max_completion_tokens", None) else "max_tokens"
        why = f"{length} tokens do not fit: beside this prompt the model has room for {room}"
        raise Wrong(400, why, param, "context_length_exceeded")
    return blank([part for part in (before, length, after) if part != []])


def _settings(asked: Body, denoiser: Denoiser, canvas: Canvas, seed: int) -> Settings:
    own = {"passes": asked.passes, "block": asked.block_length, "policy": asked.policy, "options": asked.policy_options}
    told = {"temperature": asked.temperature, "top_p": asked.top_p}
    if denoiser.card.causal and (
        given := [
            k for k in ("passes", "block_length", "policy", "policy_options", "preset") if getattr(asked, k) is not None
        ]
    ):
        raise Wrong(400, f"{given[0]} means nothing to this model: it writes one token a pass", given[0], "unsupported")
    changes: dict[str, Any] = {k: v for k, v in {**own, **told}.items() if v is not None}
    if asked.logit_bias:
        changes["boosts"] = _biases(asked.logit_bias, denoiser.card.words)
    try:
        return chosen({"preset": asked.preset, "settings": changes}, denoiser, int(canvas.open.sum()), seed)
    except Refused as refused:
        raise Wrong(400, str(refused), _about(asked, str(refused)), "invalid_value") from None


def _biases(told: dict[str, float], words: int) -> dict[int, float]:
    biases = {}
    for token, amount in told.items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < words):
            why = f"logit_bias needs token numbers from 0 to {words - 1}"
            raise Wrong(400, why, "logit_bias", "invalid_value")
        biases[int(token)] = amount
    return biases


def _about(asked: Body, why: str) -> str | None:
    """Which parameter a sentence about settings is about."""
    if why.startswith("no policy"):
        return "policy"
    if why.startswith("no preset"):
        return "preset"
    if asked.policy_options and any(name in why for name in ("knob", *asked.policy_options)):
        return "policy_options"
    return next((name for name in ("passes", "temperature", "top_p") if why.startswith(name)), None)


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(chunk, option=orjson.OPT_NON_STR_KEYS) + b"\n\n"


def _json(row: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS), status, media_type="application/json")


def _answer(wrong: Wrong) -> Response:
    response = _json(wrong.plain(), wrong.status)
    response.headers.update(wrong.headers)
    return response


async def _refused(request: Request, error: Exception) -> Response:
    """Any error in the one shape; what went wrong in here is told to the owner's log and not to the caller."""
    match error:
        case Wrong():
            return _answer(error)
        case Refused():
            return _answer(Wrong(400, str(error), code="invalid_value"))
        case HTTPException(status_code=404):
            return _answer(Wrong(404, "there is nothing at this address", code="unknown_url"))
        case HTTPException(status_code=405):
            why = f"{request.method[:16]} is not possible here"
            return _answer(Wrong(405, why, code="method_not_allowed", headers=error.headers))
        case HTTPException():
            return _answer(Wrong(error.status_code, str(error.detail)))
        case _:
            return _answer(Wrong(500, "something went wrong in here; it is in the log", code="internal_error"))


def _with_headers(send: Send, headers: dict[str, str]) -> Callable[[Any], Awaitable[None]]:
    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            extra = [(k.lower().encode(), v.encode()) for k, v in headers.items()]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return sending
