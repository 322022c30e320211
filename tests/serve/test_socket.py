"""The socket on a real port: steered, resumed without a lost or doubled event, guarded, and small on the wire."""

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import uvicorn
from starlette.applications import Starlette
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from dllm.canvas import NOTHING
from dllm.models import Thought
from dllm.models.toy import Numbers, Toy
from dllm.run.packed import unpacked
from dllm.run.state import State
from dllm.serve.gate import Gate
from dllm.serve.host import Host
from dllm.serve.messages import LARGEST
from dllm.serve.origin import welcome
from dllm.serve.socket import routes
from tests.live.test_device import Slow
from tests.support import begin, ending


class Place:
    """A server with a toy, a slow toy and a causal toy, and those who call on it."""

    def __init__(self, host: Host, port: int) -> None:
        self.host, self.port = host, port
        self.toy, self.slow, self.twin = Toy(seed=0), Slow(0.01), Causal()
        for name, model in (("toy", self.toy), ("denoiser", self.slow), ("twin", self.twin)):
            self.offer(name, model)

    def offer(self, name: str, model: Toy) -> None:
        self.host.loader.put(name, model)

    @contextlib.asynccontextmanager
    async def caller(self, **fields: Any) -> AsyncIterator["Caller"]:
        async with connect(f"ws://127.0.0.1:{self.port}/ws", max_size=None, **fields) as line:
            yield Caller(line)

    async def quiet(self, seconds: float = 5.0) -> None:
        """Until nothing plays."""
        async with asyncio.timeout(seconds):
            while any(s.playing for s in self.host.sessions.alive.values()):
                await asyncio.sleep(0.005)


class Causal(Toy):
    """Right about the leftmost open cell alone; its vocabulary has words."""

    def __init__(self) -> None:
        super().__init__(seed=3)
        self.card = replace(self.card, causal=True)


class Caller:
    """Somebody with a line, and everything they heard."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.messages, self.sizes = line, list[dict[str, Any]](), deque[int]()
        self.session, self.keys = "", dict[str, str]()

    async def say(self, do: str, **fields: Any) -> None:
        await self.line.send(json.dumps({"do": do, "session": self.session} | fields))

    async def hear(self, *names: str) -> dict[str, Any]:
        """The next message of one of these names; others are heard on the way."""
        async with asyncio.timeout(10):
            while True:
                raw = await self.line.recv()
                self.messages.append(json.loads(raw))
                self.sizes.append(len(raw))
                if self.messages[-1]["did"] in names:
                    return self.messages[-1]

    async def open(self, model: str = "toy", **fields: Any) -> dict[str, Any]:
        settings = {"policy": "confidence", "passes": 8} | fields.pop("settings", {})
        sides = [{"model": model, "settings": settings}]
        await self.say("open", **{"sides": sides, "prompt": "3 1 4 1 5", "length": 16} | fields)
        opened = await self.hear("opened", "refused")
        self.session, self.keys = opened.get("session", ""), opened.get("keys", {})
        return opened

    async def closed(self) -> int:
        """The code it is closed with."""
        async with asyncio.timeout(10):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await self.line.recv()
        return int(self.line.close_code or 0)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    host = Host()
    config = uvicorn.Config(
        Gate(Starlette(routes=routes(host))),
        host="127.0.0.1",
        port=0,
        log_level="error",
        lifespan="off",
        ws_max_size=4 * LARGEST,
    )
    server = uvicorn.Server(config)
    server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
    serving = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.005)
    yield Place(host, server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    await asyncio.wait_for(serving, 10)
    await host.close()


def drawn(rows: Sequence[dict[str, Any]]) -> list[int]:
    """The canvas that the messages of one session lead to, as a page would draw it."""
    tokens: list[int] = []
    for row in rows:
        if "canvas" in row:
            tokens = list(row["canvas"]["tokens"])
        if row["did"] == "stepped":
            for cell, token in zip(row["w"], row["t"], strict=True):
                tokens[cell] = token
            for cell in row.get("x", []):
                tokens[cell] = NOTHING
    return tokens


async def test_a_run_is_opened_played_and_told_whole(place: Place) -> None:
    async with place.caller() as caller:
        opened = await caller.open(play=True, seed=3, settings={"temperature": 0.8}, id=7)
        done = await caller.hear("done")
        assert opened["id"] == 7 and opened["side"] == 0 and opened["canvas"]["kinds"] == "ggggg" + "o" * 16
        assert [row["n"] for row in caller.messages] == list(range(1, len(caller.messages) + 1))
        assert drawn(caller.messages) == ending(place.toy, begin(seed=3, temperature=0.8))
        assert done["measures"]["passes"] == 8 and not done["failed"]
        guess = unpacked(next(r for r in caller.messages if r["did"] == "stepped")["g"], opened["head"]["width"])
        assert len(guess) == 21 and (guess[5:] >= 0).all() and (guess[:5] == NOTHING).all()


async def test_it_is_steered_by_numbers_and_by_words(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open()
        await caller.say("step", passes=2)
        await caller.hear("moved"), await caller.hear("moved")
        await caller.say("pin", cells=[6], tokens=[9], ref=1)
        assert (await caller.hear("edited"))["canvas"]["kinds"][6] == "p"
        await caller.say("pin", at=8, text="11 12")
        assert (await caller.hear("edited"))["canvas"]["tokens"][8:10] == [11, 12]
        await caller.say("ban", text="13")
        assert (await caller.hear("edited"))["settings"]["bans"] == [13]
        await caller.say("boost", text="14", amount=2)
        assert (await caller.hear("edited"))["settings"]["boosts"] == {"14": 2.0}
        await caller.say("tune", changes={"policy": "threshold", "options": {"tau": 0.6}})
        assert (await caller.hear("edited"))["settings"]["policy"] == "threshold"
        await caller.say("peek", cell=7, at=1)
        assert len((await caller.hear("peeked"))["about"]["candidates"]) == 5
        await caller.say("play")
        await caller.hear("done")
        assert [drawn(caller.messages)[c] for c in (6, 8, 9)] == [9, 11, 12]


async def test_a_prompt_is_recognised_before_anything_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.caller() as caller:
        await caller.say("familiar", prompt="1 2 3", models=["twin", "toy"], id="a")
        answer = await caller.hear("familiar")
        assert answer["known"] and "limit" not in answer and answer["id"] == "a"  # nobody measured these weights
        for most, known in ((0.01, False), (99.0, True)):
            monkeypatch.setattr(
                "dllm.think.familiar.limits", lambda most=most: {place.twin.card.weights: {"limit": most}}
            )
            await caller.say("familiar", prompt="1 2 3", models=["twin", "toy"])
            answer = await caller.hear("familiar")
            assert answer["known"] is known and 0.01 < answer["strange"] < 99
        await caller.say("familiar", prompt=3, models=["twin"])
        assert "prompt must be a text" in (await caller.hear("refused"))["why"]
        assert not place.host.sessions.alive


async def test_a_text_is_judged_where_a_world_can_read_it(place: Place) -> None:
    async with place.caller() as caller:
        for last, hold in ((9, 1), (2, 0)):
            await caller.say("judge", prompt="Sort: 9 4 7\n", text=f"Sort: 9 4 7\nSorted: 4 7 {last}", id=last)
            judged = await caller.hear("judged")
            assert (judged["facts"], judged["hold"] == judged["facts"], judged["id"]) == (
                judged["facts"],
                bool(hold),
                last,
            )
            assert judged["facts"] >= 1 and judged["strict"] is bool(hold)
        await caller.say("judge", prompt="Hello", text="Hello world")
        assert (await caller.hear("judged"))["facts"] == 0


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"do": "jump"}, "no command 'jump'"),
    ({"do": "pin", "cells": [0], "tokens": [1]}, "belongs to the prompt"),
    ({"do": "pin", "at": 99, "text": "1"}, "there is no cell 99"),
    ({"do": "pin", "at": 6, "text": ""}, "an empty word"),
    ({"do": "pin", "at": 20, "text": "1 2 3"}, "needs 3 cells from cell 20 on, and there are only 1"),
    ({"do": "pin", "at": 6, "text": "🪁"}, "write token numbers"),
    ({"do": "ban", "text": "1 2"}, "is 2 tokens for this model"),
    ({"do": "erase", "text": "1"}, "'erase' takes no text"),
    ({"do": "seek", "to": 5}, "there is no moment 5"),
    ({"do": "pin", "cells": [6], "tokens": [1], "at_moment": "x"}, "at_moment must be a whole number"),
    ({"do": "play", "session": "nobody's"}, "this connection has no such session"),
    ({"do": "play", "session": None}, "this connection has no such session"),
    ({"do": "resume", "session": "../x"}, "this session is over"),
    ({"do": "resume", "session": "", "token": 3}, "this session is over"),
    ({"do": "open", "sides": [{"model": "toy"}] * 5}, "1 to 4 sides"),
    ({"do": "open", "sides": ["toy"]}, "each an object with a model"),
    ({"do": "open", "sides": [{"model": "nobody"}]}, "nobody"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": 3}, "a prompt is text"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 0}, "at least 1, not 0"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 10**9}, "sees at most 4096"),
    ({"do": "open", "sides": [{"model": "toy", "preset": "x"}], "prompt": "1"}, "no preset 'x'"),
    ({"do": "open", "sides": [{"model": "toy", "settings": {"passes": 0}}], "prompt": "1"}, "passes must be"),
    ({"do": "open", "sides": [{"model": "toy", "settings": 3}], "prompt": "1"}, "names with values"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "seed": "x"}, "seed must be a whole number"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "play": True, "pace": "x"}, "pace must be a number"),
]


async def test_nonsense_is_a_sentence_and_the_run_goes_on(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open()
        for row, says in WRONG:
            await caller.say(**row, ref=5)
            fields = await caller.hear("refused", "opened")
            assert fields["did"] == "refused" and says in fields["why"] and fields["do"] == row["do"], row
        assert len(place.host.sessions.alive) == 1  # nothing was half opened
        await caller.say("play")
        assert not (await caller.hear("done"))["failed"]


async def test_who_comes_back_misses_nothing_and_hears_nothing_twice(place: Place) -> None:
    async with place.caller() as first:
        await first.open("denoiser", play=True, length=24, settings={"passes": 24})
        while len([r for r in first.messages if r["did"] == "stepped"]) < 5:
            await first.hear("stepped")
    await place.quiet()
    async with place.caller() as second:
        second.session = first.session
        await second.say("resume", key=first.keys["own"], after=first.messages[-1]["n"])
        await second.hear("done")
        rows = first.messages + [r for r in second.messages if r["did"] != "allowed"]
        assert [r["n"] for r in rows] == list(range(1, len(rows) + 1))
        assert drawn(rows) == ending(Toy(), begin(cells=24, passes=24))
        spelled = {t for r in second.messages for t in r.get("pieces", {})}
        assert spelled >= {str(t) for r in second.messages if r["did"] == "stepped" for t in r["t"]}  # a new line, anew


async def test_who_was_away_long_gets_a_snapshot(place: Place) -> None:
    async with place.caller() as caller, place.caller() as late:
        await caller.open(length=100, settings={"passes": 100}, play=True)
        await caller.hear("done")
        late.session = caller.session
        await late.say("resume", key=caller.keys["own"], after=2)
        fields = await late.hear("snapshot")
        assert fields["canvas"]["tokens"] == drawn(caller.messages)
        assert [r["did"] for r in late.messages] == ["allowed", "snapshot"]


async def test_a_session_is_its_visitors_alone(place: Place) -> None:
    async with place.caller() as mine, place.caller() as theirs:
        await mine.open(prompt="7 7 7", play=True)
        await theirs.open(prompt="8 8 8")
        await mine.hear("done")
        keys = ({"key": theirs.keys["own"]}, {"key": "é"}, {})
        for do, more in [*(("resume", key) for key in keys), ("play", {})]:
            await theirs.say(do, **more | {"session": mine.session})
            assert (await theirs.hear("refused"))["do"] == do
        await theirs.say("peek", cell=4, session=mine.session)
        await theirs.hear("refused")
        assert not [r for r in theirs.messages if r.get("session") == mine.session and r["did"] != "refused"]
        for key in mine.keys.values():
            assert key not in json.dumps(theirs.messages) and key not in json.dumps(mine.messages[1:])


@pytest.mark.parametrize(
    ("headers", "let_in"),
    [
        ({}, True),
        ({"Origin": "http://127.0.0.1:{port}"}, True),
        ({"Origin": "http://127.0.0.1:1"}, False),
        ({"Origin": "https://elsewhere.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://["}, False),
    ],
)
async def test_a_foreign_page_is_refused_before_accept(place: Place, headers: dict[str, str], let_in: bool) -> None:
    fields = {k: v.format(port=place.port) for k, v in headers.items()}
    if let_in:
        async with place.caller(additional_headers=fields) as caller:
            assert (await caller.open())["did"] == "opened"
        return
    with pytest.raises(InvalidStatus) as refused:
        async with place.caller(additional_headers=fields):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("origin", "host", "let_in"),
    [
        (None, "localhost:7860", True),
        ("http://localhost:7860", "localhost:7860", True),
        ("http://[::1]:7860", "[::1]:7860", True),
        ("https://me-unmask.hf.space", "me-unmask.hf.space", True),
        (None, "rebound.example", False),
        ("http://rebound.example", "rebound.example", False),
        ("https://evilhf.space", "evilhf.space", False),
        ("http://localhost:7861", "localhost:7860", False),
        (None, "", False),
        (None, "[", False),
        (None, "localhost.evil.example", False),
    ],
)
def test_a_rebound_name_is_not_ours(origin: str | None, host: str, let_in: bool) -> None:
    assert welcome(origin, host) is let_in


async def test_too_much_too_fast_or_junk_ends_the_line(place: Place, configure: Callable[..., None]) -> None:
    async with place.caller() as caller:
        await caller.line.send(json.dumps({"do": "open", "prompt": "x" * (1 << 20)}))
        assert await caller.closed() == 1009
    async with place.caller() as caller:
        await caller.open(prompt="1 " * (LARGEST // 2 - 200))  # large, but allowed
        assert caller.messages[-1]["did"] == "refused"
    for junk in ("hello", "[]", '"open"', "{}", '{"do": 3}', b"\xff\xfe\x00", "[" * 50_000, '{"do": NaN}'):
        async with place.caller() as caller:
            await caller.line.send(junk)
            assert await caller.closed() == 1008
    configure(UNMASK_MESSAGES="50")
    async with place.caller() as caller:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(300):
                await caller.line.send('{"do": "peek"}')
        assert await caller.closed() == 1008


async def test_an_address_has_so_many_sessions_and_gets_them_back(place: Place) -> None:
    place.host.sessions.share = 3
    async with place.caller() as caller:
        for _ in range(3):
            assert (await caller.open())["did"] == "opened"
        first_session = caller.session
        assert "too many runs" in (await caller.open())["why"]
        await caller.say("close", session=first_session)
        assert (await caller.open())["did"] == "opened"
    await place.quiet()
    async with place.caller() as caller:  # what was left makes room
        for _ in range(3):
            assert (await caller.open())["did"] == "opened"


async def test_a_visitor_who_leaves_stops_the_decoding_within_a_pass(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open("denoiser", play=True, length=200, settings={"passes": 200})
        await caller.hear("stepped")
        caller.line.transport.abort()  # no goodbye
    await place.quiet()
    thought = len(place.slow.batches)
    await asyncio.sleep(0.1)
    assert len(place.slow.batches) == thought < 150


async def test_thirty_at_once_get_their_own_tokens(place: Place) -> None:
    async def visit(i: int) -> tuple[list[int], State]:
        async with place.caller() as caller:
            policy = ("confidence", "replan", "entropy_bound", "ancestral")[i % 4]
            settings = {"policy": policy, "temperature": 0.7, "passes": 6}
            await caller.open(play=True, seed=i, length=8 + i % 3, settings=settings)
            await caller.hear("done")
            return drawn(caller.messages), begin(seed=i, cells=8 + i % 3, **settings)

    for fields, state in await asyncio.gather(*(visit(i) for i in range(30))):
        assert fields == ending(place.toy, state)


async def test_a_blank_is_filled_by_one_side_and_written_on_from_by_a_twin(place: Place) -> None:
    async with place.caller() as caller:
        sides = [{"model": "toy"}, {"model": "twin", "preset": "mdlm"}]
        await caller.say("open", sides=sides, prompt="3 ___ 1", length=6, play=True)
        left, right = await caller.hear("opened"), await caller.hear("opened")
        assert left["canvas"]["kinds"] == "gooog" and right["canvas"]["kinds"] == "goooooo"
        assert right["head"]["settings"]["policy"] == "left_to_right" and left["keys"] != right["keys"]
        await caller.hear("done"), await caller.hear("done")
        shared = [row for row in caller.messages if row.get("shared")]
        assert not shared  # sides of one pair have the device to themselves


class Wide(Toy):
    """A vocabulary and a canvas as large as the budgets speak of; what it believes changes only where asked."""

    def __init__(self, still: bool) -> None:
        super().__init__(words=4096, seed=1, mask=4095)
        self.still, self.speller = still, Numbers(4096)

    def logits(self, thoughts: Sequence[Thought]) -> list[torch.Tensor]:
        if not self.still:
            return super().logits(thoughts)
        bare = [replace(t, tokens=np.full(len(t.tokens), 7), open=np.ones(len(t.open), bool)) for t in thoughts]
        return super().logits(bare)


@pytest.mark.parametrize(("still", "budget"), [(True, 512), (False, 1536)])
async def test_a_frame_is_small(place: Place, still: bool, budget: int) -> None:
    """256 cells, 12 written: half a kilobyte where no ghost changed, one and a half with all of them."""
    place.offer("toy", Wide(still))
    async with place.caller() as caller:
        await caller.open(prompt="3 1 4 1", length=252, settings={"passes": 21}, play=True)
        await caller.hear("done")
        steps = [(r, s) for r, s in zip(caller.messages, caller.sizes, strict=True) if r["did"] == "stepped"]
        assert {len(r["w"]) for r, _ in steps} == {12}
        bare = [s - len(json.dumps(r.get("pieces", {}), separators=(",", ":"))) for r, s in steps[1:]]
        assert ("g" in steps[1][0]) is not still
        assert max(bare) <= budget, (max(bare), steps[1][0])


async def test_a_beat_tells_that_the_line_lives(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dllm.serve.socket.BEAT", 0.02)
    async with place.caller() as caller:
        began = time.monotonic()
        await caller.hear("beat"), await caller.hear("beat")
        assert time.monotonic() - began < 2
