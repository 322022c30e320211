"""The command line: watch a canvas denoise in a terminal, replay a trace, see what there is, check parity."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dllm.canvas import Canvas, Refused
from dllm.canvas.printable import printable
from dllm.config import Misconfigured
from dllm.think import Unthinkable
from dllm.think.shortage import NoRoom

if TYPE_CHECKING:
    from dllm.run.order import Order
    from dllm.run.timeline import Timeline


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m dllm", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    p = commands.add_parser("decode", help="write an answer and watch it happen")
    p.add_argument("prompt", help="text to go on from; ___ or [MASK:6] are blanks to fill")
    p.add_argument("--model", default="denoiser")
    p.add_argument("--preset", help="a published decoder with its authors' numbers")
    p.add_argument("--policy")
    p.add_argument("--length", type=int, default=96)
    for name in ("passes", "block", "seed", "top-k", "end-after"):
        p.add_argument(f"--{name}", type=int)
    for name in ("temperature", "temperature-end", "top-p", "guidance", "bend", "end-penalty"):
        p.add_argument(f"--{name}", type=float)
    for name in ("schedule", "end", "confidence", "precision", "sight", "block-from", "passes-for"):
        p.add_argument(f"--{name}")
    p.add_argument("--constraint", type=_rule, help="a rule for the text, as JSON: see docs/constraints.md")
    p.add_argument("--trace", help="write the run to this file")
    p.add_argument("--quiet", action="store_true", help="only the text and the summary")
    p.epilog = "a policy's own knobs are options too, such as --tau 0.9; see: python -m dllm policies"

    p = commands.add_parser("replay", help="show a trace again, without a model")
    p.add_argument("file")
    p.add_argument("--pace", type=float, default=0.05, help="seconds a pass")

    commands.add_parser("policies", help="decoders, their knobs and presets")

    commands.add_parser("config", help="every variable of the environment, and what it is now")

    p = commands.add_parser("models", help="models there are, here and on the hub, and what fits this machine")
    p.add_argument(
        "--check", metavar="FOLDER_OR_ID", help="open one, compare it with what it is known to compute, decode"
    )
    p.add_argument("--fetch", metavar="ID", help="download one, so that it opens without a network; Ctrl-C stops it")
    p.add_argument("--mask-id", type=int, help="the token of an open cell, where nothing else says")

    p = commands.add_parser("serve", help="answer programs on /v1 and /ws, without the page")
    p.add_argument("--port", type=int, default=8000)
    p.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for other machines, which then need a key")
    p.add_argument("--model", action="append", default=[], help="NAME, or NAME=FAMILY:WHAT; may be said again")

    p.add_argument(
        "--cluster", nargs="?", const="local", metavar="ADDRESS",
        help="think on Ray Serve: on this machine, or in the cluster at an address; see docs/scale.md",
    )  # fmt: skip

    p = commands.add_parser("judge", help="the examination of the embedded pair, as one table with intervals")
    p.add_argument("--quick", action="store_true", help="a few texts of each kind: under half a minute on two cores")
    p.add_argument("--prompts", type=int, default=200)
    p.add_argument("--model", default="denoiser")
    p.add_argument("--twin", default="twin")
    p.add_argument("--ways", action="store_true", help="beside it, nine ways to decode on the same prompts, as a table")
    p.add_argument("--out", default="build/judge", help="folder for the table as CSV and a plot")

    p = commands.add_parser("parity", help="compare with what published decoders decided")
    p.add_argument("file")

    options, rest = parser.parse_known_args(arguments)
    try:
        if rest and options.command != "decode":
            raise Refused(f"unknown option {rest[0]}")
        return int(
            {"decode": _decode}[options.command](options, rest)
            if options.command == "decode"
            else _OTHERS[options.command](options)
        )
    except (Refused, Unthinkable, Misconfigured, NoRoom) as refused:
        print(printable(f"dllm: {refused}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _decode(options: argparse.Namespace, rest: list[str]) -> int:
    from dllm.models import load
    from dllm.run.measure import answer, measured
    from dllm.run.spelling import spelled
    from dllm.run.timeline import begun
    from dllm.run.trace import Trace, save
    from dllm.think.decode import nodes
    from dllm.think.made import made

    order = _order(options, _knobs(rest))
    denoiser = load(order.model)
    state = order.start(denoiser.card, denoiser.speller)
    timeline = begun(denoiser.card, state, order.prompt, made=made())
    with _Screen(denoiser.speller.piece, denoiser.card.ends, options.quiet) as screen:
        screen.show(state.canvas, None)
        began = time.perf_counter()
        for node in nodes(denoiser, timeline.head, watched=not options.quiet or bool(options.trace)):
            timeline = timeline.grown(node)
            screen.show(node.canvas, node.frame)
        wall = time.perf_counter() - began
    path = timeline.head.path(after=0)
    clocks = [(node.times[0] / 1000, node.times[1] / 1000) for node in path]
    m = measured(timeline.head.canvas, [node.frame for node in path if node.frame], clocks, denoiser.card.ends)
    if options.quiet:
        print(printable(answer(denoiser, timeline.head.canvas)))
    print(f"{m.tokens} tokens in {m.passes} passes: {m.tokens_per_pass:.2f} a pass, {wall:.2f} s", file=sys.stderr)
    if options.trace:
        save(Trace((spelled(timeline, denoiser.speller),)), options.trace)
        print(f"the run is in {options.trace}", file=sys.stderr)
    return 0


def _order(options: argparse.Namespace, knobs: dict[str, Any]) -> Order:
    """The order that a command line is."""
    from dllm.run.order import Order

    own = ("command", "prompt", "model", "preset", "length", "trace", "quiet")
    changes = {k: v for k, v in vars(options).items() if v is not None and k not in own}
    if knobs:
        changes["options"] = knobs
    return Order(options.prompt, options.model, options.length, options.preset or "", changes)


def _rule(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is no JSON: {error}") from error


def _knobs(rest: Sequence[str]) -> dict[str, Any]:
    """`--tau .9 --way loop` as the policy's options."""
    knobs: dict[str, Any] = {}
    words = [part for word in rest for part in (word.split("=", 1) if word.startswith("--") else [word])]
    for name, value in zip(words[::2], words[1::2], strict=False):
        if not name.startswith("--"):
            raise Refused(f"'{name}' is not an option")
        try:
            knobs[name[2:].replace("-", "_")] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            knobs[name[2:].replace("-", "_")] = value
    if len(words) % 2:
        raise Refused(f"{words[-1]} needs a value")
    return knobs


def _pieces(run: Timeline) -> Callable[[int], str]:
    return lambda token: run.pieces.get(token, f" {token}")


def _replay(options: argparse.Namespace) -> int:
    from dllm.run.trace import Seal, load

    trace = load(options.file)
    if trace.seal is not Seal.WHOLE:
        print(f"this file is {trace.seal.value}", file=sys.stderr)
    for run in trace.runs:
        path = run.head.path()
        with _Screen(_pieces(run), run.about.get("ends", ()), False) as screen:
            for node in path:
                screen.show(node.canvas, node.frame)
                time.sleep(options.pace)  # a replay's pace is the viewer's; nothing is waited for
        passes = sum(node.frame is not None for node in path)
        card = run.about.get("model", {})
        by = f"{card.get('name', 'an unnamed model')}, weights {card.get('weights', 'unknown')[:16]}"
        edits = len(path) - 1 - passes
        print(printable(f"replay: {passes} passes, {edits} edits; made, it says, with {by}"), file=sys.stderr)
    return 0


def _policies(_: argparse.Namespace) -> int:
    from dllm.decide import Knob, named, names
    from dllm.run.presets import presets

    for name in names():
        policy = named(name)
        print(f"{name}: {policy.says}")
        for knob, about in policy.knobs.items():
            span = f"{about.low:g} to {about.high:g}" if isinstance(about, Knob) else " | ".join(about.ways)
            print(f"    --{knob.replace('_', '-')} {policy.defaults[knob]}   {about.help} ({span})")
        for preset in presets().values():
            if preset.settings.get("policy") == name:
                own = ", ".join(f"{k} {v}" for k, v in preset.settings.items() if k not in ("policy", "options"))
                knobs = ", ".join(f"{k} {v}" for k, v in preset.settings["options"].items())
                origin = preset.origin or "automatic"
                print(f"    preset {preset.name} ({origin}): {'; '.join(x for x in (knobs, own) if x)}")
    return 0


def _models(options: argparse.Namespace) -> int:
    from dllm.models import load, offers

    if options.check:
        return _check(options.check, options.mask_id)
    if options.fetch:
        return _fetch(options.fetch)
    for name in offers():
        try:
            card = load(name).card
        except Refused as refused:
            print(f"{name}: {refused}")
            continue
        kind = "causal" if card.causal else "noise" if card.noise else "mask"
        print(f"{name}: {card.name}, {kind}, {card.words} words, {card.longest} cells, {card.number} on {card.device}")
        print(f"    weights {card.weights[:16]}  {card.licence}  {card.note}".rstrip())
    return _shelf()


def _fetch(what: str) -> int:
    import threading

    from dllm.models import read

    stopped, failed = threading.Event(), list[BaseException]()

    def watch(progress: Any) -> None:
        if stopped.is_set():
            raise Refused("stopped")
        share = 100 * progress.done // max(progress.total, 1)
        left = f", about {progress.seconds_left:.0f} s left" if progress.seconds_left else ""
        print(f"\r{share} % of {progress.total / 1e9:.2f} GB{left}   ", end="", file=sys.stderr, flush=True)

    def work() -> None:
        try:
            read(what, watch=watch)
        except Exception as error:  # it belongs to whoever asked
            failed.append(error)

    thread = threading.Thread(target=work)  # the library's own threads would go on to the end of a file
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        stopped.set()
        thread.join()
        print("\nstopped; ask again to go on", file=sys.stderr)
        return 130
    if failed:
        raise failed[0]
    print(f"\n{what} is here now", flush=True)
    return 0


def _shelf() -> int:
    from dllm.models.hub import shelf

    print("\nby id, from the hub, or by folder (--model ORG/NAME; memory for weights and one canvas):")
    for item in shelf.items():
        where = "here" if item.here else "fits" if item.fits else "too big"
        print(f"  {where:8} {item.need / 1e9:6.1f} GB {item.number:5} {item.name}  ({item.family}, {item.licence})")
    print("\nsmall ones (--fetch ID; seconds for a pass over 128 open cells here, from one layer of its shape):")
    for item in shelf.small():
        size = f"{item.download / 1e9:.1f} GB to download"
        print(f"  {shelf.seconds(item):6.2f} s  {size}  {item.name}: {item.good}")
    return 0


def _check(what: str, mask_id: int | None) -> int:
    from dllm.lab.check import check

    wrong = 0
    for line in check(what, mask_id):
        print(line.text + (" <-- wrong" if line.wrong else ""), flush=True)
        wrong += line.wrong
    print("all as it should be" if not wrong else f"{wrong} things are wrong")
    return int(wrong > 0)


def _parity(options: argparse.Namespace) -> int:
    from dllm.lab.parity import check

    verdicts = check(options.file)
    for name in dict.fromkeys(v.name for v in verdicts):
        of = [v for v in verdicts if v.name == name]
        passed = sum(not v.differs for v in of)
        print(f"{name:24} {passed:3} of {len(of):3}  {of[0].rule}")
        for v in of:
            if v.differs:
                print(f"    {v.differs}")
    wrong = sum(bool(v.differs) for v in verdicts)
    print(f"{len(verdicts) - wrong} of {len(verdicts)} cases equal")
    return int(wrong > 0)


def _config(_: argparse.Namespace) -> int:
    from dllm.config import lines

    print("\n".join(lines(os.environ)))
    return 0


def _serve(options: argparse.Namespace) -> int:
    from dllm.serve.departure import depart
    from dllm.serve.server import serve

    depart(serve(options.host, options.port, options.model, options.cluster or ""))


def _judge(options: argparse.Namespace) -> int:
    from pathlib import Path

    from dllm.lab.exam import Line, examine
    from dllm.models import load
    from dllm.models.embedded import shipped

    denoiser, twin = load(options.model), load(options.twin)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    print(f"never trained on; {denoiser.card.number}, {denoiser.card.threads} threads; 95 in 100 of redrawn means")
    with (Path(options.out) / "exam.txt").open("w") as file:

        def keep(line: Line) -> None:
            print(line, flush=True)
            print(line, file=file, flush=True)

        fast = load("fast") if (options.model, options.twin) == ("denoiser", "twin") and "fast" in shipped() else None
        examine(denoiser, twin, options.prompts, options.quick, keep, fast)
    if options.ways:
        from dllm.lab.quality import keep as kept
        from dllm.lab.quality import sweep, table
        from dllm.lab.write import WAYS, held_out

        rows = sweep(denoiser, twin, held_out(options.prompts), WAYS)
        print("\n".join(table(rows)))
        print("written:", *kept(rows, Path(options.out)))
    return 0


_OTHERS = {
    "config": _config,
    "judge": _judge,
    "serve": _serve,
    "replay": _replay,
    "policies": _policies,
    "models": _models,
    "parity": _parity,
}


class _Screen:
    """The canvas in a terminal: words coloured by the confidence they were written at, guesses dim."""

    def __init__(self, piece: Callable[[int], str], ends: Sequence[int], quiet: bool) -> None:
        self.piece: Callable[[int], str] = lambda token: "∎" if token in ends else printable(piece(token))
        self.quiet, self.sure = quiet, dict[int, float]()

    def __enter__(self) -> _Screen:
        if not self.quiet:
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="visible")
            self.live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if not self.quiet:
            self.live.__exit__(*error)
            if not self.live.console.is_terminal:  # where nothing is redrawn the last line is not ended either
                self.live.console.print()

    def show(self, canvas: Canvas, frame: Any) -> None:
        if self.quiet:
            return
        from rich.text import Text

        if frame is not None:
            self.sure |= dict(zip(frame.cells.tolist(), frame.confidence.tolist(), strict=True))
        text = Text()
        for cell in range(len(canvas)):
            token = int(canvas.tokens[cell])
            if canvas.given[cell]:
                text.append(self.piece(token))
            elif canvas.open[cell] and token < 0:
                guess = int(frame.guess[cell]) if frame is not None else -1
                text.append(self.piece(guess).replace("\n", "⏎") if guess >= 0 else " ░", style="dim")
            elif canvas.pinned[cell]:
                text.append(self.piece(token), style="bold magenta")
            else:
                sure = self.sure.get(cell, 0)
                style = "green" if sure >= 0.9 else "cyan" if sure >= 0.6 else "yellow"
                text.append(self.piece(token), style=f"dim {style}" if canvas.open[cell] else style)
        if frame is not None:
            total = max(int(canvas.answer.sum()), 1)
            share = 1 - frame.open / total
            bar = "━" * round(30 * share) + "─" * (30 - round(30 * share))
            text.append(f"\n{bar} pass {frame.step + 1}, wrote {len(frame.cells)}, open {frame.open}", style="dim")
        self.live.update(text, refresh=True)


if __name__ == "__main__":
    sys.exit(main())
