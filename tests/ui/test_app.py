"""The app as a process: what it loads, and how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from websockets.sync.client import ClientConnection, connect

from tests.until import answers, soon
from unmask.ui.app import files

ROOT = Path(__file__).parents[2]


def free() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextlib.contextmanager
def reached(port: int, process: subprocess.Popen[bytes]) -> Iterator[ClientConnection]:
    """A socket to the app, as it is once the app has started: nothing is compressed, which costs more than it saves."""
    assert answers(process, f"http://127.0.0.1:{port}/health")

    def plain() -> bool:
        with contextlib.suppress(ConnectionRefusedError), connect(f"ws://127.0.0.1:{port}/ws") as line:
            return not line.protocol.extensions
        return False

    soon(plain)
    with connect(f"ws://127.0.0.1:{port}/ws", max_size=None) as line:
        yield line


@pytest.mark.long
def test_told_to_stop_it_lets_a_run_finish_tells_who_watches_and_ends_well() -> None:
    port = free()
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {"GRADIO_ANALYTICS_ENABLED": "False", "UNMASK_GRACE": "60"},
        stdout=subprocess.DEVNULL,
    )
    try:
        with reached(port, process) as line:
            sides = [{"model": "toy", "settings": {"policy": "confidence", "passes": 60}}]
            opening = {"do": "open", "prompt": "1 2 3", "length": 60, "play": True, "pace": 0.03, "sides": sides}
            line.send(json.dumps(opening))
            events: list[dict[str, object]] = []
            while not events or events[-1]["did"] != "done":
                events.append(json.loads(line.recv(timeout=60)))
                steps = [event for event in events if event["did"] == "stepped"]
                if events[-1]["did"] == "stepped" and len(steps) == 5:
                    process.send_signal(signal.SIGTERM)
                # every client is refused once; a client that asks again is refused again
                if events[-1]["did"] == "refused" and events[-1].get("do") != "open":
                    line.send(json.dumps(opening | {"id": "late"}))
            assert len(steps) == 60
            refusals = [str(event["why"]) for event in events if event["did"] == "refused"]
            assert len(refusals) == 2 and all("this server is stopping" in why for why in refusals)
            assert not events[-1].get("failed")
        assert process.wait(60) == 0
    finally:
        process.kill()


def test_a_file_of_the_page_is_asked_for_again_and_not_sent_again() -> None:
    """A browser once kept scripts of its own accord, and showed new looks with old scripts after an upgrade."""
    client = TestClient(Starlette(routes=files()))
    first = client.get("/unmask/assets/main.js")
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
    again = client.get("/unmask/assets/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"], again.content) == (304, "no-cache", b"")
