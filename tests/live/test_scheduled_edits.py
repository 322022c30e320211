"""Edits that come with an order are made at their moments, so that the run comes out again, token for token."""

from typing import Any

import pytest

from tests.serve.test_connection import Caller, called
from unmask.errors import InvalidRequest
from unmask.live.scheduled_edits import scheduled_edits
from unmask.run.command import Ban, Pin
from unmask.serve.doors.requests import MOST_EDITS, REQUESTS, Open
from unmask.serve.runtime import Runtime

SIDE = {"model": "toy", "settings": {"policy": "remask", "passes": 6, "temperature": 1.0}}


async def _all(caller: Caller) -> list[list[int]]:
    """What stood in the canvas at every moment of the present branch, as its edits and passes tell it."""
    caller.say("history")
    events = (await caller.hear("history"))["events"]
    return [
        [row["at"], row.get("w"), row.get("t"), row.get("edit")] for row in events if "at" in row and "n" not in row
    ]


async def test_a_run_with_its_edits_comes_out_again_token_for_token() -> None:
    async with called(Runtime()) as caller:
        await caller.open(sides=[SIDE], seed=5)
        made: list[list[Any]] = []
        for passes, edit in [
            (2, {"do": "pin", "cells": [6], "tokens": [7]}),
            (1, {"do": "erase", "cells": [6]}),
            (1, {"do": "tune", "changes": {"temperature": 0.0}}),
            (1, {"do": "stretch", "at": 9, "by": 2}),
        ]:
            caller.say("step", passes=passes)
            for _ in range(passes):
                await caller.hear("stepped")
            caller.say(**edit)
            made.append([(await caller.hear("edited"))["at"], edit])
        caller.say("play")
        text = (await caller.hear("done"))["text"]
        caller.say("pin", cells=[4], tokens=[9])  # when all is written
        made.append([(await caller.hear("edited"))["at"], {"do": "pin", "cells": [4], "tokens": [9]}])
        before = await _all(caller)
        await caller.open(sides=[SIDE | {"edits": made}], seed=5, play=True)
        assert (await caller.hear("done"))["text"] != text  # the pin at the end is part of it
        again = await _all(caller)
        assert [row[:3] for row in again] == [row[:3] for row in before]
        assert [row[0] for row in again if row[3]] == [at for at, _ in made]


async def test_an_edit_of_ones_own_leaves_the_others_behind() -> None:
    async with called(Runtime()) as caller:
        await caller.open(sides=[SIDE | {"edits": [[3, {"do": "pin", "cells": [8], "tokens": [9]}]]}], seed=5)
        caller.say("pin", cells=[6], tokens=[7])
        assert (await caller.hear("edited"))["at"] == 1
        caller.say("play")
        await caller.hear("done")
        assert [row[3]["cells"] for row in await _all(caller) if row[3]] == [[6]]


async def test_an_edit_that_cannot_be_made_here_is_named_and_the_run_goes_on() -> None:
    edits = [[1, {"do": "pin", "cells": [6], "tokens": [99999]}], [2, {"do": "pin", "cells": [7], "tokens": [7]}]]
    async with called(Runtime()) as caller:
        await caller.open(sides=[SIDE | {"edits": edits}], play=True)
        assert "99999" in (await caller.hear("refused"))["why"]
        await caller.hear("done")
        assert not [row for row in await _all(caller) if row[3]]


PIN = {"do": "pin", "cells": [1], "tokens": [1]}


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("pin", "edits must be a list"),
        ([[1, PIN]] * (MOST_EDITS + 1), "edits has 257 items; 256 are possible"),
        ([[1]], "edits"),
        ([["1", PIN]], "whole number"),
        ([[0, PIN]], "edits must be a list of whole numbers"),
        ([[1, {"do": "play"}]], "no edit 'play'"),
        ([[1, {"do": "pin"}]], "'pin' needs cells"),
        ([[2, {"do": "ban", "token": 1}], [2, {"do": "ban", "token": 2}]], "must increase"),
    ],
)
def test_what_is_no_list_of_edits_is_refused_in_a_sentence(rows: Any, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        request = REQUESTS.read({"do": "open", "sides": [SIDE | {"edits": rows}]})
        assert isinstance(request, Open)
        scheduled_edits(request.sides[0].edits)


def test_an_edit_is_due_before_its_moment() -> None:
    edits = scheduled_edits([(2, PIN), (3, {"do": "ban", "token": 4})])
    assert edits.due(0) is None and edits.due(1) == Pin((1,), (1,))
    edits.next()
    assert edits.due(1) is None and edits.due(2) == Ban(4)
    edits.clear()
    assert edits.due(2) is None
