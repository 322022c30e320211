"""Rows: whole documents, little waste, every string comes back, and lessons that hide what they say."""

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from pair.train import data
from pair.train.objectives import (
    ASKED_WEIGHT,
    GIVEN,
    NEW,
    PLOT,
    asked_words,
    canvas,
    left_to_right,
    model_input_of,
    returning,
)
from pair.train.tokenizer import SEPARATOR, by_merges, learn, load_tokenizer, marks, whole
from unmask.pair.worlds import document
from unmask.pair.worlds.mixture import TITLES
from unmask.pair.worlds.words import NAMED


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return whole(learn((document(seed).text for seed in range(1500)), 900), NAMED, 2 * len(NAMED))


@pytest.fixture(scope="module")
def rows(tokenizer: Tokenizer) -> data.Rows:
    return data.prepare(tokenizer, 160 * 200, 1, [], lengths=(160,))[160]


@pytest.mark.parametrize("text", ["Story: Lily had a red kite.", "naïve 🦊 \n\t x  y\r\n", "", " 42 007", "日本"])
def test_every_string_comes_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_digits_stand_alone(tokenizer: Tokenizer) -> None:
    for piece in tokenizer.get_vocab():
        digits = sum(letter.isdigit() and letter.isascii() for letter in piece)
        assert digits <= 1 and (not digits or len(piece.removeprefix("Ġ")) == 1)


def test_a_word_of_the_worlds_is_one_piece_with_and_without_a_space(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode('"kite" hedgehog').tokens == ['"', "kite", '"', "Ġhedgehog"]
    plain = learn((document(seed).text for seed in range(1500)), 900)
    grown = whole(plain, NAMED, 20)
    assert grown.get_vocab_size() == plain.get_vocab_size() + 20
    assert all(grown.token_to_id(piece) == token for piece, token in plain.get_vocab().items())
    new = next(piece for piece, token in grown.get_vocab().items() if token == plain.get_vocab_size())
    spelled = by_merges(grown).encode(new.replace("Ġ", " ")).ids
    assert plain.decode(spelled).strip() == new.removeprefix("Ġ") and len(spelled) > 1


def test_rows_hold_whole_documents_and_little_else(tokenizer: Tokenizer, rows: data.Rows) -> None:
    separator = tokenizer.token_to_id(SEPARATOR)
    assert (rows.ids == separator).mean() < 0.12
    assert (rows.ids[:, 0] != separator).all()
    first = tokenizer.decode(rows.ids[0].tolist(), skip_special_tokens=False).split(SEPARATOR)[0]
    assert first.split(":")[0].partition(",")[0] in {*TITLES, "Words"}


def test_a_story_that_has_to_use_words_is_cut_off_behind_its_beginning(tokenizer: Tokenizer) -> None:
    rows = data.beginnings(tokenizer, 72 * 50, 4)
    assert rows.ids.shape == rows.prompt.shape == (50, 72)
    full = [bool((row != marks(tokenizer).separator).all()) for row in rows.ids]
    assert sum(full) > 40  # nearly every story is longer
    for row, given in zip(rows.ids, rows.prompt, strict=True):
        text, prompt = tokenizer.decode(row.tolist()), tokenizer.decode(row[given].tolist())
        assert text.startswith(prompt) and prompt.startswith("Words: ") and "\nStory:" in prompt and given.sum() < 72


def test_words_that_return_are_matter_not_grammar(tokenizer: Tokenizer, rows: data.Rows) -> None:
    text = "Story: Lily had a red kite. The kite was new, and Lily ran to the hill with the kite."
    ids = np.array([tokenizer.encode(text).ids])
    found = {tokenizer.decode([word]).strip() for word in ids[0][returning(ids, rows)[0]]}
    assert {"kite", "Lily"} <= found
    assert not found & {"the", ".", "a", "and"}


def test_a_word_is_the_same_behind_a_space_and_a_quotation_mark() -> None:
    shipped = load_tokenizer(Path("assets/models/tokenizer.json"))
    ids = np.array([shipped.encode('Text: the kite of Tess for 39 coins.\nJSON: {"owner": "Tess", "reward": 39}').ids])
    nothing = np.zeros_like(ids, bool)
    rows = data.Rows(np.concatenate([ids] + [np.full_like(ids, 5)] * 20), nothing, data.words(shipped))
    found = [shipped.decode([word]) for word in ids[0][returning(ids, rows)[0]]]
    matter = [word for word in found if word.strip().isalnum()]
    assert [word.strip() for word in matter] == ["Tess", "3", "9", "Tess", "3", "9"] and matter[0] != matter[3]


def test_a_lesson_of_repeats_asks_only_for_words_that_return(tokenizer: Tokenizer, rows: data.Rows) -> None:
    chosen = np.arange(150)
    again = returning(rows.ids[chosen], rows)
    tokens = marks(tokenizer)
    one = canvas(rows, chosen, tokens, np.random.default_rng(0), repeat_share=1.0)
    judged, hidden = np.zeros(again.shape, bool), one.ids.numpy() == tokens.mask
    judged.reshape(-1)[one.where.numpy()[one.weight.numpy() > 0]] = True
    assert not (judged & ~again).any() and (hidden & ~again).any()
    about = judged.any(1)
    assert about.mean() > 0.7
    assert 0.2 < judged[about][again[about]].mean() < 0.8  # something is always left to look up


def test_the_twin_weighs_words_that_return_more(tokenizer: Tokenizer, rows: data.Rows) -> None:
    one = left_to_right(rows, np.arange(8), marks(tokenizer), np.random.default_rng(0), repeat_share=0.2)
    again = returning(rows.ids[:8], rows, before=True).reshape(-1)
    assert (again & ~returning(rows.ids[:8], rows).reshape(-1)).sum() == 0 < again.sum()
    new = model_input_of(rows.ids[:8], rows.prompt[:8], rows, marks(tokenizer)).reshape(-1)
    request = asked_words(rows.ids[:8], rows.prompt[:8], rows, marks(tokenizer)).reshape(-1)
    weight, prompt = one.weight.numpy(), rows.prompt[:8].reshape(-1)
    # a prompt need not be thought of
    wanted = np.where(prompt, GIVEN, 1) * (1 + NEW * new + ASKED_WEIGHT * request) + 2 * again
    assert np.allclose(weight / weight.sum(), wanted / wanted.sum(), rtol=1e-4) and new.any() and prompt.any()


def test_words_that_a_line_asks_for_are_found_in_its_own_answer_alone_and_where_plot_and_sentences_begin() -> None:
    shipped = load_tokenizer(Path("assets/models/tokenizer.json"))
    prompt, answer, other = (
        "Words: took, Tom\nStory:",
        " Now" + " the old kite flew" * 6 + ". Tom, who took it, sat.",
        "Story: Tom took it, too.",
    )
    texts = [shipped.encode(text).ids for text in (prompt + answer, other)]
    separator, asks = marks(shipped).separator, len(shipped.encode(prompt).ids)
    ids = np.array([[*texts[0], separator, *texts[1]]])
    question = np.zeros_like(ids, bool)
    question[0, :asks] = True
    question[0, len(texts[0]) + 1 :][:2] = True
    rows = data.Rows(ids, question, data.words(shipped))
    found = asked_words(ids, question, rows, marks(shipped))
    opening = np.arange(ids.shape[1]) < asks + PLOT  # with which the plot is chosen
    assert found[0, asks : asks + PLOT].all()
    # "who" is none of them, but one of the first behind the full stop, which choose the sentence
    assert [shipped.decode([word]).strip() for word in ids[found & ~opening]] == ["Tom", "who", "took"]
    assert not found[0, len(texts[0]) :].any()


def test_rows_come_back_from_their_file(rows: data.Rows, tmp_path: Path) -> None:
    data.save({160: rows}, tmp_path / "rows.npz")
    again = data.load(tmp_path / "rows.npz")[160]
    assert (again.ids == rows.ids).all() and (again.prompt == rows.prompt).all()


def test_missing_text_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the worlds alone are enough"):
        data.tales(str(tmp_path / "nowhere.txt"))


def test_a_local_file_serves_as_a_data_set(tmp_path: Path) -> None:
    file = tmp_path / "tiny.txt"
    file.write_text(("Once there was a little fox who could not sleep. " * 6 + "\n<|endoftext|>\n") * 3)
    assert len(data.tales(str(file))) == 3
    assert data.tales(str(file))[0].startswith("Tale: Once there was")
    assert data.tales(None) == []


def test_rows_from_before_are_refused_by_name(rows: data.Rows, tmp_path: Path) -> None:
    np.savez(tmp_path / "rows.npz", ids160=rows.ids, asked160=rows.prompt)
    with pytest.raises(
        ValueError, match="before rows knew their alike, asks, digits, ends, names, points, strangers: remove it"
    ):
        data.load(tmp_path / "rows.npz")
