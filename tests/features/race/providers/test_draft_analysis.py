"""What drafts tell of a diffusion, held against what we know of our own: its frames are hidden and inferred again."""

import json
from typing import Any

import httpx
import numpy as np
import pytest

from unmask.features.race.providers.draft_analysis import analyse_drafts
from unmask.serve.runtime import Runtime
from unmask.serve.v1 import routes

PROMPTS = (
    "Story: Lily had a red kite.",
    "Story: Anna had a green boat.",
    "Story: One cold morning Finn met the baker at the mill.",
    "Story: Omar found a map in the garden.",
)
DRAFTS = ["x y z w", "a y z w", "a b z w", "a b z w", "a b c w", "a q c d", "a b c d"]


def test_a_word_settles_when_it_stands_for_good_and_what_is_taken_back_is_counted() -> None:
    found = analyse_drafts([(0.1 * i, text) for i, text in enumerate(DRAFTS)])
    assert found.words == ("a", " b", " c", " d")
    assert found.passes == 6  # one draft was the same as the one before
    assert found.settled == (1, 5, 3, 4) and found.times == pytest.approx((0.1, 0.6, 0.4, 0.5))
    assert found.rewritten == (0, 1, 0, 0)
    assert found.edges == (1,)


def test_words_that_come_and_go_are_found_at_their_places() -> None:
    found = analyse_drafts([(0, "one two"), (1, "zero one two"), (2, "zero one big two")])
    assert found.settled == (1, 0, 2, 0)
    assert analyse_drafts([]).words == () and analyse_drafts([(0, "")]).passes == 1


async def stream(**fields: Any) -> tuple[list[tuple[float, str]], list[dict[str, Any]], dict[str, str]]:
    """Drafts as a rival's would be, and the frames beside them, which a rival would not show."""
    from starlette.applications import Starlette

    runtime = Runtime()
    app = Starlette(routes=routes(runtime, models=("denoiser",)))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    drafts, frames, pieces = [], [], dict[str, str]()
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=120) as web:
        body = {"model": "denoiser", "stream": True, "diffusing": True, "max_tokens": 64, "seed": 1, **fields}
        async with web.stream("POST", "/v1/completions", json=body) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: {"):
                    row = json.loads(line[6:])
                    if row.get("x_frame"):
                        drafts.append((float(len(drafts)), row["choices"][0]["text"]))
                        frames.append(row["x_frame"])
                        pieces |= row["x_frame"]["pieces"]
    await runtime.close()
    return drafts, frames, pieces


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["confidence", "threshold"])
async def test_our_own_work_is_inferred_from_its_drafts_alone(policy: str) -> None:
    """The error that docs/api.md states: a word seems settled before it is decided, hardly ever after. Measured: by
    39 % of the run. A good model guesses words long before it writes them, so later passes change no draft."""
    errors, late, near, words, shares = [], 0, 0, 0, []
    for prompt in PROMPTS:
        drafts, frames, pieces = await stream(prompt=prompt, policy=policy, passes=16, block_length=16)
        found = analyse_drafts(drafts)
        truth = decided(found.words, frames, pieces)
        off = np.array([t - s for s, t in zip(found.settled, truth, strict=True) if t is not None])
        errors.append(np.abs(off).mean() / len(frames))
        late += int((off < 0).sum())
        near += int((np.abs(off) <= 1).sum())
        words += len(off)
        shares.append(found.passes / len(frames))
    print(policy, "off by", np.mean(errors), "of the run;", near, "of", words, "within a pass;", late, "late;", shares)
    assert np.mean(errors) < 0.5 and late < 0.1 * words and 0.25 < np.mean(shares) <= 1


def decided(words: Any, frames: list[dict[str, Any]], pieces: dict[str, str]) -> list[int | None]:
    """The pass at which the last token of each word was written, from the frames that were hidden."""
    when: dict[int, tuple[int, int]] = {}
    for i, frame in enumerate(frames):
        for cell, token in zip(frame["w"], frame["t"], strict=True):
            when[cell] = (i, token)
    text, owner = "", list[int]()
    for cell in sorted(when):
        piece = pieces.get(str(when[cell][1]), "")
        text += piece
        owner += [cell] * len(piece)
    found: list[int | None] = []
    at = 0
    for word in words:
        start = text.find(word, at)
        if start < 0:
            found.append(None)
            continue
        at = start + len(word)
        found.append(max(when[cell][0] for cell in owner[start:at]))
    return found
