"""Is it worth asking which words suit each other? `clash` at 0.5 beside plain thresholds on held-out texts.

`python bench/clash.py [TEXTS]`"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from dllm.canvas import blank
from dllm.lab.interval import share
from dllm.lab.write import LENGTHS, PROSE, SHORT, held_out
from dllm.models import Denoiser, load
from dllm.run.measure import answer
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.think.decode import decode
from dllm.worlds import Document, strict

WAYS = {
    "threshold 0.5": {"policy": "threshold", "options": {"tau": 0.5}},
    "threshold 0.9": {"policy": "threshold", "options": {"tau": 0.9}},
    "clash 0.5": {"policy": "clash", "options": {"tau": 0.5, "least": 0.5}},
}


def row(denoiser: Denoiser, texts: Sequence[Document], name: str) -> str:
    right, facts, passes, rows, seconds = [], [], 0, 0, 0.0
    for one in texts:
        prompt = denoiser.speller.encode(one.prompt)
        room = min(LENGTHS.get(one.shape, SHORT), denoiser.card.longest - len(prompt))
        usual = {"end": "stop", "end_after": 16 if one.shape in PROSE else 0, "block": 32, "passes": room}
        began = time.perf_counter()
        run = list(decode(denoiser, start(blank([prompt, room]), Settings().changed(usual | WAYS[name]))))
        seconds += time.perf_counter() - began
        verdict = strict(one.prompt, one.prompt + answer(denoiser, run[-1][0].canvas))
        right.append(verdict.strict)
        facts += [fact.holds for fact in verdict.facts]
        passes, rows = passes + len(run), rows + sum(frame.cost for _, frame in run)
    n = len(texts)
    return f"| {name} | {share(right)} | {share(facts)} | {passes / n:.1f} | {rows / n:.1f} | {seconds / n:.2f} |"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    denoiser, texts = load("denoiser"), held_out(count)
    print(f"| {count} held-out texts | right | facts that hold | passes | rows | seconds |\n|---|---|---|---|---|---|")
    for name in WAYS:
        print(row(denoiser, texts, name), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
