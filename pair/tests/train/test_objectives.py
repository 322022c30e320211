"""Lessons: what is hidden is asked, nobody sees what they are asked about, and drafts see what decoding shows."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from pair.train import data, objectives
from pair.train.data import Rows
from pair.train.objectives import (
    Cells,
    TrainingBatch,
    between,
    blocks,
    canvas,
    introduced,
    led,
    left_to_right,
    strangers,
)
from pair.train.tokenizer import Marks, learn, marks
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.pair.worlds import document

LENGTH = 96


@pytest.fixture(scope="module")
def made() -> tuple[Rows, Marks]:
    tokenizer = learn((document(seed).text for seed in range(600)), 600)
    return data.prepare(tokenizer, 20_000, 1, [], lengths=(LENGTH,))[LENGTH], marks(tokenizer)


def lesson(made: tuple[Rows, Marks], teach: object, seed: int, repeats: float = 0.0, count: int = 16) -> TrainingBatch:
    rows, tokens = made
    assert callable(teach)
    lesson: TrainingBatch = teach(rows, np.arange(count), tokens, np.random.default_rng(seed), repeats)
    return lesson


@pytest.mark.parametrize("seed", range(6))
def test_a_canvas_asks_only_about_what_is_hidden_or_wrong(made: tuple[Rows, Marks], seed: int) -> None:
    _, tokens = made
    one = lesson(made, canvas, seed, repeats=0.3)
    shown = one.ids.reshape(-1)[one.where]
    judged = one.weight > 0
    hidden = shown == tokens.mask
    assert float(hidden[judged].float().mean()) > 0.5
    seen = ~hidden & judged  # rows that are mended ask about visible words too, and some of them are wrong
    if seen.sum() > 20:
        assert (shown[seen] != one.target[seen]).any()
    assert not (one.target[judged] == tokens.mask).any()
    assert float(one.weight.sum()) == pytest.approx(1, abs=1e-4)
    assert one.ids.shape == (16, LENGTH) and bool(one.attention_mask.all())


def test_a_gap_too_long_ends_in_skips_and_the_text_goes_on_behind_it(made: tuple[Rows, Marks]) -> None:
    rows, tokens = made
    found = 0
    for seed in range(40):
        one = lesson(made, canvas, seed)
        at = one.where[(one.target == tokens.skip) & (one.weight > 0)]
        found += len(at)
        for row in torch.unique(at // LENGTH).tolist():
            cells = sorted((at[at // LENGTH == row] % LENGTH).tolist())
            behind = one.ids[row, cells[-1] + 1 :]
            row_tokens = torch.from_numpy(rows.ids[row].astype(np.int64))
            assert (one.ids[row, cells] == tokens.mask).all() and len(cells) <= 8
            # what stands behind the gap is the row's own text, moved on
            kept = [int(t) for t in behind if int(t) not in (tokens.mask, tokens.skip)]
            assert kept == [] or any(
                torch.equal(row_tokens[i : i + len(kept)], torch.tensor(kept)) for i in range(LENGTH)
            )
    assert found > 20


def test_many_gaps_are_whole_sentences(made: tuple[Rows, Marks]) -> None:
    rows, tokens = made
    whole = 0
    for seed in range(200):
        truth = rows.ids[seed % 40].astype(np.int64)
        cells = Cells(
            truth, rows.prompt[seed % 40], truth.copy(), np.zeros(LENGTH, bool), np.zeros(LENGTH), rows, tokens
        )
        between(cells, np.random.default_rng(seed))
        words = np.flatnonzero((cells.judged > 0) & (truth != tokens.skip))
        whole += len(words) > 0 and bool(rows.words.ends[truth[words[[0, -1]] - [1, 0]]].all())
    assert whole > 20  # by chance there would be none: a row has two or three full stops


def test_a_text_led_to_its_end_shows_the_last_sentence_and_asks_for_what_stands_before_it(
    made: tuple[Rows, Marks], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, tokens = made
    monkeypatch.setattr(objectives, "decoded", lambda cells, rng: None)  # the way of rows without three sentences
    monkeypatch.setattr(objectives, "UNSEEN_NAMES", 0)
    seen = kept = 0
    for seed in range(800):
        truth = rows.ids[seed % 200].astype(np.int64)
        was = truth.copy()
        cells = Cells(
            truth, rows.prompt[seed % 200], truth.copy(), np.zeros(LENGTH, bool), np.zeros(LENGTH), rows, tokens
        )
        led(cells, np.random.default_rng(seed))
        judged = np.flatnonzero(cells.judged)
        if not len(judged):
            continue
        gap = np.arange(judged[0], judged[-1] + 1)
        assert cells.hidden[gap].all() and (cells.judged[gap] == 1).all()
        words = gap[truth[gap] != tokens.skip]
        assert rows.words.ends[truth[words[-1]]] and (truth[words] == was[words]).all()
        last = truth[judged[-1] + 1 :]
        until = int(np.flatnonzero(last == tokens.separator)[0]) if tokens.separator in last else len(last)
        assert rows.words.ends[last[:until]].any() and not cells.hidden[judged[-1] + 1 : judged[-1] + 1 + until].any()
        seen += 1
        kept += len(gap) > len(words)
    assert seen > 20 and kept > 2


def test_who_is_named_only_at_the_end_may_be_a_stranger(made: tuple[Rows, Marks], monkeypatch: object) -> None:
    """The same one wherever it is named, and what stands behind moves on as a name has more pieces."""
    rows, tokens = made
    assert isinstance(monkeypatch, pytest.MonkeyPatch)
    monkeypatch.setattr(objectives, "UNSEEN_NAMES", 1)
    names = np.isin(np.arange(len(rows.words.names)), [50, 51])
    alike = np.arange(len(names), dtype=np.uint16)
    words = replace(rows.words, names=names, alike=alike, strangers=np.array([[70, 71, 72], [80, 81, 0]], np.uint16))
    behind = [tokens.separator, 50, 51, 16, 17, 18, 19, 20]
    met: set[tuple[int, ...]] = set()
    for seed in range(20):
        truth = np.array([9, tokens.separator, 50, 11, 51, 12, 51, 13, 50, 14, 51, *behind])
        nothing = np.zeros(len(truth))
        cells = Cells(truth, nothing > 0, truth.copy(), nothing > 0, nothing, replace(rows, words=words), tokens)
        start, last, end = strangers(cells, 4, 8, 11, np.random.default_rng(seed))
        new = tuple(truth[start : np.flatnonzero(truth == 12)[0]].tolist())
        met.add(new)
        whole = [9, tokens.separator, 50, 11, *new, 12, *new, 13, 50, 14, *new, *behind]
        assert truth.tolist() == whole[: len(truth)] == cells.shown.tolist()
        assert truth[end] == tokens.separator and truth[last] == 50 and truth[last - 1] == 13
    assert met == {(70, 71, 72), (80, 81)}


@pytest.mark.parametrize("seed", range(20))
def test_a_child_that_comes_up_first_is_hidden_wherever_it_is_named(made: tuple[Rows, Marks], seed: int) -> None:
    """And alone asked about: copying the name that stands there is then always wrong."""
    rows, tokens = made
    one, other = 50, 51
    names = np.isin(np.arange(len(rows.words.names)), [one, other])
    alike = np.arange(len(names))
    known = Rows(rows.ids, rows.prompt, replace(rows.words, names=names, alike=alike.astype(np.uint16)))
    truth = np.array([10, one, 11, 12, other, 13, one, 14, other, 15, tokens.separator, 16, 17])
    prompt, nothing = np.arange(len(truth)) < 3, np.zeros(len(truth))
    cells = Cells(truth, prompt, truth.copy(), nothing > 0, nothing, known, tokens)
    introduced(cells, np.random.default_rng(seed))
    assert np.flatnonzero(cells.judged).tolist() == [4, 8] and cells.hidden[[4, 8]].all()
    assert not cells.hidden[:3].any()


@pytest.mark.parametrize("seed", range(4))
def test_a_block_sees_the_text_before_it_and_itself_alone(made: tuple[Rows, Marks], seed: int) -> None:
    """Changing a word changes no answer in its own block's past, and no draft ever sees the word it must guess."""
    torch.manual_seed(seed)
    network = Transformer(TransformerConfig(600, 32, 2, 2, 256, True))
    for layer in network.layers:
        torch.nn.init.normal_(layer.gather.weight, std=0.2)  # type: ignore[union-attr, arg-type]
        torch.nn.init.normal_(layer.settle.weight, std=0.2)  # type: ignore[union-attr, arg-type]
    one = lesson(made, blocks, seed, count=2)
    ahead = int((one.drafted == 0).sum()) - int(((one.weight == 0) & (one.drafted == 0)).sum())
    with torch.no_grad():
        plain, _ = network.read(one.ids, one.positions, one.attention_mask)
        for cell in (20, 50, 80):
            other = one.ids.clone()
            other[:, cell] = (other[:, cell] + 1) % 600  # the clean reading's word at this place
            moved, _ = network.read(other, one.positions, one.attention_mask)
            changed = (moved - plain).abs().amax((0, 2)) > 1e-6
            assert not changed[:cell].any()  # from left to right
            draft = changed[LENGTH:]
            first = int(draft.int().argmax()) if draft.any() else LENGTH
            assert first > cell  # a draft sees a word as it is only from a later block
    assert ahead == 2 * LENGTH
    drafted = one.where[(one.drafted > 0) & (one.weight > 0)]
    assert (drafted % (2 * LENGTH) >= LENGTH).all()  # judged in the copy


def test_from_left_to_right_everything_is_asked_and_the_past_alone_is_seen(made: tuple[Rows, Marks]) -> None:
    _, tokens = made
    one = lesson(made, left_to_right, 0)
    assert len(one.where) == 16 * LENGTH and torch.equal(
        one.attention_mask[0], torch.ones(LENGTH, LENGTH).tril().bool()
    )
    assert (one.ids[:, 0] == tokens.separator).all()
    assert torch.equal(one.ids[:, 1:].reshape(-1), one.target.reshape(16, LENGTH)[:, :-1].reshape(-1))
