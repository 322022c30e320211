"""Twelve recorded runs that each show something, looked for until the judge agrees:
`python -m pair.evaluation.gallery`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pair.evaluation.claims import documents
from unmask.inference.decode import nodes
from unmask.models import Denoiser, load
from unmask.models.oracle import Oracle
from unmask.pair.worlds import strict
from unmask.paths import ASSETS
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text, text_cells
from unmask.run.timeline import Timeline, new_timeline, with_pieces
from unmask.run.trace import Trace, save

PLACE = ASSETS / "gallery"
LIST = "gallery.json"
EXAMPLES = ASSETS / "models" / "examples.json"
OTHERS = ("antibody",)  # made by `antibody.py`, with weights that are not here
LOOKED = 24  # prompts or seeds looked at for one run
GIVEN, BEGUN, TAIL = 40, 50, 40  # characters that a card shows: of what was given, of what was written, of the end
SHADES = 5  # between written first and written last

Span = tuple[str, int]  # a stretch of text, and when it was written
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


def excerpt(timeline: Timeline) -> list[Span]:
    """Where the writing begins and how it ends, each stretch with when it was written: -1 for what was given, otherwise
    0 to SHADES - 1, from the first look to the last."""
    path = timeline.head.path()
    canvas, looks = timeline.head.canvas, max(1, path[-1].at - 1)
    since = {int(c): node.at for node in path if node.frame is not None for c in node.frame.cells}
    shown = canvas.given | text_cells(canvas, timeline.card())
    cells = [i for i in range(len(canvas)) if shown[i]]
    spans: list[Span] = []
    for i in cells:
        shade = -1 if canvas.given[i] else round((since[i] - 1) / looks * (SHADES - 1))
        piece = timeline.pieces.get(int(canvas.tokens[i]), "")
        if spans and spans[-1][1] == shade:
            spans[-1] = spans[-1][0] + piece, shade
        else:
            spans.append((piece, shade))
    spans[0] = spans[0][0].lstrip(), spans[0][1]
    whole = "".join(text for text, _ in spans)
    begun = len(spans[0][0]) if spans[0][1] < 0 else 0
    first = whole.find(" ", begun - GIVEN) if begun > GIVEN else 0
    last = len(whole) if len(whole) <= first + GIVEN + BEGUN + TAIL else whole.rfind(" ", 0, begun + BEGUN)
    head = [*([("…", -1)] if first else []), *_cut(spans, first, last)]
    if last == len(whole):
        return head
    return [*head, (" …", -1), *_cut(spans, whole.find(" ", len(whole) - TAIL), len(whole))]


def _cut(spans: list[Span], first: int, last: int) -> list[Span]:
    """The letters from `first` to before `last`."""
    cut, at = [], 0
    for text, shade in spans:
        if part := text[max(0, first - at) : max(0, last - at)]:
            cut.append((part, shade))
        at += len(text)
    return cut


def make(place: Path = PLACE, report: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """All but those of other models, and the list with a piece of each text."""
    place.mkdir(parents=True, exist_ok=True)
    rows = []
    for exhibit in (*examples(), *MORE):
        timeline, proof, denoiser = found(exhibit)
        timeline = with_pieces(timeline, denoiser.tokenizer)
        save(Trace((timeline,)), place / f"{exhibit.name}.trace.jsonl")
        row = {"name": exhibit.name, "passes": passes(timeline), "proof": proof, "text": excerpt(timeline)}
        rows.append(row)
        report(f"{exhibit.name:8} {passes(timeline):4} passes  {proof or 'NOT SHOWN: these weights cannot'}")
    file = place / LIST
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows += [row for row in before if row["name"] in OTHERS]
    write(rows, place)
    return rows


def write(rows: list[dict[str, Any]], place: Path) -> None:
    """The list, a line for each run."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (place / LIST).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    make()
