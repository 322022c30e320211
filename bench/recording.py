"""Recordings of the lists: the result of each entry as a line of JSON, by one checkout or several alternately."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench import acts

HERE = Path(__file__).resolve().parent
MODES = {"canvas": "denoiser", "fast": "fast"}
Record = dict[str, Any]
KEPT_OF_ACTS = {"list", "kind", "number", "mode", "text", "good", "there"} | {
    "ended",
    "cells",
    "passes",
    "forwards",
    "tokens",
    "seconds",
}


def entries(tiny: bool = False) -> list[Record]:
    """Every prompt in both modes, and every act in canvas mode, numbered within its list."""
    prompts = json.loads((HERE / "lists" / "prompts.json").read_text())
    steering = json.loads((HERE / "lists" / "acts.json").read_text())
    flat = [{"kind": kind, "prompt": text} for kind, texts in prompts.items() for text in texts]
    found = [
        {"list": "prompts", "number": n, "mode": mode} | row
        for n, row in enumerate(flat)
        for mode in MODES
        if not tiny or n % 40 == 0
    ]
    for kind, specs in steering.items():
        some = specs[:1] if tiny else specs
        found += [{"list": "acts", "number": n, "mode": "canvas", "kind": kind} | s for n, s in enumerate(some)]
    return found


def worked(lines: Iterable[str]) -> Iterator[Record]:
    """The results of entries, which are lines of JSON."""
    from unmask.models import load

    models = {mode: load(name) for mode, name in MODES.items()}
    for model in models.values():  # the first run of a process is slower
        acts.done(model, {"kind": "", "prompt": "Story:"})
    for line in lines:
        spec = json.loads(line)
        yield acts.done(models[spec["mode"]], spec)


def worker(checkout: Path) -> subprocess.Popen[str]:
    """A process that runs entries with the code of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    command = [sys.executable, "-m", "bench.recording"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=checkout, env=environment, stdin=pipe, stdout=pipe, text=True)


def recorded(checkouts: Mapping[str, Path], folder: Path) -> dict[str, list[Record]]:
    """Run every entry by each checkout in turn, and write the results to a file of its name."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Record]] = {name: [] for name in checkouts}
    workers = {name: worker(where) for name, where in checkouts.items()}
    files = {name: (folder / f"{name}.jsonl").open("w") for name in checkouts}
    try:
        for entry in entries():
            for name, process in workers.items():
                assert process.stdin and process.stdout
                print(json.dumps(entry), file=process.stdin, flush=True)
                row = json.loads(process.stdout.readline())
                found[name].append(row)
                print(json.dumps(row, ensure_ascii=False), file=files[name], flush=True)
    finally:
        for name, process in workers.items():
            process.terminate()
            process.wait()
            files[name].close()
    return found


def read(path: Path) -> list[Record]:
    """Read a recording: JSON lines, or a file as `keep` writes it."""
    if path.suffix == ".json":
        rows: list[Record] = json.loads(path.read_text())["rows"]
        return rows
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, rows: Iterable[Record]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def keep(path: Path, rows: Iterable[Record], about: str) -> None:
    """Write a recording as one JSON file with a title, without fields that the lists have already."""
    plain = [{k: v for k, v in row.items() if row["list"] == "prompts" or k in KEPT_OF_ACTS} for row in rows]
    lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in plain)
    path.write_text(f'{{\n "about": {json.dumps(about)},\n "rows": [\n{lines}\n ]\n}}\n')


if __name__ == "__main__":
    for made in worked(sys.stdin):
        print(json.dumps(made), flush=True)
