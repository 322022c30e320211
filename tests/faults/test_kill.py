"""Kill -9 in the middle of a run: whoever comes back finds it with its edits, and it ends with the same tokens."""

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection

from tests.serve.process import Server, websocket
from tests.until import LONG
from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

ORDER = RunSpec("1 2 3", "toy", 60, changes={"policy": "confidence", "passes": 60, "temperature": 1.0}, seed=11)


def awaited(line: ClientConnection, did: str) -> dict[str, Any]:
    while (message := json.loads(line.recv(timeout=LONG)))["did"] != did:
        assert message["did"] != "refused", message
    return dict(message)


def alone(moment: int) -> str:
    """The same run without a server: so many passes, the pin, and the rest."""
    toy = Toy()
    state = ORDER.start(toy.card, toy.tokenizer)
    before = next(after for after, frame in decode(toy, state) if frame.step + 1 == moment)
    pinned = apply(before, Pin((40, 41), (5, 6)), toy.card.words)
    return answer_text(toy, list(decode(toy, pinned))[-1][0].canvas)


def test_a_killed_server_is_a_pause(another: Callable[..., Server], tmp_path: Path) -> None:
    """After kill -9 the page once promised that nothing is forgotten, and then said that the session is over."""
    kept = {"XDG_CACHE_HOME": str(tmp_path), "UNMASK_KEEP_HOURS": "12"}
    first = another("--model", "toy", **kept)
    with websocket(first.port) as line:
        side = {"model": "toy", "settings": dict(ORDER.changes)}
        row = {"do": "open", "sides": [side], "prompt": "1 2 3", "length": 60, "seed": 11, "play": True, "pace": 0.05}
        line.send(json.dumps(row))
        opened = awaited(line, "opened")
        while awaited(line, "stepped")["at"] < 9:
            pass
        line.send(
            json.dumps({"do": "pin", "session": opened["session"], "cells": [40, 41], "tokens": [5, 6], "ref": 7})
        )
        edited = awaited(line, "edited")
        while (last := awaited(line, "stepped"))["at"] < edited["at"] + 3:
            pass
        first.stop(signal.SIGKILL)
    second = another("--model", "toy", **kept)
    with websocket(second.port) as line:
        guess = {"do": "resume", "session": opened["session"], "key": "guess"}
        line.send(json.dumps(guess))
        assert json.loads(line.recv(timeout=LONG))["why"].startswith("this session is over")
        line.send(json.dumps(guess | {"key": opened["keys"]["own"], "after": last["n"], "play": True}))
        snapshot = awaited(line, "snapshot")
        assert snapshot["session"] == opened["session"] and snapshot["n"] > last["n"]
        assert snapshot["at"] >= last["at"] - 2 and snapshot["canvas"]["kinds"][40:42] == "pp"
        done = awaited(line, "done")  # it played before, so it goes on
        assert not done["failed"] and done["text"] == alone(edited["at"] - 1)
        line.send(json.dumps({"do": "close", "session": opened["session"]}))
        line.send(json.dumps(guess | {"key": opened["keys"]["own"]}))
        while (message := json.loads(line.recv(timeout=LONG)))["did"] != "refused":
            pass
        assert "over" in message["why"]


def test_a_stop_and_a_start_are_a_pause_too(another: Callable[..., Server], tmp_path: Path) -> None:
    kept = {"XDG_CACHE_HOME": str(tmp_path), "UNMASK_KEEP_HOURS": "12"}
    first = another("--model", "toy", **kept)
    with websocket(first.port) as line:
        line.send(json.dumps({"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 8}))
        opened = awaited(line, "opened")
        line.send(json.dumps({"do": "step", "session": opened["session"], "passes": 3}))
        while (last := awaited(line, "moved"))["at"] != 3:
            pass
    assert first.stop() == 0
    second = another("--model", "toy", **kept)
    with websocket(second.port) as line:
        line.send(
            json.dumps(
                {"do": "resume", "session": opened["session"], "key": opened["keys"]["watch"], "after": last["n"]}
            )
        )
        assert awaited(line, "snapshot")["at"] == 3
