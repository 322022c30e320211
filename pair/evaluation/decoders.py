"""What each decoder makes of the model that ships: looks, errors, texts that break off, and a run. `make decoders`.

Run again whenever the weights change; some minutes on one core."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pair.evaluation.claims import Trial, documents, outcome
from unmask.decide import get_policy
from unmask.errors import InvalidRequest
from unmask.models import Denoiser, load
from unmask.models.bundled import FOLDER
from unmask.pair.worlds import Document
from unmask.pair.worlds.fact_agreement import ending
from unmask.paths import ASSETS
from unmask.run import trace
from unmask.run.intervals import corrected, rate, rate_difference
from unmask.run.presets import Preset, presets

FILE = FOLDER / "decoders.json"
SHAPES = ("recipe", "steps", "story", "chat")
ENDS = ("recipe", "steps")  # texts with an end that one can see
ROOM = 112  # cells
EACH = 6  # prompts of each
LONGEST = 300  # characters of a prompt that leaves room for the answer
PATIENCE = 90.0  # seconds for one decoder
FIRST = ASSETS / "traces" / "first.diffusion.trace.jsonl"  # the prompt of the run that stands for each decoder


def prompts() -> list[Document]:
    """What every decoder writes: some of each kind, in turn."""
    kinds = ((made for made in documents(shape) if len(made.prompt) < LONGEST) for shape in SHAPES)
    return [made for row in zip(*(islice(kind, EACH) for kind in kinds), strict=True) for made in row]


def whole(prompt: str, text: str) -> bool:
    """Whether a text comes to its end, in a sentence that has one."""
    return len(text) > len(prompt) + 20 and ending(text).holds


def measured(denoiser: Denoiser, chosen: Preset, patience: float = PATIENCE) -> dict[str, Any] | None:
    """Its looks, texts without an error and whole texts, over held-out prompts; None where the model cannot use it."""
    if get_policy(str(chosen.settings["policy"])).needs.verify and not denoiser.card.both:
        return None
    until, looks, right, ended = time.monotonic() + patience, [], [], []
    for made in prompts():
        try:
            found = outcome(denoiser, Trial(made.prompt, ROOM, chosen.name))
        except InvalidRequest as refused:
            print(f"{chosen.title}: {refused}", flush=True)
            return None
        looks.append(found.passes)
        right.append(bool(found.verdict.strict))
        if made.shape in ENDS:
            ended.append(whole(made.prompt, found.text))
        if time.monotonic() > until and ended:
            break
    return {
        "looks": round(sum(looks) / len(looks), 1),
        "right": sum(right),
        "prompts": len(looks),
        "each": "".join(map(str, map(int, right))),
        "whole": sum(ended),
        "texts": len(ended),
        "run": sample(denoiser, chosen),
    }


def with_intervals(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The rows with the 95 % interval of each share of right texts, and of its difference to the best one.

    The best is the one with most right texts and, of those, the fewest looks; the differences are paired by prompt and
    corrected for their number."""
    each = {name: [[float(right)] for right in row["each"]] for name, row in rows.items()}
    shares = {name: rate(values) for name, values in each.items()}
    best = max(rows, key=lambda name: (shares[name].value, -rows[name]["looks"]))
    others = [name for name in rows if name != best]
    pairs = []
    for name in others:
        prompts = min(len(each[name]), len(each[best]))
        pairs.append((each[name][:prompts], each[best][:prompts]))
    behind = dict(zip(others, corrected(pairs, rate_difference), strict=True))
    found = {}
    for name, row in rows.items():
        low, high = (round(end, 4) for end in (shares[name].low, shares[name].high))
        found[name] = {**row, "low": low, "high": high}
        if name in behind:
            found[name]["behind"] = [round(x, 4) for x in (behind[name].value, behind[name].low, behind[name].high)]
    return found


def sample(denoiser: Denoiser, chosen: Preset) -> dict[str, Any]:
    """A run of the page's first prompt: the look that wrote each place last, and where a word was taken back."""
    found = outcome(denoiser, Trial(trace.load(FIRST).runs[0].about["prompt"], ROOM, chosen.name))
    places = np.flatnonzero(found.shown)
    when, back = np.zeros(len(found.shown), int), []
    for look, frame in enumerate(found.frames, 1):
        gone = {*frame.cells[frame.was >= 0].tolist(), *frame.erased.tolist()}
        back += [[int(np.searchsorted(places, cell)), look] for cell in sorted(gone) if found.shown[cell]]
        when[frame.cells] = look
    return {"looks": found.passes, "when": when[places].tolist(), "back": back}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--denoiser", default="denoiser", help="a name as `load` understands it")
    parser.add_argument("--out", type=Path, default=FILE)
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="seconds for one decoder; a busy machine needs more"
    )
    arguments = parser.parse_args()
    denoiser, rows = load(arguments.denoiser), {}
    for chosen in presets().values():
        row = measured(denoiser, chosen, arguments.patience)
        says = "{looks} looks, {right} of {prompts} without an error, {whole} of {texts} whole"
        print(f"{chosen.title:24} {'not for this model' if row is None else says.format(**row)}", flush=True)
        if row is not None:
            rows[chosen.name] = row
    arguments.out.write_text(_json({"weights": denoiser.card.weights, "decoders": with_intervals(rows)}))


def _json(found: dict[str, Any]) -> str:
    """A line for each decoder."""
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found["decoders"].items()]
    return f'{{\n "weights": "{found["weights"]}",\n "decoders": {{\n' + ",\n".join(lines) + "\n }\n}\n"


if __name__ == "__main__":
    main()
