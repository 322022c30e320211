"""A draft to begin with: what is opened, what stays, and what cannot begin so."""

from pathlib import Path

import numpy as np
import pytest

import unmask
from unmask.errors import InvalidRequest
from unmask.inference.draft import doubts, draft_words, opening
from unmask.models import Denoiser, load
from unmask.run.spec import RunSpec
from unmask.run.timeline import Timeline
from unmask.run.trace import load as load_trace

PROMPT = "Story: One evening Mina baked twelve doughnuts."
RIGHT = (
    " They were round and crisp and still warm. Then a deer looked in at the door. The deer looked at the doughnuts "
    "with big eyes. Mina smiled and gave six doughnuts to the deer. Now Mina had six doughnuts left. And they tasted "
    "better because they were shared."
)
WRONG = RIGHT.replace("Mina smiled", "Tom smiled").replace("to the deer", "to the fox").replace("six left", "ten left")


@pytest.fixture(scope="module")
def denoiser() -> Denoiser:
    return load("denoiser")


def opened(timeline: Timeline) -> int:
    return int(timeline.head.ancestor(1).canvas.open.sum())


def test_the_words_that_are_wrong_are_doubted_most_and_mended(denoiser: Denoiser) -> None:
    state = RunSpec(PROMPT, draft=WRONG).start(denoiser.card, denoiser.tokenizer)
    assert state.done
    words, shares = draft_words(denoiser, state), doubts(denoiser, state)
    texts = [denoiser.tokenizer.decode(state.canvas.tokens[word].tolist()).strip() for word in words]
    lowest = [texts[i] for i in np.argsort([shares[word].min() for word in words])[:2]]
    assert set(lowest) == {"Tom", "fox"}
    run = unmask.decode(PROMPT, draft=WRONG, keep=0.8)
    assert run.text == RIGHT
    assert 0 < opened(run.timeline) <= 0.25 * state.canvas.answer.sum()


def test_keep_is_a_dial_and_random_words_are_the_same_for_a_seed(denoiser: Denoiser) -> None:
    state = RunSpec(PROMPT, draft=RIGHT, seed=3).start(denoiser.card, denoiser.tokenizer)
    many = [len(edit.cells) if (edit := opening(denoiser, state, keep, "random")) else 0 for keep in (1, 0.9, 0.5, 0)]
    assert many == sorted(many) and many[0] == 0 and many[-1] == sum(map(len, draft_words(denoiser, state)))
    assert opening(denoiser, state, 0.5, "random") == opening(denoiser, state, 0.5, "random")
    assert unmask.decode(PROMPT, draft=RIGHT, keep=1).text == RIGHT


def test_what_cannot_begin_with_a_draft_is_a_sentence(denoiser: Denoiser) -> None:
    for spec, why in (
        (RunSpec(PROMPT, model="twin", draft=RIGHT), "from left to right"),
        (RunSpec("Tom had ___ here.", draft=RIGHT), "without blanks"),
        (RunSpec(PROMPT, draft=""), "is empty"),
    ):
        with pytest.raises(InvalidRequest, match=why) as refused:
            model = load(spec.model)
            spec.start(model.card, model.tokenizer)
        assert refused.value.field == "draft"
    state = RunSpec(PROMPT, draft=RIGHT).start(denoiser.card, denoiser.tokenizer)
    for keep, way, why in ((1.5, "doubt", "from 0 to 1"), (0.5, "best", "doubt or random")):
        with pytest.raises(InvalidRequest, match=why):
            opening(denoiser, state, keep, way)
    noisy = load("toy")
    assert opening(noisy, RunSpec("1 2", draft="3 1 4 1", length=4).start(noisy.card, noisy.tokenizer), 0.5)


def test_the_command_line_begins_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from unmask.__main__ import main

    (tmp_path / "draft.txt").write_text(WRONG + "\n")
    file = tmp_path / "run.jsonl"
    arguments = ["decode", PROMPT, "--draft", str(tmp_path / "draft.txt"), "--keep", "80", "--quiet"]
    assert main([*arguments, "--trace", str(file)]) == 0
    assert capsys.readouterr().out.strip() == RIGHT.strip()
    again = load_trace(file).first
    assert opened(again) and again.head.state.done
