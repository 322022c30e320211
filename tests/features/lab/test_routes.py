"""The Lab's door: a sweep asked for over HTTP, looked at, stopped, gone on with; bad ones refused by name."""

import asyncio
import time
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.until import LONG, soon, until
from unmask.features.lab import export, routes
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime


@pytest.fixture(scope="module")
def client() -> Any:
    runtime = Runtime()
    with TestClient(Starlette(routes=routes.routes(runtime))) as client:
        yield client
        client.portal.call(runtime.close)


def request(**more: Any) -> dict[str, Any]:
    changes = {"temperature": 1.0, "policy": "confidence", "block": 0}
    row = {
        "model": "permutations",
        "decoders": [{"preset": "llada", "changes": changes | {"passes": n}} for n in (1, 4)],
        "prompts": [" "],
        "seeds": 5,
        "length": 4,
    }
    return row | more


def ended(client: Any, key: str) -> dict[str, Any]:
    def row() -> dict[str, Any] | None:
        row: dict[str, Any] = client.get(f"/lab/{key}").json()
        return row if row["state"] != "running" else None

    return dict(soon(row))


def test_a_sweep_ends_and_its_table_and_advice_can_be_taken(client: Any) -> None:
    begun = client.post("/lab", json=request(prompts=["1", "2"]))
    assert begun.status_code == 201 and begun.json()["count"] == 20
    key = begun.json()["id"]
    row = ended(client, key)
    assert row["state"] == "done" and row["done"] == 20 and len(row["points"]) == 2
    assert row["points"][1]["values"]["right"][0] == 1.0 and "4 cells" in row["paragraph"]
    sheet = client.get(f"/lab/{key}/table").text.splitlines()
    assert len(sheet) == 21 and sheet[0].startswith("decoder,prompt,seed,text")
    best = client.post(f"/lab/{key}", json={"do": "advise", "passes": 2}).json()
    assert best["point"]["passes"] == 1 and best["order"]["preset"] == "llada"


def test_a_sweep_is_compared_with_the_file_of_another_on_the_prompts_of_both(client: Any) -> None:
    keys = [client.post("/lab", json=request(prompts=prompts)).json()["id"] for prompts in (["1", "2"], ["2", "3"])]
    for key in keys:
        ended(client, key)
    file = client.get(f"/lab/{keys[1]}/file").text
    rows = client.post(f"/lab/{keys[0]}/beside?measure=right", json={"file": file}).json()["rows"]
    assert [row["passes"] for row in rows] == [[1, 1], [4, 4]] and rows[1]["difference"][0] == 0
    assert rows[1]["difference"][1] < 0 < rows[1]["difference"][2]
    other = client.post("/lab", json=request(prompts=["4"])).json()["id"]
    ended(client, other)
    path = f"/lab/{other}/beside"
    assert "no prompt in common" in client.post(path, json={"file": file}).json()["why"]
    assert "no file of a sweep" in client.post(path, json={"file": "{}"}).json()["why"]
    assert client.post("/lab/1/beside", json={"file": file}).status_code == 404


@pytest.mark.parametrize(
    "row, why",
    [
        (request(prompts=[]), "at least one prompt"),
        (request(decoders=[]), "at least one decoder"),
        (request(prompts=[f"{n}" for n in range(500)], seeds=20), "at most 5,000"),
        (request(measure="beauty"), "no measure 'beauty'"),
        (request(decoders=[{"preset": "lada"}]), "no preset 'lada'"),
        (request(decoders=[{"preset": "llada", "changes": {"passes": -1}}], prompts=["1"]), "passes"),
        (request(model="nobody/nothing"), "nobody"),
        (request(seeds=0), "seeds"),
        (request(model="toy", twin="", prompts=["1 2"]), "no judge knows a text that begins '1 2'"),
        ({"decoders": 3}, "decoders"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name_before_anything_runs(client: Any, row: Any, why: str) -> None:
    answer = client.post("/lab", json=row)
    assert answer.status_code in (400, 404) and why in answer.json()["why"]


@pytest.mark.parametrize("path", ["/lab", "/lab/compare", "/lab/game"])
def test_a_body_that_is_no_json_is_a_sentence(client: Any, path: str) -> None:
    """The Lab had its own table of errors, which answered with a line of the JSON reader."""
    answer = client.post(path, content=b"{decoders: 3")
    assert answer.status_code == 400 and answer.json()["why"].startswith("the message is no JSON: ")
    assert client.post(path, content=b"[]").json()["why"] == "'message' is a JSON object, not []"


def test_ids_are_secrets_and_deeds_are_few(client: Any) -> None:
    assert client.get("/lab/1").status_code == 404
    key = client.post("/lab", json=request(prompts=["1"])).json()["id"]
    assert len(key) >= 24
    assert "stop, resume" in client.post(f"/lab/{key}", json={"do": "explode"}).json()["why"]
    ended(client, key)


def test_a_cell_that_a_spreadsheet_would_run_is_quoted() -> None:
    assert export.escape_formulas(["=1+1", "-3", "@x", "plain"]) == ["'=1+1", "-3", "'@x", "plain"]


def test_decoders_side_by_side_and_a_game_over_the_door(client: Any) -> None:
    ways = [{"preset": "llada", "changes": {"passes": n}} for n in (2, 8)]
    row = client.post("/lab/compare", json={"model": "toy", "prompt": "1 2", "length": 16, "decoders": ways}).json()
    assert [len(lane["passes"]) for lane in row["lanes"]] == [2, 8] and len(row["parting"]) == 1
    assert client.post("/lab/compare", json={"prompt": "1", "decoders": ways[:1]}).status_code == 400
    game = client.post("/lab/game", json={"turns": [[0, 1], [2, 3]]}).json()
    assert game["over"] and game["passes"] == 2 and game["best"][1] == 0.375
    assert "no such world" in client.post("/lab/game", json={"world": "toy", "turns": []}).json()["why"]


async def test_games_of_one_visitor_leave_the_threads_to_others() -> None:
    """40 games at once filled the threads that every `open` needs: none came in 40 seconds."""
    runtime = Runtime()
    transport = httpx.ASGITransport(Starlette(routes=routes.routes(runtime)), client=("203.0.113.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=LONG) as web:
        worlds = [f"permutations:{n}" for n in (4, 5, 6)]
        games = [
            asyncio.ensure_future(
                web.post("/lab/game", json={"world": worlds[i % 3], "turns": [[c] for c in range(4 + i % 3)]})
            )
            for i in range(40)
        ]
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await runtime.open(Toy(), RunSpec("1 2", "toy", 8), "another")
        assert time.monotonic() - began < 2 and not all(game.done() for game in games)
        for game in games:
            game.cancel()
        await asyncio.gather(*games, return_exceptions=True)
        await until(lambda: not runtime.work._jobs)  # nothing goes on after its caller has left
    await runtime.close()
