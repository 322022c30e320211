"""A stop while models load, and while runs would go on for ever: all are told, within ten seconds, and it ends well."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.serve.process import ROOT, Server, free_port, websocket
from tests.until import LONG, answers
from unmask.config import parse_environment
from unmask.serve.runtime import AFTERWARDS, CLOSE_SECONDS, CLOSING

# A family that reads for an hour without ever looking up, as a large file does.
SLOW = """
import runpy, sys, time
import unmask.models, unmask.live.loader as loader
prepare = loader.prepare
def slow(name, **options):
    if "denoiser" in name:
        until = time.monotonic() + 3600
        while time.monotonic() < until:
            sum(range(10_000))
    return prepare(name, **options)
loader.prepare = slow
sys.argv = sys.argv[1:]
run = runpy.run_module if sys.argv[0] == "unmask" else runpy.run_path
run(sys.argv[0], run_name="__main__")
"""


def slowly(tmp_path: Path, *arguments: str, **environment: str) -> tuple[subprocess.Popen[bytes], int]:
    port = free_port()
    (tmp_path / "slow.py").write_text(SLOW)
    env = {k: v for k, v in os.environ.items() if not k.startswith("UNMASK_")}
    env |= {"GRADIO_ANALYTICS_ENABLED": "False", "PYTHONPATH": str(ROOT)} | environment
    command = [sys.executable, str(tmp_path / "slow.py"), *arguments, "--port", str(port)]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
    assert answers(process, f"http://127.0.0.1:{port}/health"), (tmp_path / "log").read_text()
    return process, port


@pytest.mark.parametrize("arguments", [("unmask", "serve", "--model", "toy", "--model", "denoiser"), ("app.py",)])
def test_a_stop_while_a_model_is_read_ends_well(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """It once took 18 seconds, and ended with status -6; who waited for the model heard nothing."""
    process, port = slowly(tmp_path, *arguments)
    try:
        with websocket(port) as line:
            side = {"model": "denoiser"}
            line.send(json.dumps({"do": "open", "sides": [side], "prompt": "1", "length": 8}))
            assert json.loads(line.recv(timeout=LONG))["did"] == "loading"
            process.send_signal(signal.SIGTERM)
            while (message := json.loads(line.recv(timeout=LONG)))["did"] != "refused":
                pass  # long before the model is read
            assert "cancelled" in message["why"]
            assert process.wait(LONG) == 0
        assert "Traceback" not in (tmp_path / "log").read_text()
    finally:
        process.kill()


def test_a_stop_takes_ten_seconds() -> None:
    """Six for what runs, and moments for last words, for lines and for what is closed; it once took 15.6."""
    assert parse_environment({}).grace + AFTERWARDS + CLOSE_SECONDS + CLOSING <= 10


def test_a_stop_beside_runs_without_end_ends_well(another: Callable[..., Server]) -> None:
    server = another("--model", "toy", UNMASK_GRACE="1")
    lines = [websocket(server.port, legacy=True) for _ in range(4)]
    for line in lines:
        side = {"model": "toy", "settings": {"policy": "confidence", "passes": 4000}}
        line.send(json.dumps({"do": "open", "sides": [side], "prompt": "1", "length": 4000, "play": True, "pace": 1.0}))
        while (did := json.loads(line.recv(timeout=LONG))["did"]) != "stepped":
            assert did != "refused"
    server.process.send_signal(signal.SIGTERM)
    for line in lines:
        last = ""
        while last != "done":
            message = json.loads(line.recv(timeout=LONG))
            last = message["did"]
        assert "stopped before" in message["failed"]
    assert server.process.wait(60) == 0  # 4,000 passes at a second each are not waited for
    assert "Traceback" not in server.log.read_text()
