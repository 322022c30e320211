"""`POST /v1/systemone`: its form, its errors, keys and limits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.contract.reading import runtime
from unmask.live.device import Client
from unmask.serve import server

BODY: dict[str, Any] = {
    "model": "permutations",
    "state": "1 3",
    "questions": {"next": {"type": "choice", "criteria": {"2": None, "4": None, "1": None}}},
}


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    made = runtime()
    app = server.app(made, ["permutations", "twin"])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60) as found:
        yield found
    await made.close()


async def test_answers_have_the_public_form(client: httpx.AsyncClient) -> None:
    found = await client.post("/v1/systemone", json=BODY)
    assert found.status_code == 200 and found.headers["x-typesafe-request-id"]
    row = found.json()
    assert set(row) == {"model", "answers", "usage"} and row["model"] == "permutations"
    answer = row["answers"]["next"]
    assert set(answer) == {"type", "choice", "confidence", "probabilities"}
    assert answer["probabilities"] == pytest.approx({"2": 0.5, "4": 0.5, "1": 0}, abs=1e-6)
    assert {"input_tokens", "output_tokens"} <= set(row["usage"])


@pytest.mark.parametrize(
    "changes, status, why",
    [
        ({"questions": {}}, 422, "at least one question"),
        ({"questions": {"q": {"type": "choice", "criteria": {}}}}, 422, "at least one option"),
        ({"state": None}, 422, "state must be text"),
        ({"state": "1 " * 400}, 422, "shorten the state"),
        ({"model": "twin"}, 422, "left to right"),
        ({"model": "nobody"}, 404, "no model of this name"),
        ({"model": 3}, 422, "model must be text"),
        ({"x_together": 1}, 422, "true or false"),
        ({"stream": True}, 422, "stream is not a parameter"),
    ],
)
async def test_what_is_wrong_is_a_sentence_and_a_status(
    client: httpx.AsyncClient, changes: dict[str, Any], status: int, why: str
) -> None:
    found = await client.post("/v1/systemone", json=BODY | changes)
    assert found.status_code == status and why in found.json()["error"]["message"], found.text


async def test_a_name_that_is_there_twice_and_a_missing_field_are_refused(client: httpx.AsyncClient) -> None:
    kind, twice = {"content-type": "application/json"}, '{"state": "1", "questions": {"q": {}, "q": {}}}'
    found = await client.post("/v1/systemone", content=twice, headers=kind)
    assert found.status_code == 422 and "'q' is there twice" in found.json()["error"]["message"]
    found = await client.post("/v1/systemone", json={"state": "1"})
    assert found.status_code == 422 and found.json()["error"]["message"] == "questions is missing"


async def test_the_fifth_request_of_a_visitor_at_once_is_told_to_wait() -> None:
    made, gate = runtime(), threading.Event()
    app = server.app(made, ["permutations", "twin"])
    device = made.device_for(await made.model("permutations"))
    busy = asyncio.create_task(device.run(lambda: gate.wait(60), Client("another", visitor="another")))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60) as found:
        asks = [asyncio.create_task(found.post("/v1/systemone", json=BODY)) for _ in range(5)]
        done, _ = await asyncio.wait(asks, return_when=asyncio.FIRST_COMPLETED, timeout=60)
        refused = done.pop().result()
        assert refused.status_code == 429 and refused.headers["retry-after"] == "2"
        assert "4 requests of yours are in progress" in refused.json()["error"]["message"]
        gate.set()
        assert sorted(one.status_code for one in await asyncio.gather(*asks)) == [200, 200, 200, 200, 429]
    await busy
    await made.close()
