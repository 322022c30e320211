"""Scorers: those that are built in, and files of one's own that raise, hang, or return what is no score."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unmask.errors import InvalidRequest
from unmask.features.lab.scorers import exact_match, number
from unmask.features.lab.scoring import ScoreProcess, get_scorer, scorers
from unmask.features.lab.tasks import Item

ITEM = Item("1 + 1 =", 2, "sums", 4)
Own = Callable[[str], ScoreProcess]


@pytest.fixture
def own(tmp_path: Path, configure: Callable[..., None]) -> Iterator[Own]:
    """A scorer of one's own, from its source."""
    configure(UNMASK_SCORERS=str(tmp_path))
    made: list[ScoreProcess] = []

    def start(source: str) -> ScoreProcess:
        (tmp_path / "mine.py").write_text(source)
        made.append(ScoreProcess(get_scorer("mine"), seconds=2, memory_mb=256))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_the_built_in_ones_count_as_they_say() -> None:
    assert exact_match.score("", " a  b\n", "a b") == 1 and exact_match.score("", "a", ["b", "a"]) == 1
    assert exact_match.score("", "2", 2) == 1 and exact_match.score("", "2.0", 2) == 0
    assert number.score("", "It is 1,200.50 in all.", "= 1200.5") == 1
    assert number.score("", "first 3, then 4", 3) == 0 and number.score("", "none", 3) == 0
    with pytest.raises(ValueError, match="the reference 'none' has no number"):
        number.score("", "3", "none")


def test_a_file_in_the_operators_folder_is_a_scorer(own: Own) -> None:
    process = own('"""Near enough."""\ndef score(prompt, text, reference):\n    return text == str(reference)')
    assert process.score(ITEM, "2") == 1.0 and process.score(ITEM, "3") == 0.0
    assert scorers()["mine"].says == "Near enough."


@pytest.mark.parametrize(
    "body, why",
    [
        ("raise KeyError('x')", "raised KeyError: 'x' on line 4 of 'sums'"),
        ("import sys; sys.exit()", "raised SystemExit:  on line 4 of 'sums'"),
        ("return float('nan')", "returned nan, not a number from 0 to 1 on line 4"),
        ("return 7", "returned 7, not a number from 0 to 1 on line 4"),
        ("return 'right'", "returned the text 'right', not a number from 0 to 1 on line 4"),
        ("return 'a' * 100_000_000", "returned the text 'aaaaaaaaaaaaaaaaaaaa', not a number"),
        ("return None", "returned a value of the type NoneType, not a number"),
        ("return bytearray(10**9)", "needed more than 256 MB of memory on line 4"),
        ("while True: pass", "took more than 2 s on line 4 of 'sums'"),
        ("import os; os._exit(0)", "ended its process on line 4 of 'sums'"),
    ],
)
def test_a_scorer_that_gives_no_score_is_a_sentence_with_the_place(own: Own, body: str, why: str) -> None:
    process = own(f"def score(prompt, text, reference):\n    if text == '2': return 1\n    {body}")
    assert process.score(ITEM, "2") == 1.0
    with pytest.raises(InvalidRequest) as refused:
        process.score(ITEM, "3")
    assert str(refused.value).startswith("the scorer 'mine' ") and why in str(refused.value)
    assert process.score(ITEM, "2") == 1.0  # the next text is scored, by a new process if need be


def test_what_a_scorer_prints_and_reads_disturbs_nothing(own: Own) -> None:
    process = own("import sys\nprint('x' * 10**6)\ndef score(p, t, r):\n  print(sys.stdin.read())\n  return .5")
    assert process.score(ITEM, "2") == process.score(ITEM, "3") == 0.5


@pytest.mark.parametrize(
    "source, why",
    [
        ("def score(", "mine.py' is no Python: "),
        ("1 / 0", "mine.py' raised ZeroDivisionError: division by zero"),
        ("", "mine.py' raised AttributeError: module 'scorer' has no attribute 'score'"),
        ("import os; os._exit(3)", "the scorer 'mine' ended its process when its file was read"),
    ],
)
def test_a_file_that_is_no_scorer_is_named(own: Own, source: str, why: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        own(source).score(ITEM, "2")
    assert why in str(refused.value)


def test_names_that_are_unknown_or_there_twice_are_refused(own: Own, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"no scorer 'beauty'; there are code_tests, exact_match, number"):
        get_scorer("beauty")
    (tmp_path / "number.py").write_text("")
    with pytest.raises(InvalidRequest, match="two scorers are called 'number': "):
        scorers()


def test_code_is_run_only_with_the_switch_and_never_for_visitors(configure: Callable[..., None]) -> None:
    with pytest.raises(InvalidRequest, match="set UNMASK_RUN_CODE=1 first"):
        get_scorer("code_tests")
    configure(UNMASK_RUN_CODE="1")
    process = ScoreProcess(get_scorer("code_tests"))
    with pytest.raises(InvalidRequest, match="which the page never does"):
        get_scorer("code_tests", visiting=True)
    item = Item("def add(a, b):\n    return", ["assert add(1, 2) == 3", "assert add(1, 2) == 4"], "code", 1)
    assert process.score(item, " a + b") == 0.5 and process.score(item, " a +") == 0.0
    assert process.score(item, "So:\n```python\ndef add(a, b): return b + a\n```\nDone.") == 0.5
    process.close()
