"""The temperatures by which a belief that says 90 in 100 is right 90 times in 100, by how much of a text is hidden.

`python -m pair.evaluation.calibration` finds them on texts that are neither trained on nor examined, and writes them
into the denoiser's config, from where they reach its card and every decoder."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from unmask.models import Denoiser, load
from unmask.models.bundled import FOLDER
from unmask.pair.eval.calibration import beliefs, error
from unmask.pair.worlds import Document, document

FIRST, COUNT = 6_000_000, 90  # the documents that temperatures are fitted on; others are examined
HEATS: tuple[float, ...] = tuple(round(0.8 + 0.05 * k, 2) for k in range(19))
UNSURE = (0.9, 1.0, 1.1, 1.2, 1.3, 1.4)  # for a cell that has hardly a guess where all is hidden
NEAR = 0.12  # how far one step is from the next, at most
STEPS = 10  # the card's: from nothing hidden to all


def fitted(denoiser: Denoiser, documents: Sequence[Document]) -> tuple[tuple[float, ...], float]:
    """The temperature of each step of the share hidden by which confidence is nearest to the truth, and what cells
    without a guess take where all is hidden: one temperature for all would leave these too modest, others too sure."""
    card = denoiser.card
    found: list[float] = []

    def off(share: float, heat: float, unsure: float = 0.0) -> float:
        denoiser.card = replace(card, calibration=(heat,), hesitant=unsure)
        return error(*beliefs(denoiser, documents, share))

    try:
        for step in range(1, STEPS + 1):
            # from one step to the next it changes little, but for the last, where there is nothing to go by
            some = [heat for heat in HEATS if step in (1, STEPS) or abs(heat - found[-1]) < NEAR]
            errors = {heat: off(step / STEPS, heat) for heat in some}
            found.append(min(errors, key=errors.__getitem__))
            print(f"hidden {step / STEPS:.0%}: temperature {found[-1]}, error {min(errors.values()):.3f}")
        near = [heat for heat in HEATS if -NEAR < heat - found[-1] < 2 * NEAR]
        pairs = {(heat, unsure): off(1.0, heat, unsure) for heat in near for unsure in UNSURE}
        found[-1], unsure = min(pairs, key=pairs.__getitem__)
        print(f"and {unsure} where it hesitates, {found[-1]} where not, error {min(pairs.values()):.3f}")
    finally:
        denoiser.card = card
    return (found[0], *found), unsure  # with nothing hidden nothing is asked


def main() -> None:
    texts = [one for one in (document(FIRST + i, "held") for i in range(COUNT)) if one.shape != "adding"]
    place = FOLDER / "denoiser" / "config.json"
    config = json.loads(place.read_text())
    steps, config["hesitant"] = fitted(load("denoiser"), texts)
    config["calibration"] = list(steps)
    place.write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
