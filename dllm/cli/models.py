"""`models`: list models here and on the Hub, check one, or download one."""

from __future__ import annotations

import argparse
import sys
import threading
from typing import Any

from unmask.errors import InvalidRequest
from unmask.serve.process import exit_now

PATIENCE = 1.0  # seconds for a download to close its files


def fetch(what: str) -> int:
    """Download a model into the Hub's cache."""
    from unmask.models import prepare

    stopped, failed = threading.Event(), list[BaseException]()

    def watch(progress: Any) -> None:
        if stopped.is_set():
            raise InvalidRequest("stopped")
        if progress.stage:
            print(f"\r{progress.stage}, {progress.done} of {progress.total}      ", end="", file=sys.stderr, flush=True)
            return
        share = 100 * progress.done // max(progress.total, 1)
        left = f", about {progress.seconds_left:.0f} s left" if progress.seconds_left else ""
        print(f"\r{share} % of {progress.total / 1e9:.2f} GB{left}   ", end="", file=sys.stderr, flush=True)

    def work() -> None:
        try:
            prepare(what, watch=watch)
        except Exception as error:  # raised again below, on the main thread
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)  # so that Ctrl-C reaches the main thread during a slow read
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        stopped.set()
        print("\nstopped; run the same command again to resume", file=sys.stderr)
        thread.join(PATIENCE)
        exit_now(130)  # without waiting for open requests to the Hub
    if failed:
        raise failed[0]
    print(f"\n{what} is here now", flush=True)
    return 0


HELP = "list models here and on the Hub, and whether they fit this machine"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--check", metavar="FOLDER_OR_ID", help="open one, compare its output with recorded values, and decode"
    )
    parser.add_argument(
        "--fetch", metavar="ID", help="download one, so that it opens without a network; Ctrl-C stops it"
    )
    parser.add_argument(
        "--fit", metavar="FOLDER_OR_ID", help="whether one fits this machine, from its config; nothing is downloaded"
    )
    parser.add_argument(
        "--report", action="store_true", help="with --check: one page on what it wrote, how fast, and on what machine"
    )
    parser.add_argument("--mask-id", type=int, help="the mask token's id, if the model does not state it")


def run(options: argparse.Namespace) -> int:
    """List models, check one, say whether one fits, or download one."""
    from unmask.models import builtin_names, load

    if options.fit:
        from unmask.models.hub.fit import fit

        print(report := fit(options.fit))
        return int(report.verdict == "does not fit")
    if options.check:
        return _report(options) if options.report else _check(options.check, options.mask_id)
    if options.fetch:
        return fetch(options.fetch)
    for name in builtin_names():
        try:
            card = load(name).card
        except InvalidRequest as refused:
            print(f"{name}: {refused}")
            continue
        kind = "causal" if card.causal else "noise" if card.noise else "mask"
        print(f"{name}: {card.name}, {kind}, {card.words} words, {card.longest} cells, {card.number} on {card.device}")
        print(f"    weights {card.weights[:16]}  {card.licence}  {card.note}".rstrip())
    return _list_hub()


def _list_hub() -> int:
    from unmask.models.hub import known_checkpoints

    print("\nby id, from the Hub, or by folder (--model ORG/NAME; memory for weights and one canvas):")
    for item in known_checkpoints.known_checkpoints():
        where = "here" if item.here else "fits" if item.fits else "too big"
        print(f"  {where:8} {item.need / 1e9:6.1f} GB {item.number:5} {item.name}  ({item.family}, {item.licence})")
    print("\nsmall ones (--fetch ID; seconds for a pass over 128 open cells here, from one layer of its shape):")
    for item in sorted(known_checkpoints.small_checkpoints(), key=lambda item: not item.here):
        disk = "on this machine" if item.here else f"{item.download / 1e9:.1f} GB to download"
        memory = f"{item.need / 1e9:.1f} GB of memory in {item.number}, {'fits' if item.fits else 'does not fit'}"
        print(f"  {item.name}: {item.good}")
        print(f"      {disk}; {memory}; {known_checkpoints.forward_seconds(item):.2f} s a pass; {item.licence}")
    return 0


def _check(what: str, mask_id: int | None) -> int:
    from unmask.inference.checkpoint_check import check

    wrong = 0
    for line in check(what, mask_id):
        print(line.text + (" <-- wrong" if line.wrong else ""), flush=True)
        wrong += line.wrong
    print("all as it should be" if not wrong else f"{wrong} things are wrong")
    return int(wrong > 0)


def _report(options: argparse.Namespace) -> int:
    from unmask.inference.model_report import report

    print(report(options.check, options.mask_id))
    return 0
