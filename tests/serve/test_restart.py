"""A restart changes nothing that a person could see: the same seed writes the same text."""

import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from tests.long import grown
from tests.serve.process import Server


def texts(server: Server, models: Sequence[str]) -> dict[str, list[str]]:
    """What embedded models write, greedily and by luck, which shows where much can be told."""
    found = {}
    for model in models:
        answers = [
            server.client()
            .with_options(timeout=600)
            .completions.create(model=model, prompt="Story:", max_tokens=32, seed=seed, temperature=temperature)
            for seed, temperature in ((1, 0.0), (7, 1.0))
        ]
        found[model] = [answer.choices[0].text for answer in answers]
    return found


@pytest.mark.timeout(900)
@pytest.mark.parametrize("models", grown(["twin"], ["denoiser", "twin"]), ids=len)
def test_the_same_seed_writes_the_same_after_a_restart_beside_a_busy_core(
    another: Callable[..., Server], models: list[str]
) -> None:
    """Each start once raced number types against each other, and a busy machine changed who won."""
    offers = [word for model in models for word in ("--model", model)]
    quiet = another(*offers)
    first = texts(quiet, models)
    assert quiet.stop() == 0
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert texts(another(*offers), models) == first
    finally:
        busy.kill()
        busy.wait()
    assert all(len(set(both)) == 2 and all(both) for both in first.values())
