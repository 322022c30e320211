"""A canvas given and read from outside, in vLLM's fields: what is refused, what comes back, and that it is exact."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np
import pytest

from tests.contract.reading import runtime
from unmask.canvas import blank
from unmask.inference import infer
from unmask.models import load
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.run.step import step
from unmask.serve import server

MODELS = ["toy", "noisy=toy:9", "denoiser", "fast", "twin"]
Row = dict[str, Any]


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    made = runtime()
    app = server.app(made, MODELS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=60) as found:
        yield found
    await made.close()


async def cards(client: httpx.AsyncClient) -> dict[str, Row]:
    return {row["id"]: row["x_card"] for row in (await client.get("/v1/models")).json()["data"] if "x_card" in row}


async def completed(client: httpx.AsyncClient, model: str, status: int = 200, **more: Any) -> Row:
    body = {"model": model, "prompt": [3, 1, 4], "logprobs": 5, "return_tokens_as_token_ids": True, **more}
    answer = await client.post("/v1/completions", json=body)
    assert answer.status_code == status, answer.text
    found: Row = answer.json()
    return found


def ids(names: list[str]) -> list[int]:
    assert all(name.startswith("token_id:") for name in names)
    return [int(name.removeprefix("token_id:")) for name in names]


async def test_a_client_is_told_what_it_has_to_know(client: httpx.AsyncClient) -> None:
    for model in ("toy", "noisy", "denoiser", "twin"):
        await client.post("/v1/completions", json={"model": model, "prompt": "1", "max_tokens": 1})
    found = await cards(client)
    assert found["denoiser"]["mask_token_id"] == 1 and found["denoiser"]["canvas_length"] == 128
    assert found["noisy"]["mask_token_id"] is None and found["noisy"]["noise"]
    assert "canvas_length" not in found["twin"] and found["toy"]["max_logprobs"] == 20
    assert found["toy"]["spaced"] is True


@pytest.mark.parametrize("model", ["denoiser", "fast"])
@pytest.mark.parametrize("decided", [0, 9])
async def test_candidates_are_those_of_the_local_belief(client: httpx.AsyncClient, model: str, decided: int) -> None:
    denoiser = load(model)
    prompt = denoiser.tokenizer.encode("Story: Lily had a red kite.")
    state = start(
        blank([prompt, 40]), RunSpec(changes={"candidates": 20, "policy": "confidence"}).settings(denoiser.card, 40)
    )
    while int((~state.canvas.open).sum()) - len(prompt) < decided:
        state, _ = step(state, infer(denoiser, [state])[0])
    (belief,) = infer(denoiser, [state], [True])
    canvas, n = state.canvas, len(prompt)
    seed = np.where(canvas.open, denoiser.card.never[0], canvas.tokens)[n:].tolist()
    xargs = {"diffusion_seed_canvas": seed, "diffusion_canvas_length": 40, "diffusion_read_only": True}
    answer = await completed(client, model, prompt=prompt, logprobs=20, vllm_xargs=xargs)
    rows = answer["choices"][0]["logprobs"]["top_logprobs"]
    cost = answer["usage"]["x_diffusion"]
    assert len(rows) == 40 and (cost["passes"], cost["forwards"]) == (1, 1) and 0 < cost["device_ms"] < 60_000
    compared = 0
    for cell in np.flatnonzero(canvas.open):
        if belief.top_probs[cell, 0] <= 0:
            continue  # beyond the block that a local pass reads
        here = dict(zip(belief.top_ids[cell].tolist(), belief.top_probs[cell].tolist(), strict=True))
        there = {int(name.split(":")[1]): np.exp(p) for name, p in rows[cell - n].items()}
        assert {t: there.get(t, 0) for t in here} == pytest.approx(here, abs=1e-5)
        compared += 1
    assert compared > 8
    read_tokens = ids(answer["choices"][0]["logprobs"]["tokens"])
    assert [t for t, s in zip(read_tokens, seed, strict=True) if s != denoiser.card.never[0]] == [
        t for t in seed if t != denoiser.card.never[0]
    ]


async def test_noise_is_seeded_and_only_pinned_cells_stay(client: httpx.AsyncClient) -> None:
    seed = [(7 * i) % 40 + 3 for i in range(24)]
    xargs = {"diffusion_seed_canvas": seed, "diffusion_canvas_length": 24, "diffusion_pinned": [2, 5]}
    one, again = [await completed(client, "noisy", vllm_xargs=xargs | {"diffusion_read_only": True}) for _ in range(2)]
    found = one["choices"][0]["logprobs"]
    assert found == again["choices"][0]["logprobs"]
    tokens = ids(found["tokens"])
    assert tokens[2] == seed[2] and tokens[5] == seed[5] and tokens != seed
    other = await completed(
        client, "noisy", vllm_xargs=xargs | {"diffusion_seed_canvas": seed[::-1], "diffusion_read_only": True}
    )
    assert other["choices"][0]["logprobs"]["top_logprobs"] != found["top_logprobs"]  # it reads the noise itself


async def test_several_passes_are_those_of_a_run_with_the_same_pins(client: httpx.AsyncClient) -> None:
    toy = runtime().loader.loaded["toy"]
    mask = toy.card.never[0] if toy.card.never else None
    assert mask is not None
    seed = [mask] * 24
    seed[4], seed[9] = 7, 8
    xargs = {"diffusion_seed_canvas": seed, "diffusion_canvas_length": 24, "diffusion_max_steps": 3}
    answer = await completed(client, "toy", seed=5, vllm_xargs=xargs | {"diffusion_read_only": True})
    settings = RunSpec(seed=5).settings(toy.card, 24)
    state = start(blank([[3, 1, 4], 24]), settings)
    state = apply(state, Pin((7, 12), (7, 8)), toy.card.words)
    for _ in range(2):
        state, _ = step(state, infer(toy, [state])[0])
    read_tokens = ids(answer["choices"][0]["logprobs"]["tokens"])
    for cell in np.flatnonzero(~state.canvas.open)[3:]:
        assert read_tokens[cell - 3] == state.canvas.tokens[cell]
    assert answer["usage"]["x_diffusion"]["passes"] == 3


async def test_a_canvas_that_is_given_out_is_whole(client: httpx.AsyncClient) -> None:
    answer = await completed(client, "toy", vllm_xargs={"diffusion_canvas_length": 16})
    toy = runtime().loader.loaded["toy"]
    assert toy.card.never[0] not in ids(answer["choices"][0]["logprobs"]["tokens"])
    assert answer["usage"]["x_diffusion"]["passes"] > 1


async def test_named_tokens_have_a_probability_in_every_cell(client: httpx.AsyncClient) -> None:
    xargs = {"diffusion_canvas_length": 16, "diffusion_read_only": True}
    answer = await completed(client, "toy", logprobs=2, logprob_token_ids=[9, 17], vllm_xargs=xargs)
    for row in answer["choices"][0]["logprobs"]["top_logprobs"]:
        assert {"token_id:9", "token_id:17"} <= row.keys() and 2 <= len(row) <= 4
    only = await completed(
        client, "toy", logprobs=2, logprob_token_ids=[9, 17], vllm_xargs=xargs | {"diffusion_constrained": True}
    )
    for row in only["choices"][0]["logprobs"]["top_logprobs"]:
        assert row.keys() == {"token_id:9", "token_id:17"} and sum(map(np.exp, row.values())) == pytest.approx(1)
    assert {*ids(only["choices"][0]["logprobs"]["tokens"])} <= {9, 17}


async def test_a_conversation_reads_its_canvas_too(client: httpx.AsyncClient) -> None:
    body = {
        "model": "toy",
        "messages": [{"role": "user", "content": "3 1 4"}],
        "logprobs": True,
        "top_logprobs": 3,
        "return_tokens_as_token_ids": True,
        "vllm_xargs": {"diffusion_canvas_length": 16, "diffusion_read_only": True},
    }
    answer = (await client.post("/v1/chat/completions", json=body)).json()
    rows = answer["choices"][0]["logprobs"]["content"]
    assert len(rows) == 16 and all(len(row["top_logprobs"]) == 3 for row in rows)
    best = [max(row["top_logprobs"], key=lambda r: r["logprob"])["token"] for row in rows]
    assert best == [row["token"] for row in rows]


# What clients of vLLM send, field by field: its documents' example (structured_diffusion/structured_server.py, as a
# conversation and as tokens), Nemotron's ("For direct OpenAI-compatible calls"), and one that sends everything.
CANVAS = [7, 8, 9, 10, 106 % 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
READ = {"diffusion_seed_canvas": CANVAS, "diffusion_canvas_length": 16, "diffusion_max_steps": 1}
CLIENTS: list[tuple[str, Row]] = [
    (
        "/v1/chat/completions",
        {
            "messages": [{"role": "system", "content": "1 2"}, {"role": "user", "content": "3 4"}],
            "max_tokens": 5,
            "logprobs": True,
            "top_logprobs": 20,
            "logprob_token_ids": [9, 11],
            "return_tokens_as_token_ids": True,
            "chat_template_kwargs": {"enable_thinking": False},
            "vllm_xargs": {**READ, "diffusion_read_only": True},
        },
    ),
    (
        "/v1/completions",
        {
            "prompt": [3, 1, 4],
            "max_tokens": 5,
            "logprobs": 20,
            "logprob_token_ids": [9, 11],
            "return_tokens_as_token_ids": True,
            "vllm_xargs": {**READ, "diffusion_read_only": True, "diffusion_pinned": [0, 1, 3]},
        },
    ),
    (
        "/v1/chat/completions",
        {
            "messages": [{"role": "user", "content": "3 4"}],
            "temperature": 0,
            "top_p": 1,
            "top_k": 0,
            "max_tokens": 16,
            "logprobs": True,
            "logprob_token_ids": [9, 11],
            "return_tokens_as_token_ids": True,
            "vllm_xargs": {"diffusion_read_only": 1, "diffusion_seed_canvas": CANVAS, "diffusion_canvas_length": 16},
        },
    ),
    (
        "/v1/completions",
        {
            "prompt": [3, 1, 4],
            "max_tokens": 5,
            "temperature": 1.0,
            "top_p": 1.0,
            "top_k": -1,
            "min_p": 0.0,
            "logprobs": 0,
            "echo": False,
            "add_special_tokens": False,
            "logprob_token_ids": [9, 11],
            "return_tokens_as_token_ids": True,
            "vllm_xargs": {**READ, "diffusion_read_only": True, "diffusion_constrained": True},
        },
    ),
]


@pytest.mark.parametrize(("path", "body"), CLIENTS, ids=["chat", "tokens", "direct", "everything"])
@pytest.mark.parametrize("model", ["toy", "noisy"])
async def test_clients_of_vllm_find_what_they_read(client: httpx.AsyncClient, path: str, body: Row, model: str) -> None:
    """A row for each token up to `max_tokens`; in each its own token and the named ones, all of them numbers."""
    answer = await client.post(path, json={"model": model, **body})
    assert answer.status_code == 200, answer.text
    choice, usage = answer.json()["choices"][0], answer.json()["usage"]
    assert usage["completion_tokens"] == body["max_tokens"] and "prompt_tokens" in usage
    if "messages" in body:
        content = choice["logprobs"]["content"]
        tokens = [row["token"] for row in content]
        rows = [{each["token"]: each["logprob"] for each in row["top_logprobs"]} for row in content]
        own = [row["logprob"] for row in content]
    else:
        tokens, rows = choice["logprobs"]["tokens"], choice["logprobs"]["top_logprobs"]
        own = choice["logprobs"]["token_logprobs"]
    assert len(ids(tokens)) == len(rows) == body["max_tokens"]
    for token, logprob, row in zip(tokens, own, rows, strict=True):
        assert {token, "token_id:9", "token_id:11"} <= row.keys() and row[token] == logprob
        assert all(-10_000 < value <= 1e-6 for value in row.values())


LONG = [0] * 17
REFUSED: list[tuple[Row, str]] = [
    (
        {"vllm_xargs": {"diffusion_seed_canvas": LONG, "diffusion_canvas_length": 16}},
        "vllm_xargs.diffusion_seed_canvas",
    ),
    ({"vllm_xargs": {"diffusion_seed_canvas": LONG}}, "vllm_xargs.diffusion_seed_canvas"),  # not the served width
    ({"vllm_xargs": {"diffusion_pinned": [1]}}, "vllm_xargs.diffusion_pinned"),
    ({"vllm_xargs": {"diffusion_canvas_length": 99999}}, "vllm_xargs.diffusion_canvas_length"),
    (
        {"vllm_xargs": {"diffusion_seed_canvas": [9999], "diffusion_canvas_length": 1}},
        "vllm_xargs.diffusion_seed_canvas",
    ),
    ({"vllm_xargs": {"diffusion_max_steps": 0}}, "vllm_xargs.diffusion_max_steps"),
    ({"vllm_xargs": {"diffusion_read_only": True, "diffusion_constrained": True}}, "vllm_xargs.diffusion_constrained"),
    ({"vllm_xargs": {"diffusion_read_only": True}, "stream": True}, "vllm_xargs"),
    ({"vllm_xargs": {"diffusion_read_only": True}, "prompt": ["1", "2"]}, "vllm_xargs"),
    ({"vllm_xargs": {"diffusion_read_only": True}, "logprobs": 21}, "logprobs"),
    ({"vllm_xargs": {"diffusion_read_only": True}, "prompt": [99999]}, "prompt"),
    ({"logprob_token_ids": [1]}, "logprob_token_ids"),
]


@pytest.mark.parametrize(("more", "param"), REFUSED)
async def test_what_is_wrong_is_named(client: httpx.AsyncClient, more: Row, param: str) -> None:
    refused = await completed(client, "toy", 400, **more)
    assert refused["error"]["param"] == param, refused


async def test_a_model_that_writes_from_the_left_has_no_canvas(client: httpx.AsyncClient) -> None:
    refused = await completed(client, "twin", 400, vllm_xargs={"diffusion_read_only": True})
    assert "from left to right" in refused["error"]["message"]


async def test_tokens_of_an_ordinary_answer_may_be_spelled_by_id(client: httpx.AsyncClient) -> None:
    answer = await completed(client, "toy", max_tokens=4)
    assert ids(answer["choices"][0]["logprobs"]["tokens"])
    chat = {"model": "toy", "messages": [{"role": "user", "content": "1 2"}], "logprobs": True, "max_tokens": 4}
    rows = (await client.post("/v1/chat/completions", json=chat | {"return_tokens_as_token_ids": True})).json()
    assert ids([row["token"] for row in rows["choices"][0]["logprobs"]["content"]])
