"""Are the probabilities of decisions right? Measured on stories that the pair was never trained on. `make figures`.

Each story stops before the last name of a character, and its characters are the options. Writes what the page shows,
and the calibration figure of docs/decisions.md."""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot

from unmask.canvas import blank
from unmask.features.decisions.answered import Outcome, curve
from unmask.features.decisions.page import MEASURED
from unmask.features.decisions.question import Question
from unmask.features.decisions.reading import read
from unmask.features.decisions.yardstick import Cloze, cloze, majority, reliability
from unmask.inference.canvas_read import read_canvas
from unmask.models import Denoiser, load
from unmask.pair.eval.generate import held_out
from unmask.run.spec import RunSpec
from unmask.run.state import start

QUESTIONS = 200
FIGURE = Path(__file__).parents[2] / "docs" / "figures" / "decisions.png"
LISTED = "Who comes next?"
matplotlib.use("Agg")


def clozes(count: int) -> list[Cloze]:
    """The questions of held-out stories."""
    stories = held_out(3 * count, ("story",))
    return list(itertools.islice(filter(None, (cloze(one.text) for one in stories)), count))


def probabilities(
    denoiser: Denoiser, one: Cloze, instructions: str = "", every_order: bool = False
) -> dict[str, float]:
    """The probability of each option, in one forward."""
    question = Question("next", "choice", instructions, one.options, tuple("" for _ in one.options))
    shares = read(denoiser, one.state, [question], True, every_order).shares["next"]
    return dict(zip(one.options, shares, strict=True))


def next_word(twin: Denoiser, one: Cloze) -> dict[str, float]:
    """The probability of each option as the twin's next word."""
    ids = [twin.tokenizer.encode(" " + option)[0] for option in one.options]
    begun = start(blank([twin.tokenizer.encode(one.state), 1]), RunSpec().settings(twin.card, 1))
    named = dict(read_canvas(twin, begun, 0, ids, True)[0].chosen)
    raw = np.exp([named[token] for token in ids])
    return dict(zip(one.options, (raw / raw.sum()).tolist(), strict=True))


def outcome(one: Cloze, shares: dict[str, float]) -> Outcome:
    """The likeliest option, and whether it is the right one."""
    best = max(shares, key=shares.__getitem__)
    return Outcome(shares[best], best == one.right)


def changed(denoiser: Denoiser, questions: Sequence[Cloze], every_order: bool) -> int:
    """How many answers change where the options are listed in the text in the reverse order."""
    count = 0
    for one in questions:
        both = (one, replace(one, options=one.options[::-1]))
        first, other = (probabilities(denoiser, each, LISTED, every_order) for each in both)
        count += max(first, key=first.__getitem__) != max(other, key=other.__getitem__)
    return count


def measured(count: int = QUESTIONS) -> dict[str, Any]:
    """What the page shows, of so many questions."""
    questions = clozes(count)
    denoiser, twin = load("denoiser"), load("twin")
    found = [outcome(one, probabilities(denoiser, one)) for one in questions]
    theirs = [outcome(one, next_word(twin, one)) for one in questions]
    other = reliability([one.sure for one in theirs], [one.right for one in theirs])
    return curve(found) | {
        "commonest": majority(questions),
        "twin": {"accuracy": [other.accuracy.value, other.accuracy.low, other.accuracy.high], "error": other.error},
        "changed": {
            "one_order": changed(denoiser, questions, False),
            "every_order": changed(denoiser, questions, True),
        },
        "model": denoiser.card.name,
    }


def draw(row: dict[str, Any], file: Path) -> None:
    """The calibration figure."""
    figure, axes = pyplot.subplots(figsize=(6, 4.6))
    axes.plot([0, 1], [0, 1], "--", color="0.7", lw=1, label="as it should be")
    sure = [one["sure"] for one in row["bins"]]
    right = [one["right"] for one in row["bins"]]
    wide = [[m - low for m, low, _ in right], [high - m for m, _, high in right]]
    axes.errorbar(sure, [m for m, _, _ in right], wide, fmt="o", capsize=2, label="answers, 95 % interval")
    for one in row["bins"]:
        at = (one["sure"], one["right"][0])
        axes.annotate(str(one["count"]), at, fontsize=8, xytext=(6, -10), textcoords="offset points")
    axes.set(xlabel="how sure it says it is", ylabel="how often it was right", xlim=(0.3, 1.03), ylim=(0, 1.05))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
    axes.legend(fontsize=8, loc="upper left")
    note = f"make figures, {date.today()}; {row['count']} questions about stories never trained on"
    figure.text(0.995, 0.005, note, ha="right", fontsize=7, color="0.4")
    figure.tight_layout()
    figure.savefig(file, dpi=110)
    pyplot.close(figure)


def main() -> None:
    row = measured(int(sys.argv[1]) if sys.argv[1:] else QUESTIONS)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda one: f"[{' '.join(one[1].split())}]", json.dumps(row, indent=2))
    MEASURED.write_text(text + "\n", "utf-8")
    draw(row, FIGURE)
    print(json.dumps({name: row[name] for name in row if name not in ("bins", "gates")}))


if __name__ == "__main__":
    main()
