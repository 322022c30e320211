"""Runs all benchmarks and writes a table of results: `make bench`. A benchmark is a file in this folder with a `rows`.

Most figures are ratios of processor time, measured alternately in one run, so other programs change them little."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.row import Row
from bench.timer import within

QUESTIONS = (
    "step",
    "loop",
    "forward",
    "engine",
    "twin",
    "instrumented",
    "api",
    "decisions",
    "server",
    "viewers",
    "visitors",
    "floods",
    "prefetch",
    "download",
    "rival",
    "clock",
    "gpu",
)
ON_SCREEN = ("first", "screen")  # in Chromium
LONG = ("lists", "converting", "hub", "opening", "host", "mending")  # only if named
ALL = QUESTIONS + ON_SCREEN
RESULTS = Path(__file__).with_name("RESULTS.md")
BEGIN, END = "<!-- made by `make bench` -->", "<!-- until here -->"
LONGEST = 240.0  # seconds for one benchmark; most take less than a minute on two idle cores
HEAD = "| what | figure | wanted | |\n|---|---|---|---|"


def hardware() -> str:
    """The processor, its instruction sets, and how many cores this process may use."""
    import onnxruntime
    import torch

    table = Path("/proc/cpuinfo")
    lines = table.read_text().splitlines() if table.exists() else []
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    named = {key.strip(): value.strip() for key, value in facts.items()}
    flags = named.get("flags", "").split()
    units = "with matrix units (AMX)" if "amx_bf16" in flags else "without matrix units"
    level = torch.backends.cpu.get_cpu_capability()
    if limit := os.environ.get("MKL_ENABLE_INSTRUCTIONS"):
        level = f"{limit} alone, by the environment"
    name = named.get("model name", platform.processor() or platform.machine())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{name}, {units}, {level}; {cores} of {os.cpu_count()} cores{busy}; "
        f"onnxruntime {onnxruntime.__version__}, torch {torch.__version__} on the CPU"
    )


def answered(question: str, tiny: bool) -> Iterator[Row]:
    """The rows of a benchmark; if it fails or takes too long, a row with the reason."""
    try:
        module = importlib.import_module(f"bench.{question}")
        with within(getattr(module, "LONGEST", LONGEST)):
            yield from module.rows(tiny)
    except Exception as error:  # one failure must not hide the other results
        traceback.print_exc()
        reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
        yield Row(f"bench/{question}.py", f"failed: {reason[0][:80]}", "a figure", False)


def measured(questions: Sequence[str], tiny: bool = False) -> Iterator[Row]:
    for question in questions:
        began = time.perf_counter()
        yield from answered(question, tiny)
        print(f"<!-- {question}: {time.perf_counter() - began:.0f} s -->", flush=True)


def replaced(text: str, title: str, rows: Sequence[Row]) -> str:
    """The text of RESULTS.md with a new table in place of the old one."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([before + BEGIN, title, "", HEAD, *map(str, rows), END]) + after


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    known = (*ALL, *LONG)
    parser.add_argument("questions", nargs="*", help=f"some of {', '.join(known)}; without any, {', '.join(ALL)}")
    parser.add_argument("--tiny", action="store_true", help="a few rounds each: to see that it runs")
    arguments = parser.parse_args(arguments)
    if unknown := set(arguments.questions) - set(known):
        parser.error(f"no question {', '.join(sorted(unknown))}")
    title = f"{time.strftime('%Y-%m-%d')}, {hardware()}."
    print(title, "", HEAD, sep="\n", flush=True)
    rows = []
    for row in measured(arguments.questions or ALL, arguments.tiny):
        rows.append(row)
        print(row, flush=True)
    missed = sum(row.met is False for row in rows)
    print(f"\n{len(rows)} figures, {missed} missed")
    if not arguments.questions and not arguments.tiny:
        RESULTS.write_text(replaced(RESULTS.read_text(), title, rows))
    return int(any(row.figure.startswith("failed") for row in rows))
