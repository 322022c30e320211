"""The samples of the card: held-out documents of seeds 0 to 23, gone on with or filled, unedited. `make card`."""

from __future__ import annotations

import argparse
import re

from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.pair.eval.generate import OWN, write
from unmask.pair.worlds import Document, document
from unmask.paths import ASSETS
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.stats import answer_text

PLACE = ASSETS / "models" / "samples.md"
SHAPES = ["story"] * 8 + ["fill"] * 4 + ["dialogue"] * 4
SHAPES += ["recipe", "record", "code", "sum", "sort", "sudoku", "letter", "steps"]


def filled(denoiser: Denoiser, source: Document, seed: int) -> str:
    """A story without its middle sentence, and the sentence as the model would have it."""
    sentences = re.split(r"(?<=[.!?]) ", source.text)
    middle = len(sentences) // 2
    before, hidden, after = " ".join(sentences[:middle]), sentences[middle], " ".join(sentences[middle + 1 :])
    parts: list[list[int] | int] = [denoiser.tokenizer.encode(before), len(denoiser.tokenizer.encode(" " + hidden))]
    parts.append(denoiser.tokenizer.encode(" " + after))
    settings = Settings().with_changes({"policy": "threshold", "end": "forbid", "seed": seed})
    *_, (state, _) = decode(denoiser, start(blank(parts), settings))
    return f"{before} [{answer_text(denoiser, state.canvas).strip()}] {after}"


def main() -> None:
    denoiser = load("denoiser")
    lines = [
        "Each by its own decoder; held-out documents of seeds 0 to 23; what the model wrote stands behind the "
        "arrow, or between the brackets."
    ]
    for seed, shape in enumerate(SHAPES):
        task = document(seed, "held", "story" if shape == "fill" else shape)
        if shape == "fill":
            text = filled(denoiser, task, seed)
        else:
            whole = write(denoiser, task, OWN, seed).text
            text = f"{task.prompt} → {whole[len(task.prompt) :].rstrip()}"
        lines += ["", f"**{seed}, {shape}**", "", "```", text, "```"]
    PLACE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
