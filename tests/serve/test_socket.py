"""The socket on a real port: a run is opened, steered, judged and sent in small frames."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from tests.serve.place import Place, drawn
from tests.support import begin, ending
from unmask.canvas import NOTHING
from unmask.models import ModelInput
from unmask.models.toy import NumberTokenizer, Toy
from unmask.run.codec import unpack
from unmask.run.judge import Offer
from unmask.run.state import State

SCHEMA: dict[str, Any] = {"type": "integer"}
DEEP: list[Any] = []
for _ in range(330):
    SCHEMA = {"type": "array", "items": SCHEMA}
    DEEP = [DEEP]
NESTED = {"kind": "schema", "schema": SCHEMA}


async def test_a_run_is_opened_played_and_told_whole(place: Place) -> None:
    async with place.caller() as caller:
        opened = await caller.open(play=True, seed=3, settings={"temperature": 0.8}, id=7)
        done = await caller.hear("done")
        assert opened["id"] == 7 and opened["side"] == 0 and opened["canvas"]["kinds"] == "ggggg" + "o" * 16
        assert [row["n"] for row in caller.messages] == list(range(1, len(caller.messages) + 1))
        assert drawn(caller.messages) == ending(place.toy, begin(seed=3, temperature=0.8))
        assert done["measures"]["passes"] == 8 and not done["failed"]
        guess = unpack(next(r for r in caller.messages if r["did"] == "stepped")["g"], opened["head"]["width"])
        assert len(guess) == 21 and (guess[5:] >= 0).all() and (guess[:5] == NOTHING).all()


async def test_it_is_steered_by_numbers_and_by_words(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open()
        await caller.say("step", passes=2)
        await caller.hear("moved"), await caller.hear("moved")
        await caller.say("pin", cells=[6], tokens=[9], ref=1)
        assert (await caller.hear("edited"))["canvas"]["kinds"][6] == "p"
        await caller.say("pin", at=8, text="11 12")
        assert (await caller.hear("edited"))["canvas"]["tokens"][8:10] == [11, 12]
        await caller.say("ban", text="13")
        assert (await caller.hear("edited"))["settings"]["bans"] == [13]
        await caller.say("boost", text="14", amount=2)
        assert (await caller.hear("edited"))["settings"]["boosts"] == {"14": 2.0}
        await caller.say("tune", changes={"policy": "threshold", "options": {"tau": 0.6}})
        assert (await caller.hear("edited"))["settings"]["policy"] == "threshold"
        await caller.say("peek", cell=7, at=1)
        assert len((await caller.hear("peeked"))["about"]["candidates"]) == 5
        await caller.say("play")
        await caller.hear("done")
        assert [drawn(caller.messages)[c] for c in (6, 8, 9)] == [9, 11, 12]


async def test_a_prompt_is_recognised_before_anything_runs(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.caller() as caller:
        await caller.say("familiar", prompt="1 2 3", models=["twin", "toy"], id="a")
        answer = await caller.hear("familiar")
        assert answer["known"] and "limit" not in answer and answer["id"] == "a"  # nobody measured these weights
        for most, known in ((0.01, False), (99.0, True)):
            monkeypatch.setattr(
                "unmask.inference.ood.ood_thresholds", lambda most=most: {place.twin.card.weights: {"limit": most}}
            )
            await caller.say("familiar", prompt="1 2 3", models=["twin", "toy"])
            answer = await caller.hear("familiar")
            assert answer["known"] is known and 0.01 < answer["strange"] < 99
        weights = {"limit": 99.0, "weak": ["Tale"]}
        monkeypatch.setattr("unmask.inference.ood.ood_thresholds", lambda: {place.twin.card.weights: weights})
        await caller.say("familiar", prompt="Tale: 1 2 3", models=["twin", "toy"])
        assert (await caller.hear("familiar"))["known"] is False  # it was trained on tales and writes them badly
        await caller.say("familiar", prompt=3, models=["twin"])
        assert "prompt must be a text" in (await caller.hear("refused"))["why"]
        assert not place.runtime.sessions.alive


async def test_one_message_asks_opens_and_plays(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"sides": [{"model": "twin"}, {"model": "toy"}], "prompt": "1 2 3", "length": 8, "if_familiar": True}
    async with place.caller() as caller:
        for most in (0.01, 99.0):
            monkeypatch.setattr(
                "unmask.inference.ood.ood_thresholds", lambda most=most: {place.twin.card.weights: {"limit": most}}
            )
            await caller.say("open", **request, play=True, pace=0.01, id=most)
            answer = await caller.hear("familiar", "opened")
            assert answer["id"] == most
            if most < 1:
                assert answer["did"] == "familiar" and not answer["known"] and not place.runtime.sessions.alive
            else:
                assert answer["did"] == "opened" and len(place.runtime.sessions.alive) == 2
                await caller.hear("stepped")


async def test_a_declined_prompt_is_answered_with_what_can_be_written_instead(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was offered was chosen on the page, and nobody had tried it."""
    monkeypatch.setattr("unmask.inference.ood.ood_thresholds", lambda: {place.twin.card.weights: {"limit": 0.01}})
    near = Offer("sum", "1 2", 8)
    monkeypatch.setattr("unmask.serve.doors.text_questions.offers", lambda card, prompt: (near,))
    async with place.caller() as caller:
        await caller.say("familiar", prompt="1 2 3", models=["twin"])
        assert (await caller.hear("familiar"))["offers"] == [{"kind": "sum", "prompt": "1 2", "length": 8}]


async def test_a_text_that_makes_little_sense_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.caller() as caller:
        session = (await caller.open(sides=[{"model": "twin"}], prompt="1 2 3", length=40, play=True))["session"]
        await caller.hear("done")
        for most, found in ((None, False), (0.01, True), (99.0, False)):
            limits = {} if most is None else {place.twin.card.weights: {"limit": most}}
            monkeypatch.setattr("unmask.inference.nonsense.limits", lambda limits=limits: limits)
            await caller.say("nonsense", session=session, id=most)
            answer = await caller.hear("nonsense")
            assert answer["found"] is found and answer["id"] == most and answer["offers"] == []


async def test_a_text_is_judged_where_a_world_can_read_it(place: Place) -> None:
    async with place.caller() as caller:
        for last, hold in ((9, 1), (2, 0)):
            await caller.say("judge", prompt="Sort: 9 4 7\n", text=f"Sort: 9 4 7\nSorted: 4 7 {last}", id=last)
            judged = await caller.hear("judged")
            assert (judged["facts"], judged["hold"] == judged["facts"], judged["id"]) == (
                judged["facts"],
                bool(hold),
                last,
            )
            assert judged["facts"] >= 1 and judged["strict"] is bool(hold) and judged["faults"] == 0
        await caller.say("judge", prompt="Story:", text="Story: Tom had a red kite. Kite the had Tom. And so did")
        judged = await caller.hear("judged")
        assert judged["faults"] >= len(judged["reasons"]) > 1
        await caller.say("judge", prompt="Hello", text="Hello world")
        assert (await caller.hear("judged"))["facts"] == 0


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"do": "jump"}, "no command 'jump'"),
    ({"do": "pin", "cells": [0], "tokens": [1]}, "belongs to the prompt"),
    ({"do": "pin", "at": 99, "text": "1"}, "there is no cell 99"),
    ({"do": "pin", "at": 6, "text": ""}, "an empty word"),
    ({"do": "pin", "at": 20, "text": "1 2 3"}, "needs 3 cells from cell 20 on, and there are only 1"),
    ({"do": "pin", "at": 6, "text": "🪁"}, "write token numbers"),
    ({"do": "ban", "text": "1 2"}, "is 2 tokens for this model"),
    ({"do": "erase", "text": "1"}, "no edit with a text 'erase'; there are pin, ban, boost"),
    ({"do": "seek", "to": 5}, "there is no moment 5"),
    ({"do": "pin", "cells": [6], "tokens": [1], "at_moment": "x"}, "at_moment must be a whole number"),
    ({"do": "play", "session": "nobody's"}, "this connection has no such session"),
    ({"do": "play", "session": None}, "session must be a text"),
    ({"do": "resume", "session": "../x"}, "this session is over"),
    ({"do": "resume", "session": "", "token": 3}, "this session is over"),
    ({"do": "open", "sides": [{"model": "toy"}] * 5}, "sides has 5 items; 4 are possible"),
    ({"do": "open", "sides": []}, "sides needs at least 1 items"),
    ({"do": "open", "sides": ["toy"]}, "sides must be a JSON object, not 'toy'"),
    ({"do": "open", "sides": [{"model": "nobody"}]}, "nobody"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": 3}, "prompt must be a text"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 0}, "at least 1, not 0"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 10**9}, "sees at most 4096"),
    ({"do": "open", "sides": [{"model": "toy", "preset": "x"}], "prompt": "1"}, "no preset 'x'"),
    ({"do": "open", "sides": [{"model": "toy", "settings": {"passes": 0}}], "prompt": "1"}, "passes must be"),
    ({"do": "open", "sides": [{"model": "toy", "settings": 3}], "prompt": "1"}, "names with values"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "seed": "x"}, "seed must be a whole number"),
    ({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "play": True, "pace": "x"}, "pace must be a number"),
]


async def test_nonsense_is_a_sentence_and_the_run_goes_on(place: Place) -> None:
    async with place.caller() as caller:
        await caller.open()
        for row, says in WRONG:
            await caller.say(**row, ref=5)
            fields = await caller.hear("refused", "opened")
            assert fields["did"] == "refused" and says in fields["why"] and fields["do"] == row["do"], row
        assert len(place.runtime.sessions.alive) == 1  # nothing was half opened
        await caller.say("play")
        assert not (await caller.hear("done"))["failed"]


async def test_thirty_at_once_get_their_own_tokens(place: Place) -> None:
    async def visit(i: int) -> tuple[list[int], State]:
        async with place.caller() as caller:
            policy = ("confidence", "replan", "entropy_bound", "ancestral")[i % 4]
            settings = {"policy": policy, "temperature": 0.7, "passes": 6}
            await caller.open(play=True, seed=i, length=8 + i % 3, settings=settings)
            await caller.hear("done")
            return drawn(caller.messages), begin(seed=i, cells=8 + i % 3, **settings)

    for fields, state in await asyncio.gather(*(visit(i) for i in range(30))):
        assert fields == ending(place.toy, state)


async def test_a_blank_is_filled_by_one_side_and_written_on_from_by_a_twin(place: Place) -> None:
    async with place.caller() as caller:
        sides = [{"model": "toy"}, {"model": "twin", "preset": "mdlm"}]
        await caller.say("open", sides=sides, prompt="3 ___ 1", length=6, play=True)
        left, right = await caller.hear("opened"), await caller.hear("opened")
        assert left["canvas"]["kinds"] == "gooog" and right["canvas"]["kinds"] == "goooooo"
        assert right["head"]["settings"]["policy"] == "left_to_right" and left["keys"] != right["keys"]
        await caller.hear("done"), await caller.hear("done")
        shared = [row for row in caller.messages if row.get("shared")]
        assert not shared  # sides of one pair have the device to themselves


class Wide(Toy):
    """A vocabulary and a canvas as large as the budgets speak of; what it believes changes only where asked."""

    def __init__(self, still: bool) -> None:
        super().__init__(words=4096, seed=1, mask=4095)
        self.still, self.tokenizer = still, NumberTokenizer(4096)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        if not self.still:
            return super().logits(model_inputs)
        bare = [replace(t, tokens=np.full(len(t.tokens), 7), open=np.ones(len(t.open), bool)) for t in model_inputs]
        return super().logits(bare)


@pytest.mark.parametrize(("still", "budget"), [(True, 512), (False, 1536)])
async def test_a_frame_is_small(place: Place, still: bool, budget: int) -> None:
    """256 cells, 12 written: half a kilobyte where no ghost changed, one and a half with all of them."""
    place.offer("toy", Wide(still))
    async with place.caller() as caller:
        await caller.open(prompt="3 1 4 1", length=252, settings={"passes": 21}, play=True)
        await caller.hear("done")
        steps = [(r, s) for r, s in zip(caller.messages, caller.sizes, strict=True) if r["did"] == "stepped"]
        assert {len(r["w"]) for r, _ in steps} == {12}
        bare = [s - len(json.dumps(r.get("pieces", {}), separators=(",", ":"))) for r, s in steps[1:]]
        assert ("g" in steps[1][0]) is not still
        assert max(bare) <= budget, (max(bare), steps[1][0])


@pytest.mark.parametrize(
    "row",
    [
        {"do": "open", "sides": [{"model": "toy", "settings": {"constraint": NESTED}}]},
        {"do": "open", "sides": [{"model": "toy"}], "id": DEEP},
        {"do": "plan", "model": "toy", "changes": {"constraint": NESTED}, "id": DEEP},
        {"do": "judge", "prompt": 5, "id": DEEP},
        {"do": "pin", "session": DEEP, "ref": DEEP},
    ],
)
async def test_what_is_nested_deeply_is_answered_and_the_line_lives(place: Place, row: dict[str, Any]) -> None:
    """330 levels in a constraint, or an id of 900, once cut the line without a word."""
    async with place.caller() as caller:
        await caller.line.send(json.dumps(row))
        answer = await caller.hear("opened", "refused", "planned")
        assert "id" not in answer or answer["id"] is None
        assert (await caller.open())["did"] == "opened"
