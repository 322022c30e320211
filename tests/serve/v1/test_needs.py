"""What the document says of fields that need each other is what the server does."""

import re

import httpx
import pytest
from jsonschema import Draft202012Validator

from tests.serve.process import Server
from tests.until import LONG
from unmask.serve.v1.needs import numbers_below
from unmask.serve.v1.schema import document

HELLO = {"model": "tiny", "messages": [{"role": "user", "content": "Sort: 3 1 2 ->"}], "max_tokens": 4}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
THEIRS = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
PREDICTED = {"type": "content", "content": "1 2 3"}
CASES: list[tuple[str, str, dict[str, object]]] = [
    ("Chat", "/chat/completions", {"tool_choice": "required"}),
    ("Chat", "/chat/completions", {"tool_choice": "auto"}),
    ("Chat", "/chat/completions", {"tool_choice": "required", "tools": [TOOL]}),
    ("Chat", "/chat/completions", {"tool_choice": {"type": "function", "function": {"name": "look"}}}),
    ("Chat", "/chat/completions", {"top_logprobs": 2}),
    ("Chat", "/chat/completions", {"top_logprobs": 0}),
    ("Chat", "/chat/completions", {"top_logprobs": 2, "logprobs": True}),
    ("Chat", "/chat/completions", {"logit_bias": {"9999999": 1}}),
    ("Chat", "/chat/completions", {"logit_bias": {"7": 1}}),
    ("Chat", "/chat/completions", {"policy": "threshold", "policy_options": {"haste": 1}}),
    ("Chat", "/chat/completions", {"policy": "threshold", "policy_options": {"tau": 0.8}}),
    ("Chat", "/chat/completions", {"logprob_token_ids": [7]}),
    ("Chat", "/chat/completions", {"stop_token_ids": [7.0]}),
    ("Chat", "/chat/completions", {"guided_choice": [""]}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED, "n": 1, "tools": [], "vllm_xargs": {"other": 1}}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED, "n": 2}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED, "tools": [TOOL]}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED, "logprobs": True}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED, "vllm_xargs": {"diffusion_read_only": True}}),
    ("Chat", "/chat/completions", {"prediction": PREDICTED | {"type": "text"}}),
    ("Create", "/messages", {"tool_choice": {"type": "tool"}, "tools": [THEIRS]}),
    ("Create", "/messages", {"tool_choice": {"type": "any"}}),
    ("Create", "/messages", {"tool_choice": {"type": "auto"}}),
    ("Create", "/messages", {"tool_choice": {"type": "any"}, "tools": [THEIRS]}),
    ("CountTokens", "/messages/count_tokens", {"tool_choice": {"type": "any"}}),
    ("CreateResponse", "/responses", {"tool_choice": "required"}),
]


@pytest.mark.parametrize(("kind", "path", "more"), CASES)
def test_what_the_document_refuses_the_server_refuses_too(
    server: Server, kind: str, path: str, more: dict[str, object]
) -> None:
    body: dict[str, object] = HELLO | more
    if kind == "CreateResponse":
        body = {"model": "tiny", "input": "Sort: 3 1 2 ->", "max_output_tokens": 4, **more}
    if kind == "CountTokens":
        body.pop("max_tokens")
    interface = httpx.get(f"{server.url}/v1/openapi.json", timeout=LONG).json()
    rule = Draft202012Validator({**interface, "$ref": f"#/components/schemas/{kind}"})
    answer = httpx.post(f"{server.url}/v1{path}", json=body, timeout=LONG)
    assert (answer.status_code == 200) == rule.is_valid(body), answer.text


def test_a_count_is_given_also_for_what_the_model_has_no_room_for(server: Server) -> None:
    body = {"model": "tiny", "messages": [{"role": "user", "content": "one two " * 3000}]}
    answer = httpx.post(f"{server.url}/v1/messages/count_tokens", json=body, timeout=LONG)
    assert answer.status_code == 200 and answer.json()["input_tokens"] > 3000
    refused = httpx.post(f"{server.url}/v1/messages", json=body | {"max_tokens": 4}, timeout=LONG)
    assert refused.status_code == 400


@pytest.mark.parametrize("end", [1, 9, 10, 11, 20, 99, 100, 101, 258, 1000, 4608])
def test_a_pattern_holds_the_numbers_below_an_end(end: int) -> None:
    pattern = re.compile(numbers_below(end))
    assert [n for n in range(12_000) if pattern.match(str(n))] == list(range(end))
    assert not any(pattern.match(text) for text in ("", "01", "-1", "1.0", "x"))


def test_the_document_names_each_knob() -> None:
    names = document(("toy",), 258)["components"]["schemas"]["Chat"]["properties"]["policy_options"]["anyOf"][0]
    assert "tau" in names["propertyNames"]["enum"]
