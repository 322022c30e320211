"""max_tokens is a limit and not the canvas: whatever it is, an answer begins the same, and is hardly ever empty."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from dllm.worlds import document
from tests.serve.process import Server

LIMITS = (8, 16, 24, 32, 64)
PROMPTS = 200


def answers(url: str, prompt: str, limits: tuple[int, ...] = LIMITS, model: str = "denoiser") -> list[Any]:
    """The whole answers to one prompt at each limit."""
    rows = []
    for limit in limits:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}], "max_tokens": limit, "seed": 1}
        answer = httpx.post(f"{url}/v1/chat/completions", json=body, timeout=120)
        assert answer.status_code == 200, answer.text
        rows.append(answer.json())
    return rows


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
def test_of_200_prompts_at_five_limits_hardly_an_answer_is_empty(another: Any) -> None:
    server: Server = another("--model", "denoiser")
    empty = sum(checked(answers(server.url, prompt)) for prompt in prompts(PROMPTS))
    assert empty <= 0.01 * PROMPTS * len(LIMITS), empty


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
    row = httpx.post(f"{server.url}/v1/completions", json=body, timeout=60).json()
    assert row["usage"]["completion_tokens"] == 130 and row["choices"][0]["finish_reason"] == "length"
    body = {"model": model, "prompt": "a", "max_tokens": 60, "min_tokens": 40, "seed": 1}
    assert httpx.post(f"{server.url}/v1/completions", json=body, timeout=60).json()["usage"]["completion_tokens"] >= 40
