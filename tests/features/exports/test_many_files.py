"""A dozen large files fetched at once, and one run's file fetched twice."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette

from tests.long import grown
from tests.until import until
from unmask.features.exports import routes
from unmask.live.permissions import Permission
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.command import Play
from unmask.run.event import Done
from unmask.run.spec import RunSpec
from unmask.serve.runtime import Runtime


async def finished(runtime: Runtime, length: int, passes: int) -> tuple[str, str]:
    session = await runtime.open(Toy(), RunSpec("1", "toy", length, changes={"policy": "confidence", "passes": passes}))
    reader = session.subscribe(0)
    session.send(Play())
    while not isinstance((await reader.get()).event, Done):
        pass
    session.unsubscribe(reader)
    return session.id, session.rights.keys[Permission.WATCH]


@pytest.mark.parametrize("files", grown(4, 12))
async def test_a_dozen_files_are_written_turn_by_turn(files: int) -> None:
    """12 exports of 82 MB at once once held a bystander up for 6.8 seconds: each had a thread of its own."""
    runtime = Runtime()
    runs = [await finished(runtime, 256, 256) for _ in range(files)]
    size = traces.size(runtime.sessions.alive[runs[0][0]].timeline)
    app = Starlette(routes=routes.routes(runtime))
    transport = httpx.ASGITransport(app)
    working, most = 0, 0
    chunks = routes.chunks

    def counted(run: traces.Trace):  # type: ignore[no-untyped-def]
        nonlocal working, most
        pieces = chunks(run)
        while True:
            working += 1
            most = max(most, working)
            piece = next(pieces, None)
            working -= 1
            if piece is None:
                return
            yield piece

    routes.chunks = counted
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://a", timeout=120) as web:
            answers = await asyncio.gather(*(web.get(f"/trace/{name}?key={token}") for name, token in runs))
    finally:
        routes.chunks = chunks
    assert most == 1
    for answer in answers:
        assert answer.status_code == 200
        assert 0.7 < len(answer.content) / size < 1.3
        assert len(traces.parse_trace(answer.content).first.head.path()) == 257
    await runtime.close()


async def test_one_file_of_a_run_at_a_time_and_none_that_could_not_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = Runtime()
    name, token = await finished(runtime, 32, 32)
    sent: list[int] = []

    async def get(answers: list[int], hold: asyncio.Event | None) -> None:
        async def receive() -> dict[str, object]:
            await asyncio.Event().wait()  # the client stays
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                answers.append(int(str(message["status"])))
            elif hold is not None:
                await hold.wait()

        scope = {
            "type": "http", "method": "GET", "path": f"/trace/{name}", "query_string": f"key={token}".encode(),
            "headers": [], "asgi": {"version": "3.0", "spec_version": "2.4"}, "root_path": "", "raw_path": b"",
        }  # fmt: skip
        await app(scope, receive, send)  # type: ignore[arg-type]

    app = Starlette(routes=routes.routes(runtime))
    hold = asyncio.Event()
    first = asyncio.ensure_future(get(sent, hold))
    await until(lambda: sent)
    await get(sent, None)
    hold.set()
    await first
    await get(sent, None)
    monkeypatch.setattr(traces, "MOST_BYTES", 1000)
    await get(sent, None)
    assert sent == [200, 429, 200, 413]
    await runtime.close()
