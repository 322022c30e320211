"""One table of bad trace files, which Python and the page both refuse: a good file, and what is wrong with each other.

`python -m scripts.contract` writes it to `bad_files.json`, which both sides' tests read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support import PROMPT, NoisyToy
from unmask.canvas import blank
from unmask.inference import infer
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.command import Ban, Boost, Edit, Erase, Pin, Release, Stretch, Tune
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step
from unmask.run.timeline import Timeline, new_timeline, with_pieces
from unmask.run.trace import Trace

# edits that the model's canvas does not allow: only the server, which continues runs, applies them
SERVER = (
    "a pin on the prompt", "a pin of no token", "a release of what is loose", "an erasure of nothing",
    "a stretch of the prompt", "a stretch to nothing",
)  # fmt: skip
BAD = Path(__file__).with_name("bad_files.json")
Rows = list[Any]


def lived(toy: Toy, noise: int = 0, edits: tuple[tuple[int, Edit], ...] = ()) -> Timeline:
    state = start(blank([PROMPT, 6]), Settings("uniform" if noise else "confidence", passes=4, noise=noise))
    run, waiting = new_timeline(toy.card, state, "a prompt", session="mother"), list(edits)
    while not state.done:
        while waiting and waiting[0][0] == state.step:
            edit = waiting.pop(0)[1]
            state = apply(state, edit, toy.card.words)
            run = run.append(run.head.child(state, edit=edit))
        state, frame = step(state, infer(toy, [state], [True])[0])
        run = run.append(run.head.child(state, frame, times=(1.0, 0.1, 2.0)))
    return run


def good() -> list[str]:
    """Two runs, one of them from noise; two branches; and every kind of edit."""
    toy = Toy(seed=5)
    edits: tuple[tuple[int, Edit], ...] = (
        (0, Pin((7,), (2,))), (0, Boost(4, 2.5)), (1, Ban(3)), (1, Release((7,))), (1, Erase((7,))),
        (2, Stretch(9, 2)), (2, Stretch(9, -1)), (2, Tune({"temperature": 0.5, "passes": 5})),
    )  # fmt: skip
    run = lived(toy, edits=edits).fork(3, "a way round")
    state, frame = step(run.head.state, infer(toy, [run.head.state], [True])[0])
    run = with_pieces(run.append(run.head.child(state, frame)), toy.tokenizer)
    noisy = NoisyToy()
    return list(traces.lines(Trace((run, with_pieces(lived(noisy, 50, ((1, Erase((6,))),)), noisy.tokenizer)))))


def at(row: int, *path: Any, to: Any) -> Callable[[Rows], None]:
    """A change of one value of one line."""

    def change(rows: Rows) -> None:
        place = rows[row]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def spoiled(lines: list[str]) -> dict[str, list[Any]]:
    """Files by what is wrong with them: each a list of texts, or of `[text, how often]`."""
    rows = [json.loads(line) for line in lines]
    passes = [i for i, row in enumerate(rows) if row.get("did") == "stepped" and not row.get("run")]
    noisy = next(i for i, row in enumerate(rows) if row.get("did") == "stepped" and row.get("run"))
    kinds = {row["edit"]["do"]: i for i, row in enumerate(rows) if row.get("did") == "edited" and not row.get("run")}
    p, run = passes[0], ("runs", 0)
    wrote = rows[p]["w"]

    changes: dict[str, Callable[[Rows], None]] = {
        "no version": at(0, "unmask", to=None),
        "a version that is text": at(0, "unmask", to="2"),
        "a newer version": at(0, "unmask", to=6),
        "no runs": at(0, "runs", to=[]),
        "nine runs": lambda r: r[0].update(runs=r[0]["runs"] * 5),
        "a head that is a list": at(0, *run, "head", to=[]),
        "a vocabulary of nothing": at(0, *run, "head", "words", to=0),
        "a vocabulary that is text": at(0, *run, "head", "words", to="50"),
        "a prompt that is no text": at(0, *run, "head", "prompt", to=7),
        "a model that is no object": at(0, *run, "head", "model", to=["x"]),
        "a name that is no text": at(0, *run, "head", "model", "name", to={"a": 1}),
        "weights that are no text": at(0, *run, "head", "model", "weights", to=[1]),
        "endings that are no tokens": at(0, *run, "head", "ends", to=["x"]),
        "words for a cell too many that are no tokens": at(0, *run, "head", "model", "skips", to=["x"]),
        "settings that are a list": at(0, *run, "head", "settings", to=[]),
        "a setting that there is not": at(0, *run, "head", "settings", "colour", to="red"),
        "no passes": at(0, *run, "head", "settings", "passes", to=0),
        "half a pass": at(0, *run, "head", "settings", "passes", to=2.5),
        "a schedule that there is not": at(0, *run, "head", "settings", "schedule", to="none"),
        "a boost of a word that is no token": at(0, *run, "head", "settings", "boosts", to={"a": 1}),
        "a boost without end": at(0, *run, "head", "settings", "boosts", to={"1": 1000}),
        "a canvas of half tokens": at(0, *run, "canvas", "tokens", 0, to=1.5),
        "a token beyond 2^53": at(0, *run, "canvas", "tokens", 0, to=2**53),
        "a token of no model's": at(0, *run, "canvas", "tokens", 0, to=50),
        "more tokens than kinds": lambda r: r[0]["runs"][0]["canvas"]["tokens"].append(1),
        "a kind that there is not": at(0, *run, "canvas", "kinds", to="x" * len(rows[0]["runs"][0]["canvas"]["kinds"])),
        "two cells of one name": at(0, *run, "canvas", "ids", to=[0] * len(rows[0]["runs"][0]["canvas"]["tokens"])),
        "pieces that are no text": at(0, *run, "pieces", to={"1": 5}),
        "pieces of no token": at(0, *run, "pieces", to={"one": "x"}),
        "a branch behind the end": at(0, *run, "heads", to={"1": 999}),
        "no branch that is written": at(0, *run, "on", to="nowhere"),
        "a branch that ends nowhere": at(0, *run, "heads", "1", to="2"),
        "a pass of another number": at(p, "step", to=1),
        "a pass that is text": at(p, "step", to="0"),
        "an open count that is wrong": at(p, "open", to=0),
        "an end that is a number": at(p, "done", to=0),
        "a pass that writes into the prompt": at(p, "w", to=[0, *wrote[1:]]),
        "a pass that writes a pin": at(p, "w", to=[7, *wrote[1:]]),
        "a pass that writes beyond": at(p, "w", to=[99, *wrote[1:]]),
        "a pass that writes half a cell": at(p, "w", to=[wrote[0] + 0.5, *wrote[1:]]),
        "a pass with a token too many": lambda r: r[p]["t"].append(1),
        "a pass that writes nothing": at(p, "t", to=[-1] * len(wrote)),
        "a pass of a token that is not": at(p, "t", to=[50] * len(wrote)),
        "a confidence of two": at(p, "c", to=[2.0] * len(wrote)),
        "reasons that are none": at(p, "why", to=3),
        "a reason with a number too many": at(p, "why", to=[["x", wrote[:1], [1.0, 2.0]]]),
        "guesses that are garbled": at(p, "g", to="!!!!"),
        "guesses of other cells": at(p, "g", to="AAA="),
        "no entropy": at(p, "e", to=""),
        "guesses of words that are not": at(p, "g", to="ZGRk" + rows[p]["g"][4:]),
        "times that are text": at(p, "ms", to=["a", 0, 0]),
        "one time": at(p, "ms", to=[1]),
        "a pass taken back beyond": at(p, "x", to=[99]),
        "noise of other cells": at(noisy, "noise", to="AAAA"),
        "a run that is not there": at(p, "run", to=7),
        "a moment that follows none": at(p, "after", to=-1),
        "a pin on the prompt": at(kinds["pin"], "edit", to={"do": "pin", "cells": [0], "tokens": [1]}),
        "a pin of no token": at(kinds["pin"], "edit", to={"do": "pin", "cells": [7], "tokens": [50]}),
        "a release of what is loose": at(kinds["release"], "edit", to={"do": "release", "cells": [8]}),
        "an erasure of nothing": at(kinds["erase"], "edit", to={"do": "erase", "cells": []}),
        "a boost of nothing": at(kinds["boost"], "edit", to={"do": "boost", "token": 1, "amount": "much"}),
        "a stretch of the prompt": at(kinds["stretch"], "edit", to={"do": "stretch", "at": 0, "by": 1}),
        "a stretch to nothing": at(kinds["stretch"], "edit", to={"do": "stretch", "at": 5, "by": -99}),
        "a tune of what there is not": at(kinds["tune"], "edit", to={"do": "tune", "changes": {"colour": 1}}),
        "an edit that is none": at(kinds["tune"], "edit", to={"do": "seek", "to": 0}),
        "no edit": at(kinds["tune"], "edit", to=None),
        "an edit without its canvas": lambda r: r[kinds["ban"]].pop("canvas"),
        "an edit with a canvas of no token": at(kinds["ban"], "canvas", "tokens", 5, to=50),
        "an edit with a canvas of another kind": at(kinds["ban"], "canvas", "kinds", to="x"),
    }
    files: dict[str, list[Any]] = {}
    for name, change in changes.items():
        fresh = [json.loads(line) for line in lines]
        change(fresh)
        files[name] = ["".join(json.dumps(row, separators=(",", ":")) + "\n" for row in fresh)]
    whole = "\n".join(lines)
    return files | {
        "nothing": [""],
        "a picture": ["\x89PNG\r\n"],
        "a list": ["[]"],
        "a line cut off": [whole[: whole.rindex('"sha256"')]],
        "a pass left out": ["\n".join([*lines[:p], *lines[p + 1 :], ""])],
        "an empty line inside": ["\n".join([*lines[:p], "", *lines[p:], ""])],
        "a number that is none": [whole.replace('"step":0', '"step":NaN', 1) + "\n"],
        "a number beyond all": [whole.replace('"step":0', '"step":1e999', 1) + "\n"],
        "brackets without end": [["[", 100_000]],
        "more lines than there may be": [whole, ["\n{}", 20_000]],
        "more than 64 MB": [[" ", (64 << 20) + 1]],
        "more cells than memory has": [
            lines[0].replace('{"unmask":3', '{"unmask":2'),
            '\n{"did":"edited","edit":{"do":"stretch","at":5,"by":60000}}',
            ['\n{"did":"edited","edit":{"do":"tune","changes":{"passes":3}}}', 300],
        ],
    }  # fmt: skip


# a file as another program may write it: what `docs/trace.md` shows
PLAIN = [
    '{"unmask":4,"runs":[{"head":{"source":"mine.py","words":9},"canvas":{"tokens":[3,-1,-1],"kinds":"goo"}}]}',
    '{"did":"stepped","w":[1],"t":[4],"c":[0.75],"beliefs":[{"cell":1,"top":[[4,0.75],[5,0.2]],"entropy":0.7}]}',
    '{"did":"stepped","w":[2],"t":[6]}',
]
PLAIN_BAD: dict[str, tuple[int, str, str]] = {
    "a pass without tokens": (2, '"t":[6]', '"k":[6]'),
    "a token too many": (2, '"t":[6]', '"t":[6,7]'),
    "a cell beyond the canvas": (2, '"w":[2]', '"w":[3]'),
    "a word written into the prompt": (2, '"w":[2]', '"w":[0]'),
    "a token beyond the vocabulary": (2, '"t":[6]', '"t":[9]'),
    "a probability above 1": (1, "[0.75]", "[1.75]"),
    "a belief about no cell": (1, '"cell":1', '"cell":7'),
    "six candidates": (1, "[5,0.2]", "[5,0.2],[6,0],[7,0],[8,0],[1,0]"),
    "a candidate without its probability": (1, "[5,0.2]", "[5]"),
    "more kinds than tokens": (0, '"goo"', '"gooo"'),
    "a vocabulary that is text": (0, '"words":9', '"words":"9"'),
    "a canvas left out": (0, '"canvas"', '"cells"'),
}


def plain_bad(name: str) -> str:
    """A file of another program with one thing wrong."""
    number, right, wrong = PLAIN_BAD[name]
    lines = [*PLAIN]
    assert right in lines[number]
    lines[number] = lines[number].replace(right, wrong)
    return "\n".join([*lines, ""])


def built(parts: list[Any], good: str) -> str:
    """A file of the table as its text: texts, `[text, how often]`, and pieces of the good one."""
    return "".join(
        part
        if isinstance(part, str)
        else good[part["from"] : part["to"]]
        if isinstance(part, dict)
        else part[0] * part[1]
        for part in parts
    )


def short(parts: list[Any], good: str) -> list[Any]:
    """The same file, with what it shares with the good one not written twice."""
    if not isinstance(parts[0], str) or len(parts) > 1:
        return [{"from": 0, "to": len(good)} if f"{part}\n" == good else part for part in parts]
    text, most = parts[0], min(len(parts[0]), len(good))
    front = next((i for i in range(most) if text[i] != good[i]), most)
    back = next((i for i in range(most - front) if text[-1 - i] != good[-1 - i]), most - front)
    ends = {"from": len(good) - back, "to": len(good)}
    return [{"from": 0, "to": front}, text[front : len(text) - back], ends]


def table() -> str:
    """The file that both sides read."""
    lines = good()
    whole = "\n".join(lines) + "\n"
    assert whole.isascii()  # so that both sides count alike
    bad = {name: short(parts, whole) for name, parts in spoiled(lines).items()}
    plain = {"good": "\n".join([*PLAIN, ""]), "bad": {name: plain_bad(name) for name in PLAIN_BAD}}
    return json.dumps({"good": whole, "bad": bad, "server": SERVER, "plain": plain}, indent=0) + "\n"
