"""Requests that once got 500: they are answered, or refused with the parameter that is wrong."""

import json
from typing import Any

import httpx
import pytest

from tests.serve.process import Server
from tests.until import LONG
from unmask.serve.v1.anthropic import tool_input
from unmask.serve.v1.calls import ParsedCall
from unmask.serve.v1.generation import event, json_response

WEATHER: dict[str, Any] = {
    "name": "weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 8}},
        "required": ["city"],
    },
}


@pytest.mark.parametrize("model", ["tiny", "twin"])
def test_a_stop_within_the_arguments_of_a_tool_gives_no_half_of_a_call(server: Server, model: str) -> None:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "Lily is five."}],
        "max_tokens": 60,
        "tools": [WEATHER],
        "tool_choice": {"type": "any"},
    }
    cut = httpx.post(f"{server.url}/v1/messages", json=body | {"stop_sequences": ['"city']}, timeout=LONG)
    assert cut.status_code == 200, cut.text
    assert cut.json()["stop_reason"] == "stop_sequence" and cut.json()["stop_sequence"] == '"city'
    assert [block["type"] for block in cut.json()["content"]] == ["text"]
    whole = httpx.post(f"{server.url}/v1/messages", json=body, timeout=LONG).json()
    assert whole["stop_reason"] == "tool_use" and list(whole["content"][0]["input"]) == ["city"]


@pytest.mark.parametrize("arguments", [r'{"a": "\ud83d"}', '{"a": 123456789012345678901234567890}'])
def test_arguments_that_json_allows_can_be_sent(arguments: str) -> None:
    found = tool_input(ParsedCall("f", arguments))
    assert json.loads(json_response({"input": found}).body) == {"input": found}
    assert json.loads(event("", {"input": found}).removeprefix(b"data: ")) == {"input": found}


def test_a_tool_that_may_not_be_called_is_not_blamed_for_a_schema(server: Server) -> None:
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "a"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "tool_choice": "none",
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"not": {}}}},
    }
    answer = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=LONG)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "response_format")


def test_a_schema_may_have_keywords_of_its_own(server: Server) -> None:
    schema = {"type": "object", "x-order": 1, "id": "s", "required": ["on"]}
    schema |= {"properties": {"on": {"type": "boolean", "example": True, "format": "switch"}}}
    body = {
        "model": "tiny",
        "messages": [{"role": "user", "content": "a"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    }
    answer = httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=LONG)
    assert answer.status_code == 200, answer.text
    assert isinstance(json.loads(answer.json()["choices"][0]["message"]["content"])["on"], bool)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fast_drafts_within_a_schema(another: Any, seed: int) -> None:
    """Its draft had holes where the constraint left a token out, and was verified across them."""
    fast: Server = another("--model", "fast")
    schema = {"type": "array", "items": {"enum": ["red", "green"]}, "minItems": 2, "maxItems": 3}
    body = {
        "model": "fast",
        "messages": [{"role": "user", "content": "Colours?"}],
        "max_tokens": 60,
        "seed": seed,
        "temperature": seed / 2,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
    }
    answer = httpx.post(f"{fast.url}/v1/chat/completions", json=body, timeout=300)
    assert answer.status_code == 200, answer.text
    assert set(json.loads(answer.json()["choices"][0]["message"]["content"])) <= {"red", "green"}
