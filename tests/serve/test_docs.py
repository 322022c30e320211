"""What is written down is what the code does: the socket's page, the API's page, and the clients that are examples."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, expect

from tests.serve.process import ROOT, Server, free_port, websocket
from tests.until import LONG
from unmask.serve.protocol import PAGE, WORDS, protocol
from unmask.serve.v1.parse import REFUSED
from unmask.serve.v1.request import Chat, Completion

API = (ROOT / "docs" / "api.md").read_text()


def test_the_sockets_page_is_what_the_types_say() -> None:
    assert PAGE.read_text() == protocol(), "run: python -m unmask.serve.protocol"


def test_every_key_that_is_heard_is_written_down(server: Server) -> None:
    documented = {*WORDS["frame"], *WORDS["fields"], *re.findall(r"`(\w+)`", protocol())}
    keys = set()
    with websocket(server.port) as line:
        side = {"model": "toy", "settings": {"policy": "remask", "passes": 6, "temperature": 1.0}}
        line.send(json.dumps({"do": "open", "sides": [side], "prompt": "1", "length": 12, "play": True}))
        while (message := json.loads(line.recv(timeout=LONG)))["did"] != "done":
            keys |= set(message)
    assert keys - documented == {"did"} - documented


def test_the_apis_page_names_every_parameter_and_every_code() -> None:
    for name in {*Chat.model_fields, *Completion.model_fields, *REFUSED}:
        assert f"`{name}`" in API, name
    codes = {code for file in (ROOT / "dllm").rglob("*.py") for code in _codes(file.read_text())}
    assert codes and not {code for code in codes if f"`{code}`" not in API}


def _codes(text: str) -> list[str]:
    return re.findall(r'code="(\w+)"', text)


def test_the_apis_page_runs(server: Server) -> None:
    snippets = "\n".join(re.findall(r"```python\n(.*?)```", API, re.S)).replace("http://127.0.0.1:8000", server.url)
    snippets = snippets.replace('"denoiser"', '"tiny"')  # no weights are needed to hold a schema
    done = subprocess.run([sys.executable, "-c", snippets], capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    assert "passes" in done.stdout and "1.0 " in done.stdout


def test_every_claim_of_the_apis_page_leads_to_a_test() -> None:
    table = API[API.index("| feature |") : API.index("`make clients`")]
    links = re.findall(r"\]\((\.\./tests/[^)]+)\)", table)
    assert len(links) == table.count("\n| ")  # a link a row
    for link in links:
        assert (ROOT / "docs" / link).is_file(), link


def test_the_clients_have_thirty_lines() -> None:
    for name in ("watch.py", "watch.html"):
        assert len((ROOT / "examples" / name).read_text().splitlines()) <= 30


def test_the_python_client_watches_a_run(server: Server) -> None:
    command = [sys.executable, "examples/watch.py", f"ws://127.0.0.1:{server.port}/ws", "1 2 3", "toy"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    *passes, text = done.stdout.splitlines()
    assert len(passes) > 3 and "░" in passes[0] and passes[-1].endswith(text)


@pytest.mark.browser
def test_the_browser_client_watches_a_run(another: Callable[..., Server], chromium: Browser) -> None:
    port = free_port()
    server = another("--model", "toy", UNMASK_ORIGINS=f"http://127.0.0.1:{port}")
    handler = partial(SimpleHTTPRequestHandler, directory=str(ROOT / "examples"))
    files = ThreadingHTTPServer(("127.0.0.1", port), handler)
    threading.Thread(target=files.serve_forever, daemon=True).start()
    page = chromium.new_page()
    url = f"ws://127.0.0.1:{server.port}/ws"
    page.goto(f"http://127.0.0.1:{port}/watch.html?url={url}&model=toy&prompt=1+2+3")
    canvas = page.locator("#canvas[data-done]")
    expect(canvas).to_have_count(1)
    assert canvas.get_attribute("data-done") in (canvas.text_content() or "")
    page.close()
    files.shutdown()
