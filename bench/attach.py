"""A model that another process serves: what a pass costs over the local one, and thirty visitors on one server."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from bench.row import Row, at_most
from bench.visitors import run
from tests.serve.process import started
from unmask.canvas import blank
from unmask.inference import infer
from unmask.models import Denoiser, load
from unmask.models.remote.server import Server
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.serve.runtime import Runtime

PROMPT, CELLS = "Story: Lily had a red kite.", 112
VISITORS, PASSES, AWAY = 30, 16, 0.05  # AWAY: seconds that the server of many visitors needs for a read


def begin(denoiser: Denoiser) -> State:
    settings = RunSpec(changes={"policy": "confidence", "passes": PASSES}).settings(denoiser.card, CELLS)
    return start(blank([denoiser.tokenizer.encode(PROMPT), CELLS]), settings)


def passes(denoiser: Denoiser, state: State, count: int) -> list[float]:
    """Milliseconds of a pass whose every cell is shown."""
    times = []
    for _ in range(count):
        began = time.perf_counter()
        infer(denoiser, [state], [True])
        times.append(1000 * (time.perf_counter() - began))
    return times


class Far(BaseHTTPRequestHandler):
    """A server with a model of its own on a device of its own: each answer takes as long, however many there are."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20
    rows = json.dumps([{f"token_id:{(31 * c + k) % 4000}": -0.5 - k for k in range(20)} for c in range(256)])

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        card = {"words": 4581, "mask_token_id": 1, "canvas_length": 256, "max_logprobs": 20, "ends": [0]}
        self.reply(json.dumps({"data": [{"id": "far", "max_model_len": 512, "x_card": card}]}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tokenize":
            return self.reply(json.dumps({"tokens": [5, 6, 7]}))
        if self.path == "/detokenize":
            return self.reply(json.dumps({"prompt": " ".join(map(str, body["tokens"]))}))
        time.sleep(AWAY)
        usage = {"x_diffusion": {"device_ms": 1000 * AWAY}}
        head = f'{{"usage": {json.dumps(usage)}, "choices": [{{"logprobs": {{"top_logprobs": '
        self.reply(head + self.rows + "}}]}")

    def reply(self, text: str) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


async def waits(address: str, visitors: int) -> list[float]:
    """Milliseconds of every pass of so many visitors, without the server's own."""
    runtime = Runtime()
    denoiser = await runtime.model(f"attach:{address}")
    changes = {"policy": "confidence", "passes": PASSES, "end": "allow"}
    specs = [RunSpec(PROMPT, length=CELLS, changes=changes, seed=i) for i in range(visitors)]
    sessions = [await runtime.open(denoiser, spec, f"v{i}") for i, spec in enumerate(specs)]
    times = await asyncio.gather(*(run(session) for session in sessions))
    await runtime.close()
    return sorted(1000 * float(t - AWAY) for each in times for t in np.diff(each)[1:])


def p99(times: Sequence[float]) -> float:
    return times[min(len(times) - 1, int(0.99 * len(times)))]


def rows(tiny: bool = False) -> Iterator[Row]:
    count, sizes = 5 if tiny else 40, list[int]()
    once = Server._once

    def counted(self: Server, *what: Any) -> Any:
        answer = once(self, *what)
        sizes.append(len(answer[2]))
        return answer

    with TemporaryDirectory() as folder:
        door = started(Path(folder) / "log", "--model", "denoiser")
        try:
            local, there = load("denoiser"), load(f"attach:{door.url}/v1")
            states = begin(local), begin(there)
            for _ in range(2):
                passes(local, states[0], 3), passes(there, states[1], 3)
            with patch.object(Server, "_once", counted):
                pairs = [(passes(local, states[0], 1)[0], passes(there, states[1], 1)[0]) for _ in range(count)]
            over = median(far - near for near, far in pairs)
            near = median(one for one, _ in pairs)
            yield at_most(f"attach: a pass of {CELLS} cells over the local one ({near:.1f} ms)", over, 8, " ms", 1)
            yield at_most("attach: bytes of a pass", max(sizes) / 1000, 120, " kB", 0)
        finally:
            door.stop()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Far)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}/v1?mask=1&words=4581&width=256"
    one, all_ = (asyncio.run(waits(address, many)) for many in (1, 4 if tiny else VISITORS))
    server.shutdown()
    note = f" of {p99(one):.0f} ms"
    yield at_most(
        f"attach: {VISITORS} visitors on one server, p99 of a pass over one visitor's, the server's time taken out",
        p99(all_) / p99(one),
        2,
        note=note,
    )
