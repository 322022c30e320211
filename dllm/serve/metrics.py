"""`/metrics` for Prometheus: the state of the server, without data about visitors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from unmask.live.histogram import Histogram
from unmask.serve.process import resident
from unmask.serve.runtime import Runtime


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The route; it needs a key, and if none is set, works from this machine only."""

    async def metrics(_: Request) -> Response:
        return PlainTextResponse("\n".join([*lines(runtime), ""]), media_type="text/plain; version=0.0.4")

    return [Route("/metrics", metrics, methods=["GET"])]


def lines(runtime: Runtime) -> Iterator[str]:
    """The metrics in Prometheus's text format."""
    sessions = list(runtime.sessions.alive.values())
    gauges = (
        ("sessions", "runs that are kept", len(sessions)),
        ("playing", "runs that play", sum(s.playing for s in sessions)),
        ("visitors", "visitors who have a run", len({s.client.visitor for s in sessions})),
        ("followers", "connections that follow a run", sum(len(s.subscribers) for s in sessions)),
        ("queue", "passes that wait for the device", runtime.device.waiting),
        ("longest_wait_seconds", "how long the oldest waiting pass has waited", runtime.device.longest_wait),
        ("timelines_bytes", "memory of all timelines, estimated", sum(s.weight for s in sessions)),
        ("memory_bytes", "memory of the process", resident()),
        ("tasks", "tasks of the event loop", len(asyncio.all_tasks())),
        ("threads", "threads of the process", threading.active_count()),
        ("ready", "whether new work is accepted", int(not runtime.not_ready_reason)),
    )
    for name, says, value in gauges:
        yield from (f"# HELP unmask_{name} {says}", f"# TYPE unmask_{name} gauge", f"unmask_{name} {value:g}")
    for name, says, number in (
        ("drops_total", "clients that were disconnected because they stopped reading", runtime.counts["drops"]),
        ("refused_total", "requests that the access middleware refused", runtime.counts["refused"]),
    ):
        yield from (f"# HELP unmask_{name} {says}", f"# TYPE unmask_{name} counter", f"unmask_{name} {number}")
    yield from _histogram("pass_seconds", "device time of a pass", runtime.device.times)
    yield from _histogram("wait_seconds", "how long a pass waited for its turn", runtime.device.waits)
    yield from _histogram("pass_tokens", "tokens that a pass wrote", runtime.device.tokens)


def _histogram(name: str, says: str, seen: Histogram) -> Iterator[str]:
    yield from (f"# HELP unmask_{name} {says}", f"# TYPE unmask_{name} histogram")
    for bound, count in seen.upto():
        yield f'unmask_{name}_bucket{{le="{bound}"}} {count}'
    yield from (f"unmask_{name}_sum {seen.sum:g}", f"unmask_{name}_count {seen.total}")
