"""The page's routes for decisions: both ways of asking, answers that turn, and files of answered questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from unmask.features.decisions import page
from unmask.features.decisions.answered import MOST
from unmask.serve.runtime import Runtime

CRITERIA = {"2": None, "3": None, "4": None}
PAIR: dict[str, Any] = {name: {"type": "choice", "criteria": CRITERIA} for name in ("1", "2")}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    runtime = Runtime()
    with TestClient(Starlette(routes=page.routes(runtime))) as client:
        yield client
        client.portal.call(runtime.close)


def reply(client: Any, state: str = "1", questions: Any = PAIR, model: str = "permutations") -> Any:
    return client.post("/decisions", json={"model": model, "state": state, "questions": questions})


def test_questions_are_asked_together_and_alone_and_an_answer_turns_another(client: Any) -> None:
    row = reply(client).json()
    assert row["forwards"] == {"together": 1, "alone": 2}
    for one in row["answers"]:
        assert one["together"] == pytest.approx([1 / 3] * 3) and one["certainty"] == pytest.approx(0)
        assert one["alone"] == pytest.approx([1 / 3] * 3)
    # each number is there once: where 2 is written, the other place holds 3 or 4
    assert [(one["written"], one["option"], one["question"], one["before"], one["after"]) for one in row["turned"]] == [
        ("1", "2", "2", "2", "3"),
        ("2", "2", "1", "2", "3"),
    ]
    assert row["turned"][0]["share"] == pytest.approx(1 / 2)


def test_an_answer_that_no_other_touches_turns_nothing(client: Any) -> None:
    row = reply(client, "1 2", {"1": PAIR["1"]}).json()
    assert row["turned"] == [] and row["answers"][0]["together"][0] == 0


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"state": " "}, "write a text"),
        ({"questions": {}}, "at least one question"),
        ({"questions": {"1": {"type": "choice", "criteria": {"": None}}}}, "an option without a name"),
        ({"model": "twin"}, "left to right"),
        ({"model": "nobody/nothing"}, "nobody"),
        ({"questions": {str(n): PAIR["1"] for n in range(9)}}, "8"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(client: Any, changes: dict[str, Any], why: str) -> None:
    answer = reply(client, **changes)
    assert answer.status_code in (400, 404) and why in answer.json()["why"]


def line(state: str, answer: Any, **more: Any) -> str:
    row = {"state": state, "questions": {"next": {"type": "choice", "criteria": CRITERIA}}, "answers": {"next": answer}}
    return json.dumps(row | more)


def test_a_file_of_answered_questions_becomes_a_curve(client: Any) -> None:
    rows = [line("1 2 3", "4"), line("1 2 4", "3"), line("1 4 3", "2"), line("1", "4")]
    found = client.post("/decisions/curve", json={"model": "permutations", "file": "\n\n".join(rows)}).json()
    # three of them follow from the text; of the last one nothing is known, and its first option is taken
    assert found["count"] == 4 and found["accuracy"][0] == 0.75 and found["commonest"] == 0.5
    assert [(one["count"], one["right"][0]) for one in found["bins"]] == [(1, 0), (3, 1)]
    assert found["error"] == pytest.approx(1 / 12)
    gate = next(one for one in found["gates"] if one["wanted"] == 0.1)
    assert gate["above"] == 1 and gate["answered"] == 0.75 and gate["wrong"][0] == 0


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "0 questions"),
        (f"{line('1', '4')}\nno", "line 2 is no JSON"),
        ('{"state": "1"}', "line 1: a line is an object with state, questions and answers"),
        (line("1", "7"), "line 1: '7' is no option of 'next', which has 2, 3, 4"),
        (line("1", "4", answers={"other": "4"}), "line 1: answers has nothing for the question 'next'"),
        (line("1", "4", questions={"next": {"type": "maybe"}}), "line 1: questions.next.type"),
        ("\n".join([line("1", "4")] * (MOST + 1)), f"at most {MOST}"),
    ],
)
def test_a_wrong_file_is_a_sentence_that_names_the_line(client: Any, text: str, why: str) -> None:
    answer = client.post("/decisions/curve", json={"model": "permutations", "file": text})
    assert answer.status_code == 400 and why in answer.json()["why"]


def test_yes_and_no_are_answered_by_true_and_false(client: Any) -> None:
    noul = {"happy": {"type": "noul", "instructions": "Is Tom happy?"}}
    rows = [line("Story: Tom was happy.", "", questions=noul, answers={"happy": value}) for value in (True, "yes")]
    found = client.post("/decisions/curve", json={"file": "\n".join(rows)}).json()
    assert found["count"] == 2 and found["commonest"] == 1


def test_the_measured_curve_is_of_two_hundred_questions(client: Any) -> None:
    row = client.get("/decisions").json()
    assert row["count"] == 200 == sum(one["count"] for one in row["bins"])
    assert row["accuracy"][0] > row["commonest"] + 0.3 and row["twin"]["accuracy"][0] > 0.9
