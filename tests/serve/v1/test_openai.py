"""The official client against the running server: every call, every promise about the text, every refusal by name."""

import asyncio
import math
import os
import subprocess
import sys
from typing import Any

import httpx
import openai
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.serve.process import ROOT, Server
from tests.until import LONG

CHAT = [{"role": "user", "content": "a b"}]


def chat(client: openai.OpenAI, model: str = "tiny", **fields: Any) -> Any:
    fields.setdefault("max_completion_tokens", 24)
    messages = fields.pop("messages", [{"role": "user", "content": "1 2 3"}])
    return client.chat.completions.create(model=model, messages=messages, **fields)


def streamed(client: openai.OpenAI, **fields: Any) -> tuple[list[str], list[Any]]:
    """The content of every chunk, and the chunks."""
    chunks = list(chat(client, stream=True, stream_options={"include_usage": True}, **fields))
    # an empty text counts: where chunks replace each other it takes back what was drafted
    texts = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content is not None]
    return texts, chunks


def test_models_are_listed_and_told_one_by_one(client: openai.OpenAI) -> None:
    assert [m.id for m in client.models.list()] == ["toy", "tiny", "twin"]
    assert client.models.retrieve("tiny").owned_by == "unmask"


def test_every_answer_is_of_the_client_s_own_types(server: Server) -> None:
    """In a process of its own: the client validates every answer with its own types, whole and streamed."""
    command = [sys.executable, str(ROOT / "tests" / "clients" / "openai_types.py")]
    done = subprocess.run(command, env=os.environ | {"URL": server.url}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("model", ["toy", "tiny", "twin"])
def test_an_answer_has_text_a_finish_and_a_count(client: openai.OpenAI, model: str) -> None:
    answer = chat(client, model)
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].finish_reason in ("length", "stop")
    usage = answer.usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    x = usage.x_diffusion
    assert x["passes"] >= 1
    assert math.isclose(x["tokens_per_pass"], usage.completion_tokens / x["passes"], abs_tol=1e-4)


@pytest.mark.slow
def test_an_unfamiliar_prompt_is_answered_with_a_note(another: Any) -> None:
    client = another("--model", "real=twin").client()

    def usage(prompt: str) -> Any:
        return client.completions.create(model="real", prompt=prompt, max_tokens=4).usage.x_diffusion

    assert "small stories" in usage("import numpy as np")["note"]
    assert "note" not in usage("Story: Lily had a red kite.")


@pytest.mark.slow
def test_an_answer_that_makes_little_sense_is_given_with_a_note(another: Any) -> None:
    client = another("--model", "real=denoiser").client()

    def note(prompt: str) -> str:
        answer = client.completions.create(model="real", prompt=prompt, max_tokens=96)
        return str(answer.usage.x_diffusion.get("note"))

    remark = note("Story: A dragon lost his hat.")
    assert remark.startswith("This text makes little sense") and remark.endswith(
        "works better: Story: Tom had a red hat."
    )
    assert note("Story: Lily had a red kite.") == "None"


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(-(2**60), 2**60),
    model=st.sampled_from(["toy", "tiny", "twin"]),
    temperature=st.sampled_from([0.0, 0.7, 2.0]),
    stop=st.lists(st.sampled_from(["1", " 2", "e", "4 ", "a", "\n", "ÿ", "33 "]), max_size=3),
    length=st.integers(1, 24),
    choice=st.sampled_from(["threshold", "confidence", "replan", "random", ""]),
)
def test_deltas_add_up_snapshots_end_there_and_both_equal_the_whole(
    client: openai.OpenAI, seed: int, model: str, temperature: float, stop: list[str], length: int, choice: str
) -> None:
    fields: dict[str, Any] = {"seed": seed, "temperature": temperature, "max_completion_tokens": length}
    fields |= {"stop": stop} if stop else {}
    extra = {"policy": choice} if choice and model != "twin" else {}
    whole = chat(client, model, extra_body=extra, **fields)
    text = whole.choices[0].message.content
    deltas, chunks = streamed(client, model=model, extra_body=extra, **fields)
    drafts, snapshots = streamed(client, model=model, extra_body=extra | {"diffusing": True}, **fields)
    assert "".join(deltas) == text
    assert (drafts[-1] if drafts else "") == text
    assert not any(mark in text for mark in stop)
    usage = [u.usage.model_dump(exclude={"prompt_tokens_details"}) for u in (whole, chunks[-1], snapshots[-1])]
    assert usage[0] == usage[1] == usage[2]
    finishes = [[c.choices[0].finish_reason for c in row if c.choices] for row in (chunks, snapshots)]
    assert all(f[-1] == whole.choices[0].finish_reason and f[:-1] == [None] * (len(f) - 1) for f in finishes)


def test_diffusing_shows_every_pass_whole_with_our_frame_beside_it(client: openai.OpenAI) -> None:
    _, chunks = streamed(client, seed=3, extra_body={"diffusing": True, "passes": 6, "policy": "confidence"})
    drafted = [c for c in chunks if getattr(c, "diffusion_meta", None)]
    assert len(drafted) == 6
    progress = [c.diffusion_meta["diffusion_progress"] for c in drafted]
    assert progress == sorted(progress) and progress[-1] == 1
    assert [c.x_frame["step"] for c in drafted] == list(range(6))
    assert all(c.diffusion_meta["diffusion_content"] == c.choices[0].delta.content for c in drafted)
    assert drafted[0].x_frame["pieces"]


def test_the_same_seed_gives_the_same_and_the_seed_used_is_told(client: openai.OpenAI) -> None:
    first = chat(client, "toy", temperature=2.0)
    again = chat(client, "toy", temperature=2.0, seed=first.usage.x_diffusion["seed"])
    other = chat(client, "toy", temperature=2.0, seed=first.usage.x_diffusion["seed"] + 1)
    assert first.choices[0].message.content == again.choices[0].message.content != other.choices[0].message.content


def test_n_answers_are_the_answers_of_n_seeds(client: openai.OpenAI) -> None:
    three = chat(client, n=3, seed=5, temperature=1.0)
    alone = [chat(client, seed=5 + i, temperature=1.0).choices[0].message.content for i in range(3)]
    assert [c.message.content for c in three.choices] == alone
    assert [c.index for c in three.choices] == [0, 1, 2]
    parts = ["", "", ""]
    for chunk in chat(client, n=3, seed=5, temperature=1.0, stream=True):
        for choice in chunk.choices:
            parts[choice.index] += choice.delta.content or ""
    assert parts == alone


def test_logprobs_are_of_the_pass_that_wrote_the_token(client: openai.OpenAI) -> None:
    fields: dict[str, Any] = {"seed": 2, "logprobs": True, "top_logprobs": 3, "extra_body": {"passes": 4}}
    answer = chat(client, "toy", **fields)
    rows = answer.choices[0].logprobs.content
    assert len(rows) == answer.usage.completion_tokens
    assert "".join(r.token for r in rows).strip() == answer.choices[0].message.content
    for row in rows:
        assert row.logprob <= 0 and len(row.top_logprobs) == 3
        assert row.top_logprobs[0].logprob >= row.top_logprobs[1].logprob >= row.top_logprobs[2].logprob
        assert row.top_logprobs[0].logprob == row.logprob  # at temperature 0 the likeliest is what is written
    streams = [c.choices[0].logprobs for c in chat(client, "toy", stream=True, **fields) if c.choices]
    assert [r for s in streams if s for r in s.content] == rows


def test_logprobs_equal_those_of_the_bare_decode(client: openai.OpenAI) -> None:
    from unmask.canvas import blank
    from unmask.inference import DistributionCache, infer
    from unmask.inference.decode import decode
    from unmask.models import load
    from unmask.run.settings import Settings
    from unmask.run.state import start

    toy = load("toy")
    state, wrote = start(blank([[1, 2, 3], 24]), Settings(passes=4, seed=2)), {}
    distribution_cache = DistributionCache()
    for after, frame in decode(toy, state):
        (belief,) = infer(toy, [state], [False], [distribution_cache])
        wrote |= {int(c): math.log(belief.confidence[c]) for c in frame.cells}
        state = after
    fields = chat(client, "toy", seed=2, logprobs=True, extra_body={"passes": 4}).choices[0].logprobs.content
    assert [r.logprob for r in fields] == pytest.approx([wrote[c] for c in sorted(wrote)], abs=1e-5)


def test_a_suffix_is_an_infill_and_the_alias_gives_the_same(client: openai.OpenAI, server: Server) -> None:
    fields = {"model": "tiny", "prompt": "ab", "suffix": "yz", "seed": 1, "max_tokens": 8}
    answer = client.completions.create(**fields)
    assert answer.usage.prompt_tokens == 4 and answer.usage.completion_tokens <= 8
    alias = httpx.post(f"{server.url}/v1/fim/completions", json=fields, timeout=LONG).json()
    assert alias["choices"][0]["text"] == answer.choices[0].text
    without = client.completions.create(**{**fields, "suffix": None})
    assert without.choices[0].text != answer.choices[0].text  # both sides are seen


def test_prompts_may_be_several_or_tokens(client: openai.OpenAI) -> None:
    several = client.completions.create(model="toy", prompt=["1 2", "3 4"], n=2, seed=1, max_tokens=6)
    assert [c.index for c in several.choices] == [0, 1, 2, 3] and several.usage.prompt_tokens == 4
    tokens = client.completions.create(model="toy", prompt=[3, 4], seed=1, max_tokens=6)
    assert (
        tokens.choices[0].text
        == client.completions.create(model="toy", prompt="3 4", seed=1, max_tokens=6).choices[0].text
    )


def test_underscores_are_only_underscores_here(client: openai.OpenAI) -> None:
    assert client.completions.create(model="tiny", prompt="a ____ b", max_tokens=4).usage.prompt_tokens == 8


def test_the_whole_conversation_is_read(client: openai.OpenAI) -> None:
    long = [{"role": "system", "content": "9"}, {"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}]
    parts = {"role": "user", "content": [{"type": "text", "text": "1 2"}, {"type": "text", "text": " 3"}]}
    one, other = chat(client, "toy", messages=[*long, parts], seed=1), chat(client, "toy", seed=1)
    assert one.choices[0].message.content != other.choices[0].message.content
    assert one.usage.prompt_tokens == 6  # a toy that knows no words reads the messages without their roles


def test_a_bias_forbids_or_forces(client: openai.OpenAI) -> None:
    forced = chat(client, "toy", logit_bias={"7": 100}, seed=1).choices[0].message.content
    assert set(forced.split()) == {"7"}
    first = chat(client, "toy", seed=1).choices[0].message.content.split()[0]
    assert first not in chat(client, "toy", seed=1, logit_bias={first: -100}).choices[0].message.content.split()


def test_max_completion_tokens_wins_over_max_tokens(client: openai.OpenAI) -> None:
    answer = chat(client, "toy", max_completion_tokens=5, max_tokens=9)
    assert answer.usage.completion_tokens == 5 and answer.choices[0].finish_reason == "length"


def test_what_changes_nothing_is_ignored(client: openai.OpenAI) -> None:
    harmless = {"presence_penalty": 0, "tool_choice": "none", "response_format": {"type": "text"}}
    answer = chat(client, "toy", user="u", metadata={"a": "b"}, store=True, service_tier="auto", **harmless)
    assert answer.choices[0].message.content


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("tools.0.function.name", {"tools": [{"type": "function", "function": {"name": "a b", "parameters": {}}}]}),
    ("tool_choice", {"tool_choice": "required"}),
    ("functions", {"functions": [{"name": "f"}]}),
    ("response_format", {"response_format": {"type": "json_object"}}),  # the toy writes numbers and nothing else
    ("response_format", {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}}),
    ("response_format", {"response_format": {"type": "yaml"}}),
    ("presence_penalty", {"presence_penalty": 2.5}),
    ("reasoning_effort", {"reasoning_effort": "extreme"}),
    ("top_k", {"top_k": -2}),
    ("min_p", {"min_p": 1.5}),
    ("modalities", {"modalities": ["text", "audio"]}),
    ("n", {"n": 10**6}),
    ("n", {"n": 0}),
    ("max_tokens", {"max_tokens": 0}),
    ("max_tokens", {"max_tokens": -1}),
    ("max_tokens", {"max_tokens": 10**10}),
    ("passes", {"passes": 10**6}),
    ("top_logprobs", {"logprobs": True, "top_logprobs": 999}),
    ("top_logprobs", {"top_logprobs": 2}),
    ("stop", {"stop": ["x"] * 100_000}),
    ("stop", {"stop": ""}),
    ("temperature", {"temperature": 9}),
    ("temperature", {"temperature": "hot"}),
    ("logit_bias", {"logit_bias": {"999999": 1}}),
    ("logit_bias", {"logit_bias": {"a": 1}}),
    ("policy", {"policy": "treshold"}),
    ("preset", {"preset": "../../etc"}),
    ("policy_options", {"policy": "threshold", "policy_options": {"tau": 7}}),
    ("policy_options", {"policy": "threshold", "policy_options": {"nonsense": 1}}),
    ("messages", {"messages": []}),
    ("messages", {"messages": [{"role": "system", "content": "x"}]}),
    ("messages.0.content", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}),
    ("messages.0.role", {"messages": [{"role": "wizard", "content": "x"}]}),
    ("model", {"model": 7}),
    ("nonsense", {"nonsense": 1}),
]


@pytest.mark.parametrize(("param", "fields"), REFUSED, ids=[f"{p}-{i}" for i, (p, _) in enumerate(REFUSED)])
def test_what_would_be_a_lie_is_refused_by_name(server: Server, param: str, fields: dict[str, Any]) -> None:
    body = {"model": "toy", "messages": [{"role": "user", "content": "1"}]} | fields
    answer = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=LONG)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] is not None and error["param"].startswith(param), error
    assert error["type"] == "invalid_request_error"


def test_a_causal_model_refuses_what_only_a_canvas_can_do(client: openai.OpenAI) -> None:
    for fields in ({"suffix": "x"}, {"extra_body": {"passes": 3}}, {"extra_body": {"policy": "threshold"}}):
        with pytest.raises(openai.BadRequestError):
            client.completions.create(model="twin", prompt="a", max_tokens=4, **fields)


@pytest.mark.parametrize("model", ["nope", "../../etc/passwd", "denoiser:/etc", "%2e%2e", "x" * 256])
def test_an_unknown_model_is_404_and_nothing_is_opened(client: openai.OpenAI, model: str) -> None:
    with pytest.raises(openai.NotFoundError) as caught:
        chat(client, model)
    assert caught.value.code == "model_not_found" and caught.value.param == "model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve(model)


@pytest.mark.long
async def test_64_streams_at_once_lose_and_reorder_nothing(server: Server) -> None:
    client = openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0, timeout=120)

    async def one(seed: int) -> tuple[str, list[int]]:
        text, steps = "", []
        extra = {"diffusing": True, "passes": 8} if seed % 2 else {"passes": 8}
        messages: Any = [{"role": "user", "content": f"{seed % 40} 2"}]
        stream = await client.chat.completions.create(
            model="toy", messages=messages, seed=seed, stream=True, max_tokens=32, temperature=1, extra_body=extra
        )
        async for chunk in stream:
            content = chunk.choices[0].delta.content or ""
            if seed % 2:
                text = content or text
                steps += [chunk.x_frame["step"]] if getattr(chunk, "x_frame", None) else []
            else:
                text += content
        return text, steps

    async def whole(seed: int) -> str:
        messages: Any = [{"role": "user", "content": f"{seed % 40} 2"}]
        answer = await client.chat.completions.create(
            model="toy", messages=messages, seed=seed, max_tokens=32, temperature=1, extra_body={"passes": 8}
        )
        return str(answer.choices[0].message.content)

    await asyncio.gather(*(one(i) for i in range(64)))
    before = server.memory()
    for _ in range(2):
        fields = await asyncio.gather(*(one(i) for i in range(64)))
        assert all(steps == list(range(8)) for i, (_, steps) in enumerate(fields) if i % 2)
    assert server.memory() - before < 16 << 20
    assert [text for text, _ in fields] == [await whole(i) for i in range(64)]
    await client.close()
