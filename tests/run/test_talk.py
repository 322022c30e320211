"""A talk in a chat template: what is said is found among the template's words, and the oldest turns give way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.forge import words
from unmask.canvas import BaseTokenizer, Card
from unmask.errors import InvalidRequest
from unmask.models.hub.tokenizer import load_tokenizer
from unmask.models.toy import NumberTokenizer
from unmask.run.spec import RunSpec
from unmask.run.talk import newest_turns, talk_tokens, turn_cells

CHAT = (  # as Qwen's: a system turn of its own, and names between marks
    "{% if messages[0].role != 'system' %}<|im|>system\nbe kind<|end|>\n{% endif %}"
    "{% for m in messages %}<|im|>{{ m.role }}\n{{ m.content | trim }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im|>assistant\n{% endif %}"
)
TALK = (("user", "it is  a word"), ("and end", ""))


@pytest.fixture
def tokenizer(tmp_path: Path) -> BaseTokenizer:
    words(tmp_path, CHAT)
    return load_tokenizer(tmp_path, 64, {})


def text(tokenizer: BaseTokenizer, tokens: list[int], spans: list[list[int]]) -> list[str]:
    return ["".join(map(tokenizer.piece, tokens[begin:end])) for begin, end in spans]


def test_what_is_said_is_found_among_the_words_of_the_template(tokenizer: BaseTokenizer) -> None:
    """The first question is the name of a role: the template's own words are not taken for it."""
    tokens = talk_tokens(tokenizer, TALK, " system ")
    assert text(tokenizer, tokens, turn_cells(tokenizer, TALK, " system ", tokens)) == [
        "user", "it is  a word", "and end", "", "system",
    ]  # fmt: skip
    alone = tokenizer.encode_prompt("be kind")
    assert talk_tokens(tokenizer, (), "be kind") == alone
    assert text(tokenizer, alone, turn_cells(tokenizer, (), "be kind", alone)) == ["be kind"]


def test_nothing_is_called_the_templates_where_that_cannot_be_told(tokenizer: BaseTokenizer, tmp_path: Path) -> None:
    tokens = tokenizer.encode("be kind")  # without its template, as around a blank
    assert turn_cells(tokenizer, (), "be kind", tokens) == []
    assert turn_cells(NumberTokenizer(9), (), "1", [1]) == []
    (folder := tmp_path / "louder").mkdir()
    words(folder, "{% for m in messages %}{{ m.content | upper }}{% endfor %}")
    louder = load_tokenizer(folder, 64, {})
    assert turn_cells(louder, (), "be", louder.encode_prompt("be")) == []


def test_a_talk_too_long_for_a_model_loses_its_oldest_turns(tokenizer: BaseTokenizer) -> None:
    long = tuple((f"{'a' * 40}", "b" * 40) for _ in range(6))
    card = Card("small", "test", 64, 512, chat=True)
    spec = RunSpec("last", length=64, talk=long).fitted(card, tokenizer)
    assert 0 < len(spec.talk) < 6 and spec.length == 64
    assert len(spec.canvas(card, tokenizer)) <= card.longest
    assert RunSpec("last", talk=TALK).fitted(card, tokenizer).talk == TALK
    assert newest_turns(long, 170) == long[:2] and newest_turns(long, 0) == ()


def test_a_talk_needs_a_template_and_a_prompt_alone(tokenizer: BaseTokenizer) -> None:
    card = Card("toy", "test", 9, 64)
    with pytest.raises(InvalidRequest, match="no chat template"):
        RunSpec("1", talk=(("1", "2"),)).start(card, NumberTokenizer(9))
    for wrong in ({"own_from": 0}, {"suffix": "a"}, {"prompt": ""}):
        with pytest.raises(InvalidRequest, match="goes on with"):
            RunSpec(**{"prompt": "a", "talk": TALK} | wrong)  # type: ignore[arg-type]
    blanks = RunSpec("a ___ b", length=5, talk=TALK).start(Card("m", "t", 64, 512), tokenizer)
    assert int(blanks.canvas.open.sum()) == 5 and blanks.canvas.open[-5:].all()
