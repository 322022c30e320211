"""Two real replicas of Ray Serve: sessions end with the tokens of their solo runs, also when a lane is killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from tests.serve.process import Server, started, websocket
from tests.until import LONG, soon
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.spec import RunSpec

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

WAITING = ("loading", "beat")  # what a busy server says before it answers


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("cluster") / "log"
    server = started(log, "--model", "toy", "--model", "denoiser", "--cluster", patience=480, UNMASK_REPLICAS="2")
    yield server
    assert server.stop() == 0, server.log.read_text()


def lanes_of(server: Server) -> list[int]:
    """The replicas' processes: Ray names them, and they know who started them all."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            name = (folder / "cmdline").read_bytes()
            started_by = b"UNMASK_REPLICAS=2" in (folder / "environ").read_bytes()
        except (OSError, ValueError):
            continue
        if name.startswith(b"ray::ServeReplica:unmask:replica") and started_by:
            found.append(int(folder.name))
    return found


def order_of(model: str, seed: int) -> RunSpec:
    prompt = "1 2 3" if model == "toy" else "Recipe: berry pudding for four\n"
    changes: dict[str, Any] = {"policy": "confidence", "passes": 30, "temperature": 1.0, "block": 0}
    return RunSpec(prompt, model=model, length=30, preset="llada", changes=changes, seed=seed)


def open_session(line: ClientConnection, spec: RunSpec) -> str:
    row = {"do": "open", "prompt": spec.prompt, "length": spec.length, "seed": spec.seed, "play": True}
    settings = {**spec.changes, "seed": spec.seed}
    side = {"model": spec.model, "preset": spec.preset, "settings": settings}
    line.send(json.dumps(row | {"pace": 0.1, "sides": [side]}))
    while (message := json.loads(line.recv(timeout=120)))["did"] != "opened":
        assert message["did"] in WAITING, message
    return str(message["session"])


def text_of(line: ClientConnection) -> str:
    while (message := json.loads(line.recv(timeout=120)))["did"] != "done":
        assert message["did"] != "refused", message
    assert not message.get("failed"), message
    return str(message["text"])


def alone(spec: RunSpec) -> str:
    from unmask.run.stats import answer_text

    denoiser = load(spec.model)
    *_, (state, *_) = decode(denoiser, spec.start(denoiser.card, denoiser.tokenizer))
    return answer_text(denoiser, state.canvas)


def test_sessions_end_as_alone_though_a_lane_is_killed(cluster: Server) -> None:
    specs = [order_of(model, seed) for seed in range(8) for model in ("toy", "denoiser")]
    lines = [websocket(cluster.port, legacy=True) for _ in specs]
    for line, spec in zip(lines, specs, strict=True):
        open_session(line, spec)
    soon(lambda: len(lanes_of(cluster)) == 2)  # the one that another test killed is started again
    before = lanes_of(cluster)
    while json.loads(lines[0].recv(timeout=LONG))["did"] != "stepped":
        pass
    os.kill(before[0], signal.SIGKILL)
    texts = [text_of(line) for line in lines]
    for line in lines:
        line.close()
    assert texts == [alone(spec) for spec in specs]


def test_an_answer_of_v1_and_a_question_about_a_cell_come_from_the_lanes(cluster: Server) -> None:
    answer = cluster.client().chat.completions.create(
        model="denoiser", messages=[{"role": "user", "content": "Hello!"}], max_tokens=24, seed=1
    )
    assert answer.choices[0].message.content
    with websocket(cluster.port) as line:
        line.send(json.dumps({"do": "familiar", "models": ["denoiser"], "prompt": "Recipe: tea for two"}))
        while (message := json.loads(line.recv(timeout=LONG)))["did"] in WAITING:
            pass
        assert message["did"] == "familiar" and message["known"]


def listening() -> set[str]:
    """The addresses, as the system writes them, on which the processes of this cluster listen."""
    inodes = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"UNMASK_REPLICAS=2" in (folder / "environ").read_bytes():
                inodes |= {os.readlink(fd) for fd in (folder / "fd").iterdir()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in inodes}


def test_no_port_can_be_reached_from_another_machine(cluster: Server) -> None:
    """Ray's ports take pickles without a key, and once listened on every address."""
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert "0100007F" in listening() and listening() <= loopback
