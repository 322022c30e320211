"""Several visitors do whatever they like, come back, and send nonsense: nobody's run is reached, lost or changed."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from tests.contract.bad_files import good
from tests.until import until
from unmask.decide import policy_names
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.live.session import Session
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.command import EDITS, TRANSPORT
from unmask.run.settings import Settings
from unmask.serve.doors.fallback import FallbackConnection
from unmask.serve.doors.socket import Visit
from unmask.serve.runtime import Runtime

POLICIES = [n for n in policy_names() if n != "self_speculate"]  # which needs a model that answers both ways
TOY = Toy()
JSON: list[Any] = [
    None, True, 0, -1, 10**30, 1.5, 1e300, "", "x\x00💥", [], [-1], ["a"], {}, {"a": 1},
]  # fmt: skip
PICK, CELLS = st.integers(0, 7), st.lists(st.integers(-1, 18), min_size=1, max_size=3)
KEYS = ["session", "cells", "tokens", "at", "ref", "text", "changes", "sides", "at_moment", "to", "name", "head"]
DOES = [
    *EDITS.kinds,
    *TRANSPORT.kinds,
    "open",
    "resume",
    "plan",
    "history",
    "give",
    "followers",
    "familiar",
    "judge",
    "none",
]
SMALL = st.sampled_from(JSON) | st.integers(-2, 60)


class Page:
    """One connection as the server knows it, and what came over it."""

    def __init__(self, runtime: Runtime, visitor: str) -> None:
        self.line = FallbackConnection(None)
        self.visit = Visit(runtime, self.line, visitor, at_home=True)
        self.task = asyncio.ensure_future(self.visit.run())
        self.events: list[dict[str, Any]] = []
        self.rights: dict[str, dict[str, str]] = {}  # sessions with the keys that this page knows

    def say(self, row: Any) -> None:
        text = row if isinstance(row, str) else json.dumps(row)
        if not self.line.inward.full():
            self.line.inward.put_nowait({"type": "websocket.receive", "text": text})

    def read(self) -> None:
        while not self.line.outward.empty():
            text = self.line.outward.get_nowait()
            if text is None:
                continue
            row = json.loads(text)
            self.events.append(row)
            if row["did"] == "opened":
                self.rights[row["session"]] = row["keys"]


def commands(cells: Any) -> Iterator[Any]:
    """Commands that mean something, most of them."""
    tokens, words = st.lists(st.integers(0, 48), max_size=3), st.integers(0, 50)
    tunes = st.sampled_from([{"passes": 3}, {"policy": "remask"}, {"block": 4}])
    heads = st.sampled_from(["1", "2", "3", "x"])
    for do, wanted in (
        (["pin"], {"cells": cells, "tokens": tokens}),
        (["release", "erase"], {"cells": cells}),
        (["ban"], {"token": words, "lift": st.booleans()}),
        (["boost"], {"token": words, "amount": st.floats(-120, 120)}),
        (["stretch"], {"at": st.integers(0, 18), "by": st.integers(-3, 3)}),
        (["tune"], {"changes": tunes}),
        (["play", "pause", "undo", "step", "history"], {}),
        (["seek"], {"to": st.integers(-1, 20)}),
        (["fork"], {"at": st.integers(-1, 20)}),
        (["switch", "drop"], {"head": heads}),
        (["peek"], {"cell": st.integers(-1, 18)}),
    ):
        yield st.fixed_dictionaries({"do": st.sampled_from(do), **wanted})


class Visitors(RuleBasedStateMachine):
    """A server with several visitors, each with several pages."""

    pages = Bundle("pages")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.runtime = self.wait(self.made())
        self.all: list[Page] = []
        self.keys: dict[str, dict[str, str]] = {}
        logging.getLogger("unmask").addHandler(errors := Errors())
        self.errors = errors

    async def made(self) -> Runtime:
        runtime = Runtime()
        await runtime.model("toy")
        return runtime

    def wait(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def settle(self, is_received: Callable[[], Any] = lambda: True) -> None:
        """Until the server has taken every message and something was heard; then runs go on for a moment."""

        def taken() -> bool:
            for page in self.all:
                page.read()
            return all(page.task.done() or page.line.inward.empty() for page in self.all)

        async def rest() -> None:
            await until(lambda: taken() and is_received())
            for _ in range(3):
                await asyncio.sleep(0.001)
            taken()

        self.wait(rest())
        for page in self.all:
            self.keys |= page.rights

    @rule(target=pages, visitor=st.sampled_from("abc"))
    def connect(self, visitor: str) -> Page:
        async def page() -> Page:
            return Page(self.runtime, visitor)

        made: Page = self.wait(page())
        self.all.append(made)
        return made

    @rule(page=consumes(pages))
    def leave(self, page: Page) -> None:
        page.line.hang_up()
        self.settle(page.task.done)
        assert page.task.exception() is None
        self.all.remove(page)

    @rule(page=pages, policy=st.sampled_from(POLICIES), heat=st.sampled_from([0.0, 1.0]), play=st.booleans())
    def open(self, page: Page, policy: str, heat: float, play: bool) -> None:
        side = {"model": "toy", "settings": {"policy": policy, "passes": 12, "temperature": heat}}
        before = len(page.events)
        page.say(
            {
                "do": "open",
                "sides": [side],
                "prompt": "3 1 4",
                "length": 14,
                "play": play,
                "pace": 0.002,
            }
        )
        self.settle(lambda: any(e["did"] in ("opened", "refused") for e in page.events[before:]))

    def named(self, pick: int) -> str | None:
        """A session that somebody has opened. What is drawn never depends on how far the server has come."""
        names = list(self.keys)
        return names[pick % len(names)] if names else None

    @rule(page=pages, pick=PICK, row=st.one_of(*commands(CELLS)), moment=st.none() | st.integers(-1, 12))
    def command(self, page: Page, pick: int, row: dict[str, Any], moment: int | None) -> None:
        if (name := self.named(pick)) is not None:
            page.say(row | {"session": name, "ref": 5} | ({} if moment is None else {"at_moment": moment}))
            self.settle()

    @rule(page=pages, pick=PICK, right=st.sampled_from(["own", "steer", "watch", "guess"]), after=st.integers(-1, 50))
    def resume(self, page: Page, pick: int, right: str, after: int) -> None:
        if (name := self.named(pick)) is not None:
            page.say({"do": "resume", "session": name, "key": self.keys[name].get(right, "guess"), "after": after})
            self.settle()

    @rule(
        page=pages, pick=st.none() | PICK, row=st.dictionaries(st.sampled_from(KEYS), SMALL), do=st.sampled_from(DOES)
    )
    def nonsense(self, page: Page, pick: int | None, row: dict[str, Any], do: str) -> None:
        name = None if pick is None else self.named(pick)
        known = {"sides": [{"model": "toy"}], "model": "toy"}  # no other model is opened for nonsense
        page.say(known | row | {"do": do} | ({} if name is None else {"session": name}))
        self.settle()

    @invariant()
    def a_message_that_is_json_never_ends_the_line(self) -> None:
        assert not any(page.task.done() for page in self.all)

    @invariant()
    def nobody_hears_of_what_is_not_theirs(self) -> None:
        for page in self.all:
            allowed = {e["session"] for e in page.events if e["did"] in ("opened", "allowed")}
            for event in page.events:
                if "n" in event:  # news of a session, and no answer to this page alone
                    assert event["session"] in allowed

    @invariant()
    def prompts_and_pins_stand(self) -> None:
        for session in self.runtime.sessions.alive.values():
            canvas, first = session.state.canvas, session.head.ancestor(0).canvas
            assert canvas.tokens[canvas.given].tolist() == first.tokens[first.given].tolist()
            assert not (canvas.open & (canvas.given | canvas.pinned)).any()
            assert (canvas.tokens[~canvas.open] >= 0).all()

    @invariant()
    def nothing_failed_inside(self) -> None:
        assert not self.errors.rows, self.errors.rows[0]

    def teardown(self) -> None:
        sessions = list(self.runtime.sessions.alive.values())
        for page in self.all:
            page.line.hang_up()
        self.settle(lambda: all(page.task.done() for page in self.all))
        for session in sessions[:3]:
            self.equal(session)
        self.wait(self.runtime.close())
        logging.getLogger("unmask").removeHandler(self.errors)
        assert not [t for t in asyncio.all_tasks(self.loop) if t.get_name().startswith("session ")]
        self.loop.close()

    @staticmethod
    def equal(session: Session) -> None:
        """Alone, from its beginning and its edits, it is the same run; and so it is from its file."""
        timeline = session.timeline
        alone = recompute(timeline, lambda state: infer(TOY, [state], [True])[0])
        read = traces.parse_trace("\n".join(traces.lines(session.trace()))).first
        for live, again, kept in zip(timeline.nodes(), alone.nodes(), read.nodes(), strict=True):
            assert live.canvas.same(again.canvas) and live.canvas.same(kept.canvas)
            assert np.array_equal(live.canvas.pinned, again.canvas.pinned)


class Errors(logging.Handler):
    """What the server's own log says went wrong inside."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.rows: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.rows.append(self.format(record))


TestVisitors = pytest.mark.fuzz(Visitors.TestCase)
LONG = settings.default is not None and settings.default.max_examples > 1000  # `make fuzz`
TestVisitors.settings = settings(stateful_step_count=20, max_examples=1000 if LONG else 40, deadline=None)


def messages() -> Iterator[dict[str, Any]]:
    """Every field of every command, and of every setting, with every type of JSON."""
    sound: dict[str, Any] = {
        "cells": [5], "tokens": [1], "token": 1, "lift": False, "amount": 1.0, "at": 5, "by": 1, "changes": {},
        "preset": "", "slow": 1.0, "pace": 0.0, "passes": 1, "to": 0, "name": "n", "head": "1", "cell": 5, "text": "1",
        "check": "sums", "why": "1 + 1 is 2",
    }  # fmt: skip
    for do, kind in (EDITS.kinds | TRANSPORT.kinds).items():
        needed = {f.name: sound[f.name] for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}
        for name in [*(f.name for f in fields(kind)), "ref", "at_moment", "text"]:
            for value in JSON:
                yield {"do": do} | needed | {name: value}
    for f in fields(Settings):
        for value in JSON:
            yield {"do": "tune", "changes": {f.name: value}}
    for name in ("prompt", "length", "seed", "play", "slow", "pace", "entropy", "id"):
        for value in JSON:
            yield {"do": "open", "sides": [{"model": "toy"}], "prompt": "1", "length": 4, name: value}
    for value in JSON[7:]:
        yield {"do": "open", "sides": value or [{}, 1], "prompt": "1", "length": 4}
        yield {"do": "open", "sides": [{"model": value}], "prompt": "1", "length": 4}
        yield {"do": "open", "sides": [{"model": "toy", "settings": value}], "prompt": "1", "length": 4}
    for name in ("session", "key", "after", "entropy"):
        for value in JSON:
            yield {"do": "resume", name: value}


@pytest.mark.fuzz
async def test_every_field_with_every_type_is_done_or_refused(
    caplog: pytest.LogCaptureFixture, configure: Callable[..., None]
) -> None:
    configure(UNMASK_MESSAGES="1000000")
    runtime = Runtime()
    await runtime.model("toy")
    runtime.sessions.share = 10_000
    page = Page(runtime, "a")
    side = {"model": "toy", "settings": {"policy": "confidence", "passes": 12}}
    page.say({"do": "open", "sides": [side], "prompt": "3 1 4", "length": 14})
    await until(lambda: page.read() or page.rights)
    name, count = next(iter(page.rights)), 0
    for row in messages():
        if row["do"] not in ("open", "resume", "play"):
            row = row | {"session": row.get("session", name)}
        page.say(row)
        count += 1
        if count % 20 == 0:
            await until(lambda: page.read() or page.line.inward.empty())
            assert not page.task.done(), row
    page.say({"do": "history", "session": name})
    await until(lambda: page.read() or any(e["did"] == "history" and e["session"] == name for e in page.events), 300)
    assert count > 1500 and name in runtime.sessions.alive
    assert "a command failed" not in caplog.text and "Traceback" not in caplog.text, caplog.text[:2000]
    refused = [e["why"] for e in page.events if e["did"] == "refused"]
    assert len(refused) > 500 and all(why and "\n" not in why and "object at 0x" not in why for why in refused)
    page.line.hang_up()
    await runtime.close()


GOOD = good()


def use(raw: str | bytes) -> None:
    """Read a file and do with it what is done with one; or be refused in a sentence."""
    try:
        trace = traces.parse_trace(raw)
    except InvalidRequest as refused:
        assert str(refused) and len(str(refused)) < 2000
        return
    assert traces.parse_trace("\n".join(traces.lines(trace))).first.head.canvas.same(trace.first.head.canvas)


@pytest.mark.fuzz
@given(st.data())
@settings(deadline=None, max_examples=5000 if LONG else 150)
def test_a_mutated_trace_is_read_or_refused(data: Any) -> None:
    lines = list(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        change: Callable[[], None] = data.draw(
            st.sampled_from([lambda: swap(lines, data), lambda: spoil(lines, data), lambda: cut(lines, data)])
        )
        change()
    use("\n".join(lines))


def swap(lines: list[str], data: Any) -> None:
    one, two = data.draw(st.integers(0, len(lines) - 1)), data.draw(st.integers(0, len(lines) - 1))
    lines[one], lines[two] = lines[two], lines[one]


def spoil(lines: list[str], data: Any) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    try:
        place: Any = json.loads(lines[at])
    except ValueError:
        return
    row = place
    while isinstance(place, dict | list) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(st.sampled_from(JSON))
            break
        place = place[key]
    lines[at] = json.dumps(row)


def cut(lines: list[str], data: Any) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
