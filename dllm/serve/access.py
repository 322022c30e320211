"""ASGI middleware in front of every route of the app, Gradio's own included.

A route that no rule names is off. Host, Origin and keys are checked, and bodies and open connections are limited,
before anything is parsed.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import orjson
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from unmask.config import config
from unmask.serve.admission import Keys, is_allowed, visitor
from unmask.serve.api_error import ApiError
from unmask.serve.connections import share_limit

SMALL = 64 << 10  # bytes of a body of the page's own forms and of the fallback's messages


class Access(Enum):
    """Who may use a route."""

    PUBLIC = "public"  # any client with an allowed Host and Origin
    KEYED = "keyed"  # clients with a key; if no key is set, only this machine
    OFF = "off"  # no client


Rules = Mapping[str, Access]  # by path pattern, where * matches anything; the first match counts

SERVER_RULES: Rules = {
    "/health": Access.PUBLIC,
    "/ready": Access.PUBLIC,
    "/ws": Access.PUBLIC,
    "/line": Access.PUBLIC,
    "/line/*": Access.PUBLIC,
    "/menu": Access.PUBLIC,
    "/menu/fit": Access.PUBLIC,  # what may be asked about is checked there
    "/metrics": Access.KEYED,
    "/v1/openapi.json": Access.PUBLIC,
    "/v1/*": Access.KEYED,
    "/tokenize": Access.KEYED,
    "/detokenize": Access.KEYED,
    "/tokenizer_info": Access.KEYED,
    "/version": Access.KEYED,
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
# Any file that is served may be opened as a document: then nothing in it runs, loads, or is framed.
STRICT = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
# Gradio's page needs inline scripts; it may load nothing from other servers, and send nothing to them.
PAGE = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors "
)
FRAMED = "'self' https://huggingface.co https://*.hf.space"  # pages that may embed ours


def access(path: str, rules: Rules) -> Access:
    """The rule for a path."""
    return next((rule for pattern, rule in rules.items() if fnmatchcase(path, pattern)), Access.OFF)


class AccessMiddleware:
    """Checks and limits every request before the wrapped application sees it."""

    def __init__(
        self,
        app: ASGIApp,
        rules: Rules = SERVER_RULES,
        keys: Keys | None = None,
        pages: Collection[str] = (),
        counts: Counter[str] | None = None,
    ) -> None:
        self.app, self.rules, self.pages = app, rules, pages
        self.counts = Counter() if counts is None else counts
        self.read_timeout = config().read_timeout
        self.keys = Keys(config().api_keys) if keys is None else keys
        self.open: Counter[str] = Counter()  # requests and sockets in progress, by visitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        scope, path = with_root_path(scope)
        headers = Headers(scope=scope)
        client = (scope.get("client") or ("", 0))[0]
        who = visitor(headers, client)
        try:
            rule = access(path, self.rules)
            if preflight := self._preflight(scope, headers):
                await _answer(send, 204, b"", preflight)
                return
            self._admit(scope, rule, headers, client)
            if self.open[who] >= share_limit() or self.open.total() >= config().connections:
                raise ApiError(429, "too many open connections: close some first", code="too_many_requests")
            declared = headers.get("content-length", "0")
            limit = config().body_kb << 10
            if not declared.isdigit() or len(declared) > 12 or int(declared) > limit:
                raise too_large(limit)
        except ApiError as error:
            self.counts["refused"] += 1
            await _refuse(scope, receive, send, error)
            return
        self.open[who] += 1
        reader = _TimedSender(send, self.read_timeout)
        try:
            if scope["type"] == "websocket":
                await self.app(scope, receive, reader.send)
            else:
                policy = f"{PAGE}{_frame_policy(scope)}" if path in self.pages else STRICT
                dressed = _with_headers(reader.send, headers.get("origin"), policy)
                await _LimitedRequest(limit, self.read_timeout, receive, dressed).run(self.app, scope)
        except (ClientDisconnect, WebSocketDisconnect):
            pass  # the client has left, which is no error
        except OSError:
            if not reader.dropped:  # it was disconnected here, on purpose
                raise
        finally:
            self.counts["drops"] += reader.dropped
            self.open[who] -= 1
            if not self.open[who]:
                del self.open[who]

    def _admit(self, scope: Scope, rule: Access, headers: Headers, client: str) -> None:
        if rule is Access.OFF:
            raise ApiError(404, "not found: there is no such address here", code="unknown_url")
        if rule is Access.KEYED:
            self.keys.admit(headers, client)
            if self.keys:  # a key in a header cannot come from a forged cross-site request
                return
        if not is_allowed(headers.get("origin"), headers.get("host", "")):
            raise ApiError(
                403,
                "the Host or Origin of this request is not allowed here: see UNMASK_HOSTS and UNMASK_ORIGINS",
                code="origin",
            )

    @staticmethod
    def _preflight(scope: Scope, headers: Headers) -> dict[str, str]:
        """The headers of the answer to a CORS preflight from a trusted origin; else empty."""
        origin = trusted(headers.get("origin"))
        asks = scope.get("method") == "OPTIONS" and "access-control-request-method" in headers
        return cors(origin, preflight=True) if origin and asks else {}


def with_root_path(scope: Scope) -> tuple[Scope, str]:
    """A scope whose path begins with its root path, as ASGI demands, and the path below that.

    A proxy that serves the app below a path (`GRADIO_ROOT_PATH`) may remove it from the addresses it passes on."""
    root = urlsplit(scope.get("root_path", "")).path.rstrip("/")
    path = scope["path"]
    if root and (path == root or path.startswith(f"{root}/")):
        path = path[len(root) :] or "/"
    raw = quote(root).encode() + scope.get("raw_path", b"").removeprefix(quote(root).encode())
    return {**scope, "root_path": root, "path": root + path, "raw_path": raw}, path


def _frame_policy(scope: Scope) -> str:
    """The pages that may embed this one: on a public host any page, if `embed=1` is in the address.

    The page reads the first `embed` of its address (`assets/links/frame.js`), so that one counts here too."""
    embeds = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True).get("embed", [])
    if config().public and embeds[:1] == ["1"]:
        return "*"
    return " ".join((FRAMED, *config().origins))


class _TimedSender:
    """Sends an answer; a client that stops reading is disconnected, since unread data takes memory."""

    def __init__(self, send: Send, patience: float) -> None:
        self.inner, self.patience, self.dropped = send, patience, False

    async def send(self, message: Message) -> None:
        try:
            async with asyncio.timeout(self.patience):
                await self.inner(message)
        except TimeoutError:
            self.dropped = True
            # A close frame would wait behind the unread data. `send` is a method of uvicorn's, which has the transport.
            if (transport := getattr(getattr(self.inner, "__self__", None), "transport", None)) is not None:
                transport.abort()
            raise ConnectionAbortedError("the client stopped reading") from None


class _LimitedRequest:
    """A request whose body is limited in size, even if it is sent in chunks, and in time."""

    def __init__(self, limit: int, patience: float, receive: Receive, send: Send) -> None:
        self.limit, self.inner, self.outer = limit, receive, send
        self.until, self.patience = time.monotonic() + patience, patience
        self.size, self.started = 0, False
        self.error: ApiError | None = None  # why the rest of the body is not read
        self.unread = False  # whether more of the body may come

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        self.unread = _has_body(Headers(scope=scope))
        try:
            await app(scope, self.receive, self.send)
        except ClientDisconnect:  # how the app sees a body that is cut off here
            if self.error is None:
                raise
        if self.error is not None and not self.started:
            await _answer(self.outer, self.error.status, orjson.dumps(self.error.plain()), {"Connection": "close"})

    async def receive(self) -> Message:
        if self.error is not None:
            return {"type": "http.disconnect"}
        try:
            async with asyncio.timeout(self.until - time.monotonic() if self.unread else None):
                message = await self.inner()
        except TimeoutError:
            self.error = ApiError(408, f"the body did not arrive within {self.patience:g} seconds", code="timeout")
            return {"type": "http.disconnect"}
        self.size += len(message.get("body", b""))
        self.unread = bool(message.get("more_body"))
        if self.size > self.limit:
            self.error = too_large(self.limit)
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        if self.error is not None and not self.started:
            return  # the app saw only a part of the body: the error is sent instead
        self.started = True
        if message["type"] == "http.response.start" and self.unread:  # the rest of the body is not read
            message = {**message, "headers": [*message.get("headers", []), (b"connection", b"close")]}
        await self.outer(message)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def too_large(limit: int) -> ApiError:
    return ApiError(413, f"the body is larger than {limit >> 10} KB: send a smaller one", code="request_too_large")


def trusted(origin: str | None) -> str | None:
    """An origin if it is in `UNMASK_ORIGINS`, else None."""
    return origin if origin and origin.lower() in config().origins else None


def cors(origin: str, preflight: bool = False) -> dict[str, str]:
    """The CORS headers that let a page of an origin read an answer."""
    headers = {"Access-Control-Allow-Origin": origin, "Vary": "Origin"}
    if preflight:
        headers |= {
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "authorization, content-type",
            "Access-Control-Max-Age": "600",
        }
    return headers


def _with_headers(send: Send, origin: str | None, policy: str) -> Send:
    """Add the headers of every answer, and replace CORS headers that the app has set."""
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
        headers |= {"Connection": "close"}  # the body is not read
    await _answer(send, error.status, orjson.dumps(error.plain()), headers)


async def _answer(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    rows = [(k.lower().encode(), v.encode()) for k, v in headers.items()]
    if body:
        rows += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": rows})
    await send({"type": "http.response.body", "body": body})


def undeclared_routes(routes: Sequence[Any], rules: Rules, prefix: str = "") -> list[str]:
    """The routes of an application that no rule names."""
    found = []
    for route in routes:
        path = prefix + getattr(route, "path", "")
        inner = getattr(route, "routes", None) or getattr(getattr(route, "original_router", None), "routes", None)
        if inner:
            found += undeclared_routes(list(inner), rules, path)
        elif not any(fnmatchcase(path + "/" * isinstance(route, Mount), pattern) for pattern in rules):
            found.append(path)
    return found
