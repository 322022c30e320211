"""What the engine writes and what the page reads are one: recorded runs are replayed by the page's own reducers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.contract.recorder import Recorder, needs_node, replayed
from tests.support import NoisyToy
from unmask.decide import policy_names
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime

EDITS = "pin release erase ban stretch tune undo".split()


async def recorded(runtime: Runtime, model: str, policy: str, seed: int) -> Recorder:
    """A run that does everything: passes, erasures, every edit, undo, forks, and passes to the end."""
    line = FallbackConnection(None)
    visit = asyncio.ensure_future(Visit(runtime, line, at_home=True).run())
    recorder = Recorder(runtime, line, seed)
    await recorder.open(model, policy)
    await recorder.settle()
    await recorder.think(3)
    for kind in recorder.rng.sample(EDITS, len(EDITS)):
        await recorder.edit(kind)
        await recorder.think(2)
    await recorder.fork("pin")
    await recorder.think(2)
    await recorder.fork("fork")
    await recorder.think(2)
    await recorder.switch()
    await recorder.think(40)
    line.hang_up()
    await asyncio.wait([visit], timeout=5)
    return recorder


def marks(recorders: Sequence[Recorder]) -> Counter[str]:
    """What the recordings hold, by name."""
    rows = [row for one in recorders for row in one.messages]
    found = Counter(str(row["did"]) for row in rows)
    found.update(f"edit {row['edit']['do']}" for row in rows if row["did"] == "edited")
    found.update("erasures" for row in rows if row.get("x"))
    found.update("noise" for row in rows if row.get("noise"))
    found.update("rewritten" for row in rows if row.get("was"))
    return found


@needs_node
async def test_the_page_has_the_canvases_that_python_has(tmp_path: Path) -> None:
    runtime = Runtime()
    runtime.loader.put("toy:9", NoisyToy(seed=9))
    runs = [("toy", policy) for policy in policy_names()] + [("toy:9", "confidence"), ("toy:9", "remask")]
    recorders = []
    for seed, (model, policy) in enumerate(runs):
        recorder = await recorded(runtime, model, policy, seed)
        result = replayed(tmp_path / f"{seed}.json", recorder)
        assert not result["wrong"], (model, policy, result["wrong"])
        assert result["cells"] > 500
        recorders.append(recorder)
    await runtime.close()
    found = marks(recorders)
    wanted = "opened stepped edited snapshot branched moved erasures noise rewritten".split()
    wanted += [f"edit {kind}" for kind in EDITS if kind != "undo"]
    assert not [mark for mark in wanted if not found[mark]], found
