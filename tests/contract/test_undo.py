"""Undo and redo are exact: after any acts, each undo brings back canvas, branches and settings from before one of them.

`UNDO_RUNS` says how many random runs are tried."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from tests.contract.recorder import Recorder, needs_node, replayed
from unmask.run.codec import canvas_to_dict
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime

ACTS = 40
CHANGES = "pin release erase ban boost stretch tune fork earlier switch".split()
WATCHES = "step step seek".split()


class Person(Recorder):
    """Somebody who steers a run, and what it was before each change."""

    before: list[dict[str, Any]]

    def what(self) -> dict[str, Any]:
        """Everything that an undo has to bring back."""
        timeline = self.runtime.sessions.alive[self.session].timeline
        node = timeline.head
        return {
            "canvas": canvas_to_dict(node.canvas) | {"ids": node.canvas.ids.tolist()},
            "settings": node.settings.to_dict(),
            "on": timeline.on,
            "heads": {name: head.at for name, head in timeline.heads.items()},
        }

    async def act(self, kind: str) -> None:
        """One act; what is refused changes nothing, so it is not undone."""
        rng, head = self.rng, self.runtime.sessions.alive[self.session].head
        cells = sorted(rng.sample(range(len(self.canvas)), 2))
        free = [c for c in cells if not self.canvas.prompt[c]]
        token = rng.randrange(49)
        pin = {"cells": free, "tokens": [token] * len(free)}
        heads = list(self.runtime.sessions.alive[self.session].timeline.heads)
        fields: dict[str, Any] = {
            "pin": pin,
            "release": {"cells": self.canvas.pinned.nonzero()[0].tolist()[:2]},
            "erase": {"cells": free},
            "ban": {"token": token},
            "boost": {"token": token, "amount": 3.0},
            "stretch": {"at": max(free or [5]), "by": rng.choice([-1, 1, 3])},
            "tune": {"changes": {"temperature": rng.choice([0.0, 0.4, 0.9])}},
            "fork": {"at": rng.randrange(head.at + 1)},
            "earlier": pin | {"at_moment": rng.randrange(head.at + 1)},
            "switch": {"head": rng.choice(heads)},
            "step": {"passes": 1},
            "seek": {"to": rng.randrange(head.at + 1)},
        }[kind]
        before, refusals = self.what(), self.refusals
        self.send("pin" if kind == "earlier" else kind, **fields)
        await self.settle()
        if kind in CHANGES and self.refusals == refusals:
            self.before.append(before)

    @property
    def refusals(self) -> int:
        return sum(row["did"] == "refused" for row in self.messages)

    async def settle(self) -> None:
        session = self.runtime.sessions.alive[self.session]
        self.send("peek", cell=0)
        while (await self.until("peeked"))["did"] != "peeked":
            pass  # an act was refused; with the answer, everything that was sent before has arrived
        while session._mailbox or session.playing:
            await asyncio.sleep(0.001)
        await super().settle()


async def steered(runtime: Runtime, seed: int) -> Person:
    """A random run that is undone to its beginning and redone to its end, once in the middle and once at the end."""
    line = FallbackConnection(None)
    visit = asyncio.ensure_future(Visit(runtime, line, at_home=True).run())
    person = Person(runtime, line, seed)
    person.before = []
    await person.open("toy", person.rng.choice(["confidence", "remask", "threshold"]))
    await person.settle()
    for half in range(2):
        for _ in range(ACTS // 2):
            await person.act(person.rng.choice(CHANGES + WATCHES))
        end, undone = person.what(), []
        many = person.rng.randrange(len(person.before) + 1) if half == 0 else len(person.before)
        for before in list(reversed(person.before))[:many]:
            undone.append(person.what())
            person.send("undo", exact=True)
            await person.settle()
            assert person.what() == before, (seed, "undo")
        for after in list(reversed(undone)):
            person.send("redo")
            await person.settle()
            assert person.what() == after, (seed, "redo")
        assert person.what() == end
    line.hang_up()
    await asyncio.wait([visit], timeout=5)
    return person


@needs_node
async def test_any_acts_are_undone_and_redone_exactly_by_engine_and_page(tmp_path: Path) -> None:
    runtime = Runtime()
    changes = 0
    for seed in range(int(os.environ.get("UNDO_RUNS", "6"))):
        person = await steered(runtime, seed)
        changes += len(person.before)
        result = replayed(tmp_path / "run.json", person)
        assert not result["wrong"], (seed, result["wrong"])
        runtime.sessions.close(runtime.sessions.alive[person.session])
    await runtime.close()
    assert changes > 60


async def test_what_was_undone_cannot_be_redone_after_another_act(tmp_path: Path) -> None:
    runtime = Runtime()
    line = FallbackConnection(None)
    visit = asyncio.ensure_future(Visit(runtime, line, at_home=True).run())
    person = Person(runtime, line, 1)
    person.before = []
    await person.open("toy", "confidence")
    for do, fields in (
        ("boost", {"token": 3, "amount": 2.0}),
        ("undo", {"exact": True}),
        ("boost", {"token": 4, "amount": 2.0}),
    ):
        person.send(do, **fields)
        await person.settle()
    assert person.refusals == 0
    person.send("redo")
    assert (await person.until("moved"))["why"] == "there is nothing to redo"
    person.send("undo", exact=True)
    person.send("undo", exact=True)
    await person.until("refused")
    assert person.messages[-1]["why"] == "there is nothing to undo"
    line.hang_up()
    await asyncio.wait([visit], timeout=5)
    await runtime.close()
