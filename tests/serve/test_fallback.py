"""The way round where sockets are blocked carries the same messages, over a real port."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from starlette.applications import Starlette

from tests.until import LONG, until
from unmask.serve.access import AccessMiddleware
from unmask.serve.doors import fallback
from unmask.serve.runtime import Runtime


@asynccontextmanager
async def running() -> AsyncIterator[tuple[str, Runtime]]:
    runtime = Runtime()
    server = uvicorn.Server(
        uvicorn.Config(AccessMiddleware(Starlette(routes=fallback.routes(runtime))), port=0, log_level="error")
    )
    task = asyncio.ensure_future(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}", runtime
    finally:
        server.should_exit = True
        await task
        await runtime.close()


async def events(answer: httpx.Response) -> AsyncIterator[dict]:
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line[6:])


async def test_a_run_comes_whole_by_plain_http_and_leaving_frees_the_lane() -> None:
    async with running() as (base, runtime), httpx.AsyncClient(timeout=LONG) as client:
        async with client.stream("GET", f"{base}/line") as answer:
            messages = events(answer)
            line = (await anext(messages))["line"]
            opening = {"do": "open", "prompt": "1 2 3", "length": 12, "sides": [{"model": "toy"}], "play": True}
            assert (await client.post(f"{base}/line/{line}", json=opening)).status_code == 204
            rows = []
            async for event in messages:
                rows.append(event)
                if event["did"] == "done":
                    break
            numbers = [e["n"] for e in rows]
            assert numbers == list(range(1, len(rows) + 1))
            assert [e["did"] for e in rows].count("stepped") == rows[-1]["measures"]["passes"]
            assert (await client.post(f"{base}/line/{line}", content=b"x" * 70_000)).status_code == 413
        await until(lambda: not any(s.subscribers for s in runtime.sessions.alive.values()))


async def test_a_foreign_page_and_an_unknown_line_are_refused() -> None:
    async with running() as (base, _), httpx.AsyncClient(timeout=LONG) as client:
        assert (await client.get(f"{base}/line", headers={"Origin": "https://evil.example"})).status_code == 403
        assert (await client.post(f"{base}/line/nobody", json={"do": "open"})).status_code == 404
