"""Anthropic's own client: text, a stream, a forced tool and its result, and an error by its kind."""

import os

import anthropic

client = anthropic.Anthropic(
    base_url=os.environ["URL"], api_key="unused", max_retries=0, _strict_response_validation=True
)
CITY = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"]}
TOOLS = [{"name": "weather", "description": "of a city", "input_schema": CITY}]
ASK = [{"role": "user", "content": "The weather in Oslo?"}]

text = client.messages.create(model="tiny", max_tokens=12, messages=ASK, system="Be kind.")
assert text.content[0].type == "text" and text.stop_reason in ("end_turn", "max_tokens")
assert text.usage.output_tokens <= 12
with client.messages.stream(model="tiny", max_tokens=12, messages=ASK) as stream:
    pieces = "".join(stream.text_stream)
    assert pieces == stream.get_final_message().content[0].text

called = client.messages.create(model="tiny", max_tokens=200, messages=ASK, tools=TOOLS, tool_choice={"type": "any"})
use = called.content[0]
assert called.stop_reason == "tool_use" and use.name == "weather" and set(use.input) == {"city"}
result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "sun"}]}
talk = [*ASK, {"role": "assistant", "content": called.content}, result]
with client.messages.stream(
    model="tiny", max_tokens=200, messages=talk, tools=TOOLS, tool_choice={"type": "tool", "name": "weather"}
) as stream:
    final = stream.get_final_message()
assert final.stop_reason == "tool_use" and isinstance(final.content[0].input, dict)
assert client.messages.count_tokens(model="tiny", messages=ASK).input_tokens > 0
try:
    client.messages.create(model="nobody", max_tokens=5, messages=ASK)
except anthropic.NotFoundError as error:
    assert error.body["error"]["type"] == "not_found_error"
else:
    raise AssertionError("an unknown model must be an error")
