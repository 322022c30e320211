"""The whole conversation counts: as a model's own template has it, or in plain words, as much as there is room for."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from tests.until import LONG
from unmask.canvas import NO_VALUES
from unmask.errors import InvalidRequest
from unmask.models import load
from unmask.models.toy import NumberTokenizer, Toy
from unmask.serve.runtime import Runtime
from unmask.serve.v1 import routes
from unmask.serve.v1.conversation import prompt
from unmask.serve.v1.request import Message
from unmask.serve.v1.structure import Structure

WORDS = {"system": 40, "user": 41, "assistant": 42}


class Talker(NumberTokenizer):
    """Each turn is the number of its role and what was said; the answer's own turn begins with 42."""

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, Any] = NO_VALUES,
    ) -> list[int]:
        if [m["role"] for m in messages] == ["user", "user"]:
            raise InvalidRequest("the model's chat template cannot be filled in: roles must alternate")
        return [t for m in messages for t in (WORDS[m["role"]], *self.encode(m["content"]))] + [42]


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    runtime, toy, plain = Runtime(), Toy(), Toy()
    theirs = {"preset": "fast-dllm", "settings": {"passes": 5}}
    toy.card, toy.tokenizer = replace(toy.card, chat=True, preset=theirs), Talker(50)
    short = Toy()
    short.card, short.tokenizer = replace(toy.card, longest=64), toy.tokenizer
    for name, model in (("toy:1", toy), ("toy", plain), ("toy:2", short)):
        runtime.loader.put(name, model)
    app = Starlette(routes=routes(runtime, models=("talker=toy:1", "toy", "short=toy:2")))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=LONG) as made:
        yield made
    await runtime.close()


async def usage(client: httpx.AsyncClient, model: str, messages: list[dict[str, str]]) -> tuple[int, dict[str, int]]:
    body = {"model": model, "messages": messages, "max_tokens": 12, "seed": 1}
    answer = await client.post("/v1/chat/completions", json=body)
    return answer.status_code, answer.json().get("usage", answer.json().get("error"))


TALK = [
    {"role": "system", "content": "1"},
    {"role": "user", "content": "2 3"},
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": "5"},
]


async def test_a_conversation_is_told_as_the_model_was_taught(client: httpx.AsyncClient) -> None:
    status, body_ = await usage(client, "talker", TALK)
    assert status == 200 and body_["prompt_tokens"] == 5 + 4 + 1
    status, body_ = await usage(client, "toy", TALK)
    assert status == 200 and body_["prompt_tokens"] == 5


async def test_a_developer_is_a_system_and_nobody_need_have_asked(client: httpx.AsyncClient) -> None:
    first = await usage(client, "talker", TALK)
    again = await usage(client, "talker", [{"role": "developer", "content": "1"}, *TALK[1:]])
    assert first == again
    status, body_ = await usage(client, "talker", TALK[:1])
    assert status == 200 and body_["prompt_tokens"] == 3
    assert (await usage(client, "toy", TALK[2:3]))[0] == 200


@pytest.mark.parametrize(("model", "kept"), [("short", 2), ("talker", 4)])
async def test_what_there_is_no_room_for_is_dropped_from_the_oldest_and_counted(
    client: httpx.AsyncClient, model: str, kept: int
) -> None:
    """A system message stays; turns go as a whole, so that no answer stands without its question."""
    long = [*TALK[:1], {"role": "user", "content": "7 " * 60}, TALK[2], TALK[3]]
    status, body_ = await usage(client, model, long)
    assert status == 200 and body_["x_diffusion"].get("dropped_messages", 0) == 4 - kept
    if model == "short":
        assert body_["prompt_tokens"] == 2 + 2 + 1
        status, error = await usage(client, model, [{"role": "user", "content": "7 " * 90}])
        assert status == 400 and error["code"] == "context_length_exceeded" and error["param"] == "messages"


async def test_what_a_template_refuses_is_the_callers_to_mend(client: httpx.AsyncClient) -> None:
    status, body_ = await usage(client, "talker", [TALK[1], TALK[3]])
    assert status == 400 and body_["param"] == "messages"


async def test_a_model_runs_as_its_authors_run_it_unless_told_otherwise(client: httpx.AsyncClient) -> None:
    body = {"model": "talker", "prompt": "1 2", "max_tokens": 12, "seed": 1}
    ours = (await client.post("/v1/completions", json=body)).json()["usage"]["x_diffusion"]["passes"]
    body_ = (await client.post("/v1/completions", json=body | {"policy": "confidence", "passes": 2})).json()
    assert body_["usage"]["x_diffusion"]["passes"] == 2 and ours != 2


@pytest.mark.parametrize(
    "text, read",
    [
        ("Hello!", "User: Hello!\nAssistant:"),
        ("Tell me: who are you?", "User: Tell me: who are you?\nAssistant:"),
        ("Recipe: tea for two\n", "Recipe: tea for two\n"),
        ("Sum, answer first: 5 figs + 6 figs\n", "Sum, answer first: 5 figs + 6 figs\n"),
        ("User: Hello!\nAssistant:", "User: Hello!\nAssistant:"),
    ],
)
def test_the_pair_reads_somebodys_own_words_as_a_turn_in_a_talk(text: str, read: str) -> None:
    """`Hello!` once was the beginning of a text, and answered by nothing at all."""
    pair = load("denoiser")
    made = prompt(pair, [Message(role="user", content=text)], Structure())
    assert pair.tokenizer.decode(list(made.tokens)) == read
    assert made.stops == ("\nUser:",)
