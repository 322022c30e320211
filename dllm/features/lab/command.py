"""`sweep`: many prompts × decoders × seeds, measured; paused with Ctrl-C, and continued by the same command."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from unmask.canvas.text import printable
from unmask.errors import InvalidRequest

if TYPE_CHECKING:
    from unmask.features.lab.front import SweepResults

NAME = "sweep"
HELP = "measure decoders on many prompts; see docs/lab.md"
FOLDER = "sweeps"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("tasks", nargs="*", help='JSONL files, each line {"prompt": …, "reference": …}')
    parser.add_argument("--decoder", action="append", default=[], help="llada, llada:passes=8, or llada:* (repeatable)")
    parser.add_argument("--scorer", default="", help="exact_match, number, code_tests, or a file of UNMASK_SCORERS")
    parser.add_argument("--measure", default="", help="score with a scorer, else right; or another measure of the Lab")
    parser.add_argument("--model", default="denoiser")
    parser.add_argument("--twin", default="", help="a model that reads the texts, to measure surprise")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--length", type=int, default=64, help="cells of an answer")
    parser.add_argument("--name", default="", help="keep the runs under this name; by default that of the first task")
    parser.add_argument("--folder", default=FOLDER, help=f"where sweeps are kept: {FOLDER}")
    parser.add_argument("--csv", default="", help="write every run to this file")
    parser.add_argument("--json", default="", help="write points and runs to this file")
    parser.add_argument("--list", action="store_true", help="list the sweeps that are kept")
    parser.add_argument("--open", default="", help="show a sweep that was kept, by its name or its file")
    parser.add_argument("--compare", nargs=2, default=[], metavar="NAME", help="compare two sweeps that were kept")
    parser.add_argument("--repeat", default="", metavar="LABEL", help="with --open: run one of its points again")
    parser.add_argument("--again", default="", metavar="SPEC", help="repeat one run: the command in a row of the CSV")
    parser.add_argument("--reference", default="", metavar="JSON", help="with --again: what its text is compared with")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def run(options: argparse.Namespace) -> int:
    """Sweep, or show what was kept."""
    from unmask.features.lab import front

    if options.list:
        for one in front.kept_sweeps(options.folder):
            print(printable(one))
        return 0
    if options.again:
        print(json.dumps(_again(options), ensure_ascii=False))
        return 0
    if options.compare:
        first, second = (front.open_sweep(name, options.folder) for name in options.compare)
        print(printable(first.compared(second)))
        return 0
    if options.open:
        found = front.open_sweep(options.open, options.folder)
        print(printable(found.repeated(options.repeat) if options.repeat else repr(found)))
        return _write(found, options)
    if not options.tasks or not options.decoder:
        raise InvalidRequest("name a task and a decoder: unmask sweep TASK.jsonl --scorer number --decoder llada")
    return _sweep(options)


def _sweep(options: argparse.Namespace) -> int:
    from pathlib import Path

    from unmask.features.lab.front import sweep

    name = options.name or Path(options.tasks[0]).stem
    own = ("scorer", "measure", "model", "twin", "seeds", "length", "folder")
    found = sweep(
        [Path(one) for one in options.tasks], options.decoder, name=name, progress=None if options.quiet else _progress,
        **{key: getattr(options, key) for key in own},
    )  # fmt: skip
    if not options.quiet:
        print(file=sys.stderr)
    print(printable(repr(found)))
    print(f"kept in {found.file}", file=sys.stderr)
    return _write(found, options) or (1 if found.why else 0)


def _write(found: SweepResults, options: argparse.Namespace) -> int:
    if options.csv:
        found.csv(options.csv)
    if options.json:
        found.json(options.json)
    return 0


def _again(options: argparse.Namespace) -> dict[str, Any]:
    """One run, as a row of a CSV file has it."""
    from unmask.features.lab.front import sweep
    from unmask.run.presets import Decoder
    from unmask.run.spec import RunSpec

    spec = RunSpec.from_dict(_json(options.again, "--again"))
    item = {"prompt": spec.prompt, "reference": _json(options.reference or "null", "--reference")}
    decoder = Decoder(spec.preset, {**spec.changes})
    found = sweep([item], [decoder], scorer=options.scorer, model=spec.model, seeds=[spec.seed], length=spec.length)
    if found.why:
        raise InvalidRequest(found.why)
    (one,) = found.outcomes
    measured = {"score": one.score} if options.scorer else {}
    return {"text": one.text, "passes": one.passes, **measured}


def _json(text: str, option: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidRequest(f"{option} is no JSON: {error}") from None


def _progress(done: int, count: int, left: float | None) -> None:
    """One line on stderr, rewritten."""
    rest = "" if left is None else f", about {left:.0f} s left"
    print(f"\r{done} of {count} runs{rest}   ", end="", file=sys.stderr, flush=True)
