"""Starts a server process, and reads its processor time and memory."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def free() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextlib.contextmanager
def app(*command: str, out: Any = subprocess.DEVNULL) -> Iterator[tuple[str, int]]:
    """Start a server whose last argument is its port; gives its address and process id once it answers."""
    port = free()
    quiet = {"env": os.environ | {"PYTHONPATH": str(ROOT), "GRADIO_ANALYTICS_ENABLED": "False"}, "cwd": ROOT}
    process = subprocess.Popen([sys.executable, *command, str(port)], stdout=out, **quiet)  # type: ignore[call-overload]
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(20)


def cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def work(pid: int, thread: int) -> float:
    """Seconds of processor time of one thread so far."""
    return int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0]) / 1e9


def resident(pid: int) -> float:
    """Megabytes of memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
