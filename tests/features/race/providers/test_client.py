"""Rivals are metered truly, fail by their kind, and tell nobody's secrets."""

import asyncio
import io
import json
import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.features.race.providers.scripted import CUT, DONE, HELLO, Clock, Line, Rival, chunk, head, rival, usage
from tests.until import LONG, until
from unmask.errors import InvalidRequest
from unmask.features.race.providers.cards import Price, RemoteModel, Secret, card, cards, custom_model, key_for
from unmask.features.race.providers.client import AnswerChunk, RemoteRequest
from unmask.features.race.providers.meter import Caps, Drafts
from unmask.features.race.providers.transport import REFUSED, PublicTransport, public

SECRET = "sk-very-secret-0123456789"
PRICE = Price(1.0, 10.0, "2026-11-01", "https://example.com")


def calling(to: Rival, **fields: Any) -> RemoteRequest:
    fields.setdefault("card", replace(custom_model(f"{to.origin}/v1", "m"), price=PRICE, key="X"))
    fields.setdefault("caps", Caps(silence=LONG, whole=LONG))
    return RemoteRequest(key=Secret(SECRET), prompt="Say hello", allowed=frozenset({to.origin}), **fields)


async def pieces_of(one: RemoteRequest) -> list[AnswerChunk]:
    return [h async for h in one.run()]


async def measured(script: Sequence[Line], clock: Clock, **fields: Any) -> tuple[RemoteRequest, list[float]]:
    """A call, and the moments at which the rival wrote its lines."""
    async with rival(script, clock) as to:
        one = calling(to, **fields)
        await pieces_of(one)
        assert not one.meter.failed, one.meter.why
        return one, [pytest.approx(at) for at in to.sent]


@pytest.mark.parametrize("with_usage", [True, False])
async def test_the_meter_of_an_appended_answer_is_true(with_usage: bool, clock: Clock) -> None:
    tail = [(0.0, chunk(usage=usage(5, 40, 8)))] if with_usage else []
    script = [(0.1, head()), (0.1, chunk("Hel")), (0.15, chunk("lo")), (0.25, chunk(None, "stop")), *tail, (0.0, DONE)]
    one, sent = await measured(script, clock)
    m = one.meter
    assert one.text == "Hello" and m.drafts == 2 and m.rewrites == 0
    if with_usage:
        assert (m.given, m.tokens, m.reasoning) == (5, 40, 8)
        assert m.cost == pytest.approx((5 * 1 + 40 * 10) / 1e6) and "2026-11-01" in m.cost_from
        assert m.end is not None and m.tokens_per_second == pytest.approx(32 / m.end)  # 8 were reasoning
        assert m.tokens_per_second_after_first is None and m.unmeasurable == "it came in too few pieces"
    else:  # unknown, never 0 and never counted from chunks
        assert m.tokens is m.cost is m.tokens_per_second is m.tokens_per_second_after_first is None
    assert (m.first, m.first_settled, m.end, m.closed) == (sent[1], sent[1], sent[2], sent[-1])


@pytest.mark.parametrize("with_usage", [True, False])
async def test_the_meter_of_a_replaced_answer_is_true(with_usage: bool, clock: Clock) -> None:
    tail = [(0.0, chunk(usage=usage(5, 12)))] if with_usage else []
    drafts = ["x y z", "a y z", "a b z", "a b c"]
    script = [(0.1, head()), *[(0.1, chunk(d)) for d in drafts], (0.1, chunk(None, "stop")), *tail, (0.0, DONE)]
    one, sent = await measured(script, clock, diffusing=True)
    m = one.meter
    assert one.text == "a b c" and m.drafts == 4 and m.rewrites == 3
    assert m.tokens == (12 if with_usage else None)
    assert m.seen is not None and m.seen["passes"] == 4 and m.seen["rewritten"] == 0
    assert (m.first, m.first_settled, m.end, m.closed) == (sent[1], sent[2], sent[4], sent[-1])


def thinks(text: str, name: str = "reasoning_content") -> bytes:
    """Hidden reasoning, as rivals and gateways show that there is some."""
    choice = {"index": 0, "delta": {name: text, "content": ""}, "finish_reason": None}
    row = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(row).encode() + b"\n\n"


STEADY = [(0.04, chunk("word ")) for _ in range(10)]  # 360 ms from the first to the last
END: list[Line] = [(0.1, chunk(None, "stop"))]
# what is sent, its usage, and how many tokens came behind the first piece; or why their speed cannot be told
SCRIPTS: dict[str, tuple[list[Line], dict[str, Any], float | str | None]] = {
    "steady": (STEADY, usage(5, 20), 18.0),
    "late usage": ([*STEADY, (0.3, b": wait\n\n")], usage(5, 20), 18.0),
    "reasoning counted": ([(0.1, thinks("hm")), *STEADY], usage(5, 50, 30), 18.0),
    "reasoning by a gateway": ([(0.1, thinks("hm", "reasoning")), *STEADY], usage(5, 50, 30), 18.0),
    "reasoning not counted": ([(0.1, thinks("hm")), *STEADY], usage(5, 50), None),
    "one piece": ([(0.3, chunk("word " * 10))], usage(5, 20), "too few pieces"),
    "all at once": ([(0.1, chunk("a ")), *[(0.0, chunk("word ")) for _ in range(9)]], usage(5, 20), "too few pieces"),
    "a late burst": (
        [*[(0.05, chunk("a ")) for _ in range(4)], (0.05, chunk("word " * 10))],
        usage(5, 20),
        "one burst",
    ),
    "bursts": ([(0.05 * (not i % 2), chunk("word ")) for i in range(10)], usage(5, 20), 18.0),
}


@pytest.mark.parametrize("name", SCRIPTS)
async def test_every_figure_is_true_or_not_measurable(name: str, clock: Clock) -> None:
    """Speed counts text alone, from the first of it; what came at once tells no speed."""
    lines, counts, later = SCRIPTS[name]
    script = [(0.1, head()), *lines, *END, (0.0, chunk(usage=counts)), (0.0, DONE)]
    texts = [i for i, (_, data) in enumerate(script) if b'"content": "' in data and b'"content": ""' not in data]
    one, sent = await measured(script, clock)
    m = one.meter
    assert (m.first, m.end, m.closed) == (sent[texts[0]], sent[texts[-1]], sent[-1])
    assert m.first_reasoning == (sent[1] if "reasoning" in name else None)
    if isinstance(later, float):
        seconds = sum(wait for wait, _ in script[texts[0] + 1 : texts[-1] + 1])
        assert m.tokens_per_second_after_first == pytest.approx(later / seconds)
    else:
        assert m.tokens_per_second_after_first is None and (later or "") in m.unmeasurable


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ([(0, chunk("half")), (0, chunk(None, "error"))], "failed"),
        ([(0, chunk("half")), (0, b'data: {"error": {"message": "it broke", "code": 502}}\n\n')], "failed"),
        ([(0, chunk(None, "stop"))], "empty"),
        ([(0, thinks("hm")), (0, chunk(None, "length"))], "empty"),
    ],
)
async def test_what_ended_in_an_error_or_says_nothing_is_no_result(lines: list[Line], kind: str) -> None:
    async with rival([(0, head()), *lines, (0, DONE)]) as to:
        one = calling(to)
        await pieces_of(one)
        assert one.meter.failed == kind


def test_the_first_call_of_a_process_works_no_more_than_later_ones() -> None:
    """The client's types are made at their first use, which once took a tenth of a second out of a rival's own time."""
    script = """
import asyncio, sys
sys.path.insert(0, ".")
from unmask.features.race.providers import client, transport
from tests.features.race.providers.scripted import *
from tests.features.race.providers.test_client import STEADY, END, calling, pieces_of

calls = 0

def count(frame, event, _):
    global calls
    calls += event == "call" and ("openai" in frame.f_code.co_filename or "pydantic" in frame.f_code.co_filename)

class Counted(Clock):
    def perf_counter(self):
        if self.looks == 0:  # here the rival's time begins
            sys.setprofile(count)
        return super().perf_counter()

async def main():
    global calls
    counts = []
    for _ in range(3):
        client.time = transport.time = clock = Counted()
        calls = 0
        async with rival([(0.1, head()), *STEADY, *END, (0, chunk(usage=usage(5, 20))), (0, DONE)], clock) as to:
            await pieces_of(calling(to))
        sys.setprofile(None)
        counts.append(calls)
    print(*counts)

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    first, *later = map(int, done.stdout.split())
    assert min(later) > 100 and first < 2 * max(later), done.stdout  # without warming it is seventy times as much


async def test_append_or_replace_is_decided_by_the_request() -> None:
    script = [(0, head()), (0, chunk("ab")), (0, chunk("ab")), (0, chunk(None, "stop")), (0, DONE)]
    async with rival(script) as to:
        appended, replaced = calling(to), calling(to, diffusing=True)
        await pieces_of(appended), await pieces_of(replaced)
        assert (appended.text, replaced.text) == ("abab", "ab")
        assert "diffusing" not in to.requests[0] and to.requests[1]["diffusing"] is True


async def test_what_the_rival_says_it_cost_wins_over_the_list() -> None:
    script = [*HELLO[:3], (0, chunk(usage=usage(3, 2, cost=0.0042))), (0, DONE)]
    async with rival(script) as to:
        one = calling(to, card=replace(custom_model(f"{to.origin}/v1", "m"), price=PRICE, tells_cost=True))
        await pieces_of(one)
        assert (one.meter.cost, one.meter.cost_from) == (0.0042, "told")
        assert to.requests[0]["usage"] == {"include": True}


async def test_pieces_of_lines_and_letters_are_put_together() -> None:
    whole = chunk("Grüße 🌧") + chunk("!", "stop") + DONE
    whole = whole.replace(b"\\u00fc", "ü".encode()).replace(b"\\u00df", "ß".encode())
    split = [(0.0, whole[i : i + 3]) for i in range(0, len(whole), 3)]
    async with rival([(0, head()), *split]) as to:
        one = calling(to)
        await pieces_of(one)
        assert one.text == "Grüße 🌧!" and not one.meter.failed


ECHO = b'{"error":{"message":"wrong key ' + SECRET.encode() + b'"}}'
FAULTS: dict[str, tuple[Sequence[Line], str]] = {
    "401": (
        [(0, head("application/json", "401 No")), (0, b'{"error":{"message":"wrong key ' + SECRET.encode() + b'"}}')],
        "key",
    ),
    "403": ([(0, head("application/json", "403 No")), (0, b"{}")], "key"),
    "404": ([(0, head("application/json", "404 No")), (0, b"{}")], "no_model"),
    "400": ([(0, head("application/json", "400 No")), (0, b"{}")], "refused"),
    "429": ([(0, head("application/json", "429 No")), (0, b"{}")], "busy"),
    "500": ([(0, head("text/plain", "500 No")), (0, b"oops")], "broken"),
    "html": ([(0, head("text/html")), (0, b"<!doctype html><script>alert(1)</script>")], "not_a_stream"),
    "json": ([(0, head("application/json")), (0, b'{"choices":[]}')], "not_a_stream"),
    "redirect": ([(0, head("text/plain", "302 Found", "location: http://127.0.0.1/\r\n"))], "forbidden"),
    "silence": ([(0, head()), (0, chunk("a")), (LONG, DONE)], "late"),
    "half open": ([(LONG, b"")], "late"),
    "cut": ([(0, head(more="content-length: 9999\r\n")), (0, chunk("a")), (0.05, CUT)], "broke_off"),
    "hung up": ([(0, CUT)], "unreachable"),
    "invalid utf-8": ([(0, head()), (0, b'data: {"a": "\xff\xfe"}\n\n'), (0, DONE)], "garbled"),
    "not json": ([(0, head()), (0, b"data: {oops\n\n"), (0, DONE)], "garbled"),
    "not an object": ([(0, head()), (0, b"data: [1, 2]\n\n"), (0, DONE)], "garbled"),
    "no choices": ([(0, head()), (0, b'data: {"choices": 7}\n\n'), (0, DONE)], "garbled"),
    "no end": ([(0, head()), (0, chunk("a"))], "broke_off"),
    "error inside": ([(0, head()), (0, chunk("a")), (0, b'data: {"error": {"message": "x"}}\n\n')], "failed"),
    "runaway": ([(0, head()), *[(0, chunk("x" * 4000))] * 9, (0, DONE)], "capped"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_lane_that_fails_says_which(name: str, caplog: pytest.LogCaptureFixture) -> None:
    script, kind = FAULTS[name]
    caplog.set_level(logging.DEBUG)
    async with rival(script) as to:
        one = calling(to, caps=Caps(tokens=512, silence=0.2 if kind == "late" else LONG, whole=LONG))
        pieces = await pieces_of(one)
        assert one.meter.failed == kind, one.meter
        assert one.meter.why and SECRET not in one.meter.why and "<script>" not in one.meter.why
        assert one.meter.cost is None  # unknown, never 0
        assert not pieces or not pieces[-1].done
    assert SECRET not in caplog.text


async def test_an_answer_without_done_or_usage_still_counts() -> None:
    async with rival([(0, head()), (0, chunk("Hi")), (0, chunk(None, "stop"))]) as to:
        one = calling(to)
        assert (await pieces_of(one))[-1].done
        assert one.text == "Hi" and not one.meter.failed and one.meter.tokens is None and one.meter.cost is None


async def test_it_is_tried_again_only_before_the_first_byte(clock: Clock) -> None:
    busy: Sequence[Line] = [(9, head("application/json", "503 Busy")), (0, b"{}")]
    async with rival(lambda n: busy if n < 3 else HELLO, clock) as to:
        one = calling(to)
        await pieces_of(one)
        assert one.text == "Hello you" and one.meter.retries == 2 and len(to.requests) == 3
        assert one.meter.end == pytest.approx(0)  # of the try that worked
    async with rival([(0, head()), (0, chunk("a")), (0.02, CUT)]) as to:
        one = calling(to)
        await pieces_of(one)
        assert one.meter.failed and len(to.requests) == 1
    async with rival(FAULTS["401"][0]) as to:
        await pieces_of(calling(to))
        assert len(to.requests) == 1


async def test_caps_in_tokens_and_money_hold() -> None:
    async with rival(HELLO) as to:
        one = calling(to, caps=Caps(tokens=512, dollars=0.001))  # ten dollars a million: a hundred tokens at the most
        await pieces_of(one)
        assert to.requests[0]["max_tokens"] < 100
        dear = calling(to, caps=Caps(dollars=0.000001))
        await pieces_of(dear)
        assert dear.meter.failed == "too_dear" and len(to.requests) == 1
    async with rival([*HELLO[:3], (0, chunk(usage=usage(3, 5000))), (0, DONE)]) as to:
        one = calling(to, caps=Caps(tokens=100))
        await pieces_of(one)
        assert one.meter.failed == "capped"


async def test_whoever_stops_listening_closes_the_line() -> None:
    async with rival([(0, head()), *[(0.02, chunk("a"))] * 500, (0, DONE)]) as to:
        pieces = calling(to).run()
        await anext(pieces)
        await pieces.aclose()
        await until(lambda: not to.open_lines)


BAD = """http://127.0.0.1:PORT/v1 https://127.0.0.1:PORT/v1 http://localhost:PORT/v1 https://2130706433/v1 https://0x7f.1/v1
https://0177.0.0.1/v1 https://127.1/v1 https://[::1]/v1 https://[::ffff:127.0.0.1]/v1 https://[64:ff9b::7f00:1]/v1
https://10.0.0.1/v1 https://172.16.3.4/v1 https://192.168.1.1/v1 https://169.254.169.254/latest https://[fe80::1]/v1
https://[fd00::1]/v1 https://0.0.0.0/v1 https://100.64.0.1/v1 https://224.0.0.1/v1 https://localhost/v1 file:///etc/passwd
ftp://example.com/v1 https://user:pass@example.com/v1 https://example.com:22/v1 https://no-such-name.invalid/v1 gopher://x
https://ip6-localhost/v1 https://[2002:7f00:1::]/v1 javascript:alert(1)"""


@pytest.mark.parametrize("address", BAD.split())
async def test_only_public_https_hosts_are_reached(address: str) -> None:
    async with rival(HELLO) as to:
        one = calling(to, card=custom_model(address.replace("PORT", str(to.port)), "m"))
        one.allowed = frozenset()
        await pieces_of(one)
        assert (one.meter.failed, one.meter.why) == ("forbidden", REFUSED)
        assert not to.requests and one.meter.retries == 0


async def test_a_name_that_stands_for_a_private_address_is_refused_and_a_public_one_is_pinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import httpx

    requests, reached = [], []

    async def names(self: Any, host: str, *_: Any, **__: Any) -> Any:
        requests.append(host)
        found = {"mixed.example": ["93.184.215.14", "127.0.0.1"], "moves.example": ["93.184.215.14"]}[host]
        return [(2, 1, 6, "", (ip, 443)) for ip in found]

    async def reach(self: Any, request: httpx.Request) -> httpx.Response:
        reached.append((request.url.host, request.headers["host"], request.extensions["sni_hostname"]))
        return httpx.Response(200)

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", names)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", reach)
    async with httpx.AsyncClient(transport=PublicTransport(frozenset())) as client:
        with pytest.raises(httpx.TransportError, match="not allowed"):
            await client.get("https://mixed.example/v1")
        for _ in range(2):
            await client.get("https://moves.example/v1")
    assert requests == ["mixed.example", "moves.example"]  # resolved once
    assert reached == [("93.184.215.14", "moves.example", "moves.example")] * 2


def test_public_addresses_are_public() -> None:
    assert public("93.184.215.14") and public("2606:4700::1111")
    assert not any(public(a) for a in ("", "x", "127.0.0.1", "::", "::1", "255.255.255.255", "2002:a00:1::"))


def test_a_secret_cannot_be_printed_pickled_or_logged() -> None:
    one = RemoteRequest(RemoteModel("a", "a", "x", "https://example.com", "m", "K", "own"), Secret(SECRET), "p")
    stream = io.StringIO()
    try:
        raise ValueError(one, one.key)
    except ValueError:
        stream.write(traceback.format_exc())
    assert SECRET not in f"{one!r} {one.key} {one.key!r} {stream.getvalue()}"
    with pytest.raises(TypeError):
        pickle.dumps(one.key)


def test_the_owners_key_is_for_the_owner_or_shared_on_purpose(
    monkeypatch: pytest.MonkeyPatch, configure: Callable[..., None]
) -> None:
    mercury = card("mercury-2 direct")
    monkeypatch.setenv("INCEPTION_API_KEY", SECRET)
    assert not key_for(mercury) and key_for(mercury, owner=True)
    assert key_for(mercury, typed="mine").reveal() == "mine"
    configure(UNMASK_SHARED_RIVALS="mercury-2 direct")
    assert key_for(mercury) and not key_for(card("claude-haiku direct"))


async def test_without_a_key_a_lane_says_what_to_set() -> None:
    one = RemoteRequest(card("mercury direct"), Secret(""), "p")
    await pieces_of(one)
    assert one.meter.failed == "no_key" and "INCEPTION_API_KEY" in one.meter.why


def test_every_figure_has_a_date_and_a_source() -> None:
    shipped_names = {"mercury", "mercury-2", "claude-haiku", "gpt-mini", "gemini-flash", "nemotron-nano"}
    assert shipped_names <= {c.name.split()[0] for c in cards().values()}
    for one in cards().values():
        assert one.base_url.startswith("https://") and one.model and one.key
        if one.price:
            assert one.price.source.startswith("https://") and len(one.price.date) == 10
    with pytest.raises(InvalidRequest, match="there are"):
        card("nobody")


def test_what_can_be_inferred_from_drafts() -> None:
    drafts = Drafts()
    assert [drafts.add(t, text) for t, text in enumerate(["x y", "a y", "a b", "a b c"])] == [False, True, True, False]
    assert drafts.settled_first() == 1 and drafts.settled_now() == 3
