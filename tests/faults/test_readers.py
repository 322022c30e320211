"""Readers who do not read, and lines on which nobody speaks."""

import base64
import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection

from tests.serve.process import Server, started, websocket
from tests.until import LONG, soon

ENDLESS = {"model": "toy", "settings": {"policy": "confidence", "passes": 4000}}


def idle(port: int) -> ClientConnection:
    line: ClientConnection = websocket(port).__enter__()
    return line


def opens(line: ClientConnection) -> bool:
    line.send(json.dumps({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 8}))
    while (did := json.loads(line.recv(timeout=LONG))["did"]) in ("beat", "loading"):
        pass
    return did == "opened"


def deaf(port: int) -> socket.socket:
    """A line with hardly any room, on which a run of 4,000 passes is shown."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", port))
    key = base64.b64encode(os.urandom(16)).decode()
    line.sendall(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    while not line.recv(1).endswith(b"\n") or line.recv(1) != b"\r":  # the line that ends the answer
        pass
    line.recv(1)
    row = json.dumps({"do": "open", "sides": [ENDLESS], "prompt": "1", "length": 4000, "play": True}).encode()
    mask = os.urandom(4)
    line.sendall(
        bytes([0x81, 0x80 | 126])
        + len(row).to_bytes(2, "big")
        + mask
        + bytes(b ^ mask[i % 4] for i, b in enumerate(row))
    )
    return line


def test_who_reads_nothing_is_hung_up_on(another: Callable[..., Server]) -> None:
    """The server waited for such a reader for ever: its patience was looked at only between two messages."""
    server = another("--model", "toy", UNMASK_READ_TIMEOUT="1")
    with deaf(server.port) as line, idle(server.port) as other:
        # what lies between is filled first, and then its patience must end
        soon(lambda: "unmask_drops_total 1" in httpx.get(f"{server.url}/metrics", timeout=LONG).text)
        line.settimeout(LONG)
        with contextlib.suppress(ConnectionResetError):
            while line.recv(1 << 20):  # ends, since nothing more comes
                pass
        assert opens(other)  # who only says nothing is not a deaf one


def test_lines_of_one_address_are_counted(another: Callable[..., Server]) -> None:
    """1,000 idle sockets from one address were once accepted."""
    server = another("--model", "toy", UNMASK_VISITOR_CONNECTIONS="12")
    lines = [idle(server.port) for _ in range(12)]
    with pytest.raises(InvalidStatus):
        idle(server.port)
    assert httpx.get(f"{server.url}/health", timeout=LONG).status_code == 429
    for line in lines:
        line.close()

    def again() -> bool:
        with contextlib.suppress(InvalidStatus):
            idle(server.port).close()
            return True
        return False

    assert soon(again)


def test_a_line_on_which_nothing_is_asked_is_closed(another: Callable[..., Server]) -> None:
    server = another("--model", "toy", UNMASK_READ_TIMEOUT="1")
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(idle(server.port))
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(3)]
        words = (b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        for line, text in zip(lines, words, strict=True):
            line.settimeout(LONG)
            line.sendall(text)
        for line in lines:
            with contextlib.suppress(ConnectionResetError):
                assert line.recv(64) == b""
        assert opens(other)  # one that became a socket is left in peace, though it is older


HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = (
    b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
)


def dribbled(line: socket.socket) -> bytes:
    """What is answered while a byte is sent now and then, until the line is closed."""
    line.settimeout(0.1)
    answer = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while True:
            line.sendall(b"a")
            with contextlib.suppress(TimeoutError):
                if not (part := line.recv(4096)):
                    break
                answer += part
    return answer


def test_a_head_or_body_that_dribbles_ends_after_the_first_request_too(another: Callable[..., Server]) -> None:
    """Only the first head had a deadline, and a body none: 100 of 100 were alive after 75 seconds."""
    server = another("--model", "toy", UNMASK_READ_TIMEOUT="1")
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(HEAD + b"\r\n")
        while not line.recv(4096).endswith(b'"ok"}'):
            pass
        line.sendall(HEAD + b"X-Slow: ")
        assert dribbled(line) == b""
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(BODY)
        assert b"408 Request Timeout" in dribbled(line)
    assert "Traceback" not in server.log.read_text()


def test_with_few_descriptors_a_newcomer_is_served(tmp_path: Path) -> None:
    """Idle lines held all of them; each further one wrote a traceback: 99.7 MB in a minute."""
    few = ["bash", "-c", 'ulimit -n 128; exec "$@"', "-"]
    server = started(tmp_path / "log", "--model", "toy", before=few)
    lines = []
    try:
        for _ in range(200):
            lines.append(socket.create_connection(("127.0.0.1", server.port), timeout=LONG))
        # long before the idle ones have had their time
        assert httpx.get(f"{server.url}/health", timeout=15).status_code == 200
        assert len(server.log.read_text().splitlines()) < 100
    finally:
        for line in lines:
            line.close()
        server.stop(signal.SIGKILL)
