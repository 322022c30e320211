"""Decisions on a model that another server runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.process import Server, started
from unmask.errors import InvalidRequest
from unmask.features.decisions.front import ask
from unmask.models import load


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = started(tmp_path_factory.mktemp("door") / "log", "--model", "denoiser")
    yield running
    assert running.stop() == 0


def test_decisions_are_those_of_the_local_model(door: Server) -> None:
    """Options that are not among the likeliest tokens are asked for by name."""
    attached, local = load(f"attach:{door.url}/v1"), load("denoiser")
    story = "Story: Mia had a red kite. Mia gives the kite to Tom. Now the kite belongs to"
    names = ("Mia", "Tom", "rain", "seven")  # the last two are far from likely
    questions: dict[str, Any] = {"owner": {"type": "choice", "criteria": dict.fromkeys(names)}}
    here, there = ask(story, questions, local), ask(story, questions, attached)
    assert there["owner"] == pytest.approx(here["owner"], abs=1e-6) and there.forwards == here.forwards == 1
    many = [attached.tokenizer.piece(token).strip() for token in range(attached.card.words)]
    words = [word for word in many if word.isalpha() and len(attached.tokenizer.encode(f" {word}")) == 1]
    options = dict.fromkeys(dict.fromkeys(words))
    with pytest.raises(InvalidRequest, match="of 128 chosen tokens, and these options have 140"):
        ask(story, {"owner": {"type": "choice", "criteria": dict(list(options.items())[:140])}}, attached)
