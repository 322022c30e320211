"""Structure that holds while the canvas denoises: JSON by a schema and calls of tools; whole, streamed, drafted."""

import json
from typing import Any

import openai
import pytest

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 8}, "age": {"type": "integer", "minimum": 1, "maximum": 99}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
CITY = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"]}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "weather", "description": "Of a city.", "parameters": CITY}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]
ONE: Any = {"type": "function", "function": {"name": "weather"}}
MODELS = ["tiny", "twin"]


def ask(client: openai.OpenAI, model: str, **fields: Any) -> Any:
    messages: Any = [{"role": "user", "content": "Lily is five."}]
    return client.chat.completions.create(**{"model": model, "messages": messages, "seed": 4} | fields)


def schema(wanted: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "it", "schema": wanted, "strict": True}}


def joined(chunks: Any) -> tuple[str, list[tuple[str, str]], str]:
    """Content, calls and finish of a stream, as OpenAI's clients put them together."""
    content, calls, finish = "", dict[int, list[str]](), ""
    for chunk in chunks:
        for choice in chunk.choices:
            content += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for part in choice.delta.tool_calls or ():
                if part.id:
                    assert part.index not in calls and part.function.name
                    calls[part.index] = [part.function.name, ""]
                calls[part.index][1] += part.function.arguments or ""
    return content, [(name, arguments) for name, arguments in calls.values()], finish


@pytest.mark.parametrize("temperature", [0.0, 1.5])
@pytest.mark.parametrize("model", MODELS)
def test_an_answer_fits_its_schema_whole_and_streamed(client: openai.OpenAI, model: str, temperature: float) -> None:
    fields = {"response_format": schema(PERSON), "temperature": temperature}
    whole = ask(client, model, **fields).choices[0]
    row = json.loads(whole.message.content)
    assert set(row) == {"name", "age"} and 1 <= row["age"] <= 99 and len(row["name"]) <= 8
    assert whole.finish_reason == "stop"
    content, calls, finish = joined(ask(client, model, stream=True, **fields))
    assert (content, calls, finish) == (whole.message.content, [], "stop")


@pytest.mark.parametrize("model", MODELS)
def test_any_object_is_one(client: openai.OpenAI, model: str) -> None:
    answer = ask(client, model, response_format={"type": "json_object"}, temperature=1.0)
    assert isinstance(json.loads(answer.choices[0].message.content), dict)


@pytest.mark.parametrize("choice", ["required", ONE], ids=["required", "named"])
@pytest.mark.parametrize("model", MODELS)
def test_arguments_fit_the_tool_that_is_called(client: openai.OpenAI, model: str, choice: Any) -> None:
    fields: dict[str, Any] = {"tools": TOOLS, "tool_choice": choice, "temperature": 1.0}
    whole = ask(client, model, **fields).choices[0]
    (call,) = whole.message.tool_calls
    assert whole.finish_reason == "tool_calls" and not whole.message.content and call.id.startswith("call_")
    arguments = json.loads(call.function.arguments)
    assert set(arguments) == ({"city"} if call.function.name == "weather" else set())
    assert choice == "required" or call.function.name == "weather"
    content, calls, finish = joined(ask(client, model, stream=True, **fields))
    assert (content, finish) == ("", "tool_calls") and calls == [(call.function.name, call.function.arguments)]


def test_several_tools_may_be_called_where_that_is_asked_for(client: openai.OpenAI) -> None:
    fields: dict[str, Any] = {"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": True}
    most = 0
    for seed in range(6):
        whole = ask(client, "tiny", temperature=1.0, **fields | {"seed": seed}).choices[0]
        calls = [(call.function.name, call.function.arguments) for call in whole.message.tool_calls]
        assert len({call.id for call in whole.message.tool_calls}) == len(calls) and all(
            json.loads(a) is not None for _, a in calls
        )
        assert joined(ask(client, "tiny", stream=True, temperature=1.0, **fields | {"seed": seed}))[1] == calls
        most = max(most, len(calls))
    assert most > 1


@pytest.mark.parametrize("model", MODELS)
def test_the_model_decides_between_text_and_a_call(client: openai.OpenAI, model: str) -> None:
    for seed in range(4):
        fields: dict[str, Any] = {
            "tools": TOOLS,
            "tool_choice": "auto",
            "temperature": 1.5,
            "seed": seed,
            "max_tokens": 64,
        }
        whole = ask(client, model, **fields).choices[0]
        called = whole.message.tool_calls or []
        assert bool(called) != bool(whole.message.content)
        content, calls, _ = joined(ask(client, model, stream=True, **fields))
        assert content == (whole.message.content or "")
        assert calls == [(c.function.name, c.function.arguments) for c in called]


def test_no_tool_is_called_where_none_may_be(client: openai.OpenAI) -> None:
    answer = ask(client, "tiny", tools=TOOLS, tool_choice="none", max_tokens=8).choices[0]
    assert answer.message.tool_calls is None and answer.message.content is not None


def test_drafts_show_the_structure_before_it_is_decided(client: openai.OpenAI) -> None:
    chunks = list(ask(client, "tiny", stream=True, response_format=schema(PERSON), extra_body={"diffusing": True}))
    drafts = [c for c in chunks if getattr(c, "diffusion_meta", None)]
    assert len(drafts) > 1 and drafts[0].diffusion_meta["diffusion_progress"] < 1
    assert json.loads(drafts[-1].choices[0].delta.content)  # each replaces the last, and the last is the answer
    fields: dict[str, Any] = {"tools": TOOLS, "tool_choice": ONE, "extra_body": {"diffusing": True}}
    calls = [
        c.choices[0].delta.tool_calls
        for c in ask(client, "tiny", stream=True, **fields)
        if c.choices[0].delta.tool_calls
    ]
    assert len(calls) > 1 and all(part.index == 0 and part.function.name == "weather" for (part,) in calls)
    assert json.loads(calls[-1][0].function.arguments)


def test_a_conversation_goes_on_from_what_a_tool_gave(client: openai.OpenAI) -> None:
    first = ask(client, "tiny", tools=TOOLS, tool_choice=ONE)
    message = first.choices[0].message
    messages = [
        {"role": "user", "content": "Oslo?"},
        message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "sun"},
    ]
    again = ask(client, "tiny", messages=messages, tools=TOOLS, max_tokens=8)
    without = ask(client, "tiny", messages=messages[:1], tools=TOOLS, max_tokens=8)
    assert again.usage.prompt_tokens > without.usage.prompt_tokens


@pytest.mark.parametrize(
    ("wanted", "word"),
    [
        ({"type": "object", "properties": {"a": {"type": "number", "multipleOf": 0.3}}}, "multipleOf"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.org"}}}, "reference"),
        ({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)"}}}, "look-ahead"),
    ],
)
def test_what_a_grammar_cannot_hold_is_refused_by_name(
    client: openai.OpenAI, wanted: dict[str, Any], word: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=word) as caught:
        ask(client, "tiny", response_format=schema(wanted))
    assert caught.value.param == "response_format"
    with pytest.raises(openai.BadRequestError, match=word) as caught:
        ask(client, "tiny", tools=[{"type": "function", "function": {"name": "f", "parameters": wanted}}])
    assert caught.value.param == "tools"


def test_an_answer_longer_than_the_limit_is_cut_and_says_so(client: openai.OpenAI) -> None:
    answer = ask(client, "tiny", response_format=schema(PERSON), max_tokens=3)
    assert answer.choices[0].finish_reason == "length" and answer.usage.completion_tokens == 3
    assert answer.choices[0].message.content.startswith("{")
