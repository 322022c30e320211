"""120 prompts as strangers type them and 180 acts of steering, run by the default decoder of the bundled pair.

`python -m bench lists` measures this checkout; `python -m bench.lists NAME` keeps every text in build/lists/NAME.jsonl,
and with `--against FOLDER` runs another checkout entry by entry beside it, so that both meet the same machine.
`--compare A B`, `--sheet A [B]` and `--grades SHEET` read such recordings. It takes ten minutes of processor time."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import acts, sheet
from bench.row import Row, at_least, at_most

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "build" / "lists"
TODAY = HERE / "lists" / "today.json"
LONGEST = 3600.0  # seconds
MODES = {"canvas": "denoiser", "fast": "fast"}
MOST_PASSES = 1.2  # times its cells
WANTED = {
    "early pin": 23,
    "pinned ending": 18,
    "gap of unknown length": 20,
    "must contain a word": 24,
    "erase and refill": 24,
}
Record = dict[str, Any]


def entries(tiny: bool = False) -> list[Record]:
    """Every prompt in both modes, and every act in canvas mode, each with a number of its own in its list."""
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
    """What came of entries that are written one a line."""
    from dllm.models import load

    models = {mode: load(name) for mode, name in MODES.items()}
    for model in models.values():  # the first run of a process is slower
        acts.done(model, {"kind": "", "prompt": "Story:"})
    for line in lines:
        spec = json.loads(line)
        yield acts.done(models[spec["mode"]], spec)


def worker(checkout: Path) -> subprocess.Popen[str]:
    """A process that answers entries with the code of a checkout, and with these lists."""
    environment = os.environ | {"PYTHONPATH": str(HERE.parent)}
    command = [sys.executable, "-m", "bench.lists", "--worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=checkout, env=environment, stdin=pipe, stdout=pipe, text=True)


def recorded(checkouts: Mapping[str, Path], folder: Path) -> dict[str, list[Record]]:
    """Every entry by each checkout in turn, kept line by line in a file of its name."""
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
    """A recording: a line each, or the one that is kept beside the lists."""
    if path.suffix == ".json":
        rows: list[Record] = json.loads(path.read_text())["rows"]
        return rows
    return [json.loads(line) for line in path.read_text().splitlines()]


def figures(rows: Sequence[Record]) -> Iterator[Row]:
    """The table's lines of one recording."""
    for mode in MODES:
        some = [row for row in rows if row["list"] == "prompts" and row["mode"] == mode]
        if not some:
            continue
        rate = sum(row["tokens"] for row in some) / sum(row["forwards"] for row in some)
        long = sum(row["passes"] > MOST_PASSES * row["cells"] for row in some)
        name = f"{len(some)} prompts of strangers, {mode} mode"
        yield at_least(f"{name}: tokens a forward", rate, 2.5 if mode == "canvas" else None, "")
        yield at_most("the same: processor seconds", sum(row["seconds"] for row in some), None, " s", 1)
        yield at_most(f"the same: runs of more passes than {MOST_PASSES} x their cells", long, 0, "", 0)
        ended = sum(row["ended"] for row in some)
        yield Row("the same: texts that end", f"{ended} of {len(some)}")
    for kind in acts.ACTS:
        some = [row for row in rows if row["list"] == "acts" and row["kind"] == kind]
        if not some:
            continue
        good, there = sum(row["good"] for row in some), [row["there"] for row in some if "there" in row]
        note = f" of {len(some)}" + (f" (done: {sum(there)})" if there else "")
        wanted = WANTED.get(kind) if len(some) == 30 else None
        yield at_least(f"steering, {kind}: done and strictly right", good, wanted, "", 0, note)


def place(row: Record) -> tuple[str, str, int, str]:
    """Which entry a row is of."""
    return row["list"], row["kind"], row["number"], row["mode"]


def compared(first: Sequence[Record], second: Sequence[Record]) -> Iterator[Row]:
    """The second recording's time as a share of the first's, over the entries of both."""
    before = {place(row): row for row in first}
    pairs = [(before[place(row)], row) for row in second if place(row) in before]
    for mode, wanted in (("canvas", 0.25), ("fast", 0.65)):
        some = [(a, b) for a, b in pairs if a["mode"] == mode and a["list"] == "prompts"]
        if some:
            times = sum(b["seconds"] for _, b in some) / sum(a["seconds"] for a, _ in some)
            yield at_most(f"{len(some)} prompts, {mode} mode: seconds of the second over the first", times, wanted)
            same = sum(a["text"] == b["text"] for a, b in some)
            yield Row("the same: equal texts", f"{same} of {len(some)}")


def rows(tiny: bool = False) -> Iterator[Row]:
    """Measured in this process. What a reader found of the texts is in bench/lists/today.json."""
    yield from figures(list(worked(map(json.dumps, entries(tiny)))))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.lists", description=__doc__)
    parser.add_argument("name", nargs="?", help="record this checkout under a name")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout, run in turn with this one")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FILE")
    parser.add_argument("--sheet", nargs="+", type=Path, metavar="FILE", help="write texts for a reader to grade")
    parser.add_argument("--mode", choices=MODES, default="canvas", help="whose texts the sheet has")
    parser.add_argument("--grades", type=Path, metavar="SHEET", help="join a graded sheet to its recordings")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    wishes = parser.parse_args(arguments)
    if wishes.worker:
        for row in worked(sys.stdin):
            print(json.dumps(row), flush=True)
    elif wishes.compare:
        print(*compared(*map(read, wishes.compare)), sep="\n")
    elif wishes.sheet:
        print(sheet.sheet({str(path): read(path) for path in wishes.sheet}, KEPT, wishes.mode))
    elif wishes.grades:
        for name, given in sheet.grades(wishes.grades).items():
            print(name, sheet.counted(read(Path(name)), given), sep="\n")
    elif wishes.name:
        from bench.table import HEAD, hardware

        checkouts = {wishes.name: HERE.parent}
        if wishes.against:
            checkouts[f"{wishes.name}-against"] = wishes.against.resolve()
        found = recorded(checkouts, KEPT)
        print(hardware(), HEAD, sep="\n")
        for name, some in found.items():
            print(f"| **{name}** | | | |", *figures(some), sep="\n")
        if len(found) == 2:
            print(*compared(*reversed(found.values())), sep="\n")
    else:
        parser.error("name a recording, or say what to do with one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
