"""The newest openai-python: every answer validated by its own types, whole and streamed."""

import json
import os

import openai
from pydantic import BaseModel, Field

client = openai.OpenAI(
    base_url=os.environ["URL"] + "/v1", api_key="unused", max_retries=0, _strict_response_validation=True
)
ASK = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Lily is five."}]
CITY = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 8}}, "required": ["city"]}
TOOL = {"name": "weather", "description": "of a city", "parameters": CITY}


class Person(BaseModel):
    name: str = Field(max_length=8)
    age: int


assert {m.id for m in client.models.list()} >= {"tiny"}
for model in ("tiny", "twin"):
    whole = client.chat.completions.create(
        model=model, messages=ASK, max_tokens=9, logprobs=True, top_logprobs=20, seed=1
    )
    assert len(whole.choices[0].logprobs.content[0].top_logprobs) == 20
    chunks = list(client.chat.completions.create(model=model, messages=ASK, max_tokens=9, stream=True, seed=1))
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == whole.choices[0].message.content
    parsed = client.chat.completions.parse(model=model, messages=ASK, response_format=Person, max_tokens=300)
    assert isinstance(parsed.choices[0].message.parsed, Person)
    with client.chat.completions.stream(
        model=model, messages=ASK, tools=[openai.pydantic_function_tool(Person)], tool_choice="required", max_tokens=300
    ) as stream:
        final = stream.get_final_completion()
    assert isinstance(final.choices[0].message.tool_calls[0].function.parsed_arguments, Person)
    answer = client.responses.create(model=model, input="Lily is five.", max_output_tokens=9)
    assert answer.status in ("completed", "incomplete") and answer.usage.output_tokens <= 9
    parsed = client.responses.parse(model=model, input="Lily is five.", text_format=Person, max_output_tokens=300)
    assert isinstance(parsed.output_parsed, Person)
    with client.responses.stream(
        model=model, input="Oslo?", tools=[{"type": "function", "strict": True, **TOOL}], tool_choice="required"
    ) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert json.loads(final.output[0].arguments) and "response.function_call_arguments.delta" in kinds
    # with log probabilities the first token of an echoed prompt has none, which the client's strict types do not know
    text = client.completions.create(model=model, prompt="a", max_tokens=5, echo=True, best_of=3, n=2)
    assert len(text.choices) == 2 and all(c.text.startswith("a") for c in text.choices)
