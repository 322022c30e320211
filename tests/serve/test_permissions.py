"""Whoever may watch may not steer, and whoever may steer does not own: on the socket, whichever way it is reached."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.serve.test_connection import Caller, called
from tests.until import until
from unmask.serve.runtime import Runtime

STEERING: list[tuple[str, dict[str, Any]]] = [
    ("play", {}),
    ("pause", {}),
    ("step", {"passes": 1}),
    ("seek", {"to": 0}),
    ("undo", {}),
    ("fork", {"at": 0}),
    ("switch", {"head": "1"}),
    ("pin", {"cells": [5], "tokens": [7]}),
    ("pin", {"at": 5, "text": "7"}),
    ("release", {"cells": [5]}),
    ("erase", {"cells": [5]}),
    ("ban", {"token": 7}),
    ("boost", {"token": 7, "amount": 1.0}),
    ("stretch", {"at": 5, "by": 1}),
    ("tune", {"changes": {"passes": 3}}),
]
OWNING: list[tuple[str, dict[str, Any]]] = [
    ("close", {}),
    ("rename", {"head": "1", "name": "x"}),
    ("drop", {"head": "1"}),
    ("followers", {}),
    ("give", {"to": "x", "right": "steer"}),
]


class Two:
    """An owner, and another on a line of his own."""

    def __init__(self, runtime: Runtime, owner: Caller, other: Caller, opened: dict[str, Any]) -> None:
        self.runtime, self.owner, self.other, self.opened = runtime, owner, other, opened
        self.keys: dict[str, str] = opened["keys"]

    async def join(self, key: str) -> dict[str, Any]:
        self.other.session = self.owner.session
        self.other.say("resume", key=self.keys[key])
        return await self.other.hear("allowed")

    async def refused(self, do: str, **fields: Any) -> str:
        self.other.say(do, **fields)
        row = await self.other.hear("refused")
        assert row["do"] == do
        return str(row["why"])


@pytest.fixture
async def two() -> AsyncIterator[Two]:
    async with AsyncExitStack() as stack:
        runtime = Runtime()
        owner, other = [await stack.enter_async_context(called(runtime)) for _ in range(2)]
        yield Two(runtime, owner, other, await owner.open())


async def test_the_owner_has_every_key_and_each_is_another(two: Two) -> None:
    assert two.opened["right"] == "own" and sorted(two.keys) == ["own", "steer", "watch"]
    assert len(set(two.keys.values())) == 3


async def test_whoever_watches_sees_and_changes_nothing(two: Two) -> None:
    allowed = await two.join("watch")
    assert allowed["right"] == "watch" and allowed["keys"] == {"watch": two.keys["watch"]}
    for do, fields in [*STEERING, *OWNING]:
        assert "you may watch this run" in await two.refused(do, **fields), do
    two.other.say("history")
    assert [e["did"] for e in (await two.other.hear("history"))["events"]] == ["opened", "branched", "moved"]
    two.other.say("peek", cell=4)
    await two.other.hear("peeked")
    two.owner.say("step")
    stepped = await two.other.hear("stepped")
    assert stepped["at"] == 1  # and nothing of what was refused had been done


async def test_whoever_steers_does_not_own(two: Two) -> None:
    allowed = await two.join("steer")
    assert allowed["right"] == "steer" and sorted(allowed["keys"]) == ["steer", "watch"]
    for do, fields in OWNING:
        assert "that is for its owner" in await two.refused(do, **fields), do
    two.other.say("pin", cells=[5], tokens=[7])
    assert (await two.owner.hear("edited"))["edit"]["do"] == "pin"
    two.other.say("step")
    await two.owner.hear("stepped")


async def test_an_owner_lets_one_steer_and_takes_it_back(two: Two) -> None:
    """As a presenter does in class. What is given is a right and no key, so a new line only watches again."""
    name = (await two.join("watch"))["follower"]
    two.owner.say("followers")
    rights = (await two.owner.hear("followers"))["rights"]
    assert rights == {name: "watch", two.opened["follower"]: "own"}
    two.owner.say("give", to=name, right="steer")
    allowed = await two.other.hear("allowed")
    assert allowed["right"] == "steer" and list(allowed["keys"]) == ["watch"]
    two.other.say("step")
    await two.owner.hear("stepped")
    two.owner.say("give", to=name, right="watch")
    assert (await two.other.hear("allowed"))["right"] == "watch"
    await two.refused("step")
    for fields in ({"to": name, "right": "own"}, {"to": two.opened["follower"], "right": "watch"}, {"to": "nobody"}):
        two.owner.say("give", **{"right": "steer"} | fields)
        assert (await two.owner.hear("refused"))["do"] == "give"
    two.owner.say("give", to=name, right="rule")
    assert "watch, steer, own" in (await two.owner.hear("refused"))["why"]


async def test_a_key_to_steer_that_is_taken_back_opens_nothing(two: Two) -> None:
    name, old = (await two.join("steer"))["follower"], two.keys["steer"]
    two.owner.say("give", to=name, right="watch")
    allowed = await two.other.hear("allowed")
    assert allowed["right"] == "watch" and list(allowed["keys"]) == ["watch"]
    fresh = (await two.owner.hear("allowed"))["keys"]
    assert fresh["steer"] != old and fresh["own"] == two.keys["own"]
    assert "somebody else's" in await two.refused("resume", key=old)
    assert fresh["steer"] not in json.dumps(allowed)


async def test_who_comes_back_to_watch_does_not_start_what_its_owner_left(two: Two) -> None:
    """A run that was playing when its last watcher left goes on when somebody returns who may say so."""
    session = two.runtime.sessions.find(two.owner.session)
    two.owner.say("play", pace=0.05)
    await two.owner.hear("stepped")
    two.owner.line.hang_up()
    await until(lambda: not session.subscribers and not session.playing)
    await two.join("watch")
    assert session.interrupted and not session.playing
    await two.join("own")
    await two.other.hear("stepped")
