"""A predicted answer: the text is the same to the letter, in fewer forwards; for a denoiser it is a draft."""

import random
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

import unmask
from tests.serve.process import Server, started
from tests.until import LONG

PROMPT = "Story: Lily had a red kite."
MOST = 96
DRAWS = [{"temperature": 0.0}, {"temperature": 0.8, "top_p": 0.95}]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    names = [word for name in ("twin", "fast", "denoiser") for word in ("--model", name)]
    running = started(tmp_path_factory.mktemp("pair") / "log", *names)
    yield running
    assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()


def answered(client: openai.OpenAI, model: str, text: str | None = None, **fields: Any) -> tuple[str, Any]:
    """The answer and its usage, with this prediction."""
    if text is not None:
        fields["prediction"] = {"type": "content", "content": text}
    fields = {"max_tokens": MOST, "seed": 3, "messages": [{"role": "user", "content": PROMPT}]} | fields
    answer = client.chat.completions.create(model=model, **fields)
    return str(answer.choices[0].message.content), answer.usage


def predictions(text: str) -> dict[str, str]:
    words = text.split(" ")
    half = words[: len(words) // 2]
    other = [*words[:10], "Zanzibar", *words[11:]]
    last = random.Random(1).sample(words, len(words) - len(half))
    wrong = "Numbers: 4 + 5 = 9, 7 - 2 = 5, 3 + 3 = 6. What to bring: apples, rope, nothing. " * 4
    return {"right": text, "edited": " ".join(other), "half": " ".join([*half, "x", *last]), "wrong": wrong}


@pytest.mark.parametrize("draw", DRAWS, ids=["greedy", "sampled"])
@pytest.mark.parametrize("model", ["twin", "fast"])
def test_the_text_is_the_same_in_fewer_forwards(pair: Server, model: str, draw: dict[str, Any]) -> None:
    client = pair.client()
    draw = draw | {"extra_body": {"ignore_eos": True}}
    text, usage = answered(client, model, **draw)
    assert usage.completion_tokens_details is None and usage.completion_tokens > 64
    forwards = {}
    for name, prediction in predictions(text).items():
        same, used = answered(client, model, prediction, **draw)
        assert same == text, name
        assert used.completion_tokens == usage.completion_tokens
        forwards[name] = used.x_diffusion["forwards"]
        details = used.completion_tokens_details
        accepted, rejected = details.accepted_prediction_tokens, details.rejected_prediction_tokens
        if name == "right":
            assert accepted >= usage.completion_tokens - 3 and rejected == 0
        if name == "wrong":
            assert rejected > accepted
    if model == "twin":
        without = usage.x_diffusion["passes"]
        assert forwards["right"] <= without / 4 and forwards["edited"] <= without / 4
        assert forwards["right"] < forwards["half"] < forwards["wrong"] <= 1.05 * without
    elif not draw["temperature"]:
        assert forwards["right"] <= forwards["wrong"] / 2
        assert forwards["right"] < forwards["half"] <= forwards["wrong"]


def test_a_stream_has_the_same_text_and_parts_may_be_given(pair: Server) -> None:
    client = pair.client()
    text, _ = answered(client, "twin")
    words = text.split(" ")
    parts = [{"type": "text", "text": " ".join(words[:9])}, {"type": "text", "text": " " + " ".join(words[9:])}]
    stream = client.chat.completions.create(
        model="twin",
        messages=[{"role": "user", "content": PROMPT}],
        max_tokens=MOST,
        seed=3,
        prediction={"type": "content", "content": parts},  # type: ignore[typeddict-item]
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
    usage = chunks[-1].usage
    assert usage is not None and usage.completion_tokens_details is not None
    assert usage.completion_tokens_details.rejected_prediction_tokens == 0
    assert usage.x_diffusion["forwards"] <= usage.completion_tokens / 4  # type: ignore[attr-defined]


def test_what_repeats_itself_and_what_has_a_rule_is_the_same_too(client: openai.OpenAI) -> None:
    fields: dict[str, Any] = {"temperature": 1.0, "max_tokens": 64}
    for extra in ({}, {"guided_regex": "[a-c ]{20,60}"}, {"repetition_penalty": 1.3}):
        body = {"extra_body": extra}
        text, _ = answered(client, "twin", **fields, **body)
        for prediction in (text, text[:20] + text, text[9:], "abc " * 30):
            assert answered(client, "twin", prediction, **fields, **body)[0] == text


def test_for_a_denoiser_it_is_a_draft(pair: Server) -> None:
    draft = "She ran up the hill with the kite. The kite was blue. Lily was very happy and went home."
    text, usage = answered(pair.client(), "denoiser", draft)
    run = unmask.decode(PROMPT, model="denoiser", draft=f" {draft}", keep=0.6, seed=3)
    assert text == run.text.strip()
    details = usage.completion_tokens_details
    tokens = len(run.denoiser.tokenizer.encode(f" {draft}"))
    assert details.accepted_prediction_tokens + details.rejected_prediction_tokens in (tokens, tokens + 1)
    assert details.accepted_prediction_tokens >= 0.4 * tokens


@pytest.mark.parametrize(
    ("fields", "param", "why"),
    [
        ({"prediction": "a text"}, "prediction", "prediction: "),
        ({"prediction": {"type": "image", "content": "x"}}, "prediction.type", "'content'"),
        ({"prediction": {"type": "content"}}, "prediction.content", "missing"),
        ({"prediction": {"type": "content", "content": ""}}, "prediction.content", "at least 1"),
        ({"prediction": {"type": "content", "content": [{"type": "text", "text": ""}]}}, "prediction", "empty"),
        ({"prediction": {"type": "content", "content": "1 2 " * 500}}, "prediction", "longer than the 512 tokens"),
        ({"n": 2}, "prediction", "leave out n"),
        ({"logprobs": True}, "prediction", "leave out logprobs"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "prediction", "leave out tools"),
        ({"vllm_xargs": {"diffusion_read_only": True}}, "prediction", "leave out vllm_xargs"),
        ({"model": "tiny", "guided_regex": "a+"}, "prediction", "under a rule"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    server: Server, fields: dict[str, Any], param: str, why: str
) -> None:
    body = {"model": "twin", "messages": [{"role": "user", "content": "1"}], "max_tokens": 4}
    body |= {"prediction": {"type": "content", "content": "1 2"}} | fields
    answer = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=LONG)
    error = answer.json()["error"]
    assert answer.status_code == 400 and error["param"].startswith(param), error
    assert why in error["message"], error
    edit = httpx.post(f"{server.url}/v1/edit/completions", json=body | {"model": "tiny"}, timeout=LONG)
    assert edit.status_code == 400


def test_the_document_declares_it(server: Server) -> None:
    schemas = httpx.get(f"{server.url}/v1/openapi.json", timeout=LONG).json()["components"]["schemas"]
    assert schemas["Prediction"]["required"] == ["type", "content"]
    assert "prediction" in schemas["Chat"]["properties"]
    assert "rejected_prediction_tokens" in schemas["PredictedTokens"]["properties"]
