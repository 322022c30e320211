"""The gallery's run of a model of proteins, which shows why passes matter:
`python -m pair.evaluation.antibody FOLDER`.

`make real` fetches the weights. The same canvas is filled in ten passes and in one. The model itself judges: each
letter is masked alone, and counts if it is the likeliest there."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from pair.evaluation.gallery import LIST, PLACE, excerpt, passes, run, write
from unmask.inference.infer import infer
from unmask.models import Denoiser, load
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.run.timeline import Timeline, with_pieces
from unmask.run.trace import Trace, save

NAME, PROMPT, CELLS = "antibody", "", 110
PASSES = {"In ten looks": 10, "In one look": 1}


def agreement(denoiser: Denoiser, timeline: Timeline) -> float:
    """The share of written letters that the model finds likeliest when each is masked alone."""
    canvas = timeline.head.canvas
    cells = np.flatnonzero(canvas.answer)
    right = 0
    for cell in cells:
        still_open = np.arange(len(canvas)) == cell
        alone = replace(canvas, open=still_open, tokens=np.where(still_open, -1, canvas.tokens))
        belief = infer(denoiser, [start(alone, Settings())])[0]
        right += int(belief.token[cell]) == int(canvas.tokens[cell])
    return right / len(cells)


def make(folder: str, place: Path = PLACE) -> dict[str, object]:
    """Write the recording and its row of the gallery's list."""
    denoiser = load(folder)
    found: list[tuple[Timeline, float]] = []
    for title, most in PASSES.items():
        spec = RunSpec(PROMPT, folder, CELLS, "llada", {"passes": most, "block": CELLS})
        timeline = run(denoiser, spec)
        about = dict(timeline.about) | {"decoder": title, "session": title}
        found.append((replace(timeline, about=about), agreement(denoiser, timeline)))
    (ten, many), (one, few) = found
    ten, one = (with_pieces(each, denoiser.tokenizer) for each in (ten, one))
    save(Trace((ten, one)), place / f"{NAME}.trace.jsonl")
    proof = f"masked alone, {many:.0%} of the letters are the model's own choice after ten looks, {few:.0%} after one"
    row = {"name": NAME, "passes": passes(ten), "proof": proof if many - few > 0.2 else "", "text": excerpt(ten)}
    rows = json.loads((place / LIST).read_text(encoding="utf-8"))
    write([*(each for each in rows if each["name"] != NAME), row], place)
    return row


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    print(make(parser.parse_args().folder))
