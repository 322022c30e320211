"""`attach`: say what can be done with a model that a server runs."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unmask.models.attach import Attached

HELP = "see what can be done with a diffusion model that a server runs (Unmask's or vLLM's)"
CELLS, READS = 32, 5


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "url", help="its address with /v1, and ?model=NAME, mask=, words=, width=, end= if it says less"
    )
    parser.add_argument("--watch", metavar="PROMPT", help="record how the server's own decoder writes on from this")
    parser.add_argument("--length", type=int, default=CELLS, help="cells of that recording")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trace", metavar="FILE", default="server.trace.jsonl", help="where it is saved")


def run(options: argparse.Namespace) -> int:
    """Read a small canvas a few times, and print what works."""
    import numpy as np

    from unmask.models import load
    from unmask.models.attach import Attached

    name = options.url if options.url.startswith("attach:") else f"attach:{options.url}"
    found = load(name)
    assert isinstance(found, Attached)
    card, cells, times = found.card, min(CELLS, found.width), []
    for _ in range(READS):
        began = time.perf_counter()
        table = found.try_out(cells)
        times.append(time.perf_counter() - began)
    again = found.try_out(cells)
    kind = "noise" if card.noise else f"masked (token {found.mask})"
    print(
        f"{card.name} works: a {kind} canvas of {found.width} cells, {card.words:,} tokens, the {found.top} likeliest "
        f"of each cell; a read of {cells} cells takes {1000 * statistics.median(times):.0f} ms."
    )
    same = np.array_equal(table, again)
    print(
        "The same canvas gives the same belief." if same else "It is not deterministic: an undo shows recorded passes."
    )
    if card.chat:
        print("A prompt is a message in the chat template that it has; chat=0 leaves the template out.")
    print(
        "Not possible here: decoders that read from left to right (proofread, self_speculate) or hide a word (revoke), "
        "and the lens on layers."
    )
    if options.watch is not None:
        return _watch(found, options)
    print(f'Use it: unmask decode "…" --model {name}')
    return 0


def _watch(denoiser: Attached, options: argparse.Namespace) -> int:
    """Record a run of the server's own decoder."""
    from unmask.canvas.text import printable
    from unmask.inference.server_sampler import watch
    from unmask.run.stats import answer_text
    from unmask.run.trace import Trace, save

    timeline = watch(denoiser, options.watch, options.length, options.seed)
    print(printable(answer_text(denoiser, timeline.head.canvas)))
    save(Trace((timeline,)), options.trace)
    print(f"{timeline.head.at} passes of its own decoder, saved to {options.trace}: open it on the page.")
    return 0
