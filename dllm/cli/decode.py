"""`decode`: decode an answer to a prompt, shown pass by pass."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.canvas.text import printable
from unmask.cli import model_clock
from unmask.cli.screen import Screen
from unmask.errors import InvalidRequest

if TYPE_CHECKING:
    from unmask.models import Denoiser
    from unmask.run.command import Edit
    from unmask.run.spec import RunSpec
    from unmask.run.timeline import Timeline

WAYS = ("doubt", "random")
HELP = "decode an answer to a prompt, shown pass by pass"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options; a policy's knobs are read from the unknown ones."""
    parser.add_argument("prompt", help="text to continue; ___ or [MASK:6] are blanks to fill")
    parser.add_argument("--model", default="denoiser")
    parser.add_argument("--mask-id", type=int, help="the mask token's id, if the model does not state it")
    parser.add_argument("--preset", help="a published decoder with its authors' settings")
    parser.add_argument("--policy")
    parser.add_argument("--length", type=int, default=96)
    for name in ("passes", "block", "seed", "top-k", "end-after"):
        parser.add_argument(f"--{name}", type=int)
    for name in ("temperature", "temperature-end", "top-p", "guidance", "bend", "end-penalty"):
        parser.add_argument(f"--{name}", type=float)
    for name in ("schedule", "end", "confidence", "precision", "sight", "block-from", "passes-for"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--constraint", type=_json, help="a rule for the text, as JSON: see docs/constraints.md")
    parser.add_argument(
        "--check", dest="checks", action="append", help="a check that reads along, by name (may be given again)"
    )
    parser.add_argument("--check-when", choices=("end", "pass"), help="read once the text is whole, or after each pass")
    parser.add_argument("--check-rounds", type=int, help="how often the checks may open something again, 6 by default")
    parser.add_argument("--draft", type=_text, metavar="FILE", help="a file with an answer to begin with")
    parser.add_argument("--keep", type=float, default=60, help="how much of the draft stays, in per cent")
    parser.add_argument(
        "--reopen", choices=WAYS, default="doubt", help="the words that the model doubts, or random ones"
    )
    parser.add_argument("--trace", help="write the run to this file")
    parser.add_argument("--twin", action="store_true", help="then decode with the model's autoregressive twin too")
    parser.add_argument("--clock", help="model the time on this chip: a100, h100, …, or `this` for this machine")
    parser.add_argument(
        "--as", dest="size", help="the model there: llada-8b, llada2-mini, …, 8b; this model by default"
    )
    parser.add_argument("--users", type=int, help="users at once there, 1 by default")
    parser.add_argument("--efficiency", type=float, help="share of the chip's speed that is reached, above 0, up to 1")
    parser.add_argument("--overhead", type=float, help="seconds to launch a forward there")
    parser.add_argument("--json", action="store_true", help="only one line of JSON: the text and its times")
    parser.add_argument("--quiet", action="store_true", help="only the text and the summary")
    parser.epilog = "a policy's own knobs are options too, such as --tau 0.9; see: python -m unmask policies"


def run(options: argparse.Namespace) -> int:
    """Decode, show the passes, and save the run if `--trace` is given."""
    from unmask.inference import nonsense
    from unmask.inference.draft import draft_edits
    from unmask.inference.rule_doubt import note_before
    from unmask.models import load
    from unmask.run.check_sentence import check_sentences
    from unmask.run.clock_sentence import clock_sentence, sentence_text
    from unmask.run.stats import answer_text
    from unmask.run.timeline import with_pieces
    from unmask.run.trace import Trace, save

    model_clock.check(options)
    spec = _spec(options, _knobs(options.rest))
    denoiser = load(spec.model)
    model_clock.check_card(options, denoiser.card)
    if note := note_before(denoiser, spec.prompt, spec.changes.get("constraint") or {}):
        print(note, file=sys.stderr)
    began = time.perf_counter()
    edits = draft_edits(denoiser, spec, options.keep / 100, options.reopen)
    timeline = _decode(denoiser, spec, options.quiet or options.json, bool(options.trace), edits)
    wall = time.perf_counter() - began
    text = printable(answer_text(denoiser, timeline.head.canvas))
    twin = None
    if options.twin:
        name = model_clock.twin_of(denoiser.card)
        twin = _decode(load(name), replace(spec, model=name), options.quiet or options.json)
    clock = model_clock.clock(options, timeline, twin)
    if options.json:
        print(json.dumps(model_clock.times(clock, timeline, twin) | {"text": text}, ensure_ascii=False))
    else:
        if options.quiet:
            print(text)
        measured = timeline.measured()
        rate = measured.tokens / max(measured.passes, 1)
        print(f"{measured.tokens} tokens in {measured.passes} passes: {rate:.2f} a pass, {wall:.2f} s", file=sys.stderr)
        if clock is not None:
            sides = model_clock.sides(timeline, twin)
            print(sentence_text(clock_sentence(clock, *sides)), file=sys.stderr)
    if timeline.head.settings.checks:
        print(check_sentences(timeline.head.state.findings), file=sys.stderr)
    if not note and (note := nonsense.nonsense_note(denoiser, timeline.head.ancestor(0).state, text)):
        print(note, file=sys.stderr)
    if options.trace:
        save(Trace((with_pieces(timeline, denoiser.tokenizer),)), options.trace)
        print(f"saved to {options.trace}", file=sys.stderr)
    return 0


def _decode(
    denoiser: Denoiser, spec: RunSpec, quiet: bool, watched: bool = False, edits: Sequence[tuple[int, Edit]] = ()
) -> Timeline:
    """A whole run, shown pass by pass unless `quiet`."""
    from unmask.inference.decode import timelines

    with Screen(denoiser.tokenizer.piece, denoiser.card.ends, quiet) as screen:
        for timeline in timelines(denoiser, spec, watched or not quiet, edits):
            screen.show(timeline.head.canvas, timeline.head.frame)
    return timeline


def _spec(options: argparse.Namespace, knobs: dict[str, Any]) -> RunSpec:
    from unmask.models import with_mask
    from unmask.run.spec import RunSpec

    own = (
        "command",
        "rest",
        "draft",
        "keep",
        "reopen",
        "prompt",
        "model",
        "mask_id",
        "preset",
        "length",
        "trace",
        "quiet",
        *model_clock.OPTIONS,
    )
    changes = {k: v for k, v in vars(options).items() if v is not None and k not in own}
    if knobs:
        changes["options"] = knobs
    model = with_mask(options.model, options.mask_id)
    return RunSpec(options.prompt, model, options.length, options.preset or "", changes, draft=options.draft)


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {file}: {error}") from error


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"invalid JSON: {error}") from error


def _knobs(rest: Sequence[str]) -> dict[str, Any]:
    """`--tau .9 --way loop` as the policy's options."""
    knobs: dict[str, Any] = {}
    words = [part for word in rest for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for name, value in zip(words[::2], words[1::2], strict=False):
        if not name.startswith("--"):
            raise InvalidRequest(f"'{name}' is not an option")
        try:
            knobs[name[2:].replace("-", "_")] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            knobs[name[2:].replace("-", "_")] = value
    if len(words) % 2:
        raise InvalidRequest(f"{words[-1]} needs a value")
    return knobs
