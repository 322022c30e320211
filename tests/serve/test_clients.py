"""Other people's clients, unchanged: LangChain and its standard suite, LiteLLM, schemathesis on our own document."""

import json
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it would ask the network for prices

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.serve.process import Server


class TestLangChain(ChatModelIntegrationTests):
    """LangChain's standard integration suite, as for any provider of theirs."""

    @pytest.fixture(autouse=True)
    def _where(self, server: Server) -> None:
        type(self).url = f"{server.url}/v1"

    url = ""

    @property
    def chat_model_class(self) -> type[ChatOpenAI]:
        return ChatOpenAI

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"model": "tiny", "base_url": self.url, "api_key": "unused", "max_tokens": 400, "stream_usage": True}

    @property
    def model_override_value(self) -> str:
        return "twin"

    # Images are refused by name, and the suite is told so, as it asks every provider to.
    @property
    def supports_image_inputs(self) -> bool:
        return False

    # A network of random numbers calls tools whose arguments fit, and cannot know what they should say.
    @pytest.mark.xfail(raises=AssertionError, reason="asks that the number of the question is the argument")
    def test_tool_calling(self, model: Any) -> None:
        super().test_tool_calling(model)

    @pytest.mark.xfail(raises=AssertionError, reason="asks that the number of the question is the argument")
    async def test_tool_calling_async(self, model: Any) -> None:
        await super().test_tool_calling_async(model)

    @pytest.mark.xfail(raises=AssertionError, reason="asks that the model decides by itself to call a tool")
    def test_agent_loop(self, model: Any) -> None:
        super().test_agent_loop(model)

    @pytest.mark.xfail(raises=AssertionError, reason="asks that the letters of the question are the argument")
    def test_unicode_tool_call_integration(self, model: Any) -> None:
        super().test_unicode_tool_call_integration(model)


def test_litellm_calls_tools(server: Server) -> None:
    import litellm

    city = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"]}
    answer = litellm.completion(
        model="openai/tiny",
        api_base=f"{server.url}/v1",
        api_key="unused",
        messages=[{"role": "user", "content": "Oslo?"}],
        tools=[{"type": "function", "function": {"name": "weather", "parameters": city}}],
        tool_choice="required",
        max_tokens=300,
    )
    (call,) = answer.choices[0].message.tool_calls
    assert call.function.name == "weather" and set(json.loads(call.function.arguments)) == {"city"}


def test_litellm_answers_and_streams(server: Server) -> None:
    import litellm

    options: Any = {
        "model": "openai/tiny",
        "api_base": f"{server.url}/v1",
        "api_key": "unused",
        "max_tokens": 12,
        "seed": 4,
    }
    messages = [{"role": "user", "content": "a b"}]
    whole = litellm.completion(messages=messages, **options)
    parts = litellm.completion(messages=messages, stream=True, **options)
    text = "".join(part.choices[0].delta.content or "" for part in parts)
    assert text == whole.choices[0].message.content
    assert whole.usage.completion_tokens <= 12


def test_litellm_tells_errors_by_their_kind(server: Server) -> None:
    import litellm

    options: Any = {"api_base": f"{server.url}/v1", "api_key": "unused", "messages": [{"role": "user", "content": "1"}]}
    with pytest.raises(litellm.NotFoundError):
        litellm.completion(model="openai/nope", **options)
    with pytest.raises(litellm.BadRequestError):
        litellm.completion(model="openai/toy", response_format={"type": "json_object"}, **options)


POSTS = ["/chat/completions", "/completions", "/fim/completions", "/edit/completions", "/responses", "/messages"]
POSTS += ["/messages/count_tokens"]
GETS = ["/models", "/models/{name}", "/health", "/openapi.json"]
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


CALLS = [(path, mode) for path in (*POSTS, *GETS) for mode in GenerationMode if path in POSTS or mode.is_positive]


@pytest.mark.parametrize(("path", "mode"), CALLS, ids=[f"{path}-{mode.value}" for path, mode in CALLS])
def test_the_server_keeps_to_its_document(server: Server, path: str, mode: GenerationMode) -> None:
    """Whatever is sent, right or wrong: no server error, and a status, type and shape that the document names."""
    interface = schemathesis.openapi.from_url(f"{server.url}/v1/openapi.json")
    assert set(interface.raw_schema["paths"]) == {*POSTS, *GETS}
    operation = interface[path]["POST" if path in POSTS else "GET"]

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if mode.is_positive:
            shorten(case)
        case.call_and_validate(base_url=f"{server.url}/v1", checks=CHECKS, timeout=30)

    ask()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_seven_of_ten_requests_that_the_document_allows_are_done(another: Any, offers: list[str]) -> None:
    """Of a model that can write anything: what the document calls valid is not refused for a reason it does not say."""
    server = another(*offers[2:4])
    interface = schemathesis.openapi.from_url(f"{server.url}/v1/openapi.json")
    shares = {path: _share_done(f"{server.url}/v1", interface[path]["POST"]) for path in POSTS}
    edits = shares.pop("/edit/completions")  # its marks no schema can ask for
    assert min(shares.values()) >= 0.7, shares
    assert edits < 0.7


def shorten(case: Any) -> None:
    """Short answers, and few, show the same: whole ones of a random network go on to the end of its room."""
    if not isinstance(case.body, dict):
        return
    for name, most in (*((limit, 8) for limit in LIMITS), ("n", 2), ("best_of", 2), ("min_tokens", 4)):
        if isinstance(case.body.get(name), int | float) and case.body[name] > most:
            case.body[name] = most
    if case.body.get("ignore_eos"):
        case.body["ignore_eos"] = False
    path = case.operation.path  # without a limit an answer of random words goes on to the end of the model's room
    if path != "/messages/count_tokens" and not any(case.body.get(limit) for limit in LIMITS):
        case.body["max_output_tokens" if path == "/responses" else "max_tokens"] = 8


LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def _share_done(url: str, operation: Any) -> float:
    statuses: list[int] = []

    # the same requests each time, each drawn by itself: mutants of one refused request would count it again and again
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def ask(case: Any) -> None:
        shorten(case)
        answer = case.call(base_url=url, timeout=60)
        statuses.append(answer.status_code)
        if answer.status_code != 200:
            print(operation.path, answer.text[:300])

    ask()
    return statuses.count(200) / len(statuses)
