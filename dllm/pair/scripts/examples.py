"""Looks for the page's examples with the weights that are here, and says what could not be shown: `make examples`.

Run again whenever the weights change; a few minutes on one core."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from unmask.errors import InvalidRequest
from unmask.inference import ood
from unmask.models import load
from unmask.models.bundled import CANVAS
from unmask.pair.evaluation.claims import CLAIMS, FIRST, Pair, Trial, TrialResult, find_trial, outcome, sides_differ
from unmask.pair.worlds import document
from unmask.ui.examples import FILE
from unmask.ui.prompt_templates import SHAPES, PromptTemplate

TRIES = 8  # prompts of a kind
PATIENCE = 20.0  # seconds for a kind


def score(found: TrialResult) -> float:
    """How well a text came out: strict first, then by facts."""
    hold, facts = found.agree
    return 2.0 if found.verdict.strict else hold / facts if facts else 0.0


def example(pair: Pair, shape: PromptTemplate, known: bool) -> dict[str, Any] | None:
    """The prompt of this kind that comes out best, if possible with two different texts; None where the models do not
    know the kind at all."""
    best, at, until = (-1.0, False), None, time.monotonic() + PATIENCE
    for seed in range(FIRST, FIRST + TRIES * 4):
        prompt = document(seed, "held", shape.shape).prompt
        filled = shape.read(prompt)
        if filled is None or (shape.shape == "chat" and "\n" in filled["question"]):  # one turn is enough
            continue
        trial = Trial(prompt, shape.length, CANVAS["preset"])  # as the page decodes it
        try:
            worth = score(outcome(pair.denoiser, trial)), sides_differ(pair, trial)
        except InvalidRequest:  # the prompt leaves no room for an answer
            continue
        if worth > best:
            best, at = worth, filled
        if best == (2.0, True) or time.monotonic() > until:
            break
    strict = best[0] == 2.0
    if at is None or not (strict or known):
        return None
    return {"shape": shape.shape, "example": at, "strict": strict}


def palette(pair: Pair, shapes: Iterable[PromptTemplate] = SHAPES) -> list[dict[str, Any]]:
    """Every kind that the models know."""
    known = set(ood.ood_thresholds().get(pair.twin.card.weights, {}).get("shapes", ()))
    rows = []
    for shape in (one for one in shapes if not known or one.shape in known):
        row = example(pair, shape, shape.shape in known)
        print(
            f"{shape.name:16} {'left out' if row is None else 'works' if row['strict'] else 'known, with mistakes'}",
            flush=True,
        )
        rows += [row] if row else []
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--denoiser", default="denoiser", help="a name as `load` understands it")
    parser.add_argument("--twin", default="twin")
    chosen = parser.parse_args()
    began = time.monotonic()
    pair = Pair(load(chosen.denoiser), load(chosen.twin))
    rows = []
    for claim in CLAIMS:
        trial, proof = find_trial(pair, claim)
        print(f"{claim.name:8} {proof or 'CANNOT BE SHOWN with these weights; the page says so'}", flush=True)
        rows.append({"name": claim.name, **asdict(trial), "proof": proof})
    weights = {"denoiser": pair.denoiser.card.weights, "twin": pair.twin.card.weights}
    found = {"weights": weights, "examples": rows, "shapes": palette(pair)}
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
