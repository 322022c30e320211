"""A teacher's texts: the twin's own, word for word, many at once, and kept only where they are strictly right."""

from itertools import islice
from pathlib import Path

import pytest
import torch

from pair.train import distil
from pair.train.distil import Teacher, answers, questions, taught
from pair.train.ship import unpacked
from pair.train.tokenizer import load_tokenizer, marks
from unmask.pair.worlds import strict
from unmask.paths import ASSETS

TWIN = ASSETS / "models/twin"


def few_or_many(few: int, many: int) -> pytest.MarkDecorator:
    """How many prompts; many where there is time for them."""
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.long)])


@pytest.fixture(scope="module")
def teacher() -> Teacher:
    tokenizer = load_tokenizer(ASSETS / "models/tokenizer.json")
    return Teacher(unpacked(TWIN), marks(tokenizer).separator, "fp32")


@few_or_many(3, 12)
def test_many_at_once_write_what_the_twin_writes_alone(teacher: Teacher, count: int) -> None:
    tokenizer = load_tokenizer(ASSETS / "models/tokenizer.json")
    spelled = (tokenizer.encode(text.prompt).ids for text in questions(3, ()))
    prompts = list(islice((prompt for prompt in spelled if len(prompt) < 40), count))
    network, separator = unpacked(TWIN), teacher.separator
    found = {tuple(prompt): answer for prompt, answer in answers(teacher, prompts, 0.0, 0)}
    assert len(found) > 0.7 * count
    for prompt in [prompt for prompt in prompts if tuple(prompt) in found][: count // 2]:
        text = [separator, *prompt]
        with torch.inference_mode():
            for _ in range(len(found[tuple(prompt)])):
                hidden, _ = network.read(torch.tensor([text]))
                text.append(int(network.lm_head(hidden[0, -1]).argmax()))
        assert found[tuple(prompt)] == text[len(prompt) + 1 :] and separator not in text[1:]


def test_random_draws_decide_what_is_drawn_and_a_seed_repeats_it(teacher: Teacher) -> None:
    tokenizer = load_tokenizer(ASSETS / "models/tokenizer.json")
    prompts = [tokenizer.encode("Story:").ids] * 4
    first, again = (list(answers(teacher, prompts, 0.9, seed)) for seed in (1, 1))
    assert first == again and len({tuple(answer) for _, answer in first}) > 1


@few_or_many(4, 24)
def test_what_is_kept_is_strictly_right(teacher: Teacher, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(distil, "ROUND", count)
    tokenizer = load_tokenizer(ASSETS / "models/tokenizer.json")
    for heat in (0.0, 0.7):
        texts = taught(teacher, tokenizer, 5, heat, ())
        assert count / 3 < len(texts) <= count
        assert all(text.whole.startswith(text.prompt) and strict(text.prompt, text.whole).strict for text in texts)


@few_or_many(5, 60)
def test_words_that_are_missing_are_tried_for_again(
    teacher: Teacher, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asks = [text for text in islice(questions(9, ()), 400) if text.prompt.startswith("Words")][:count]
    monkeypatch.setattr(distil, "questions", lambda seed, tales: iter(asks))
    tokenizer = load_tokenizer(ASSETS / "models/tokenizer.json")
    tried = {text.whole for text in taught(teacher, tokenizer, 0, 0.0, ())}
    monkeypatch.setattr(distil, "AGAIN", ())
    once = {text.whole for text in taught(teacher, tokenizer, 0, 0.0, ())}
    assert len(once) < len(tried) <= len(asks)


@few_or_many(4, 12)
def test_the_command_writes_texts_and_stops_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(distil, "ROUND", count)
    out = tmp_path / "new" / "taught.jsonl"
    monkeypatch.setattr("sys.argv", ["distil", "--minutes", "0", "--twin", str(TWIN), "--out", str(out)])
    distil.main()
    assert len(out.read_text().splitlines()) > count / 4
