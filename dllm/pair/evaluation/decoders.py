"""Which decoders harm the model that ships: how many of their texts break off in the middle. `make decoders`.

Run again whenever the weights change; some minutes on one core."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from unmask.decide import get_policy
from unmask.errors import InvalidRequest
from unmask.models import Denoiser, load
from unmask.models.bundled import FOLDER
from unmask.pair.evaluation.claims import Trial, documents, outcome
from unmask.pair.worlds import Document
from unmask.pair.worlds.fact_agreement import ending
from unmask.run.presets import Preset, presets

FILE = FOLDER / "decoders.json"
SHAPES = {"recipe": 112, "steps": 112}  # texts with an end that one can see, and room for them
EACH = 3  # prompts of each
PATIENCE = 20.0  # seconds for one decoder


def prompts() -> list[tuple[Document, int]]:
    """What every decoder writes."""
    return [(made, room) for shape, room in SHAPES.items() for made in list(documents(shape))[:EACH]]


def whole(denoiser: Denoiser, chosen: Preset, made: Document, room: int) -> bool:
    """Whether a text comes to its end, in a sentence that has one."""
    text = outcome(denoiser, Trial(made.prompt, room, chosen.name)).text
    return len(text) > len(made.prompt) + 20 and ending(text).holds


def measured(denoiser: Denoiser, chosen: Preset) -> dict[str, int] | None:
    """Whole texts of so many; None where the model cannot use this decoder."""
    if get_policy(str(chosen.settings["policy"])).needs.verify and not denoiser.card.both:
        return None
    until, found = time.monotonic() + PATIENCE, []
    for made, room in prompts():
        try:
            found.append(whole(denoiser, chosen, made, room))
        except InvalidRequest:
            return None
        if time.monotonic() > until and len(found) > 1:
            break
    return {"whole": sum(found), "texts": len(found)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--denoiser", default="denoiser", help="a name as `load` understands it")
    parser.add_argument("--out", type=Path, default=FILE)
    arguments = parser.parse_args()
    denoiser, rows = load(arguments.denoiser), {}
    for chosen in presets().values():
        row = measured(denoiser, chosen)
        print(
            f"{chosen.title:24} {'not for this model' if row is None else '{whole} of {texts} whole'.format(**row)}",
            flush=True,
        )
        if row is not None:
            rows[chosen.name] = row
    arguments.out.write_text(json.dumps({"weights": denoiser.card.weights, "decoders": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
