"""What clients of OpenAI, vLLM and Anthropic bring: each parameter does what it says, or is refused by its name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx
import openai
import pytest

from tests.serve.process import Server, started
from unmask.inference.infer import surprises
from unmask.models import load

STORY = "Story: Lily had a red kite."


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    names = ("denoiser", "twin", "fast")
    running = started(tmp_path_factory.mktemp("pair") / "log", *(word for name in names for word in ("--model", name)))
    yield running
    assert running.stop() == 0
    assert "Traceback" not in running.log.read_text()


@pytest.fixture
def client(pair: Any) -> openai.OpenAI:
    client: openai.OpenAI = pair.client()
    return client


def post(server: Server, path: str, body: dict[str, Any], **headers: str) -> httpx.Response:
    return httpx.post(f"{server.url}{path}", json=body, headers=headers, timeout=120)


# echo, log probabilities


@pytest.mark.parametrize("model", ["twin", "fast"])
def test_an_echoed_prompt_has_the_exact_log_probabilities(client: openai.OpenAI, model: str) -> None:
    twin = load("twin")
    wanted = -surprises(twin, twin.tokenizer.encode(STORY))
    answer = client.completions.create(model=model, prompt=STORY, echo=True, logprobs=1, max_tokens=1)
    found = answer.choices[0].logprobs
    assert found.token_logprobs[0] is None and found.top_logprobs[0] is None
    assert found.token_logprobs[1:-1] == pytest.approx(wanted[1:].tolist(), abs=1e-3)
    assert "".join(found.tokens) == answer.choices[0].text
    assert found.text_offset[-1] == len(STORY)
    for token, own, best in zip(found.tokens[1:-1], found.token_logprobs[1:], found.top_logprobs[1:], strict=False):
        assert own <= max(best.values()) + 1e-6 and (token not in best or math.isclose(best[token], own, abs_tol=1e-6))


def test_the_prompt_alone_is_scored_without_an_answer(client: openai.OpenAI) -> None:
    answer = client.completions.create(
        model="twin", prompt=[STORY, "Story: a cat"], echo=True, logprobs=2, max_tokens=0
    )
    assert [choice.text for choice in answer.choices] == [STORY, "Story: a cat"]
    assert answer.usage.completion_tokens == 0 and answer.usage.x_diffusion["passes"] == 0
    assert len(answer.choices[0].logprobs.tokens) == len(answer.choices[0].logprobs.token_logprobs)
    with pytest.raises(openai.BadRequestError, match="set echo to true"):
        client.completions.create(model="twin", prompt=STORY, max_tokens=0)


def test_a_model_that_reads_a_prompt_as_a_whole_refuses_to_score_it(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="reads a prompt as a whole") as caught:
        client.completions.create(model="denoiser", prompt=STORY, echo=True, logprobs=1, max_tokens=1)
    assert caught.value.param == "echo"


# work


@pytest.mark.parametrize("model", ["denoiser", "fast"])
def test_few_tokens_take_few_passes_and_are_the_beginning_of_the_whole(client: openai.OpenAI, model: str) -> None:
    def answer(tokens: int) -> tuple[str, int]:
        found = client.completions.create(model=model, prompt="Recipe: pancakes\n", max_tokens=tokens, seed=3)
        return found.choices[0].text, found.usage.x_diffusion["passes"]

    (short, few), (text, many) = answer(2), answer(48)
    assert text.startswith(short) and few <= 0.4 * many


def test_text_arrives_while_the_rest_is_written(client: openai.OpenAI) -> None:
    pieces = [
        chunk.choices[0].text
        for chunk in client.completions.create(
            model="denoiser", prompt=STORY, max_tokens=96, seed=3, stream=True, extra_body={"realtime": True}
        )
    ]
    assert sum(bool(piece) for piece in pieces) >= 5


# refusals by name


@pytest.mark.parametrize(
    ("kind", "what"),
    [("image_url", "an image"), ("input_audio", "audio"), ("file", "a file"), ("document", "a document")],
)
def test_what_is_not_text_is_refused_by_its_name(server: Server, kind: str, what: str) -> None:
    content = [{"type": "text", "text": "1"}, {"type": kind, kind: {"url": "data:,"}}]
    for path in ("/v1/chat/completions", "/v1/messages"):
        body = {"model": "toy", "max_tokens": 2, "messages": [{"role": "user", "content": content}]}
        answer = post(server, path, body)
        assert answer.status_code == 400
        assert f"messages.0.content.1 is {what}" in answer.json()["error"]["message"]


def test_a_wrong_field_is_named_by_its_path_in_the_body(server: Server) -> None:
    def param(**fields: Any) -> str:
        body = {"model": "toy", "messages": [{"role": "user", "content": "1"}]} | fields
        answer = post(server, "/v1/chat/completions", body)
        assert answer.status_code == 400, answer.text
        return str(answer.json()["error"]["param"])

    schema = {"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}
    assert param(response_format=schema) == "response_format.json_schema.name"
    assert param(max_completion_tokens=0) == "max_completion_tokens"
    assert param(messages=[{"role": "user", "content": [{"type": "text"}]}]) == "messages.0.content.0.text"
    assert param(tools=[{"type": "function", "function": {}}]) == "tools.0.function.name"


def test_embeddings_and_unknown_grammars_are_refused_by_name(server: Server) -> None:
    assert "no embeddings" in post(server, "/v1/embeddings", {"input": "x"}).json()["error"]["message"]
    grammar = {"guided_grammar": "root ::= x"}, "no rule 'x'"
    for fields, why in (grammar, ({"guided_regex": "("}, "read"), ({"structured_outputs": {"regex": "("}}, "read")):
        error = post(server, "/v1/completions", {"model": "toy", "prompt": "1"} | fields).json()["error"]
        assert error["param"] in fields and why in error["message"], error


def test_a_repetition_penalty_changes_the_answer_and_1_does_not(server: Server) -> None:
    def text(**more: float) -> str:
        body = {"model": "toy", "prompt": "1 2 3", "max_tokens": 24, "seed": 0, "temperature": 1.0}
        answer: str = post(server, "/v1/completions", {**body, **more}).json()["choices"][0]["text"]
        return answer

    assert text() == text(repetition_penalty=1)
    plain, penalised = text().split(), text(repetition_penalty=10).split()
    assert len(set(penalised)) / len(penalised) > len(set(plain)) / len(plain)
    body = {"model": "toy", "prompt": "1", "repetition_penalty": 0}
    assert post(server, "/v1/completions", body).json()["error"]["param"] == "repetition_penalty"


# headers and models


def test_every_answer_has_an_id_and_keeps_the_client_s_own(server: Server) -> None:
    body = {"model": "toy", "prompt": "1 2", "max_tokens": 2}
    first, second = (post(server, "/v1/completions", body).headers["x-request-id"] for _ in range(2))
    assert first != second and first.startswith("req_")
    assert post(server, "/v1/completions", body, **{"X-Request-Id": "mine-7"}).headers["x-request-id"] == "mine-7"
    assert post(server, "/v1/nowhere", {}).headers["request-id"]
    assert "\n" not in post(server, "/v1/completions", body, **{"X-Request-Id": "x" * 999}).headers["x-request-id"]


def test_without_a_model_the_first_answers(server: Server) -> None:
    answer = post(server, "/v1/completions", {"prompt": "1 2", "max_tokens": 2})
    assert answer.status_code == 200 and answer.json()["model"] == "toy"


@pytest.mark.parametrize("before", ["", "/v1"])
def test_text_becomes_tokens_and_text_again(server: Server, before: str) -> None:
    found = post(server, f"{before}/tokenize", {"model": "toy", "prompt": "3 1 4"}).json()
    assert (found["tokens"], found["count"]) == ([3, 1, 4], 3) and found["max_model_len"] > 3
    assert post(server, f"{before}/detokenize", {"model": "toy", "tokens": [3, 1, 4]}).json() == {"prompt": "3 1 4"}
    assert post(server, f"{before}/detokenize", {"model": "toy", "tokens": [999]}).status_code == 400
    info = httpx.get(f"{server.url}{before}/tokenizer_info").json()
    assert info["model_max_length"] > 3 and "eos_token" in info and info["vocab_size"] > 0
    assert httpx.get(f"{server.url}{before}/tokenizer_info?model=none").status_code == 404
    assert httpx.get(f"{server.url}{before}/version").json()["version"].count(".") == 2


# structures as vLLM and SGLang spell them

FLAG = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("fields", "pattern"),
    [
        ({"guided_choice": ["red", "blue"]}, r"red|blue"),
        ({"structured_outputs": {"choice": ["red", "blue"]}}, r"red|blue"),
        ({"guided_regex": r"[a-c]{3}\d"}, r"[a-c]{3}\d"),
        ({"regex": r"[a-c]{3}\d"}, r"[a-c]{3}\d"),
        ({"structured_outputs": {"regex": r"x{2}"}}, r"x{2}"),
        (
            {"guided_json": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}},
            r'\{.*"a".*\}',
        ),
        ({"guided_json": '{"type": "boolean"}'}, r"true|false"),
        ({"guided_grammar": 'root ::= "yes" | "no"'}, r"yes|no"),
        ({"structured_outputs": {"grammar": '?start: answer\nanswer: "yes" | "no"'}}, r"yes|no"),
        ({"guided_grammar": 'root ::= "(" root ")" | digit\ndigit ::= [0-9]'}, r"\(*[0-9]\)*"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("chat", [True, False])
def test_structures_of_other_servers_are_held(
    client: openai.OpenAI, fields: dict[str, Any], pattern: str, chat: bool
) -> None:
    import re

    common: dict[str, Any] = {"model": "denoiser", "max_tokens": 40, "seed": 1, "extra_body": fields}
    if chat:
        messages: Any = [{"role": "user", "content": "Which?"}]
        text = client.chat.completions.create(messages=messages, **common).choices[0].message.content
    else:
        text = client.completions.create(prompt="Which? ", **common).choices[0].text
    assert re.fullmatch(pattern, text.strip(), re.S), text


def test_one_structure_at_a_time(server: Server) -> None:
    body = {"model": "toy", "prompt": "1", "guided_regex": "a", "guided_choice": ["b"]}
    assert "one structure" in post(server, "/v1/completions", body).json()["error"]["message"]


# stop tokens, bad words, going on with a message


def test_an_answer_ends_before_a_stop_token_and_lacks_bad_words(client: openai.OpenAI) -> None:
    def text(**fields: Any) -> str:
        answer = client.completions.create(model="denoiser", prompt=STORY, max_tokens=64, seed=3, extra_body=fields)
        return str(answer.choices[0].text)

    whole = text()
    twin = load("twin")
    tokens = twin.tokenizer.encode(whole)
    assert whole.startswith(text(stop_token_ids=[tokens[9]])) and len(text(stop_token_ids=[tokens[9]])) < len(whole)
    assert "Lily" in whole and "Lily" not in text(bad_words=["Lily"])
    with pytest.raises(openai.BadRequestError, match="is not one token"):
        text(bad_words=["antidisestablishmentarianism"])


def test_an_answer_goes_on_with_the_assistant_s_last_message(client: openai.OpenAI, pair: Server) -> None:
    messages: Any = [{"role": "user", "content": "Tell me a story."}, {"role": "assistant", "content": "One day a fox"}]
    fields: dict[str, Any] = {"model": "denoiser", "max_tokens": 24, "seed": 0, "messages": messages}
    on = client.chat.completions.create(**fields, extra_body={"continue_final_message": True})
    anew = client.chat.completions.create(**fields)
    assert on.usage.prompt_tokens < anew.usage.prompt_tokens  # no new turn of the assistant is begun
    assert on.choices[0].message.content != anew.choices[0].message.content
    message = post(pair, "/v1/messages", {"model": "denoiser", "max_tokens": 24, "messages": messages}).json()
    assert message["usage"]["input_tokens"] + message["usage"]["cache_read_input_tokens"] == on.usage.prompt_tokens
    with pytest.raises(openai.BadRequestError, match="last message with text"):
        client.chat.completions.create(
            model="denoiser", messages=messages[:1], extra_body={"continue_final_message": True}
        )


# tools and Anthropic


TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("left", "right")
]


def test_only_allowed_tools_are_called(client: openai.OpenAI) -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "right"}}]}
    choice: Any = {"type": "allowed_tools", "allowed_tools": allowed}
    fields: Any = {
        "model": "denoiser",
        "messages": [{"role": "user", "content": "go"}],
        "tools": TOOLS,
        "max_tokens": 40,
    }
    answer = client.chat.completions.create(**fields, tool_choice=choice)
    assert [call.function.name for call in answer.choices[0].message.tool_calls] == ["right"]
    allowed["tools"] = [{"type": "function", "function": {"name": "up"}}]
    with pytest.raises(openai.BadRequestError, match="'up', which is not one of tools"):
        client.chat.completions.create(**fields, tool_choice=choice)


def test_anthropic_s_output_config_and_thinking(pair: Server) -> None:
    schema = {"type": "object", "properties": {"name": {"enum": ["Ann", "Bob"]}}, "required": ["name"]}
    body = {
        "model": "denoiser",
        "max_tokens": 40,
        "messages": [{"role": "user", "content": "Who?"}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "output_config": {"format": {"type": "json_schema", "schema": schema}, "effort": "max"},
    }
    answer = post(pair, "/v1/messages", body)
    assert answer.status_code == 200, answer.text
    assert "name" in answer.json()["content"][0]["text"]


@pytest.mark.long
def test_one_caller_with_too_many_answers_is_told_to_wait(pair: Server) -> None:
    from concurrent.futures import ThreadPoolExecutor

    body = {"model": "denoiser", "prompt": STORY, "n": 16, "max_tokens": 64}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(pair, "/v1/completions", body), range(8)))
    codes = {answer.status_code for answer in answers}
    assert codes <= {200, 429} and 200 in codes
    for answer in answers:
        if answer.status_code == 429:
            assert "try again in a moment" in answer.json()["error"]["message"] and answer.headers["retry-after"]


def test_the_joined_tokens_of_log_probabilities_are_the_content(client: openai.OpenAI) -> None:
    fields: Any = {"model": "denoiser", "messages": [{"role": "user", "content": STORY}], "max_tokens": 40, "seed": 3}
    answer = client.chat.completions.create(**fields, logprobs=True, stop=["."])
    choice = answer.choices[0]
    assert "".join(row.token for row in choice.logprobs.content).lstrip() == choice.message.content


def test_models_are_listed_in_the_form_of_the_client_that_asks(server: Server) -> None:
    mine = httpx.get(f"{server.url}/v1/models", headers={"anthropic-version": "2023-06-01"}).json()
    names = [row["id"] for row in httpx.get(f"{server.url}/v1/models").json()["data"]]
    assert [row["id"] for row in mine["data"]] == names and not mine["has_more"]
    assert (mine["first_id"], mine["last_id"]) == (names[0], names[-1])
    one = httpx.get(f"{server.url}/v1/models/{names[0]}", headers={"anthropic-version": "2023-06-01"}).json()
    assert one == mine["data"][0] and one["type"] == "model" and datetime.fromisoformat(one["created_at"])
    gone = httpx.get(f"{server.url}/v1/models/nothing", headers={"anthropic-version": "2023-06-01"})
    assert gone.status_code == 404 and gone.json()["error"]["type"] == "not_found_error"


def test_a_response_without_an_input_goes_on_from_nothing(client: openai.OpenAI) -> None:
    assert client.responses.create(max_output_tokens=4, model="denoiser").usage.output_tokens <= 4


def test_a_response_s_prompt_is_counted_before_it_is_asked_for(client: openai.OpenAI) -> None:
    fields: Any = {"model": "denoiser", "input": "Tell me a story.", "instructions": "Be brief."}
    counted = client.responses.input_tokens.count(**fields)
    answer = client.responses.create(**fields, max_output_tokens=4)
    assert counted.input_tokens == answer.usage.input_tokens and counted.object == "response.input_tokens"
