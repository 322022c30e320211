"""Makes a recorded pair without trained weights: the toy decides, and its fifty numbers are read as words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.run.timeline import new_timeline
from unmask.run.trace import Trace, save

WORDS = (
    " The, old, fox, ran, over, a, little, red, hill, and, saw, his, friend,., Then, they, sat, by, the, river,"
    " until, moon, rose,.\n, He, said, hello, to, every, star, she, knew, it, was, late, but, not, cold,ly, in,"
    " green, garden, with, one, small, lamp, near, water, bright,!"
).split(",")
PASS = {False: 9.2, True: 3.1}  # milliseconds that a pass of each kind is said to have taken


def pair(
    folder: Path,
    words: Sequence[str] = WORDS,
    length: int = 80,
    decoder: str = "fast-dllm",
    weights: str = Toy().card.weights,
) -> Path:
    """Two traces of one prompt, as the page opens with."""
    bolder: dict[str, Any] = {"options": {"tau": 0.5}} if decoder == "fast-dllm" else {"passes": 40}
    settings = preset(decoder).over(length, **bolder)  # the toy is seldom sure
    folder.mkdir(parents=True, exist_ok=True)
    run(folder / "first.diffusion.trace.jsonl", False, settings, words, length, weights)
    run(folder / "first.twin.trace.jsonl", True, preset("autoregressive").over(length), words, length, weights)
    return folder


def run(file: Path, causal: bool, settings: Settings, words: Sequence[str], length: int, weights: str) -> None:
    """One run as a trace file."""
    toy = Toy(seed=int(causal))
    toy.card = replace(toy.card, causal=causal, name="toy twin" if causal else "toy", weights=weights)
    begin = start(RunSpec("0 1 2 3", length=length).canvas(replace(toy.card, causal=False), toy.tokenizer), settings)
    timeline, clock = new_timeline(toy.card, begin, "0 1 2 3"), 0.0
    for state, frame in decode(toy, begin, watched=True):
        clock += PASS[causal]
        timeline = timeline.append(timeline.head.child(state, frame, times=(PASS[causal] - 0.4, 0.4, clock)))
    pieces = {i: words[i % len(words)] for i in range(toy.card.words)}
    save(Trace((replace(timeline, pieces=pieces),)), file)
