"""`judge`: the examination of the embedded pair."""

from __future__ import annotations

import argparse

HELP = "the examination of the embedded pair, as one table with intervals"


def declare(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.add_argument(
        "--quick", action="store_true", help="a few texts of each kind: under half a minute on two cores"
    )
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--model", default="denoiser")
    parser.add_argument("--twin", default="twin")
    parser.add_argument(
        "--ways", action="store_true", help="beside it, nine ways to decode on the same prompts, as a table"
    )
    parser.add_argument("--out", default="build/judge", help="folder for the table as CSV and a plot")


def run(options: argparse.Namespace) -> int:
    """Line by line, on the screen and into files."""
    from pathlib import Path

    from unmask.models import load
    from unmask.models.bundled import available_builtins
    from unmask.pair.eval.evaluation import EvalRow, examine

    denoiser, twin = load(options.model), load(options.twin)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    print(f"never trained on; {denoiser.card.number}, {denoiser.card.threads} threads; 95 in 100 of redrawn means")
    with (Path(options.out) / "exam.txt").open("w") as file:

        def keep(line: EvalRow) -> None:
            print(line, flush=True)
            print(line, file=file, flush=True)

        fast = (
            load("fast")
            if (options.model, options.twin) == ("denoiser", "twin") and "fast" in available_builtins()
            else None
        )
        examine(denoiser, twin, options.prompts, options.quick, keep, fast)
    if options.ways:
        from unmask.pair.eval.generate import WAYS, held_out
        from unmask.pair.eval.quality import keep as kept
        from unmask.pair.eval.quality import sweep, table

        rows = sweep(denoiser, twin, held_out(options.prompts), WAYS)
        print("\n".join(table(rows)))
        print("written:", *kept(rows, Path(options.out)))
    return 0
