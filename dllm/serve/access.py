"""One gate in front of every route of the app as served, Gradio's own included: nothing behind it is reached past it.

What no rule names is off. Host and Origin are checked, keys are asked for, bodies and open lines are counted, all
before anything is parsed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from unmask.config import config
from unmask.serve.admission import Keys, is_allowed, visitor
from unmask.serve.api_error import ApiError

SMALL = 64 << 10  # bytes of a body of the page's own forms and of the fallback's messages


class Access(Enum):
    PUBLIC = "public"  # everybody the gate lets in
    KEYED = "keyed"  # those with a key; without keys only this machine itself
    OFF = "off"


Rules = Mapping[str, Access]  # a path, where * stands for any rest, the first that fits counts

DOORS: Rules = {
    "/health": Access.PUBLIC,
    "/ready": Access.PUBLIC,
    "/ws": Access.PUBLIC,
    "/line": Access.PUBLIC,
    "/line/*": Access.PUBLIC,
    "/menu": Access.PUBLIC,
    "/metrics": Access.KEYED,
    "/v1/openapi.json": Access.PUBLIC,
    "/v1/*": Access.KEYED,
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
# Everything served may be opened by its address: then nothing in it runs, loads, or is framed.
STRICT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# Gradio's page is made of scripts in its own text; from elsewhere it may load nothing, and send nothing there.
PAGE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors "
)
FRAMED = "'self' https://huggingface.co https://*.hf.space"  # whose pages may hold ours


def access(path: str, rules: Rules) -> Access:
    """What the rules say of a path."""
    return next((rule for pattern, rule in rules.items() if fnmatchcase(path, pattern)), Access.OFF)


class AccessMiddleware:
    """Wraps an application."""

    def __init__(
        self,
        app: ASGIApp,
        rules: Rules = DOORS,
        keys: Keys | None = None,
        pages: Collection[str] = (),
        counts: Counter[str] | None = None,
    ) -> None:
        self.app, self.rules, self.pages = app, rules, pages
        self.counts = Counter() if counts is None else counts
        self.read_timeout = config().read_timeout
        self.keys = Keys(config().api_keys) if keys is None else keys
        self.lines: Counter[str] = Counter()  # requests and sockets that are open, by visitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        client = (scope.get("client") or ("", 0))[0]
        who = visitor(headers, client)
        try:
            rule = access(scope["path"], self.rules)
            if preflight := self._named_origin(scope, headers):
                await _answer(send, 204, b"", preflight)
                return
            self._admit(scope, rule, headers, client)
            if self.lines[who] >= config().visitor_connections or self.lines.total() >= config().connections:
                raise ApiError(429, "too many open connections: close some first", code="too_many_requests")
            declared = headers.get("content-length", "0")
            limit = config().body_kb << 10
            if not declared.isdigit() or len(declared) > 12 or int(declared) > limit:
                raise too_large(limit)
        except ApiError as error:
            self.counts["refused"] += 1
            await _refuse(scope, receive, send, error)
            return
        self.lines[who] += 1
        reader = _TimedSender(send, self.read_timeout)
        try:
            if scope["type"] == "websocket":
                await self.app(scope, receive, reader.send)
            else:
                policy = f"{PAGE}{_frame_policy(scope)}" if scope["path"] in self.pages else STRICT
                dressed = _with_headers(reader.send, headers.get("origin"), policy)
                await _LimitedRequest(limit, receive, dressed).run(self.app, scope)
        except (OSError, ClientDisconnect, WebSocketDisconnect):
            if not reader.dropped:  # a line that was broken here is no news
                raise
        finally:
            self.counts["drops"] += reader.dropped
            self.lines[who] -= 1
            if not self.lines[who]:
                del self.lines[who]

    def _admit(self, scope: Scope, rule: Access, headers: Headers, client: str) -> None:
        if rule is Access.OFF:
            raise ApiError(404, "there is nothing at this address", code="unknown_url")
        if rule is Access.KEYED:
            self.keys.admit(headers, client)
            if self.keys:  # a caller with a key is no page that was tricked
                return
        if not is_allowed(headers.get("origin"), headers.get("host", "")):
            raise ApiError(403, "this name or this page is not this server's own", code="origin")

    @staticmethod
    def _named_origin(scope: Scope, headers: Headers) -> dict[str, str]:
        """The answer to a browser that asks beforehand, where the owner names its page."""
        origin = trusted(headers.get("origin"))
        asks = scope.get("method") == "OPTIONS" and "access-control-request-method" in headers
        return cors(origin, preflight=True) if origin and asks else {}


def _frame_policy(scope: Scope) -> str:
    """Whose pages may hold this one: on a public host any course's, if it is asked for as a part of a page."""
    if config().public and b"embed=1" in scope.get("query_string", b"").split(b"&"):
        return "*"
    return " ".join((FRAMED, *config().origins))


class _TimedSender:
    """The receiver of an answer. One who takes nothing for long is hung up on: what waits to be taken takes memory."""

    def __init__(self, send: Send, patience: float) -> None:
        self.inner, self.patience, self.dropped = send, patience, False

    async def send(self, message: Message) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await self.inner(message)
        except TimeoutError:
            self.dropped = True
            # A goodbye would wait behind all that was not read. The line is the server's own, where `send` is.
            if (line := getattr(getattr(self.inner, "__self__", None), "transport", None)) is not None:
                line.abort()
            raise ConnectionAbortedError("nothing was read for too long") from None


class _LimitedRequest:
    """A request whose body may not grow beyond a limit, however it is sent."""

    def __init__(self, limit: int, receive: Receive, send: Send) -> None:
        self.limit, self.inner, self.outer = limit, receive, send
        self.size, self.over, self.started = 0, False, False
        self.unread = False  # a body of which more may come

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        self.unread = _has_body(Headers(scope=scope))
        try:
            await app(scope, self.receive, self.send)
        except ClientDisconnect:  # what a body that is cut off looks like from within
            if not self.over:
                raise
        if self.over and not self.started:
            error = too_large(self.limit)
            await _answer(self.outer, error.status, orjson.dumps(error.plain()), {"Connection": "close"})

    async def receive(self) -> Message:
        if self.over:
            return {"type": "http.disconnect"}
        message = await self.inner()
        self.size += len(message.get("body", b""))
        self.unread = bool(message.get("more_body"))
        if self.size > self.limit:
            self.over = True
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        if self.over and not self.started:
            return  # the app saw half a body: the answer is ours
        self.started = True
        if message["type"] == "http.response.start" and self.unread:  # what is still to come is not waited for
            message = {**message, "headers": [*message.get("headers", []), (b"connection", b"close")]}
        await self.outer(message)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def too_large(limit: int) -> ApiError:
    return ApiError(413, f"a body may have {limit >> 10} KB at the most", code="request_too_large")


def trusted(origin: str | None) -> str | None:
    """An origin whose pages the owner lets call: `UNMASK_ORIGINS`."""
    return origin if origin and origin.lower() in config().origins else None


def cors(origin: str, preflight: bool = False) -> dict[str, str]:
    """The headers that let a browser show an answer to a page of that origin."""
    headers = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    if preflight:
        headers |= {
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "authorization, content-type",
            "Access-Control-Max-Age": "600",
        }
    return headers


def _with_headers(send: Send, origin: str | None, policy: str) -> Send:
    """With the headers that every answer has; which origins may read is decided here alone."""
    extra = HEADERS | {"Content-Security-Policy": policy} | (cors(named) if (named := trusted(origin)) else {})

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(k, v) for k, v in message.get("headers", []) if not k.lower().startswith(b"access-control-")]
            names = {k.lower() for k, _ in kept}
            more = [(k.lower().encode(), v.encode()) for k, v in extra.items() if k.lower().encode() not in names]
            message = {**message, "headers": [*kept, *more]}
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send, error: ApiError) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})  # before accept: the handshake itself is refused
        return
    origin = trusted(Headers(scope=scope).get("origin"))
    headers = HEADERS | {"Content-Security-Policy": STRICT} | error.headers | (cors(origin) if origin else {})
    if _has_body(Headers(scope=scope)):
        headers |= {"Connection": "close"}  # what is still to come is not read
    await _answer(send, error.status, orjson.dumps(error.plain()), headers)


async def _answer(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    rows = [(k.lower().encode(), v.encode()) for k, v in headers.items()]
    if body:
        rows += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": rows})
    await send({"type": "http.response.body", "body": body})


def undeclared_routes(routes: Sequence[Any], rules: Rules, prefix: str = "") -> list[str]:
    """The routes of an application that no rule names: each must be declared, if only as off."""
    found = []
    for route in routes:
        path = prefix + getattr(route, "path", "")
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        if inner:
            found += undeclared_routes(list(inner), rules, path)
        elif not any(fnmatchcase(path + "/" * isinstance(route, Mount), pattern) for pattern in rules):
            found.append(path)
    return found
