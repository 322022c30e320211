"""Sends one request to a remote model with the official OpenAI client, times its stream, and classifies failures."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import openai

from unmask.features.race.providers.cards import RemoteModel, Secret, missing_key
from unmask.features.race.providers.draft_analysis import analyse_drafts
from unmask.features.race.providers.meter import Caps, Drafts, Meter, count
from unmask.features.race.providers.transport import REFUSED, ForbiddenAddress, PublicTransport, ResponseTooLarge

TRIES = 3  # in all; no retry after the first byte
REASONING = ("reasoning_content", "reasoning", "reasoning_details")  # the field's names at different providers
LETTERS = 16  # characters per allowed token; beyond that a model has ignored the limit


@dataclass(frozen=True)
class AnswerChunk:
    """A chunk of an answer, or its end. `text` is the whole text so far."""

    at: float  # seconds after the request was written
    text: str
    replaced: bool = False
    settled: int = 0  # characters from the start that seem final; inferred if drafts replace each other
    done: bool = False
    thinking: bool = False  # the model is reasoning; the text is hidden


class RequestFailed(Exception):
    """A request without an answer: `kind` is for programs, `why` for people."""

    def __init__(self, kind: str, why: str, again: bool = False, after: float = 0.0) -> None:
        super().__init__(why)
        self.kind, self.why, self.again, self.after = kind, why, again, after


@dataclass
class RemoteRequest:
    """One request to one remote model, and its meter."""

    card: RemoteModel
    key: Secret
    prompt: str
    caps: Caps = field(default_factory=Caps)
    diffusing: bool = False
    effort: str = ""
    seed: int | None = None
    temperature: float | None = None
    allowed: frozenset[str] | None = None  # origins that the owner allows; None asks the environment
    meter: Meter = field(default_factory=Meter)
    text: str = ""

    async def run(self) -> AsyncIterator[AnswerChunk]:
        """The answer in chunks. Never raises for a failure of the remote model: the meter records it."""
        try:
            if not self.key and self.card.key:
                raise RequestFailed("no_key", missing_key(self.card))
            tokens = self._token_limit()
            async with asyncio.timeout(self.caps.whole):
                async for piece in self._with_retries(tokens):
                    yield piece
        except TimeoutError:
            self._failed(RequestFailed("late", f"not finished after {self.caps.whole:g} s"))
        except RequestFailed as failed:
            self._failed(failed)

    def _failed(self, failed: RequestFailed) -> None:
        self.meter.failed, self.meter.why = failed.kind, failed.why

    def _token_limit(self) -> int:
        """The number of tokens within the cap on dollars; without a known price, the cap on tokens."""
        price = self.card.price
        if price is None:
            return self.caps.tokens
        left = self.caps.dollars - price.of(len(self.prompt.encode()), 0)  # no token is shorter than a byte
        most = int(left * 1e6 / price.output) if price.output else self.caps.tokens
        if most < 1:
            raise RequestFailed(
                "too_dear", f"this prompt may cost more than the {self.caps.dollars:g} $ allowed for a racer"
            )
        return min(self.caps.tokens, most)

    async def _with_retries(self, tokens: int) -> AsyncIterator[AnswerChunk]:
        for attempt in range(TRIES):
            begun = False
            try:
                async for piece in self._attempt(tokens):
                    begun = True
                    yield piece
                return
            except RequestFailed as failed:
                if begun or not failed.again or attempt == TRIES - 1:
                    raise
                self.meter.retries += 1
                pause = 0.25 * 2**attempt * (0.5 + random.random())  # jitter, so that racers do not retry together
                await asyncio.sleep(min(max(pause, failed.after), 10.0))

    async def _attempt(self, tokens: int) -> AsyncIterator[AnswerChunk]:
        guard = PublicTransport(self.allowed)
        timeout = httpx.Timeout(self.caps.silence, connect=self.caps.connect)
        await warm()
        start = time.perf_counter()
        async with httpx.AsyncClient(transport=guard, timeout=timeout, trust_env=False) as web:
            try:
                raw = await _client(self.card.base_url, self.key.reveal() or "none", web)(**self._request(tokens))
                start = guard.sent_at or start
                if "event-stream" not in (kind := raw.headers.get("content-type", "")):
                    raise RequestFailed(
                        "not_a_stream", f"it answered with {_content_type_name(kind)}, not with a stream"
                    )
                self.meter.region = _region(raw.headers)
                async for piece in self._chunks(await _stream(raw), lambda: guard.arrived_at - start, tokens):
                    yield piece
            except RequestFailed:
                raise
            except Exception as error:  # any error of the client or the remote model
                raise _classified(error, bool(self.text)) from None
            finally:
                self.meter.closed = self.meter.closed or time.perf_counter() - start
                self.meter.end = self.meter.end or self.meter.closed

    def _request(self, tokens: int) -> dict[str, Any]:
        extra: dict[str, Any] = dict(self.card.extra)
        if self.diffusing:
            extra["diffusing"] = True
        if self.card.tells_cost:
            extra["usage"] = {"include": True}
        value: dict[str, Any] = {
            "model": self.card.model,
            "messages": [{"role": "user", "content": self.prompt}],
            "max_completion_tokens"
            if self.card.base_url.startswith("https://api.openai.com")
            else "max_tokens": tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
            "extra_body": extra,
        }
        optional = {"reasoning_effort": self.effort, "seed": self.seed, "temperature": self.temperature}
        return value | {k: v for k, v in optional.items() if v not in ("", None)}

    async def _chunks(self, stream: Any, now: Callable[[], float], tokens: int) -> AsyncIterator[AnswerChunk]:
        """`now` is the arrival time of the bytes being parsed, so that parsing is not timed."""
        drafts, finish, meter = Drafts(), "", self.meter
        async for chunk in stream:
            at = now()
            count(meter, chunk.usage, self.card)
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                if choice.delta and any(getattr(choice.delta, name, None) for name in REASONING):
                    meter.reasons = True
                    meter.first_reasoning = at if meter.first_reasoning is None else meter.first_reasoning
                content = choice.delta.content if choice.delta else None
                if not content:
                    if meter.reasons and not self.text:
                        yield AnswerChunk(at, self.text, thinking=True)
                    continue
                # drafts replace the text, tokens are appended: the request decides, not the content
                self.text = content if self.diffusing else self.text + content
                meter.drafts += 1
                meter.first, meter.end = at if meter.first is None else meter.first, at
                meter.rewrites += drafts.add(at, self.text) if self.diffusing else 0
                if not self.diffusing:
                    meter.arrive(at, len(self.text))
                if len(self.text) > LETTERS * tokens:
                    raise RequestFailed("capped", f"stopped: it does not keep to {tokens} tokens")
                settled = drafts.settled_now() if self.diffusing else len(self.text)
                yield AnswerChunk(at, self.text, self.diffusing, settled)
        meter.closed = now()
        meter.first_settled = drafts.settled_first() if self.diffusing else meter.first
        if not finish:
            raise RequestFailed("broke_off", "the stream ended before the answer did")
        if finish == "error":
            raise RequestFailed("failed", "it reported an error in the middle of its answer")
        if not self.text.strip():
            raise RequestFailed("empty", "it answered without any text")
        if meter.tokens is not None and meter.tokens > tokens * 1.1 + 16:
            raise RequestFailed("capped", f"it wrote {meter.tokens} tokens where {tokens} were allowed")
        if self.diffusing:
            meter.seen = await asyncio.to_thread(lambda: analyse_drafts(drafts.drafts).to_dict())
        yield AnswerChunk(meter.closed, self.text, self.diffusing, len(self.text), done=True)


def _client(base_url: str, key: str, web: httpx.AsyncClient) -> Any:
    client = openai.AsyncOpenAI(base_url=base_url, api_key=key, http_client=web, max_retries=0)
    return client.chat.completions.with_raw_response.create


async def warm() -> None:
    """Parse one made-up answer: the client builds its types at first use, which would slow the first race."""
    if _warmed:
        return
    row = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "usage": None}
    choice = {"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}
    count = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunks = [row | {"choices": [choice]}, row | {"choices": [], "usage": count}]
    body = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"
    answer = httpx.MockTransport(
        lambda _: httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)
    )
    async with httpx.AsyncClient(transport=answer) as web:
        asking = _client("http://warm.invalid/v1", "none", web)
        raw = await asking(model="m", messages=[{"role": "user", "content": "x"}], stream=True)
        async for _ in await _stream(raw):
            pass
    _warmed.append(True)


_warmed: list[bool] = []


async def _stream(raw: Any) -> Any:
    stream = raw.parse()
    return await stream if asyncio.iscoroutine(stream) else stream


def _classified(error: Exception, begun: bool) -> RequestFailed:
    """Classify an error, without the remote model's own text, which may repeat the key."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ResponseTooLarge):
            return RequestFailed("capped", f"stopped: {cause}")
        if isinstance(cause, ForbiddenAddress | httpx.InvalidURL | httpx.UnsupportedProtocol):
            return RequestFailed("forbidden", REFUSED)
        cause = cause.__cause__ or cause.__context__
    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return RequestFailed("key", "it does not accept this key")
        case openai.RateLimitError():
            return RequestFailed(
                "busy",
                "it is overloaded, or this key has reached its limit: try again later",
                True,
                _retry_after(error),
            )
        case openai.NotFoundError():
            return RequestFailed("no_model", "it does not know this model or this address")
        case openai.APIStatusError() if error.status_code >= 500:
            return RequestFailed("broken", f"it failed with status {error.status_code}", True, _retry_after(error))
        case openai.APIStatusError():
            return RequestFailed("refused", f"it refused the request with status {error.status_code}")
        case openai.APITimeoutError() | httpx.TimeoutException() | TimeoutError():
            return RequestFailed("late", "it sent nothing for too long", not begun)
        case openai.APIConnectionError() | httpx.ConnectError():
            return RequestFailed("unreachable", "it cannot be reached", True)
        case UnicodeDecodeError():
            return RequestFailed("garbled", "it sent bytes that are not UTF-8 text")
        case json.JSONDecodeError() | openai.APIResponseValidationError():
            return RequestFailed("garbled", "it sent something that is not JSON")
        case openai.APIError():
            return RequestFailed("failed", "it reported an error in the middle of its answer")
        case httpx.HTTPError() | httpx.StreamError():
            return RequestFailed("broke_off", "the connection broke before the answer ended", not begun)
        case _:
            return RequestFailed("garbled", f"its answer cannot be understood ({type(error).__name__})")


def _retry_after(error: openai.APIStatusError) -> float:
    value = error.response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0.0


def _content_type_name(kind: str) -> str:
    kind = kind.partition(";")[0].strip()
    return {"text/html": "a web page", "application/json": "JSON", "": "something nameless"}.get(kind, "something else")


def _region(headers: httpx.Headers) -> str:
    """The region in an answer's headers, reduced to harmless characters."""
    value = headers.get("x-vercel-id") or headers.get("cf-ray") or headers.get("x-region") or ""
    return "".join(c for c in value[:64] if c.isalnum() or c in "-:.").split("::")[0]
