"""One gate in front of every route of the app as served, Gradio's and MCP's too: each fault really injected."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from typing import Any

import gradio as gr
import httpx
import pytest

from tests.serve.process import free_port
from tests.until import LONG
from unmask.config import config
from unmask.serve.access import undeclared_routes
from unmask.ui.routes import RULES

KEY = "unmask-4f1d-key"
PASSED_ON = {"X-Forwarded-For": "203.0.113.9"}  # a visitor from elsewhere, as a proxy passes one on
DECODING = (
    ("POST", "/gradio_api/call/decode"), ("POST", "/gradio_api/queue/join"), ("GET", "/gradio_api/queue/data"),
    ("POST", "/gradio_api/mcp/"), ("GET", "/gradio_api/mcp/sse"), ("GET", "/v1/models"),
)  # fmt: skip
OFF = (
    ("POST", "/gradio_api/upload"), ("GET", "/gradio_api/file=/etc/passwd"), ("GET", "/gradio_api/proxy=http://a"),
    ("GET", "/monitoring"), ("POST", "/gradio_api/component_server"), ("GET", "/gradio_api/vibe-code/"),
    ("GET", "/openapi.json"), ("GET", "/nothing"),
)  # fmt: skip
OPEN = (("GET", "/"), ("GET", "/config"), ("GET", "/menu"), ("POST", "/gradio_api/run/predict"), ("GET", "/health"))


def served(**variables: str) -> Iterator[gr.Blocks]:
    patch = pytest.MonkeyPatch()
    for name in [n for n in os.environ if n.startswith("UNMASK_")]:
        patch.delenv(name)
    for name, value in {
        "UNMASK_MODELS": "toy",
        "UNMASK_KEEP_HOURS": "0",
        "GRADIO_ANALYTICS_ENABLED": "False",
        **variables,
    }.items():
        patch.setenv(name, value)
    config.cache_clear()
    from unmask.ui.app import serve

    blocks = serve(free_port(), models=("toy",), prompt="1 2", prevent_thread_lock=True, quiet=True)
    yield blocks
    blocks.close(verbose=False)
    patch.undo()
    config.cache_clear()


@pytest.fixture(scope="module")
def app() -> Iterator[gr.Blocks]:
    yield from served(UNMASK_ORIGINS="https://friend.example")


@pytest.fixture
def web(app: gr.Blocks) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=app.local_url.rstrip("/"), timeout=LONG) as client:
        yield client


def test_every_route_of_the_app_is_declared(app: gr.Blocks) -> None:
    assert undeclared_routes(app.app.routes, RULES) == []


@pytest.mark.parametrize(("method", "path"), [*DECODING, *OFF, *OPEN])
@pytest.mark.parametrize(
    "headers", [{"Host": "rebound.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}]
)
def test_a_rebound_name_or_a_foreign_page_reaches_nothing(
    web: httpx.Client, method: str, path: str, headers: dict[str, str]
) -> None:
    """Under a rebound Host decode, queue, upload and MCP once answered 200 with the attacker's allow-origin."""
    answer = web.request(method, path, headers=headers)
    assert answer.status_code in (403, 404)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(("method", "path"), DECODING)
def test_what_decodes_is_off_for_visitors_where_there_is_no_key(web: httpx.Client, method: str, path: str) -> None:
    answer = web.request(method, path, headers=PASSED_ON)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "api_off"


@pytest.mark.parametrize(("method", "path"), OFF)
def test_what_nobody_needs_is_off(web: httpx.Client, method: str, path: str) -> None:
    assert web.request(method, path).status_code == 404


def test_what_the_page_needs_is_there(web: httpx.Client) -> None:
    for path in ("/", "/config", "/menu", "/health", "/ready", "/theme.css", "/gradio_api/info"):
        answer = web.get(path, headers=PASSED_ON)
        assert answer.status_code == 200, path
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_answer_says_what_it_may_load(web: httpx.Client) -> None:
    """Our own files are strict: opened by their address nothing in them runs. Gradio's page loads from here alone."""
    for path in ("/unmask/assets/main.js", "/menu", "/health", "/unmask/assets/picture.svg", "/nothing", "/config"):
        policy = web.get(path).headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy, path
    page = web.get("/").headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in page.split(";"))
    assert rules["default-src"] == rules["script-src"].split(" ")[0] == "'self'" and rules["object-src"] == "'none'"
    elsewhere = {word for rule, words in rules.items() if rule != "frame-ancestors" for word in words.split()}
    assert elsewhere <= {"'self'", "'none'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"}
    for path in ("/", "/health", "/nothing"):
        headers = web.get(path).headers
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]


def test_a_course_may_hold_the_page_where_it_is_public_and_asked_for_as_a_part(web: httpx.Client) -> None:
    """The app of this test is public: an origin of its owner's stands in the environment."""

    def framed(path: str) -> set[str]:
        rules = web.get(path).headers["content-security-policy"].split(";")
        return set(next(rule for rule in rules if "frame-ancestors" in rule).split()[1:])

    assert framed("/?embed=1&hide=controls") == framed("/?hide=controls&embed=1") == {"*"}
    usual = {"'self'", "https://huggingface.co", "https://*.hf.space", "https://friend.example"}
    assert framed("/") == framed("/?embed=10") == framed("/?x=embed=1") == usual
    assert framed("/?embed=0&embed=1") == framed("/?%65mbed=0&embed=1") == usual  # the page reads the first
    assert framed("/menu?embed=1") == {"'none'"}


def test_the_owners_friends_may_call_and_others_may_not_ask(web: httpx.Client) -> None:
    """Gradio answered preflights first: the named origin failed on 127.0.0.1, and on a public host any passed."""
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for path in ("/v1/completions", "/gradio_api/call/decode"):
        friend = web.options(path, headers=asks | {"Origin": "https://friend.example"})
        assert friend.status_code == 204
        assert friend.headers["access-control-allow-origin"] == "https://friend.example"
        other = web.options(path, headers=asks | {"Origin": "https://evil.example"})
        assert other.status_code == 403 and "access-control-allow-origin" not in other.headers
    answer = web.get("/v1/models", headers={"Origin": "https://friend.example"})
    assert answer.headers.get_list("access-control-allow-origin") == ["https://friend.example"]


def called(web: httpx.Client, *data: Any, **headers: str) -> str:
    """What Gradio's own call interface answers in the end."""
    begun = web.post("/gradio_api/call/decode", json={"data": list(data)}, headers=headers)
    assert begun.status_code == 200, begun.text
    return web.get(f"/gradio_api/call/decode/{begun.json()['event_id']}", headers=headers).text


def test_gradio_s_decode_obeys_the_menu(app: gr.Blocks) -> None:
    """A visitor once named another repository, and 300 MB were fetched with the owner's token."""
    from unmask.serve.model_list import resolve_model

    with httpx.Client(base_url=app.local_url.rstrip("/"), timeout=LONG) as web:
        assert '"done": true' in called(web, "1 2", "toy", "fast-dllm", 8, 0, None)
        opened = app.local_url and called(web, "1 2", "no-such-name", "fast-dllm", 8, 0, None)
        assert "no folder here and no id" in opened or "error" in opened
    with pytest.raises(ValueError, match="opens only its own models"):
        resolve_model("someone/else", at_home=False)


@pytest.mark.parametrize("path", ["/v1/completions", "/gradio_api/run/predict", "/gradio_api/call/decode", "/line/x"])
def test_a_large_body_is_refused_before_it_is_read(app: gr.Blocks, web: httpx.Client, path: str) -> None:
    """One prompt of 10 MB once held everybody up for 90 seconds and took 2.3 GB."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {10 << 20}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", app.server_port), timeout=LONG) as line:
        line.sendall(head.encode())  # and nothing of the body
        assert line.recv(4096).split()[1] == b"413"

    def endless() -> Iterator[bytes]:
        while True:
            yield b"a" * 65_536

    with contextlib.suppress(httpx.TransportError):  # it stops listening while more is sent
        answer = web.post(path, content=endless(), headers={"Content-Type": "application/json"})
        assert answer.status_code in (404, 413)
    assert web.get("/health").status_code == 200


def test_a_wrong_length_is_refused(app: gr.Blocks) -> None:
    for length in (str(1 << 50), "9" * 40):
        with socket.create_connection(("127.0.0.1", app.server_port), timeout=LONG) as line:
            head = f"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n"
            line.sendall(head.encode())
            assert line.recv(4096).split()[1] in (b"413", b"400")


def test_keys_bind_every_door_that_decodes() -> None:
    """Gradio's and MCP's doors once asked for no key."""
    for blocks in served(UNMASK_API_KEYS=KEY):
        with httpx.Client(base_url=blocks.local_url.rstrip("/"), timeout=LONG) as web:
            for method, path in DECODING:
                answer = web.request(method, path)
                assert answer.status_code == 401, path
                assert answer.json()["error"]["code"] == "missing_api_key"
            direct = web.post("/gradio_api/run/decode", json={"data": ["1 2", "toy", "fast-dllm", 8, 0, None]})
            assert direct.status_code != 200 or '"done"' not in direct.text
            mine = {"Authorization": f"Bearer {KEY}"}
            assert web.get("/v1/models", headers=mine).status_code == 200
            assert '"done": true' in called(web, "1 2", "toy", "fast-dllm", 8, 0, None, **mine)
            row = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            accept = {"Accept": "application/json, text/event-stream"}
            tools = web.post("/gradio_api/mcp/", json=row, headers=mine | accept)
            assert tools.status_code == 200 and "decode" in json.dumps(tools.text)
