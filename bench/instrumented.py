"""Overhead of watching: a session with frames, candidates, a trace and one viewer's messages, over plain decoding."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from bench.row import Row, at_most
from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import Denoiser, load
from unmask.run.command import Play
from unmask.run.event import Done
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.timeline import new_timeline
from unmask.run.trace import lines
from unmask.serve.doors.event_encoder import EventEncoder

LENGTH, ROUNDS = 128, 7


def bare(denoiser: Denoiser, settings: Settings) -> float:
    began = time.process_time()
    for _ in decode(denoiser, start(blank([LENGTH]), settings)):
        pass
    return time.process_time() - began


async def watched(denoiser: Denoiser, settings: Settings, device: Device) -> float:
    """The same run as a session: every message is encoded as for a socket, and the trace is written."""
    began = time.process_time()
    session = Session(denoiser, device, new_timeline(denoiser.card, start(blank([LENGTH]), settings)))
    actor, reader = asyncio.ensure_future(session.run()), session.subscribe(0)
    encoder = EventEncoder(session)
    session.send(Play())
    while True:
        note = await reader.get()
        orjson.dumps(encoder.message(note), option=orjson.OPT_NON_STR_KEYS)
        if isinstance(note.event, Done):
            break
    sum(len(line) for line in lines(session.trace()))
    spent = time.process_time() - began
    session.close()
    await actor
    return spent


async def measured(rounds: int) -> list[Row]:
    name = "denoiser" if Path("assets/models/denoiser/config.json").exists() else "toy"
    denoiser, device, found = load(name), Device(), []
    for title, settings in (
        ("one cell a pass", Settings(passes=LENGTH)),
        ("threshold 0.9", Settings(policy="threshold", options={"tau": 0.9})),
    ):
        pairs = []
        for _ in range(rounds):  # alternately, under the same load
            pairs.append((await watched(denoiser, settings, device), bare(denoiser, settings)))
        ratio = statistics.median(a / b for a, b in pairs[1:])
        found.append(at_most(f"A run with frames, trace and a viewer over the bare decode, {title}", ratio, 1.15))
    device.close()
    return found


def rows(tiny: bool = False) -> Iterator[Row]:
    yield from asyncio.run(measured(2 if tiny else 5))
