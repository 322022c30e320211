"""Finds the limit above which a text is said to make little sense, with texts that a reader has graded, and writes it
beside the weights: `python -m pair.evaluation.nonsense`. One half of the texts chooses it, the other tests it.

A text is *good* if the strict judge finds nothing wrong with it, and *broken* if a reader found word salad, words that
are none, or the same again and again. Only prompts that the page runs are in the list. A text that the weights do not
write any more has to be graded anew: `--check` says how many there are."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from pair.evaluation.rates import Rates
from unmask.inference.decode import decode
from unmask.inference.nonsense import FILE, settled_tokens, text_surprise
from unmask.inference.ood import unfamiliar_note
from unmask.models import Denoiser, load
from unmask.run.spec import RunSpec

GRADED = files("pair.evaluation") / "lists" / "graded.json"
LENGTH = 144  # open cells
FALSE_ALARMS, CAUGHT = 0.10, 0.80  # of good texts at most, of broken texts at least


@dataclass(frozen=True)
class Graded:
    """A prompt, the text that was written after it, and what a reader said of that."""

    prompt: str
    text: str
    grade: str  # good or broken


def graded(which: str) -> list[Graded]:
    """Every second text of each grade: those that `choose` a limit, or those that `test` it."""
    rows = [Graded(**row) for row in json.loads(GRADED.read_text(encoding="utf-8"))]
    first = ("choose", "test").index(which)
    return [row for grade in ("good", "broken") for row in [one for one in rows if one.grade == grade][first::2]]


def surprises(denoiser: Denoiser, rows: Sequence[Graded], grade: str) -> list[float]:
    return [text_surprise(denoiser, row.prompt, row.text) for row in rows if row.grade == grade]


def chosen(denoiser: Denoiser) -> float:
    """Half way between the most surprising of the good texts and the least of the broken ones, a few left aside: fewer
    of the good, since a good text that is told is worse than a broken one that is not."""
    rows = graded("choose")
    good, broken = (surprises(denoiser, rows, grade) for grade in ("good", "broken"))
    return float((np.quantile(good, 0.98) + np.quantile(broken, 0.2)) / 2)


def rates(denoiser: Denoiser, limit: float, which: str = "test") -> Rates:
    rows = graded(which)
    return Rates.of(limit, *(surprises(denoiser, rows, grade) for grade in ("good", "broken")))


def early(denoiser: Denoiser, limit: float) -> list[float]:
    """Of the broken texts that are told: after which share of their looks."""
    shares = []
    for row in graded("test"):
        if row.grade != "broken" or text_surprise(denoiser, row.prompt, row.text) <= limit:
            continue
        texts = texts_by_look(denoiser, row.prompt)
        first = next(
            (at for at, text in enumerate(texts, 1) if text_surprise(denoiser, row.prompt, text) > limit), len(texts)
        )
        shares.append(first / len(texts))
    return shares


def texts_by_look(denoiser: Denoiser, prompt: str) -> list[str]:
    """What is final of the text after each look, as the page's own decoder writes it."""
    denoiser.clear_caches()
    run = decode(denoiser, RunSpec(prompt, length=LENGTH).start(denoiser.card, denoiser.tokenizer))
    return [denoiser.tokenizer.decode(settled_tokens(denoiser.card, state)) for state, _ in run]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["twin", "denoiser"], help="names as `load` understands them")
    parser.add_argument("--early", action="store_true", help="also say after how many looks broken texts are told")
    parser.add_argument("--check", action="store_true", help="also write every text again, and see which changed")
    options = parser.parse_args()
    found = {}
    for name in options.models:
        denoiser = load(name)
        limit = chosen(denoiser)
        result = rates(denoiser, limit)
        good = result.good(FALSE_ALARMS, CAUGHT)
        caught, wrongly = 100 * result.caught, 100 * result.false_alarms
        print(
            f"{name}: limit {limit:.3f} nats; of texts that did not choose it {caught:.0f} % of the broken are told, "
            f"and {wrongly:.0f} % of the good" + ("" if good else ": not good enough")
        )
        if good:
            found[denoiser.card.weights] = {"name": name, "limit": round(limit, 3)}
        if options.early and name == "denoiser":
            shares = early(denoiser, limit)
            print(
                f"told after {100 * np.median(shares):.0f} % of the looks (median), {100 * max(shares):.0f} % at most"
            )
        if options.check and name == "denoiser":
            rows = graded("choose") + graded("test")
            changed = [row.prompt for row in rows if texts_by_look(denoiser, row.prompt)[-1] != row.text]
            declined = [row.prompt for row in rows if unfamiliar_note(denoiser, row.prompt)]
            print(f"{len(changed)} of {len(rows)} texts have to be graded anew {changed}; declined {declined}")
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
