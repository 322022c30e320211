"""A text with blanks becomes a canvas, and one that cannot is a sentence."""

import pytest

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec

TOY = Toy()


def row(canvas: Canvas) -> list[int]:
    return canvas.tokens.tolist()


def make_canvas(text: str, length: int = 4) -> Canvas:
    return RunSpec(text, length=length).canvas(TOY.card, TOY.tokenizer)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("3 1", [3, 1, -1, -1, -1, -1]),
        ("", [-1, -1, -1, -1]),
        ("3 ___ 1", [3, -1, -1, -1, 1]),
        ("3 _____", [3, -1, -1, -1, -1, -1]),
        ("[MASK] 7", [-1, 7]),
        ("3 [MASK:2] 1 [MASK:1]", [3, -1, -1, 1, -1]),
        ("___[MASK]", [-1, -1, -1, -1]),
    ],
)
def test_blanks_are_cells(text: str, tokens: list[int]) -> None:
    canvas = make_canvas(text)
    assert row(canvas) == tokens
    assert canvas.open.tolist() == [t < 0 for t in tokens] == (~canvas.given).tolist()


def test_a_middle_stands_between_its_prefix_and_its_suffix() -> None:
    assert row(RunSpec("1 2", length=2, suffix="3").canvas(TOY.card, TOY.tokenizer)) == [1, 2, -1, -1, 3]
    assert row(RunSpec("", length=1, suffix="3").canvas(TOY.card, TOY.tokenizer)) == [-1, 3]


@pytest.mark.parametrize(
    ("text", "length", "says"),
    [
        ("3", 0, "the length must be at least 1, not 0"),
        ("3", -5, "the length must be at least 1, not -5"),
        ("3", 10**9, "this model sees at most 4096"),
        ("[MASK:0]", 4, "a blank needs at least one cell"),
        ("[MASK:99999]", 4, "have 99999 cells; this model sees at most 4096"),
        ("three", 4, "write token numbers"),
        ("50", 4, "50 is not a token: they go from 0 to 49"),
    ],
)
def test_an_impossible_prompt_is_a_sentence(text: str, length: int, says: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make_canvas(text, length)
    assert says in str(refused.value)


@pytest.mark.parametrize("length", [0, -1, 10**9])
def test_an_impossible_middle_is_a_sentence(length: int) -> None:
    with pytest.raises(InvalidRequest):
        RunSpec("1", length=length, suffix="2").canvas(TOY.card, TOY.tokenizer)
