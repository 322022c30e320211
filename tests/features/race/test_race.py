"""A race is fair, goes on when a racer fails, and can be taken away; keys come in and never go out."""

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.features.race.providers.scripted import DONE, Line, Rival, chunk, head, rival, usage
from tests.until import until
from unmask.features.race.providers.cards import Secret, custom_model
from unmask.features.race.providers.claims import claims
from unmask.features.race.race import News, Race
from unmask.features.race.racers import Local, Remote
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime
from unmask.serve.served_models import ServedModels

SECRET = "sk-race-secret"
APPENDS: list[Line] = [(0.05, head()), *[(0.02, chunk("12 "))] * 5, (0, chunk(None, "stop")), (0, chunk(usage=usage(3, 10))), (0, DONE)]  # fmt: skip  # noqa: E501
REPLACES: list[Line] = [(0.05, head()), *[(0.03, chunk(t)) for t in ("9 9", "1 9", "1 2")], (0, chunk(None, "stop")), (0, DONE)]  # fmt: skip  # noqa: E501


@pytest.fixture
async def runtime() -> AsyncIterator[Runtime]:
    made = Runtime()
    yield made
    await made.close()


def ours(runtime: Runtime, **settings: Any) -> Local:
    spec = RunSpec(model="toy", preset=settings.get("preset", ""), changes=settings.get("settings") or {})
    return Local(runtime, ServedModels(runtime, {"toy": "toy"}), spec)


@pytest.fixture
def open_door(configure: Callable[..., None]) -> Any:
    def allow(*rivals: Rival) -> None:
        configure(UNMASK_RIVAL_ORIGINS=" ".join(r.origin for r in rivals))

    return allow


def theirs(to: Rival, diffusing: bool = False) -> Remote:
    one = replace(custom_model(f"{to.origin}/v1", "m", diffusing, "=scripted"), key="K")
    return Remote(one, Secret(SECRET), diffusing)


async def test_all_race_on_one_clock_and_a_failing_lane_stops_nobody(runtime: Runtime, open_door: Any) -> None:
    broken = [(0.0, head("text/html")), (0.0, b"<html>")]
    async with rival(APPENDS) as a, rival(REPLACES) as b, rival(broken) as c:
        open_door(a, b, c)
        race = Race([ours(runtime, settings={"passes": 8}), theirs(a), theirs(b, True), theirs(c)], "1 2 3", 16)
        news = [n async for n in race.at_once()]
    ends = {n.racer: n for n in news if n.done}
    assert set(ends) == {0, 1, 2, 3}
    assert [ends[i].meter.failed for i in range(4)] == ["", "", "", "not_a_stream"]
    assert ends[1].text == "12 " * 5 and ends[2].text == "1 2" and ends[0].text
    for racer in range(4):
        times = [n.at for n in news if n.racer == racer]
        assert times == sorted(times)
    table = race.table()
    assert table[0]["passes"] == 8 and table[0]["tokens"] == 16
    assert table[1]["tokens"] == 10 and table[2]["tokens"] is None and table[2]["rewrites"] == 2
    assert table[3]["failed"] == 1 and table[3]["why"] and table[3]["end"] is None
    assert not runtime.sessions.alive


async def test_five_rounds_are_interleaved_and_have_a_spread(runtime: Runtime, open_door: Any) -> None:
    async with rival(APPENDS) as a:
        open_door(a)
        race = Race([ours(runtime, settings={"passes": 4}), theirs(a)], "1 2", 8)
        spec = [(n.round, n.racer) async for n in race.in_turns() if n.done]
    assert spec == [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0), (2, 1), (3, 1), (3, 0), (4, 0), (4, 1)]
    for row in race.table():
        low, high = row["end_spread"]
        assert row["runs"] == 5 and low <= row["end"] <= high


async def test_a_race_is_taken_away_whole_and_without_keys(runtime: Runtime, open_door: Any) -> None:
    async with rival(APPENDS) as a:
        open_door(a)
        race = Race([ours(runtime), theirs(a)], "=1+1", 8)
        race.prompt = "1 2"
        async for _ in race.at_once():
            pass
    rows = list(csv.DictReader(io.StringIO(race.csv())))
    assert [r["title"] for r in rows] == ["toy", "'=scripted"]  # no spreadsheet takes it for a formula
    assert rows[1]["tokens"] == "10" and rows[1]["cost"] == ""  # unknown is empty, never 0
    head_, *events = [json.loads(line) for line in race.trace().splitlines()]
    assert head_["unmask_race"] == 1 and len(head_["racers"]) == 2
    assert [e["text"] for e in events if e.get("done") and e["racer"] == 1] == ["12 " * 5]
    assert SECRET not in race.csv() + race.trace() + repr(race)


async def test_whoever_leaves_ends_the_race(runtime: Runtime, open_door: Any) -> None:
    endless: list[Line] = [(0, head()), *[(0.02, chunk("a "))] * 500]
    async with rival(endless) as a:
        open_door(a)
        race = Race([ours(runtime, settings={"passes": 4000}), theirs(a)], "1", 512)
        running = race.at_once()
        seen: list[News] = [await anext(running) for _ in range(4)]
        await running.aclose()
        assert seen
        await until(lambda: not a.open_lines and not runtime.sessions.alive)


async def test_the_door_tells_the_field_and_never_a_key(open_door: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import uvicorn
    from starlette.applications import Starlette
    from websockets.asyncio.client import connect

    from tests.serve.process import free_port
    from unmask.features.race.routes import routes

    monkeypatch.setenv("INCEPTION_API_KEY", SECRET)
    runtime, port = Runtime(), free_port()
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes(runtime, ("toy",))), port=port, log_level="warning"))
    task = asyncio.ensure_future(server.serve())
    await until(lambda: server.started)
    messages: list[str] = []
    async with rival(REPLACES) as to, connect(f"ws://127.0.0.1:{port}/race") as line:
        open_door(to)
        await line.send(json.dumps({"do": "field"}))
        messages.append(str(await line.recv()))
        field = json.loads(messages[-1])
        keyed = [r["card"] for r in field["rivals"] if r["key"]]
        assert set(keyed) == {"mercury direct", "mercury-2 direct"} and field["ours"] == ["toy"]
        typed = {"address": f"{to.origin}/v1", "name": "m", "key": SECRET, "diffusing": True}
        racers = [{"model": "toy", "settings": {"passes": 4}}, typed, {"card": "gpt-mini direct"}]
        await line.send(json.dumps({"do": "race", "prompt": "1 2", "length": 8, "racers": racers}))
        while json.loads(messages[-1])["did"] != "results":
            messages.append(str(await line.recv()))
        table = json.loads(messages[-1])["table"]
        assert [bool(row["why"]) for row in table] == [False, False, True] and "OPENAI_API_KEY" in table[2]["why"]
        for wrong in ({"do": "race"}, {"do": "race", "prompt": "x", "racers": [{}]}, {"do": "dance"}):
            await line.send(json.dumps(wrong))
            assert json.loads(await line.recv())["did"] == "refused"
    assert not any(SECRET in text for text in messages)
    server.should_exit = True
    await task
    await runtime.close()


def test_every_claim_says_who_where_and_when_or_that_it_is_not_known() -> None:
    for claim in claims():
        assert claim["about"] and claim["what"] and claim["value"] and claim["unit"] and claim["by"]
        if claim["source"]:
            assert claim["source"].startswith("https://") and (claim["date"] or claim["seen"])
        else:
            assert claim["condition"]  # what is known instead
    messages = {(c["about"], c["what"], str(c["value"])) for c in claims()}
    for value in ("1009", "1196", "711.6"):
        assert ("Mercury 2", "output speed", value) in messages
    prices = {v for a, w, v in messages if a == "Mercury 2" and w == "price, input and output"}
    assert len(prices) > 1  # they contradict each other, and stand side by side
