"""Compares the `clash` policy at 0.5 with plain thresholds on held-out texts: correct texts, passes and time.

`python bench/clash.py [TEXTS] [FILE]`: each result is a line of a file, so an interrupted benchmark can be resumed.
Seconds are processor time of this process, which other programs change little."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.pair.eval.generate import LENGTHS, SHORT, held_out
from unmask.pair.worlds import PROSE, Document, strict
from unmask.run.intervals import rate, share
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.stats import answer_text

WAYS = {
    "threshold 0.5": {"policy": "threshold", "options": {"tau": 0.5}},
    "threshold 0.9": {"policy": "threshold", "options": {"tau": 0.9}},
    "clash 0.5": {"policy": "clash", "options": {"tau": 0.5, "least": 0.5}},
}
FILE = Path("runs/clash.jsonl")


def outcome(denoiser: Denoiser, text: Document, way: str) -> dict[str, Any]:
    """Decode one text in one way, and judge it."""
    prompt = denoiser.tokenizer.encode(text.prompt)
    room = min(LENGTHS.get(text.shape, SHORT), denoiser.card.longest - len(prompt))
    defaults = {"end": "stop", "end_after": 16 if text.shape in PROSE else 0, "block": 32, "passes": room}
    began = time.process_time()
    run = list(decode(denoiser, start(blank([prompt, room]), Settings().with_changes(defaults | WAYS[way]))))
    seconds = time.process_time() - began
    verdict = strict(text.prompt, text.prompt + answer_text(denoiser, run[-1][0].canvas))
    return {
        "right": verdict.strict,
        "facts": [fact.holds for fact in verdict.facts],
        "passes": len(run),
        "rows": sum(frame.cost for _, frame in run),
        "seconds": seconds,
    }


def outcomes(denoiser: Denoiser, texts: Sequence[Document], file: Path = FILE) -> list[dict[str, Any]]:
    """Every text in every way; results of these weights that are in the file are not computed again."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    known = {(row["text"], row["way"]): row for row in rows if row["weights"] == denoiser.card.weights}
    with file.open("a") as end:
        for n, text in enumerate(texts):
            for way in WAYS:
                if (n, way) in known:
                    continue
                key = {"text": n, "way": way, "weights": denoiser.card.weights}
                row = known[n, way] = key | outcome(denoiser, text, way)
                print(json.dumps(row), file=end, flush=True)
    return [known[n, way] for way in WAYS for n in range(len(texts))]


def line(rows: Sequence[dict[str, Any]], way: str) -> str:
    """The table's row of one way."""
    own = [row for row in rows if row["way"] == way]
    right, facts = share([row["right"] for row in own]), rate([row["facts"] for row in own if row["facts"]])
    passes, cost, seconds = (sum(row[name] for row in own) / len(own) for name in ("passes", "rows", "seconds"))
    return f"| {way} | {right} | {facts} | {passes:.1f} | {cost:.1f} | {seconds:.2f} |"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    file = Path(sys.argv[2]) if len(sys.argv) > 2 else FILE
    rows = outcomes(load("denoiser"), held_out(count), file)
    print(f"| {count} held-out texts | right | facts that hold | passes | rows | seconds |\n|---|---|---|---|---|---|")
    print("\n".join(line(rows, way) for way in WAYS), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
