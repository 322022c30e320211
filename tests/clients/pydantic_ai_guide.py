"""What pydantic-ai's guide shows first, with our server as the provider; run by pytest in pydantic-ai's environment."""

import asyncio
import os
from collections.abc import Coroutine
from enum import Enum
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, ToolOutput, UsageLimits
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

URL = os.environ["URL"]
SEED = ModelSettings(seed=1, max_tokens=120)
T = TypeVar("T")


def chat(name: str = "denoiser") -> Model:
    return OpenAIChatModel(name, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key="unused"), settings=SEED)


def responses() -> Model:
    provider = OpenAIProvider(base_url=f"{URL}/v1", api_key="unused")
    return OpenAIResponsesModel("denoiser", provider=provider, settings=ModelSettings(max_tokens=120))


def anthropic() -> Model:
    provider = AnthropicProvider(base_url=URL, api_key="unused")
    return AnthropicModel("denoiser", provider=provider, settings=ModelSettings(max_tokens=120))


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class City(BaseModel):
    city: str
    people: int


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize("model", [chat, responses, anthropic])
def test_text(model: Any) -> None:
    answer = run(Agent(model(), instructions="Be brief.").run("Tell me a story about a cat."))
    assert answer.output and answer.usage.output_tokens > 0


def test_a_conversation_goes_on() -> None:
    agent = Agent(chat())

    async def talk() -> Any:
        first = await agent.run("Tell me a story about a cat.")
        return await agent.run("Tell me another one.", message_history=first.new_messages())

    answer = run(talk())
    assert answer.output and len(answer.all_messages()) == 4


@pytest.mark.parametrize("model", [chat, responses, anthropic])
def test_a_streamed_text_grows(model: Any) -> None:
    async def stream() -> list[str]:
        async with Agent(model()).run_stream("Tell me a story about a cat.") as answer:
            return [text async for text in answer.stream_text(debounce_by=None)]

    texts = run(stream())
    assert len(texts) > 2 and all(late.startswith(early) for early, late in pairwise(texts))


@pytest.mark.parametrize("model", [chat, responses, anthropic])
@pytest.mark.parametrize("wrapped", [ToolOutput, NativeOutput, PromptedOutput])
def test_an_object(model: Any, wrapped: Any) -> None:
    if model is anthropic and wrapped is NativeOutput:
        pytest.skip("pydantic-ai has it only for models whose names it knows")
    answer = run(Agent(model(), output_type=wrapped(City)).run("London has nine million people."))
    assert isinstance(answer.output, City)


@pytest.mark.parametrize("wanted", [bool, int, list[int], Color, list[City]])
def test_other_types(wanted: Any) -> None:
    answer = run(Agent(chat(), output_type=wanted).run("Seven and two."))
    assert isinstance(answer.output, getattr(wanted, "__origin__", wanted))


def test_one_of_two_types() -> None:
    answer = run(Agent(chat(), output_type=[City, Color]).run("London has nine million people."))
    assert isinstance(answer.output, (City, Color))


def test_a_streamed_object_is_whole_at_the_end() -> None:
    async def stream() -> City:
        async with Agent(chat(), output_type=City).run_stream("London has nine million people.") as answer:
            seen = [one async for one in answer.stream_output(debounce_by=None)]
            assert seen
            return await answer.get_output()

    assert isinstance(run(stream()), City)


def test_a_validator_that_refuses_once_is_asked_again() -> None:
    agent, seen = Agent(chat(), output_type=City, retries=2), []

    @agent.output_validator
    def once(context: RunContext, city: City) -> City:
        seen.append(city)
        if len(seen) == 1:
            raise ModelRetry("Another one, please.")
        return city

    assert isinstance(run(agent.run("London has nine million people.")).output, City) and len(seen) == 2


def test_a_tool_is_called_with_arguments_that_fit() -> None:
    agent, calls = Agent(chat(), output_type=City), []

    @agent.tool_plain
    def people(city: str) -> int:
        """How many people live in a city."""
        calls.append(city)
        return 9

    answer = run(agent.run("How many people live in London?", usage_limits=UsageLimits(request_limit=6)))
    assert isinstance(answer.output, City)


def test_a_limit_of_tokens_is_kept() -> None:
    answer = run(Agent(chat()).run("Tell me a story about a cat.", model_settings=ModelSettings(max_tokens=5)))
    assert answer.usage.output_tokens <= 5 and answer.response.finish_reason == "length"


def test_the_twin_answers_too() -> None:
    assert run(Agent(chat("twin")).run("Tell me a story about a cat.")).output


def test_an_unknown_model_is_named() -> None:
    from pydantic_ai.exceptions import ModelHTTPError

    with pytest.raises(ModelHTTPError, match="nothing"):
        run(Agent(chat("nothing")).run("Hello"))
