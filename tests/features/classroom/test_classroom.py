"""A class over the socket: one presents, others follow; rights, history, predictions, and nothing left when it ends."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette

from tests.serve.test_connection import Caller, called
from tests.until import LONG
from unmask.errors import InvalidRequest
from unmask.features.classroom import room as rooms_own
from unmask.features.classroom.attendance import WRONG, rooms_of
from unmask.features.classroom.classroom import Classroom
from unmask.features.classroom.poll import Poll
from unmask.features.classroom.recordings import LARGEST, Recordings
from unmask.features.classroom.room import SPARE
from unmask.features.classroom.rooms import AWAY, SLOW, TRIES
from unmask.features.classroom.routes import routes
from unmask.live.permissions import Permission
from unmask.serve.runtime import Runtime


class Class:
    """A presenter with a run, and others who follow."""

    def __init__(self, runtime: Runtime, stack: AsyncExitStack, presenter: Caller) -> None:
        self.runtime, self.stack, self.presenter = runtime, stack, presenter
        self.code = self.key = ""

    async def begin(self) -> None:
        self.presenter.say("class")
        row = await self.presenter.hear("class")
        self.code, self.key = row["room"], row["key"]
        await self.show()

    async def show(self, **order: Any) -> str:
        session = (await self.presenter.open(**order))["session"]
        self.presenter.say("show", sessions=[session])
        return str(session)

    async def line(self) -> Caller:
        return await self.stack.enter_async_context(called(self.runtime))

    async def follower(self, **fields: Any) -> tuple[Caller, dict[str, Any]]:
        one = await self.line()
        one.say("enter", room=self.code, **fields)
        entered = await one.hear("entered")
        one.session = self.presenter.session
        return one, entered

    async def seats(self, many: int) -> list[dict[str, str]]:
        """Who sits here, as soon as there are so many."""
        while True:
            row = await self.presenter.hear("class")
            if len(row.get("seats", [])) == many:
                return list(row["seats"])


@pytest.fixture
async def group(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Class]:
    monkeypatch.setattr(rooms_own, "NEWS", 0.01)
    async with AsyncExitStack() as stack:
        runtime = Runtime()
        made = Class(runtime, stack, await stack.enter_async_context(called(runtime)))
        await made.begin()
        yield made


async def test_latecomers_get_the_history_and_then_what_happens(group: Class) -> None:
    group.presenter.say("step", passes=3)
    for _ in range(3):
        await group.presenter.hear("stepped")
    one, entered = await group.follower(name=" Ada  \u202e<b> ")
    assert (entered["name"], entered["right"]) == ("Ada <b>", "watch")
    history = await one.hear("history")
    assert [e["did"] for e in history["events"]] == ["opened", "stepped", "stepped", "stepped", "branched", "moved"]
    tokens = {t for event in history["events"] for t in event.get("t", [])}
    assert {str(t) for t in tokens} <= set(history["pieces"])
    group.presenter.say("step")
    stepped = await one.hear("stepped")
    assert stepped["at"] == 4 and stepped["n"] > history["n"]
    assert "keys" not in json.dumps(history) and group.key not in json.dumps([entered, history, stepped])


async def test_all_hear_the_same_bytes_encoded_once(group: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    from unmask.features.classroom import broadcast

    count, encoded = 0, broadcast.encode_message

    def counting(row: Any) -> str:
        nonlocal count
        count += row.get("did") == "stepped"
        return encoded(row)

    monkeypatch.setattr(broadcast, "encode_message", counting)
    others = [(await group.follower())[0] for _ in range(5)]
    group.presenter.say("step", passes=2)
    rows = [[await one.hear("stepped") for _ in range(2)] for one in others]
    assert all(one == rows[0] for one in rows) and count == 2


async def test_what_one_peeks_at_the_others_do_not_get(group: Class) -> None:
    one, two = [(await group.follower())[0] for _ in range(2)]
    group.presenter.say("step")
    await one.hear("stepped")
    one.say("peek", cell=5)
    assert (await one.hear("peeked"))["about"]
    one.say("peek", cell=9999)
    assert (await one.hear("refused"))["do"] == "peek"
    group.presenter.say("step")
    while (row := json.loads(await two.line.outward.get() or "{}")).get("at") != 2:
        assert row["did"] != "peeked"


async def test_a_follower_who_steers_is_refused_until_the_pins_are_handed_over(group: Class) -> None:
    one, entered = await group.follower()
    for do, fields in [
        ("pin", {"cells": [5], "tokens": [7]}), ("step", {}), ("play", {}), ("pause", {}), ("close", {}), ("undo", {}),
        ("show", {"sessions": [group.presenter.session]}), ("freeze", {"on": True}), ("question", {"kind": "cell"}),
        ("hand", {"to": entered["you"], "right": "steer"}), ("dismiss", {}), ("reveal", {}), ("view", {}),
    ]:  # fmt: skip
        one.say(do, **fields)
        assert (await one.hear("refused"))["do"] == do
    group.presenter.say("hand", to=entered["you"], right="steer")
    allowed = await one.hear("allowed")
    assert allowed["right"] == "steer" and list(allowed["keys"]) == ["watch"]
    one.say("pin", cells=[5], tokens=[7])
    assert (await group.presenter.hear("edited"))["edit"]["cells"] == [5]
    one.say("close")
    assert (await one.hear("refused"))["do"] == "close"
    group.presenter.say("freeze", on=True)
    assert (await one.hear("allowed"))["right"] == "watch"
    one.say("pin", cells=[6], tokens=[7])
    assert (await one.hear("refused"))["do"] == "pin"
    group.presenter.say("freeze", on=False)
    assert (await one.hear("allowed"))["right"] == "steer"
    await group.show()  # the next run too
    assert (await one.hear("allowed"))["right"] == "steer"
    for wrong in ({"to": "nobody", "right": "steer"}, {"to": entered["you"], "right": "own"}):
        group.presenter.say("hand", **wrong)
        assert (await group.presenter.hear("refused"))["do"] == "hand"


async def test_answers_are_kept_back_until_the_pass_comes(group: Class) -> None:
    others = [(await group.follower())[0] for _ in range(3)]
    group.presenter.say("question", kind="cell")
    while (row := await others[0].hear("class"))["question"] is None:
        pass
    assert row["question"] == {"kind": "cell", "session": group.presenter.session, "at": 0, "answers": 0}
    for one, value in zip(others, ("5", "5", "9"), strict=True):
        one.say("answer", value=value)
        assert (await one.hear("answered"))["value"] == value
    others[2].say("answer", value="1")  # it belongs to the prompt
    assert "still open" in (await others[2].hear("refused"))["why"]
    while (row := await others[0].hear("class"))["question"]["answers"] < 3:
        assert "tally" not in json.dumps(row)
    group.presenter.say("step")
    cells = [str(cell) for cell in (await others[0].hear("stepped"))["w"]]
    while "revealed" not in (row := await others[0].hear("class")):
        pass
    assert row["question"] is None
    assert row["revealed"]["tally"] == [["5", 2], ["9", 1]] and row["revealed"]["right"] == cells
    assert row["revealed"]["correct"] == sum(value in cells for value in ("5", "5", "9"))
    others[0].say("answer", value="5")
    assert "no open question" in (await others[0].hear("refused"))["why"]


async def test_a_word_is_revealed_when_its_cell_is_written_and_an_answer_that_is_code_is_only_text(
    group: Class,
) -> None:
    one, two = [(await group.follower())[0] for _ in range(2)]
    code = "<img src=x onerror=alert(1)>${7*7}{{7*7}}"
    group.presenter.say("question", kind="word", session=group.presenter.session, cell=12)
    await one.hear("class")
    one.say("answer", value=code)
    assert (await one.hear("answered"))["value"] == code[:40]
    two.say("answer", value="\u202e \x00 \n")
    assert "one letter" in (await two.hear("refused"))["why"]
    two.say("answer", value=7)
    assert (await two.hear("refused"))["do"] == "answer"
    group.presenter.say("play")
    await group.presenter.hear("done")
    while "revealed" not in (row := await two.hear("class")):
        pass
    assert row["revealed"]["cell"] == 12 and row["revealed"]["tally"] == [[code[:40], 1]]
    session = group.runtime.sessions.find(group.presenter.session)
    token = int(session.state.canvas.tokens[12])
    assert row["revealed"]["right"] == [session.denoiser.tokenizer.display_piece(token).strip()]
    group.presenter.say("question", kind="word", cell=12)
    assert (await group.presenter.hear("refused"))["do"] == "question"  # all is written


async def test_a_finished_run_can_be_asked_about_an_earlier_pass(group: Class) -> None:
    """A question was about the newest moment alone, so a class could ask nothing once its run was finished."""
    one, two = [(await group.follower())[0] for _ in range(2)]
    group.presenter.say("play")
    await group.presenter.hear("done")
    session = group.runtime.sessions.find(group.presenter.session)
    at = session.end // 2
    right = [str(cell) for cell in session.head.ancestor(at + 1).frame.cells.tolist()]
    stands = next(cell for cell, open_ in enumerate(session.head.ancestor(at).canvas.open) if not open_)
    group.presenter.say("question", kind="cell", at=at)
    while (row := await one.hear("class"))["question"] is None:
        pass
    assert row["question"]["at"] == at
    one.say("answer", value=right[0])
    assert (await one.hear("answered"))["value"] == right[0]
    two.say("answer", value=str(stands))
    assert "still open" in (await two.hear("refused"))["why"]
    group.presenter.say("reveal")
    while "revealed" not in (row := await one.hear("class")):
        pass
    assert (row["revealed"]["right"], row["revealed"]["correct"]) == (right, 1)
    late = int(session.head.ancestor(session.end).frame.cells[0])  # a word that comes only passes later
    group.presenter.say("question", kind="word", cell=late, at=at)
    while (row := await one.hear("class"))["question"] is None:
        pass
    group.presenter.say("reveal")
    while "revealed" not in (row := await one.hear("class")):
        pass
    token = int(session.state.canvas.tokens[late])
    assert row["revealed"]["right"] == [session.denoiser.tokenizer.display_piece(token).strip()]
    for at in (session.end, session.end + 1):
        group.presenter.say("question", kind="cell", at=at)
        assert (await group.presenter.hear("refused"))["do"] == "question"


async def test_a_game_ranks_the_schedules_of_a_class_and_names_stay_with_the_presenter(group: Class) -> None:
    (one, entered), (two, _) = await group.follower(name="Ada <b>"), await group.follower()
    for do in ({"kind": "schedule", "world": "permutations", "passes": 3},):
        one.say("question", **do)
        assert (await one.hear("refused"))["do"] == "question"
    for wrong in ({"world": "denoiser", "passes": 3}, {"world": "permutations", "passes": 9}, {"world": "balanced"}):
        group.presenter.say("question", kind="schedule", **wrong)
        assert (await group.presenter.hear("refused"))["do"] == "question"
    group.presenter.say("question", kind="schedule", world="permutations", passes=3)
    while (row := await one.hear("class"))["question"] is None:
        pass
    assert (row["question"]["cells"], row["question"]["passes"]) == (4, 3)
    for caller, value, counts in ((one, "2113", "2113"), (two, "1233", "1233"), (two, "1133", "1122")):
        caller.say("answer", value=value)
        assert (await caller.hear("answered"))["value"] == counts
    two.say("answer", value="<img>")
    assert "4 digits" in (await two.hear("refused"))["why"]
    await group.show()  # a game is about no run: another may begin meanwhile
    group.presenter.say("reveal")
    for caller, share, place in ((one, 0.75, 1), (two, 0.375, 2)):
        over = await caller.hear("answered")
        assert over["place"] == place and over["share"] == pytest.approx(share, abs=0.1)
    while "revealed" not in (row := await two.hear("class")):
        pass
    assert (row["revealed"]["first"], row["revealed"]["answers"]) == (0.75, 2) and "Ada" not in json.dumps(row)
    while "ranking" not in (row := await group.presenter.hear("class")):
        pass
    assert [(r["name"], r["place"], r["digits"]) for r in row["ranking"]] == [("Ada <b>", 1, "2113"), ("", 2, "1122")]
    again, _ = await group.follower(seat=entered["seat"])  # who comes back still knows
    assert (await again.hear("answered"))["place"] == 1


async def test_the_presenter_comes_back_to_the_same_room_and_so_does_who_follows(group: Class) -> None:
    one, entered = await group.follower(name="Ada")
    group.presenter.say("hand", to=entered["you"], right="steer")
    await one.hear("allowed")
    group.presenter.line.hang_up()
    while (await one.hear("class"))["presented"]:
        pass
    one.say("step")  # the class goes on meanwhile
    await one.hear("stepped")
    again = await group.line()
    again.say("class", room=group.code, key="guessed")
    assert "somebody else's" in (await again.hear("refused"))["why"]
    again.say("class", room=group.code, key=group.key)
    assert (await again.hear("class"))["seats"] == [{"seat": entered["you"], "name": "Ada", "right": "steer"}]
    while not (await one.hear("class"))["presented"]:
        pass
    other, back = await group.follower(seat=entered["seat"])  # the old line is not yet known to be dead
    assert (back["you"], back["name"], back["right"]) == (entered["you"], "Ada", "steer")
    one.line.hang_up()
    other.say("step")
    await other.hear("stepped")


async def test_a_room_ends_for_everybody_and_leaves_nothing(group: Class) -> None:
    one, _ = await group.follower()
    session = group.runtime.sessions.find(group.presenter.session)
    group.presenter.say("dismiss")
    assert (await one.hear("dismissed"))["room"] == group.code
    assert not rooms_of(group.runtime).open_rooms and len(session.subscribers) == 1  # the presenter's own
    one.say("answer", value="1")
    assert "in no class" in (await one.hear("refused"))["why"]
    one.say("step")
    assert (await one.hear("refused"))["do"] == "step"
    one.say("enter", room=group.code)
    assert "no class with this code" in (await one.hear("refused"))["why"]


async def test_codes_cannot_be_guessed(group: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """31 to the 8th codes; five wrong ones end a line, and after thirty each of its address is looked up slowly."""
    assert rooms_own.LETTERS == 8 and len(set(rooms_own.ALPHABET)) == 31 and not set("01ILO") & set(rooms_own.ALPHABET)
    rooms, slept = rooms_of(group.runtime), list[float]()
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        slept.append(seconds)
        await sleep(0)

    monkeypatch.setattr("unmask.features.classroom.attendance.asyncio.sleep", noted)
    for _ in range(TRIES // WRONG):
        one = await group.line()
        for _ in range(WRONG):
            one.say("enter", room="AAAAAAAA")
        async with asyncio.timeout(LONG):
            while await one.line.outward.get() is not None:  # the line's end
                pass
    assert SLOW not in slept and rooms.delay("elsewhere") == 0
    # one pupil with thirty wrong codes once kept the whole school from the right one
    _, entered = await group.follower()
    assert entered["room"] == group.code and slept.count(SLOW) == 1
    assert rooms.find(f" {group.code[:4]}-{group.code[4:]}".lower(), "school").code == group.code


async def test_a_vote_costs_a_line(group: Class) -> None:
    """Two lines that entered and answered in turns once gave 2,486 votes where two people were."""
    group.presenter.say("question", kind="cell", session=group.presenter.session)
    room = rooms_of(group.runtime).open_rooms[group.code]
    one, first = await group.follower()
    for cell in (10, 11, 12):
        one.say("enter", room=group.code)
        assert (await one.hear("entered"))["seat"] == first["seat"]
        one.say("answer", value=str(cell))
        await one.hear("answered")
    _, other = await group.follower(seat=first["seat"])
    assert other["you"] == first["you"] and isinstance(room.question, Poll) and len(room.question.answers) == 1
    for _ in range(3 * SPARE):
        away, _ = await group.follower()
        away.say("answer", value="10")
        await away.hear("answered")
        away.say("leave")
        away.say("answer", value="11")
        await away.hear("refused")
    assert len(room.seats) <= 2 * SPARE and set(room.question.answers) <= set(room.seats)


def test_no_seat_is_taken_from_one_who_may_steer(monkeypatch: pytest.MonkeyPatch) -> None:
    """600 seats of one address once took the rights of others who were away for a moment."""
    monkeypatch.setattr(rooms_own, "MOST", 12)
    room = Classroom()
    helper, away = room.seat("", "helper", "school"), room.seat("", "away", "school")
    helper.right = Permission.STEER
    for _ in range(30):
        room.seat("", "", "flood")
    assert {helper.id, away.id} <= set(room.seats) and len(room.seats) <= 12


async def test_a_room_without_its_presenter_ends_by_itself(group: Class) -> None:
    room = rooms_of(group.runtime).open_rooms[group.code]
    room.left_at -= AWAY + 1
    rooms_of(group.runtime).expire()
    assert not room.closed  # it is presented
    group.presenter.line.hang_up()
    async with asyncio.timeout(LONG):
        while room.presented:
            await asyncio.sleep(0.01)
    room.left_at -= AWAY + 1
    rooms_of(group.runtime).expire()
    assert room.closed and not rooms_of(group.runtime).open_rooms


async def test_who_reads_nothing_gets_the_whole_anew_and_others_feel_nothing(group: Class) -> None:
    one, _ = await group.follower()
    two, _ = await group.follower()
    stuck = next(iter(rooms_of(group.runtime).open_rooms[group.code].seats.values()))
    sent = 0
    for _ in range(40):  # two does not read while one does: what waits for it stays bounded
        group.presenter.say("open", prompt="1", length=24, sides=[{"model": "toy"}], play=True)
        group.presenter.session = (await group.presenter.hear("opened"))["session"]
        group.presenter.say("show", sessions=[group.presenter.session])
        await group.presenter.hear("done")
        sent += 24
        assert len(stuck._waiting) <= rooms_own.ROOM
        while not one.line.outward.empty():
            one.line.outward.get_nowait()
        if two.line.outward.full():
            break
    seats = [*rooms_of(group.runtime).open_rooms[group.code].seats.values()]
    assert two.line.outward.full() and all(len(seat._waiting) <= rooms_own.ROOM for seat in seats)


async def test_a_class_sees_the_recordings_that_its_presenter_shows(group: Class) -> None:
    """A class saw two empty cards while its presenter's stage showed a recording, such as the page's first view."""
    app = Starlette(routes=routes(group.runtime))
    async with AsyncClient(transport=ASGITransport(app), base_url="http://here") as client:
        place, text = f"/class/{group.code}/recordings", '{"unmask": 3}\n' * 2000
        assert (await client.post(f"{place}?key=wrong", content=text)).status_code == 403
        assert (await client.post(f"/class/NOCLASS2/recordings?key={group.key}", content=text)).status_code == 400
        name = (await client.post(f"{place}?key={group.key}", content=text)).json()["name"]
        group.presenter.say("show", sessions=[], recordings=["0123456789abcdef"])
        assert "upload it first" in (await group.presenter.hear("refused"))["why"]
        group.presenter.say("show", sessions=[], recordings=[name])
        one, _ = await group.follower()  # who comes later
        state = await one.hear("class")
        assert state["recordings"] == [name] and state["sides"] == []
        fetched = await client.get(f"{place}/{name}")
        assert fetched.text == text and fetched.headers["content-encoding"] == "gzip"
        await group.show()
        while (await one.hear("class"))["recordings"]:
            pass
        assert (await client.get(f"{place}/{name}")).status_code == 404  # nothing stays that is not shown


def test_recordings_of_a_class_are_bounded() -> None:
    kept = Recordings()
    with pytest.raises(InvalidRequest, match="too large"):
        kept.add(bytes(LARGEST + 1))
    names = [kept.add(bytes([i])) for i in range(9)]
    assert sum(kept.get(name) is not None for name in names) <= 4
    kept.show(names[-1:])
    assert [kept.get(name) for name in names[-2:]] == [None, bytes([8])]
