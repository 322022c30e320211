"""LiteLLM: an answer, a stream, a forced tool, and errors by their kind."""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would ask the network for prices

import litellm

SERVER = {"api_base": os.environ["URL"] + "/v1", "api_key": "unused"}
ASK = [{"role": "user", "content": "a b"}]

options = {"model": "openai/tiny", "messages": ASK, "max_tokens": 12, "seed": 4, **SERVER}
whole = litellm.completion(**options)
parts = litellm.completion(stream=True, **options)
assert "".join(part.choices[0].delta.content or "" for part in parts) == whole.choices[0].message.content
assert whole.usage.completion_tokens <= 12

city = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"]}
answer = litellm.completion(
    model="openai/tiny",
    messages=[{"role": "user", "content": "Oslo?"}],
    tools=[{"type": "function", "function": {"name": "weather", "parameters": city}}],
    tool_choice="required",
    max_tokens=300,
    **SERVER,
)
(call,) = answer.choices[0].message.tool_calls
assert call.function.name == "weather" and set(json.loads(call.function.arguments)) == {"city"}

for kind, fields in (
    (litellm.NotFoundError, {"model": "openai/nope"}),
    (litellm.BadRequestError, {"model": "openai/toy", "response_format": {"type": "json_object"}}),
):
    try:
        litellm.completion(messages=ASK, **fields, **SERVER)
    except kind:
        pass
    else:
        raise AssertionError(f"{fields} must be a {kind.__name__}")
