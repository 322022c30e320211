"""How soon the app answers, what it costs while nothing happens, and how much memory it takes with the pair loaded."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import httpx
import websockets

from bench.page import app, cpu

RUNS = 200


def resident(pid: int) -> float:
    """Megabytes of memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


async def run(url: str, model: str) -> None:
    """One short run of the pair, as a visitor has it who then starts another."""
    async with websockets.connect(url.replace("http", "ws") + "/ws", max_size=None) as socket:
        sides = [{"model": m, "preset": p} for m, p in ((model, "fast-dllm"), ("twin", "autoregressive"))]
        sides = sides if model == "denoiser" else sides[:1]
        prompt = "Sort: 7 2 9" if model == "denoiser" else "7 2 9"
        await socket.send(json.dumps({"do": "open", "prompt": prompt, "length": 16, "sides": sides, "play": True}))
        sessions, done = [], 0
        while done < len(sides):
            event = json.loads(await socket.recv())
            done += event["did"] == "done"
            sessions += [event["session"]] if event["did"] == "opened" else []
        for session in sessions:
            await socket.send(json.dumps({"do": "close", "session": session}))


def main() -> int:
    model = "denoiser" if Path("assets/models/denoiser/config.json").exists() else "toy"
    began = time.perf_counter()
    with app("app.py", "--port") as (url, pid):
        httpx.get(url, timeout=30).raise_for_status()
        print(f"answers after                      {time.perf_counter() - began:6.2f} s   <= 3")
        asyncio.run(run(url, model))
        first = resident(pid)
        print(f"memory with the pair loaded        {first:6.0f} MB  <= 900")
        time.sleep(3)
        before = cpu(pid)
        time.sleep(10)
        print(f"idle                               {10 * (cpu(pid) - before):6.1f} % of a core  <= 5")
        for k in range(RUNS):
            asyncio.run(run(url, model))
            if k == RUNS // 4:
                settled = resident(pid)
        print(f"memory after {RUNS // 4:3} and {RUNS} more runs  {settled:6.0f} and {resident(pid):.0f} MB   flat")
    return 0


if __name__ == "__main__":
    sys.exit(main())
