"""A run as HTML: its text is escaped, and each word has the look that wrote it."""

from __future__ import annotations

import re

import pytest

import unmask
from unmask.models import load
from unmask.run.html import run_html


def test_every_word_has_the_look_that_wrote_it() -> None:
    run = unmask.decode("1 2", "toy", length=8, policy="left_to_right", passes=8)
    looks = re.findall(r'title="look (\d+) of (\d+), \d+%"', run._repr_html_())
    assert [int(one) for one, _ in looks] == [*range(1, 1 + len(looks))] and {all_ for _, all_ in looks} == {"8"}
    assert f"{len(looks)} words in 8 looks" in run._repr_html_()


def test_a_run_that_has_not_begun_is_its_prompt() -> None:
    toy = load("toy")
    run = unmask.decode("1 2", toy, length=4)
    start = run.timeline.head.ancestor(0)
    assert "0 words in 0 looks" in run_html(start, toy.card, toy.tokenizer.display_piece)


def test_text_of_a_model_is_never_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    run = unmask.decode("1 2", "toy", length=4)
    monkeypatch.setattr(type(run.denoiser.tokenizer), "piece", lambda *_: "<img onerror=x>")
    assert "<img" not in run._repr_html_() and "&lt;img onerror=x&gt;" in run._repr_html_()
