"""Looks for the page's examples with the weights that are here, and says what could not be shown: `make examples`.

Run again whenever the weights change; a quarter of an hour on one core."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from random import Random
from typing import Any

from pair.evaluation.claims import CLAIMS, FIRST, Pair, Trial, find_trial, outcome, sides_differ
from unmask.models import load
from unmask.models.bundled import CANVAS
from unmask.pair.worlds import document
from unmask.pair.worlds.scene import scene
from unmask.ui.examples import FILE
from unmask.ui.prompt_templates import SHAPES, PromptTemplate

TRIES = 100  # prompts of a kind: what is right less than nine times of ten is not offered
SEEDS = 20_000  # documents looked through for prompts of a kind
# blanks that are filled from a scene, as the words of a person who types over them; other kinds are read from documents
ROLES = {
    **{"name": "a", "who": "a", "writer": "a", "one": "a", "two": "b", "reader": "elder"},
    **{role: role for role in ("colour", "thing", "fruit", "dish", "guests")},
}


def blanks(shape: PromptTemplate) -> Iterator[dict[str, str]]:
    """What stands in the blanks of prompts of a kind."""
    names = sorted(set(re.findall(r"\{(\w+)\}", shape.template)))
    if set(names) <= ROLES.keys():
        for seed in range(FIRST, FIRST + TRIES):
            world = scene(Random(f"{shape.name} {seed}"), peopled=1.0)
            yield {name: world[ROLES[name]] for name in names}
        return
    read = (shape.read(document(seed, "held", shape.shape).prompt) for seed in range(FIRST, FIRST + SEEDS))
    yield from islice((found for found in read if found is not None), TRIES)


def example(pair: Pair, shape: PromptTemplate) -> dict[str, Any]:
    """How many prompts of a kind come out right, and one that does, if possible with two different texts."""
    best, right, of = 0, 0, 0
    at: dict[str, str] | None = None
    for filled in blanks(shape):
        trial = Trial(shape.template.format_map(filled), shape.length, CANVAS["preset"])  # as the page decodes it
        of += 1
        if not outcome(pair.denoiser, trial).verdict.strict:
            continue
        right += 1
        worth = best if best == 2 else 1 + sides_differ(pair, trial)
        if worth > best:
            best, at = worth, filled
    return {"shape": shape.shape, "example": at, "right": right, "of": of}


def palette(pair: Pair, shapes: Iterable[PromptTemplate] = SHAPES) -> list[dict[str, Any]]:
    """Every kind, with how many of its prompts come out right."""
    rows = []
    for shape in shapes:
        rows.append(row := example(pair, shape))
        print(f"{shape.name:16} {row['right']} of {row['of']} are right", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--denoiser", default="denoiser", help="a name as `load` understands it")
    parser.add_argument("--twin", default="twin")
    parser.add_argument("--shapes", action="store_true", help="only what can be asked; the six examples stay")
    parser.add_argument("--only", metavar="NAME", help="only this example; the others and what can be asked stay")
    chosen = parser.parse_args()
    began = time.monotonic()
    pair = Pair(load(chosen.denoiser), load(chosen.twin))
    before = json.loads(FILE.read_text(encoding="utf-8")) if chosen.shapes or chosen.only else {}
    rows = {row["name"]: row for row in before.get("examples", ())}
    for claim in () if chosen.shapes else CLAIMS:
        if chosen.only in (None, claim.name):
            trial, proof = find_trial(pair, claim)
            print(f"{claim.name:8} {proof or 'CANNOT BE SHOWN with these weights; the page says so'}", flush=True)
            rows[claim.name] = {"name": claim.name, **asdict(trial), "proof": proof}
    weights = {"denoiser": pair.denoiser.card.weights, "twin": pair.twin.card.weights}
    kinds = before["shapes"] if chosen.only else palette(pair)
    found = {"weights": weights, "examples": [*rows.values()], "shapes": kinds}
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
