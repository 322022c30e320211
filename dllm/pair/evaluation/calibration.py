"""Whether a belief that says 90 in 100 is right 90 times in 100, by how much of a text is hidden.

`python -m unmask.pair.evaluation.calibration` finds, on texts that are neither trained on nor examined, the
temperatures by which it is, and writes them into the denoiser's config, from where they reach its card and every
decoder."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from unmask.belief import NOISE, random_draws
from unmask.canvas import blank
from unmask.inference import DistributionCache, infer
from unmask.models import Denoiser, load
from unmask.models.bundled import FOLDER
from unmask.pair.evaluation.generate import OWN
from unmask.pair.worlds import Document, document
from unmask.run.state import start

BINS = 15
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
FIRST, COUNT = 6_000_000, 90  # the documents that temperatures are fitted on; others are examined
HEATS: tuple[float, ...] = tuple(round(0.8 + 0.05 * k, 2) for k in range(19))
UNSURE = (0.9, 1.0, 1.1, 1.2, 1.3, 1.4)  # for a cell that has hardly a guess where all is hidden
NEAR = 0.12  # how far one step is from the next, at most
STEPS = 10  # the card's: from nothing hidden to all


def beliefs(denoiser: Denoiser, documents: Sequence[Document], hidden: float) -> tuple[NDArray[np.float64], ...]:
    """How sure each first guess is, and whether it is the word of the text; answers hidden to this share."""
    sure, right = [], []
    for at, one in enumerate(documents):
        whole = np.array(denoiser.tokenizer.encode(one.text)[: denoiser.card.longest], np.int64)
        given = min(len(denoiser.tokenizer.encode(one.prompt)), len(whole) - 1)
        cells = np.arange(given, len(whole))
        canvas = blank([whole[:given].tolist(), len(cells)])
        shown = cells[random_draws(at, 0, cells, NOISE) >= hidden]
        row = whole.copy()
        canvas = canvas.write(canvas.mask(shown.tolist()), row)
        if not canvas.open.any():
            continue
        settings = OWN.settings(denoiser.card, one.shape, len(cells)).with_changes({"temperature": 0, "block": 0})
        (belief,) = infer(denoiser, [start(canvas, settings)], [False], [DistributionCache()])
        judged = canvas.open & belief.known
        sure.append(belief.confidence[judged])
        right.append(belief.token[judged] == whole[judged])
    return np.concatenate(sure), np.concatenate(right).astype(float)


def error(sure: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Expected calibration error: the mean distance of confidence and success, bin by bin (Guo et al. 2017)."""
    places = np.minimum((sure * BINS).astype(int), BINS - 1)
    return float(
        sum(
            (places == at).mean() * abs(sure[places == at].mean() - right[places == at].mean())
            for at in range(BINS)
            if (places == at).any()
        )
    )


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
