"""max_tokens is a limit and not the canvas: whatever it is, an answer begins the same, and is hardly ever empty."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.long import grown
from tests.serve.process import Server
from tests.until import LONG
from unmask.pair.worlds import document

LIMITS = (8, 16, 24, 32, 64)
MANY = int(os.environ.get("PROMPTS", "15"))


def answers(url: str, prompt: str, limits: tuple[int, ...] = LIMITS, model: str = "denoiser") -> list[Any]:
    """The whole answers to one prompt at each limit."""

    def answer(limit: int) -> Any:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": limit, "seed": 1}
        answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=900)
        assert answer.status_code == 200, answer.text
        return answer.json()

    with ThreadPoolExecutor(len(limits)) as callers:  # at once, so that their passes are thought together
        return [*callers.map(answer, limits)]


def prompts(many: int) -> Iterator[str]:
    """Of the model's own worlds."""
    seed = 0
    while many:
        prompt = document(seed).prompt
        seed += 1
        if prompt:
            many -= 1
            yield prompt


def checked(rows: list[Any], limits: tuple[int, ...] = LIMITS) -> int:
    """How many of these are empty; none is longer than its limit, and each begins the next."""
    texts = [row["choices"][0]["message"]["content"] for row in rows]
    for row, limit, text in zip(rows, limits, texts, strict=True):
        assert row["usage"]["completion_tokens"] <= limit
        assert texts[-1].startswith(text.removesuffix("\ufffd")), (limit, text, texts[-1])
        if row["choices"][0]["finish_reason"] == "length":
            assert row["usage"]["completion_tokens"] in (limit, limit - 1)  # half a letter is no letter
    return sum(not text.strip() for text in texts)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("many", grown(2, MANY))
def test_at_five_limits_hardly_an_answer_is_empty(another: Any, many: int) -> None:
    server: Server = another("--model", "denoiser")
    with ThreadPoolExecutor(3) as callers:
        empty = sum(callers.map(lambda prompt: checked(answers(server.url, prompt)), prompts(many)))
    print(f"{many} prompts at {len(LIMITS)} limits: {empty} answers are empty")
    assert empty <= 0.01 * many * len(LIMITS), empty


@pytest.mark.parametrize("model", ["tiny", "twin", "toy"])
def test_a_canvas_grows_by_blocks_up_to_the_limit_or_to_what_there_is_room_for(server: Server, model: str) -> None:
    prompt = "1 2 3"
    rows = answers(server.url, prompt, (20, 120, 170), model)
    checked(rows, (20, 120, 170))
    full = answers(server.url, prompt, (4096,), model)[0] if model == "twin" else rows[-1]
    if model == "twin" and full["choices"][0]["finish_reason"] == "length":
        assert full["usage"]["total_tokens"] == 512  # all that this model sees


@pytest.mark.parametrize("model", ["tiny", "twin"])
def test_a_text_may_be_told_not_to_end(server: Server, model: str) -> None:
    body = {"model": model, "prompt": "a", "max_tokens": 130, "ignore_eos": True, "seed": 1}
    row = httpx.post(f"{server.url}/v1/completions", json=body, timeout=LONG).json()
    assert row["usage"]["completion_tokens"] == 130 and row["choices"][0]["finish_reason"] == "length"
    body = {"model": model, "prompt": "a", "max_tokens": 60, "min_tokens": 40, "seed": 1}
    assert (
        httpx.post(f"{server.url}/v1/completions", json=body, timeout=LONG).json()["usage"]["completion_tokens"] >= 40
    )
