"""Previews on the socket: what would follow is sent, nothing of the run changes, and the choice goes on from there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.live.test_preview import Counting
from tests.serve.test_connection import Caller, called
from tests.until import until
from unmask.serve.runtime import Runtime

PIN = {"do": "pin", "cells": [9], "tokens": [3]}
SETTINGS = {"policy": "confidence", "passes": 8}
SIDES = [{"model": "toy", "settings": SETTINGS}]


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
async def callers(model: Counting) -> AsyncIterator[tuple[Caller, Caller]]:
    async with AsyncExitStack() as stack:
        runtime = Runtime()
        runtime.loader.put("toy", model)
        yield tuple([await stack.enter_async_context(called(runtime, who)) for who in ("one", "two")])  # type: ignore[misc]


async def finished(caller: Caller) -> list[int]:
    """Open a run and play it to its end; the tokens that it leaves."""
    await caller.open(sides=SIDES)
    caller.say("play")
    await caller.hear("done")
    return session_of(caller).state.canvas.tokens.tolist()


def session_of(caller: Caller) -> Any:
    return caller.runtime.sessions.alive[caller.session]


async def last(caller: Caller) -> dict[str, Any]:
    while not (row := await caller.hear("previewed"))["done"]:
        pass
    return row


async def test_what_follows_is_foreseen_and_then_chosen(callers: tuple[Caller, Caller], model: Counting) -> None:
    caller, _ = callers
    before = await finished(caller)
    session = session_of(caller)
    number, timeline = session.number, session.timeline
    caller.say("preview", at=2, edits=[PIN], ref=7, id="a")
    first = await caller.hear("previewed")
    assert (first["passes"], first["ref"], first["id"], first["session"]) == (1, 7, "a", caller.session)
    assert first["canvas"]["tokens"][9] == 3 and first["open"] > 0
    guessed = [cell for cell, kind in enumerate(first["canvas"]["kinds"]) if kind == "o"]
    assert all(first["guess"][cell] >= 0 and str(first["guess"][cell]) in first["pieces"] for cell in guessed)
    end = await last(caller)
    assert end["canvas"]["tokens"] != before and end["open"] == 0
    assert (session.number, session.timeline) == (number, timeline)  # nothing was recorded
    forwards = model.forwards
    caller.say("pin", cells=[9], tokens=[3], at_moment=2)
    caller.say("play")
    await caller.hear("done")
    assert session.state.canvas.tokens.tolist() == end["canvas"]["tokens"] and model.forwards == forwards


async def test_a_recording_s_run_is_foreseen_without_a_session(callers: tuple[Caller, Caller], model: Counting) -> None:
    """The first view shows a recording: its run begins only once a word is chosen, and then computes nothing again."""
    caller, _ = callers
    run = {"prompt": "1 2 3", "length": 16, "sides": SIDES}
    caller.say("preview", session="replay", open=run, weights=model.card.weights, at=2, edits=[PIN])
    end = await last(caller)
    assert not caller.runtime.sessions.alive
    model.forwards = 0
    caller.say("preview", session="replay", open=run, at=2, edits=[{**PIN, "tokens": [4]}])
    assert (await last(caller))["passes"] == model.forwards  # the two passes before the change are known
    caller.say("preview", session="replay", open=run, weights="others", at=2, edits=[PIN])
    assert "other weights" in (await caller.hear("refused"))["why"]
    await caller.open(sides=SIDES)
    forwards = model.forwards
    caller.say("step", passes=2)
    await caller.hear("stepped"), await caller.hear("stepped")
    caller.say("pin", cells=[9], tokens=[3])
    caller.say("play")
    await caller.hear("done")
    assert session_of(caller).state.canvas.tokens.tolist() == end["canvas"]["tokens"] and model.forwards == forwards
    caller.say("preview", session="replay", open={"sides": []}, at=2, edits=[PIN])
    assert (await caller.hear("refused"))["do"] == "preview"


async def test_the_next_preview_ends_the_one_before(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await finished(caller)
    for edits in ([PIN], [{**PIN, "tokens": [4]}], []):
        caller.say("preview", at=2, edits=edits)
    caller.say("preview", at=2, edits=[{**PIN, "tokens": [5]}], id="last")
    assert (await caller.hear("previewed"))["id"] == "last"
    caller.say("preview")
    device = caller.runtime.device
    await until(lambda: not device.waiting and not device._running)


async def test_only_those_who_may_steer_get_one(callers: tuple[Caller, Caller]) -> None:
    caller, pupil = callers
    await finished(caller)
    pupil.session = caller.session
    pupil.say("preview", at=2, edits=[PIN])
    assert (await pupil.hear("refused"))["do"] == "preview"  # it follows no such run
    keys = session_of(caller).rights.to_dict()
    pupil.say("resume", key=keys["watch"])
    await pupil.hear("allowed")
    pupil.say("preview", at=2, edits=[PIN])
    assert "its owner says who may steer" in (await pupil.hear("refused"))["why"]


async def test_it_is_refused_where_memory_is_short(
    callers: tuple[Caller, Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was foreseen is forgotten then, too: runs need the room more."""
    caller, _ = callers
    await finished(caller)
    caller.say("preview", at=2, edits=[PIN])
    await last(caller)
    foreseen = caller.runtime.device.foreseen
    assert len(foreseen) > 0
    monkeypatch.setattr(type(caller.runtime.sessions.memory), "tight", property(lambda self: True))
    caller.say("preview", at=2, edits=[PIN])
    assert "capacity" in (await caller.hear("refused"))["why"] and len(foreseen) == 0


async def test_what_cannot_be_is_refused_and_ends_nothing(callers: tuple[Caller, Caller], model: Counting) -> None:
    caller, _ = callers
    await finished(caller)
    for edits in ([{**PIN, "cells": [99]}], [{"do": "pin"}], [{"do": "dance"}]):
        caller.say("preview", at=2, edits=edits)
        assert (await caller.hear("refused"))["do"] == "preview"
    model.logits = lambda model_inputs: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    caller.say("preview", at=2, edits=[{**PIN, "tokens": [5]}])
    assert "log of this server" in (await caller.hear("refused"))["why"]
    caller.say("preview", edits=[PIN])  # at the end nothing follows: the text with the word is the answer
    row = await caller.hear("previewed")
    assert row["passes"] == 0 and row["done"] and row["canvas"]["tokens"][9] == 3


async def test_who_leaves_leaves_no_preview(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await finished(caller)
    caller.say("preview", at=2, edits=[PIN])
    caller.line.hang_up()
    device = caller.runtime.device
    await asyncio.sleep(0)
    await until(lambda: not device.waiting and not device._running)
