"""Twelve recorded runs that each show something, looked for until the judge agrees:
`python -m unmask.pair.evaluation.gallery`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.inference.decode import nodes
from unmask.models import Denoiser, load
from unmask.models.oracle import Oracle
from unmask.pair.evaluation.claims import documents
from unmask.pair.worlds import strict
from unmask.paths import ASSETS
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text
from unmask.run.timeline import Timeline, new_timeline, with_pieces
from unmask.run.trace import Trace, save

PLACE = ASSETS / "gallery"
EXAMPLES = ASSETS / "models" / "examples.json"
OTHERS = ("antibody",)  # made by `antibody.py`, with weights that are not here
LOOKED = 24  # prompts or seeds looked at for one run
WIDE, CELL = 20, 12  # cells in a row of a preview, and their size
FIRST_TO_LAST = ("#0b5a8f", "#4c6390", "#8f7a86", "#c9986f", "#efbf72")  # as on the page's maps, light and dark

Proof = Callable[[Denoiser, Timeline], str]


@dataclass(frozen=True)
class Exhibit:
    """One run: where to look for it, and what it must show. The proof is a sentence with figures; empty, it failed."""

    name: str
    specs: Callable[[], Iterable[RunSpec]]
    proof: Proof


def run(denoiser: Denoiser, spec: RunSpec) -> Timeline:
    """An order as a timeline, pass by pass."""
    state = spec.start(denoiser.card, denoiser.tokenizer)
    timeline = new_timeline(denoiser.card, state, spec.prompt)
    for node in nodes(denoiser, timeline.head, watched=True):
        timeline = timeline.append(node)
    return timeline


def passes(timeline: Timeline) -> int:
    return sum(node.frame.cost for node in timeline.head.path() if node.frame is not None)


def _looks(count: int) -> str:
    return f"{count} look" if count == 1 else f"{count} looks"


def agrees(most: int = 1000) -> Proof:
    """Every fact agrees, by the judge of the text's own world, within so many passes."""

    def proof(denoiser: Denoiser, timeline: Timeline) -> str:
        prompt, count = str(timeline.about["prompt"]), passes(timeline)
        verdict = strict(prompt, prompt + answer_text(denoiser, timeline.head.canvas))
        if not verdict.strict or count > most:
            return ""
        return f"{len(verdict.facts)} of {len(verdict.facts)} facts agree after {_looks(count)}"

    return proof


def in_world(right: bool) -> Proof:
    """Whether the text is one of the world's, which can be counted."""

    def proof(denoiser: Denoiser, timeline: Timeline) -> str:
        assert isinstance(denoiser, Oracle)
        found = bool((denoiser.texts == timeline.head.canvas.tokens).all(1).any())
        kind = "one" if found else "none"
        says = f"{_looks(passes(timeline))}, and the text is {kind} of the {len(denoiser.texts)} right"
        return says if found is right else ""

    return proof


def of(shape: str, length: int, preset: str = "fast-dllm", **changes: Any) -> Callable[[], Iterator[RunSpec]]:
    """Held-out prompts of a kind, all decoded in one way."""

    def specs() -> Iterator[RunSpec]:
        for made in documents(shape):
            yield RunSpec(made.prompt, length=length, preset=preset, changes={"end": "stop"} | changes)

    return specs


def seeds(spec: RunSpec) -> Callable[[], Iterator[RunSpec]]:
    return lambda: (RunSpec(**{**vars(spec), "seed": seed}) for seed in range(LOOKED))


def examples() -> Iterator[Exhibit]:
    """The page's own six, which a search has found already."""
    for row in json.loads(EXAMPLES.read_text(encoding="utf-8"))["examples"]:
        spec = RunSpec(row["prompt"], length=row["length"], preset=row["preset"], changes=row["changes"])
        yield Exhibit(row["name"], lambda o=spec: [o], lambda *_, proof=row["proof"]: proof)  # type: ignore[misc]


SUDOKU = RunSpec("1", model="sudoku4", length=15, preset="llada", changes={"passes": 15, "temperature": 1.0})
FOUR = RunSpec("", model="permutations:4", length=4, preset="llada", changes={"passes": 1, "temperature": 1.0})
MORE = (
    Exhibit("record", of("record", 56), agrees(6)),
    Exhibit("sum", of("sum", 48, "autoregressive"), agrees()),
    Exhibit("blocks", of("recipe", 128, block=8), agrees()),
    Exhibit("voices", of("dialogue", 112), agrees()),
    Exhibit("sudoku", seeds(SUDOKU), in_world(True)),
    Exhibit("clash", seeds(FOUR), in_world(False)),
)


def found(exhibit: Exhibit) -> tuple[Timeline, str, Denoiser]:
    """The first run that shows it; the last one looked at, without a proof, where none does."""
    last: tuple[Timeline, str, Denoiser] | None = None
    for _, spec in zip(range(LOOKED), exhibit.specs(), strict=False):
        denoiser = load(spec.model)
        timeline = run(denoiser, spec)
        last = timeline, exhibit.proof(denoiser, timeline), denoiser
        if last[1]:
            break
    assert last is not None
    return last


def preview(timeline: Timeline) -> str:
    """A small picture: when each cell was written, as far as the run had come half-way."""
    path = timeline.head.path()
    half = path[(len(path) + 1) // 2 if len(path) > 2 else len(path) - 1]
    canvas, end = half.canvas, max(1, half.at)
    since = {int(c): node.at for node in path[: half.at + 1] if node.frame is not None for c in node.frame.cells}
    rows = -(-len(canvas) // WIDE)
    squares = []
    for i in range(len(canvas)):
        share = since.get(i, 0) / end
        fill = (
            "#a59d8e" if canvas.given[i]
            else "#a59d8e40" if canvas.open[i]
            else FIRST_TO_LAST[round(share * (len(FIRST_TO_LAST) - 1))]
        )  # fmt: skip
        squares.append(
            f'<rect x="{i % WIDE * CELL + 1}" y="{i // WIDE * CELL + 1}" width="{CELL - 2}" height="{CELL - 2}" '
            f'rx="2" fill="{fill}"/>'
        )
    size = f'viewBox="0 0 {WIDE * CELL} {max(4, rows) * CELL}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(squares)}</svg>\n'


def make(place: Path = PLACE, report: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """All but those of other models, each with its preview, and the list."""
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    for exhibit in (*examples(), *MORE):
        timeline, proof, denoiser = found(exhibit)
        save(Trace((with_pieces(timeline, denoiser.tokenizer),)), place / f"{exhibit.name}.trace.jsonl")
        (place / f"{exhibit.name}.svg").write_text(preview(timeline), encoding="utf-8")
        rows.append({"name": exhibit.name, "passes": passes(timeline), "proof": proof})
        report(f"{exhibit.name:8} {passes(timeline):4} passes  {proof or 'NOT SHOWN: these weights cannot'}")
    file = place / "gallery.json"
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows += [row for row in before if row["name"] in OTHERS]
    file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return rows


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    make()
