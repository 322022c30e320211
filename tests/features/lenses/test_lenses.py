"""What-if questions on the socket: right where all can be counted, changing nothing, not for those who only watch."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from tests.models.forge import FAMILIES
from tests.serve.test_connection import Caller, called
from unmask.config import config
from unmask.features.lenses.turns import on_device
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models.oracle import Oracle
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.spec import RunSpec
from unmask.run.timeline import new_timeline
from unmask.serve.runtime import Runtime


@pytest.fixture
def any_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server opens every model, folders too."""
    monkeypatch.setenv("UNMASK_MODELS", "any")
    config.cache_clear()
    yield
    monkeypatch.undo()
    config.cache_clear()


@pytest.fixture
async def callers() -> AsyncIterator[tuple[Caller, Caller]]:
    async with AsyncExitStack() as stack:
        runtime = Runtime()
        yield tuple([await stack.enter_async_context(called(runtime)) for _ in range(2)])  # type: ignore[misc]


async def sudoku(caller: Caller, tau: float = 0.1, **more: Any) -> dict[str, Any]:
    settings = {"policy": "clash", "options": {"tau": tau, "least": 0.0}, "precision": "double"} | more
    side = {"model": "sudoku4", "settings": settings}
    return await caller.open(prompt="1 2 [MASK:14]", length=16, sides=[side])


async def ask(caller: Caller, lens: str, **fields: Any) -> dict[str, Any]:
    caller.say(lens, ref=3, **fields)
    found = await caller.hear(lens)
    assert found["session"] == caller.session and found["ref"] == 3
    return found


async def test_two_confident_words_clash_and_the_price_is_said(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await sudoku(caller)
    found = await ask(caller, "clash")
    size = len(found["cells"])
    assert size > 4 and found["tried"] == found["cells"] and len(found["pieces"]) >= 1
    assert found["product"] == pytest.approx(np.prod(found["sure"]))
    lift = np.array([[np.nan if x is None else x for x in row] for row in found["lift"]])
    assert np.nanmin(lift) < -100  # some two of them are impossible together
    lift = np.maximum(lift, -100)
    assert np.isnan(np.diag(lift)).all() and np.allclose(lift, lift.T, atol=1e-5, equal_nan=True)
    assert found["nats"] > 5
    row = await ask(caller, "clash", cell=found["cells"][0])
    assert row["tried"] == [found["cells"][0]] and len(row["cells"]) == 14
    place = [row["cells"].index(cell) for cell in found["cells"][1:]]
    assert [row["lift"][0][i] for i in place] == found["lift"][0][1:]  # asked alone, a cell has the same row
    caller.say("history")
    assert len((await caller.hear("history"))["events"]) == 3  # nothing was changed


async def test_a_hand_that_moves_over_the_cells_costs_one_forward_a_cell(
    callers: tuple[Caller, Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is believed of the canvas as it is was once thought again for every cell, and then once more."""
    caller, _ = callers
    await sudoku(caller, policy="confidence", options={})
    await ask(caller, "clash", cell=2)
    model_inputs: list[int] = []
    plain = Oracle.logits
    monkeypatch.setattr(Oracle, "logits", lambda self, all: (model_inputs.append(len(all)), plain(self, all))[1])
    for cell in (3, 4, 5):
        await ask(caller, "clash", cell=cell)
    assert model_inputs == [1, 1, 1]
    caller.say("pin", cells=[3], tokens=[2])
    await caller.hear("edited")
    row = await ask(caller, "clash", cell=4)
    assert 3 not in row["cells"] and model_inputs[3:] == [1, 1, 1]  # another moment: believed anew


async def test_what_was_paid_for_writing_at_once_is_said_pass_by_pass(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await sudoku(caller)
    caller.say("play")
    done = await caller.hear("done")
    found = await ask(caller, "paid")
    assert [at for at, _ in found["nats"]] == list(range(1, done["measures"]["passes"] + 1))
    assert max(nats for _, nats in found["nats"] if nats is not None) > 5


async def test_a_word_says_what_it_owes_to_each_other(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await caller.open(prompt="1 2 3 [MASK:13]", length=16, sides=[{"model": "sudoku4", "settings": {"passes": 13}}])
    caller.say("pin", cells=[3], tokens=[3])
    await caller.hear("edited")
    found = await ask(caller, "why", cell=3)
    assert found["others"] == [0, 1, 2] and found["share"] == pytest.approx(1)
    assert found["nats"] == pytest.approx([np.log(2)] * 3, abs=1e-5)  # without any of them it could be two words
    caller.say("why", cell=7)
    assert "nothing stands" in (await caller.hear("refused"))["why"]
    caller.say("layers", cell=3)
    assert "does not show its layers" in (await caller.hear("refused"))["why"]
    caller.say("attention", cell=3)
    assert "does not show its attention" in (await caller.hear("refused"))["why"]
    assert found["raw"] == {"share": found["share"], "nats": found["nats"]} and not found["calibrated"]


async def test_the_layers_of_the_embedded_denoiser_are_shown(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    side = {"model": "denoiser", "settings": {"passes": 4}}
    await caller.open(prompt="Story: Lily had a red kite.", length=24, sides=[side], play=True)
    done = await caller.hear("done")
    caller.say("history")
    opened, *_ = (await caller.hear("history"))["events"]
    cell = opened["canvas"]["kinds"].index("o")
    found = await ask(caller, "layers", cell=cell)
    assert found["at"] == [*range(done["at"] + 1)] and len({len(row) for row in found["share"]}) == 1
    assert all(0 <= x <= 1 for row in found["share"] for x in row)
    assert all(isinstance(word, str) for row in found["best"] for word in row)
    assert found["calibrated"] and np.shape(found["raw"]) == np.shape(found["share"])
    assert found["raw"] != found["share"]

    listed = await ask(caller, "candidates", cell=cell, at=1)
    assert listed["calibrated"] and len(listed["candidates"]) == len(listed["raw"]) >= 5
    assert all(isinstance(piece, str) and 0 <= share <= 1 for _, piece, share in listed["raw"])
    caller.say("candidates", cell=cell, at=0)
    assert "no pass leads to this moment" in (await caller.hear("refused"))["why"]

    looked = await ask(caller, "attention", cell=cell, layer=1, head=2)
    assert sum(looked["weights"]) + looked["elsewhere"] == pytest.approx(1, abs=1e-4)
    assert (looked["layer"], looked["head"]) == (1, 2) and len(looked["weights"]) > cell
    last = await ask(caller, "attention", cell=cell)
    assert last["layer"] == last["layers"] - 1
    for field, value in (("layer", 99), ("head", -2)):
        caller.say("attention", cell=cell, **{field: value})
        assert f"there is no {field} {value}" in (await caller.hear("refused"))["why"]

    drift = await ask(caller, "drift")
    assert drift["at"] == [*range(1, done["at"] + 1)] and drift["before"][0] is None
    last = [nats for nats in drift["last"] if nats is not None]  # a pass that only reads has none
    assert last[-1] == 0 and all(nats > 0 for nats in last[:-1])
    assert -1 <= drift["order"]["tau"] <= 1 and drift["order"]["error"] >= 0


@pytest.mark.usefixtures("any_model")
async def test_a_model_that_writes_block_by_block_shows_its_layers_from_its_block_on(tmp_path: Path) -> None:
    """Before its block the cell is not looked at; a table that began with such a look once had no row at all."""
    folder = tmp_path / "OPDLM-0.6B"
    folder.mkdir()
    FAMILIES["OPDLM-0.6B"](folder)
    async with called(Runtime()) as caller:
        await caller.open(prompt="3 4 5 6", length=8, sides=[{"model": str(folder)}], play=True)
        await caller.hear("done")
        found = await ask(caller, "layers", cell=9)
        looked = await ask(caller, "attention", cell=9, layer=0)
    assert {len(row) for row in (*found["share"], *found["raw"], *found["best"])} == {3}
    assert found["share"][0] == [None] * 3 and None not in found["share"][-1] and not found["calibrated"]
    assert sum(looked["weights"]) + looked["elsewhere"] == pytest.approx(1, abs=1e-4)
    assert looked["layers"] == 2 and max(looked["weights"][:9]) > 0


async def test_the_chance_without_a_constraint_is_said_on_request(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await sudoku(caller, constraint={"kind": "avoids", "text": "4"})
    found = await ask(caller, "validity")
    assert 0 < found["chance"] < 1 and found["begins"] == 2
    assert len(found["live"]) == 15 and len(found["allowed"]) == 14
    assert (await caller.open())["session"]
    caller.say("validity")
    assert "no constraint" in (await caller.hear("refused"))["why"]


@pytest.mark.parametrize("lens", ["clash", "paid", "why", "layers", "candidates", "attention", "drift", "validity"])
async def test_who_only_watches_takes_no_time_of_the_device(callers: tuple[Caller, Caller], lens: str) -> None:
    caller, other = callers
    keys = (await sudoku(caller))["keys"]
    other.session = caller.session
    other.say("resume", key=keys["watch"])
    other.say(lens, cell=2)
    assert (await other.hear("refused"))["do"] == lens


async def test_a_cell_that_is_not_there_is_refused(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await sudoku(caller)
    for lens, fields in (("why", {"cell": 99}), ("clash", {"cell": -1}), ("why", {}), ("clash", {"at": 7})):
        caller.say(lens, **fields)
        assert (await caller.hear("refused"))["do"] == lens


async def test_a_question_stops_no_other_message_and_gives_way_to_a_later_one_of_its_kind(
    callers: tuple[Caller, Caller],
) -> None:
    """A pause once waited until a lens had its answer, and a hand that moved over ten cells got ten answers."""
    caller, _ = callers
    await sudoku(caller)
    busy = Event()
    blocked = asyncio.ensure_future(caller.runtime.device.run(busy.wait))
    caller.say("clash", cell=2, ref=1, id="first")
    caller.say("clash", cell=3, ref=2, id="second")
    refused = await caller.hear("refused")
    assert (refused["id"], refused["do"]) == ("first", "clash") and "later question" in refused["why"]
    caller.say("pause")
    assert (await caller.hear("moved"))["playing"] is False
    busy.set()
    await blocked
    found = await caller.hear("clash")
    assert (found["id"], found["tried"]) == ("second", [3])


async def test_guesses_are_tried_beside_the_words_of_the_next_pass_and_pay_nothing(
    callers: tuple[Caller, Caller],
) -> None:
    caller, _ = callers
    await sudoku(caller, policy="left_to_right", options={})
    alone = await ask(caller, "clash")
    found = await ask(caller, "clash", beside=5)
    assert (alone["coming"], len(alone["cells"])) == (1, 1) and (found["coming"], len(found["cells"])) == (1, 6)
    assert found["nats"] == alone["nats"] == 0 and found["product"] == alone["product"]
    assert all(share < 0.95 for share in found["sure"][1:]) and len(found["lift"]) == 6


async def test_who_asks_on_and_on_takes_half_of_the_device_at_most_while_a_run_waits(
    callers: tuple[Caller, Caller],
) -> None:
    """A hand that moved over the cells once made a run twelve times as slow: each question went before every pass."""
    device, model = Device(), Toy()
    state = RunSpec("1 2 3", length=40, preset="llada").start(model.card, model.tokenizer)
    run = Session(model, device, new_timeline(model.card, state))
    going = asyncio.ensure_future(run.run())
    run.send(Play())
    questions = 0
    while not run.state.done:
        await on_device(run, partial(time.sleep, 0.05))
        questions += 1
    assert questions <= 20  # not one for each of its forty passes
    run.close()
    await going
    device.close()


async def test_a_finished_run_is_measured_and_its_goals_are_checked(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    side = {"model": "permutations", "settings": {"policy": "left_to_right", "passes": 4}}
    await caller.open(prompt="", length=4, sides=[side | {"edits": [[1, {"do": "pin", "at": 3, "text": "2"}]]}])
    caller.say("goals", goals=["looks > 0"])
    assert (await caller.hear("refused"))["why"] == "the run has not ended yet: its goals are checked at its end"
    caller.say("play")
    await caller.hear("done")
    others = {"other": {"looks": 4, "tokens": [0, 0, 0, 0]}}
    texts = ["looks = 3", "looks < other.looks", "alike(other) < 1", "pinned = 0"]
    found = await ask(caller, "goals", goals=texts, runs=others)
    assert found["met"] == [True, True, True, False]
    measures = found["measures"]
    assert measures["text"].endswith("2") and measures["looks"] == 3 and 0 <= measures["alike(other)"] < 1


@pytest.mark.parametrize(
    "fields",
    [
        {"goals": ["luck > 1"]},
        {"goals": ["other.looks > 1"]},
        {"goals": ["looks > 1"] * 17},
        {"goals": "looks > 1"},
        {"goals": [["looks > 1"]]},
        {"runs": []},
        {"runs": {"other": 3}},
        {"runs": {str(i): {} for i in range(17)}},
    ],
)
async def test_goals_that_cannot_be_read_are_refused(callers: tuple[Caller, Caller], fields: dict[str, Any]) -> None:
    caller, _ = callers
    await caller.open(prompt="", length=4, sides=[{"model": "permutations"}], play=True)
    await caller.hear("done")
    caller.say("goals", **fields)
    assert (await caller.hear("refused"))["why"]


async def test_measures_of_other_runs_that_are_none_make_no_goal_true(callers: tuple[Caller, Caller]) -> None:
    caller, _ = callers
    await caller.open(prompt="", length=4, sides=[{"model": "permutations"}], play=True)
    await caller.hear("done")
    for value in ("many", None, [1], {"a": 1}):
        runs = {"other": {"looks": value, "tokens": value}}
        found = await ask(caller, "goals", goals=["other.looks >= 0", "alike(other) >= 0"], runs=runs)
        assert found["met"] == [False, False]
