"""Waits for what is to come true: as long as a slow machine needs, and no longer than it takes."""

import asyncio
import contextlib
import subprocess
import time
from collections.abc import Callable
from typing import Any

import httpx

LONG = 120.0  # seconds, where a quiet machine needs far less than one


async def until(what: Callable[[], Any], seconds: float = LONG) -> None:
    """Wait on the loop until something is true."""
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.002)


def soon(what: Callable[[], Any], seconds: float = LONG) -> Any:
    """Wait without a loop until something is true; what it was."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
    return found


def answers(process: subprocess.Popen[Any], address: str, seconds: float = LONG) -> bool:
    """Wait until a server answers; False where its process ends first."""

    def first() -> bool:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(address, timeout=5)
            return True
        return process.poll() is not None

    soon(first, seconds)
    return process.poll() is None
