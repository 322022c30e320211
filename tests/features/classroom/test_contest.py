"""Beat the schedule with a class: a schedule's share is what counting gives, and equal shares stand on one place."""

import re

import pytest

from unmask.errors import InvalidRequest
from unmask.features.classroom.contest import SHOWN, WORLDS, Contest, turns
from unmask.paths import ASSETS


def test_the_page_has_the_same_worlds() -> None:
    names = re.findall(r'^  "?([\w:]+)"?: \{ title', (ASSETS / "wire" / "schedule_game.js").read_text("utf-8"), re.M)
    assert {*names} == {*WORLDS}


def test_schedules_are_ranked_by_what_they_are_worth() -> None:
    contest = Contest.of("permutations", 3)
    given = {"late": "1233", "early": "1123", "other": "2113", "once": "1111", "two": "3311"}
    counts = {who: contest.answer(who, digits) for who, digits in given.items()}
    assert counts["two"] == "2211"  # an empty pass is left out
    shares = {who: schedule.share for who, schedule in contest.schedules.items()}
    assert shares == pytest.approx({"late": 0.5, "early": 0.75, "other": 0.75, "once": 3 / 32, "two": 0.375}, abs=1e-6)
    assert [contest.place(who) for who in ("early", "other", "late")] == [1, 1, 3]
    rows = contest.ranking({"early": "Ada"})
    assert [row["name"] for row in rows[:2]] == ["Ada", ""] and [row["place"] for row in rows] == [1, 1, 3, 4, 5]
    over = contest.to_revealed_dict()
    assert (over["first"], over["best"], over["once"]) == pytest.approx((0.75, 0.75, 3 / 32), abs=1e-6)
    assert "Ada" not in str(over)


def test_a_later_schedule_takes_the_place_of_the_first_and_a_ranking_ends() -> None:
    contest = Contest.of("balanced", 4)
    for n in range(SHOWN + 5):
        contest.answer(str(n), "11223344")
    contest.answer("0", "11111111")
    assert len(contest.ranking({})) == SHOWN and contest.to_dict()["answers"] == SHOWN + 5
    assert contest.place("0") == SHOWN + 5 and contest.to_revealed_dict()["best"] is None


@pytest.mark.parametrize("value", ["", "112", "11234", "0123", "1124", "11a2", "١١٢٣", "<b>1", "1 2 "])
def test_a_schedule_that_is_none_is_a_sentence(value: str) -> None:
    contest = Contest.of("permutations", 3)
    with pytest.raises(InvalidRequest, match="4 digits from 1 to 3"):
        contest.answer("one", value)
    assert not contest.schedules


@pytest.mark.parametrize("world, passes", [("smallsums", 3), ("denoiser", 3), ("permutations", 0), ("permutations", 4)])
def test_a_game_that_is_none_is_a_sentence(world: str, passes: int) -> None:
    with pytest.raises(InvalidRequest, match=r"the game is played on|1 to 3 passes"):
        Contest.of(world, passes)


@pytest.mark.parametrize("world", WORLDS)
def test_one_cell_a_pass_is_always_right_and_everything_at_once_is_not(world: str) -> None:
    contest = Contest.of(world, 3)
    contest.answer("one", "1" * contest.cells)
    assert 0 < contest.schedules["one"].share == contest.to_revealed_dict()["once"] < 0.2


def test_the_cells_of_each_pass_follow_from_the_digits() -> None:
    assert turns("2113") == [[1, 2], [0], [3]]
