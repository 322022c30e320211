"""Bad input, wrong keys, callers who leave and servers told to stop: each fault really injected."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import openai
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from tests.serve.process import Server, websocket
from tests.until import LONG, until

HELLO = {"model": "toy", "messages": [{"role": "user", "content": "1 2"}], "max_tokens": 8}
POSTS = ("/v1/chat/completions", "/v1/completions", "/v1/fim/completions")


def shaped(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error of an answer, which has all four keys whatever went wrong."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error: dict[str, Any] = answer.json()["error"]
    assert list(error) == ["message", "type", "param", "code"]
    return error


BODIES: list[tuple[bytes, int]] = [
    (b"\0", 400),
    (b"[]", 400),
    (b'"text"', 400),
    (b"", 400),
    (b"null", 400),
    (b"{" * 100_000, 400),
    (b"[" * 100_000 + b"]" * 100_000, 400),
    (b'{"model": NaN}', 400),
    (b'{"temperature": Infinity}', 400),
    (b'{"model": "\xff\xfe"}', 400),
    (b'{"messages": [], "prompt": ""}', 400),
    (b'{"model": "toy", "messages": [{"role": "user", "content": "\\ud800"}]}', 400),
    (b" " * (10 << 20), 413),
]


@pytest.mark.parametrize(("body", "status"), BODIES, ids=[str(i) for i in range(len(BODIES))])
@pytest.mark.parametrize("path", POSTS[:2])
def test_a_body_of_nonsense_is_refused_in_one_shape(server: Server, path: str, body: bytes, status: int) -> None:
    answer = httpx.post(server.url + path, content=body, headers={"content-type": "application/json"}, timeout=LONG)
    shaped(answer, status)


def test_a_body_without_end_is_cut_off(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(64):
            yield b" " * (1 << 16)

    try:
        answer = httpx.post(
            f"{server.url}{POSTS[0]}", content=endless(), headers={"content-type": "application/json"}, timeout=LONG
        )
        shaped(answer, 413)
    except (httpx.WriteError, httpx.RemoteProtocolError):
        pass  # the door closed while more was coming


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data; boundary=x", ""])
def test_only_json_is_read(server: Server, kind: str) -> None:
    shaped(
        httpx.post(server.url + POSTS[0], content=json.dumps(HELLO), headers={"content-type": kind}, timeout=LONG), 415
    )


def test_unusual_addresses_and_methods_have_the_same_shape(server: Server) -> None:
    for path in (
        "/v1/nothing",
        "/v1/models/",
        "/v1/models/..%2f..%2fetc",
        "/v1/models/a%0ab",
        "/v1/models/%2e%2e%2f",
        "/v1/x/y",
    ):
        shaped(httpx.get(server.url + path, timeout=LONG), 404)
    shaped(httpx.get(f"{server.url}/v1/models/{'x' * 60_000}", timeout=LONG), 404)
    for method, path in (("GET", POSTS[0]), ("DELETE", "/v1/models"), ("PUT", POSTS[1]), ("TRACE", "/v1/models")):
        answer = httpx.request(method, server.url + path, timeout=LONG)
        shaped(answer, 405)
        assert answer.headers["allow"]


def test_every_route_is_declared() -> None:
    """A new route fails here until it is declared."""
    from unmask.serve.access import SERVER_RULES, undeclared_routes
    from unmask.serve.runtime import Runtime
    from unmask.serve.server import app

    runtime = Runtime()
    served = app(runtime, ["toy"])
    runtime.device.close()
    assert undeclared_routes(served.routes, SERVER_RULES) == []
    assert undeclared_routes([Route("/new", lambda _: None), Mount("/other", app=Starlette())], SERVER_RULES) == [
        "/new",
        "/other",
    ]


def test_a_key_opens_and_nothing_else_does(another: Callable[..., Server]) -> None:
    secret, other = "unmask-7c1f-secret", "unmask-second"
    server = another("--model", "toy", UNMASK_API_KEYS=f"{secret} {other}")
    for key in (secret, other):
        assert server.client(key).models.list().data
    with pytest.raises(openai.AuthenticationError) as caught:
        server.client("unmask-7c1f-secreT").models.list()
    assert caught.value.code == "invalid_api_key"
    for headers in ({}, {"authorization": "Basic abc"}, {"authorization": "Bearer"}, {"authorization": secret}):
        for method, path in (
            ("GET", "/v1/models"),
            ("GET", "/v1/models/toy"),
            *(("POST", p) for p in (*POSTS, "/v1/systemone")),
        ):
            answer = httpx.request(
                method, f"{server.url}{path}?api_key={secret}&key={secret}", headers=headers, timeout=LONG
            )
            assert shaped(answer, 401)["type"] == "authentication_error"
            assert secret not in answer.text
    httpx.get(f"{server.url}/v1/openapi.json", timeout=LONG).raise_for_status()
    assert server.stop() == 0
    assert secret not in server.log.read_text()


def test_keys_are_not_in_what_is_printed() -> None:
    from unmask.serve.admission import Keys

    keys = Keys(["very-secret"])
    assert "very-secret" not in f"{keys!r} {keys} {vars(keys)} {keys.__dict__}"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"host": "rebound.example:8000"},
        {"x-forwarded-for": "203.0.113.9"},
        {"forwarded": "for=203.0.113.9"},
    ],
)
def test_without_a_key_only_this_machine_may_call(server: Server, headers: dict[str, str]) -> None:
    shaped(httpx.post(server.url + POSTS[0], json=HELLO, headers=headers, timeout=LONG), 403)
    shaped(httpx.get(f"{server.url}/v1/models", headers=headers, timeout=LONG), 403)


@pytest.mark.parametrize(
    "headers", [{"origin": "https://elsewhere.example"}, {"origin": "null"}, {"host": "a.example"}]
)
def test_a_socket_from_elsewhere_is_refused_before_it_opens(server: Server, headers: dict[str, str]) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        message = {"host": f"127.0.0.1:{server.port}", "upgrade": "websocket", "connection": "Upgrade"} | headers
        message |= {"sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13"}
        line.sendall(("GET /ws HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in message.items()) + "\r\n").encode())
        assert line.recv(64).startswith(b"HTTP/1.1 403")


def test_a_page_of_a_named_origin_may_call_with_a_key(another: Callable[..., Server]) -> None:
    here = "https://class.example"
    server = another("--model", "toy", UNMASK_API_KEYS="k", UNMASK_ORIGINS=here)
    asks = {"access-control-request-method": "POST"}
    before = httpx.options(f"{server.url}{POSTS[0]}", headers=asks | {"origin": here}, timeout=LONG)
    assert before.status_code == 204 and before.headers["access-control-allow-origin"] == here
    answer = httpx.post(
        server.url + POSTS[0], json=HELLO, headers={"origin": here, "authorization": "Bearer k"}, timeout=LONG
    )
    assert answer.status_code == 200 and answer.headers["access-control-allow-origin"] == here
    stranger = httpx.options(
        f"{server.url}{POSTS[0]}", headers=asks | {"origin": "https://other.example"}, timeout=LONG
    )
    assert stranger.status_code == 401 and "access-control-allow-origin" not in stranger.headers


async def test_a_caller_who_leaves_stops_the_decoding() -> None:
    """Streamed or not: within a pass nothing of theirs runs, and the slot is free."""
    import uvicorn

    from tests.serve.process import free_port
    from unmask.serve.runtime import Runtime
    from unmask.serve.server import app

    runtime, port = Runtime(), free_port()
    server = uvicorn.Server(uvicorn.Config(app(runtime, ["toy"]), port=port, log_level="warning", lifespan="on"))
    task = asyncio.ensure_future(server.serve())
    await until(lambda: server.started)
    long = HELLO | {"max_tokens": 4000, "passes": 4000, "policy": "confidence"}
    for stream in (True, False):
        async with httpx.AsyncClient(timeout=LONG) as client:
            asking = asyncio.ensure_future(
                _ask(client, f"http://127.0.0.1:{port}{POSTS[0]}", long | {"stream": stream})
            )
            await until(lambda: any(s.end > 3 for s in runtime.sessions.alive.values()))
            (session,) = runtime.sessions.alive.values()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        await until(lambda: not runtime.sessions.alive)
        await until(lambda: not [t for t in asyncio.all_tasks() if t.get_name().startswith("session ")])
        assert session.closed and session.end < 4000
        assert not runtime.device._requests  # so nothing of theirs can be thought any more
    server.should_exit = True
    await task


async def _ask(client: httpx.AsyncClient, url: str, body: dict[str, Any]) -> None:
    async with client.stream("POST", url, json=body) as answer:
        async for _ in answer.aiter_bytes():
            pass


def test_too_many_at_once_are_told_when_to_come_back(another: Callable[..., Server]) -> None:
    server = another("--model", "toy", UNMASK_API_MOST="2")
    long = HELLO | {"n": 2, "max_tokens": 4000, "passes": 4000, "policy": "confidence", "stream": True}
    with httpx.stream("POST", server.url + POSTS[0], json=long, timeout=LONG) as writing:
        assert next(_lines := writing.iter_lines()).startswith("data")  # kept: an iterator that is dropped hangs up
        answer = httpx.post(server.url + POSTS[0], json=HELLO, timeout=LONG)
        assert shaped(answer, 429)["code"] == "too_many_requests"
        assert int(answer.headers["retry-after"]) >= 1
    # what can never succeed is not told to try again
    answer = httpx.post(server.url + POSTS[0], json=HELLO | {"n": 3}, timeout=LONG)
    assert shaped(answer, 400)["param"] == "n"


def test_a_model_that_fails_ends_its_own_answer_with_a_typed_error(
    another: Callable[..., Server], tmp_path: Any
) -> None:
    (tmp_path / "broken.py").write_text(
        '"""Fails on the third pass."""\n'
        "from unmask.decide import Choice, View, best\n\n"
        "def broken(view: View) -> Choice:\n"
        "    if view.block_pass >= 2:\n"
        "        raise RuntimeError('the third pass')\n"
        "    return Choice(best(view, view.belief.confidence, quota=1))\n"
    )
    server = another("--model", "toy", UNMASK_POLICIES=str(tmp_path))
    body = HELLO | {"policy": "broken"}
    error = shaped(httpx.post(server.url + POSTS[0], json=body, timeout=LONG), 500)
    assert error["code"] == "model_failed"
    lines = httpx.post(server.url + POSTS[0], json=body | {"stream": True}, timeout=LONG).text
    assert '"code":"model_failed"' in lines
    assert httpx.post(server.url + POSTS[0], json=HELLO, timeout=LONG).status_code == 200


def test_told_to_stop_it_refuses_what_is_new_and_finishes_what_runs(another: Callable[..., Server]) -> None:
    """30 runs, then SIGTERM: new ones get 503, a viewer is told, all 30 end whole, exit status 0, no orphans."""
    server = another("--model", "toy", UNMASK_GRACE="60")
    body = HELLO | {"max_tokens": 128, "passes": 24, "stream": True}
    ended: list[bool] = []
    begun = threading.Barrier(31, timeout=LONG)

    def run() -> None:
        with httpx.stream("POST", server.url + POSTS[0], json=body, timeout=LONG) as answer:
            lines = answer.iter_lines()
            next(lines)
            begun.wait()
            ended.append([line for line in lines if line][-1] == "data: [DONE]")

    threads = [threading.Thread(target=run) for _ in range(30)]
    for thread in threads:
        thread.start()
    with websocket(server.port) as viewer:
        viewer.send(json.dumps({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 8}))
        begun.wait()
        server.process.send_signal(signal.SIGTERM)
        while (message := json.loads(viewer.recv(timeout=LONG)))["did"] != "refused":
            pass
        assert "stopping" in message["why"]  # whoever is there hears of it first
        with contextlib.suppress(httpx.TransportError):  # all 30 may have ended meanwhile, and the server with them
            refused = httpx.post(server.url + POSTS[0], json=HELLO, timeout=LONG)
            assert shaped(refused, 503)["code"] == "stopping"
            assert int(refused.headers["retry-after"]) >= 1
        for thread in threads:
            thread.join(60)
        assert server.process.wait(60) == 0
    assert ended == [True] * 30
    assert not os.path.exists(f"/proc/{server.process.pid}/task")


def test_what_does_not_finish_in_time_is_told_so(another: Callable[..., Server]) -> None:
    server = another("--model", "toy", UNMASK_GRACE="1")
    body = HELLO | {"max_tokens": 4000, "passes": 4000, "policy": "confidence", "stream": True}
    with httpx.stream("POST", server.url + POSTS[0], json=body, timeout=LONG) as answer:
        lines = answer.iter_lines()
        next(lines)
        server.process.send_signal(signal.SIGTERM)
        rest = [line for line in lines if line]
    assert '"code":"stopping"' in rest[-2] and rest[-1] == "data: [DONE]"
    assert server.process.wait(60) == 0


async def test_a_server_that_stops_waits_for_answers_that_are_being_sent() -> None:
    from unmask.serve.runtime import Runtime

    runtime = Runtime()
    with runtime.answering():
        stopping = asyncio.ensure_future(runtime.drain(0))
        await asyncio.sleep(0.2)
        assert not stopping.done()
    await asyncio.wait_for(stopping, LONG)
    await runtime.close()


async def test_an_answer_that_has_not_begun_to_decode_is_told_of_the_stop() -> None:
    """Between its first line and its first pass nothing was running, so the server closed the connection without a
    word."""
    from unmask.models.toy import Toy
    from unmask.run.spec import RunSpec
    from unmask.serve.answer import Answer
    from unmask.serve.api_error import ApiError
    from unmask.serve.runtime import Runtime

    runtime = Runtime()
    answer = Answer(await runtime.open(Toy(), RunSpec("1 2 3", "toy", 8)))
    await runtime.drain(0.1)
    with pytest.raises(ApiError) as error:
        async with asyncio.timeout(LONG):
            async for _ in answer.passes():
                pass
    assert error.value.code == "stopping"
    await runtime.close()


def test_a_stranger_on_the_socket_reaches_nobodys_session(server: Server) -> None:
    with websocket(server.port) as mine, websocket(server.port) as theirs:
        mine.send(json.dumps({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 8}))
        opened = json.loads(mine.recv(timeout=LONG))
        theirs.send(json.dumps({"do": "resume", "session": opened["session"], "key": "guess"}))
        assert json.loads(theirs.recv(timeout=LONG))["did"] == "refused"
        for name in ("../x", "/etc/passwd", "%2e%2e", "x" * 10_000):
            theirs.send(json.dumps({"do": "play", "session": name}))
            assert json.loads(theirs.recv(timeout=LONG))["did"] == "refused"


def test_a_tool_whose_name_cannot_be_is_a_wrong_request(server: Server) -> None:
    """Chosen by a name that no tool may have, it was once a fault of the server's."""
    body = HELLO | {"max_tokens": 8, "tool_choice": {"type": "tool", "name": "à b"}}
    answer = httpx.post(
        f"{server.url}/v1/messages/count_tokens",
        json={k: body[k] for k in ("model", "messages", "tool_choice")},
        timeout=LONG,
    )
    assert answer.status_code == 400 and answer.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("properties", [["a"], 3, None])
def test_a_tool_whose_schema_is_none_is_a_wrong_request_at_every_door(server: Server, properties: object) -> None:
    """`properties` that is no object was once a fault of the server's."""
    schema = {"type": "object", "properties": properties}
    function = {"name": "look", "parameters": schema}
    turn = {"model": "toy", "messages": [{"role": "user", "content": "1 2"}], "max_tokens": 8}
    called = [{"type": "function_call", "call_id": "c", "name": "look", "arguments": "3"}]
    requests: list[tuple[str, dict[str, object]]] = [
        ("chat/completions", turn | {"tools": [{"type": "function", "function": function}], "tool_choice": "required"}),
        ("messages", turn | {"tools": [{"name": "look", "input_schema": schema}], "tool_choice": {"type": "any"}}),
        ("responses", {"model": "toy", "input": called, "tools": [{"type": "function", **function}]}),
    ]
    for door, body in requests:
        assert httpx.post(f"{server.url}/v1/{door}", json=body, timeout=LONG).status_code == 400, door
