"""A rival that answers without end, or with what is far larger than it looks: read so far, and no further."""

import gzip
import json
from dataclasses import replace

import pytest
from starlette.datastructures import Headers

from tests.features.race.providers.scripted import Line, head, rival
from unmask.errors import InvalidRequest
from unmask.features.race.providers.cards import RemoteModel, Secret, custom_model
from unmask.features.race.providers.client import RemoteRequest
from unmask.features.race.providers.meter import Caps, Meter, count
from unmask.features.race.providers.transport import public
from unmask.features.race.routes import Running, _Connection
from unmask.serve.process import resident
from unmask.serve.runtime import Runtime
from unmask.serve.served_models import ServedModels

PIECE = b"x" * (1 << 16)


async def request(script: list[Line]) -> tuple[RemoteRequest, str, int]:
    """The call, what the rival heard, and how many bytes the memory grew."""
    async with rival(script) as to:
        card: RemoteModel = replace(custom_model(f"{to.origin}/v1", "m"), key="K")
        call = RemoteRequest(card, Secret("k"), "hello", Caps(silence=5.0, whole=30.0), allowed=frozenset({to.origin}))
        before = resident()
        async for _ in call.run():
            pass
        return call, to.heads[0].lower(), resident() - before


async def test_an_error_without_end_is_read_no_further() -> None:
    """A 400 with an endless body once took 8 GB of memory, and 5.9 GB were kept."""
    call, _, grown = await request([(0, head("application/json", "400 Bad Request")), *[(0.0, PIECE)] * 4000])
    assert call.meter.failed == "capped" and "too large" in call.meter.why
    assert grown < 50 << 20


async def test_an_answer_without_end_is_read_no_further() -> None:
    """Lines that are no event are read for ever by any reader of streams."""
    call, _, grown = await request([(0, head()), *[(0.0, b": " + PIECE + b"\n\n")] * 4000])
    assert call.meter.failed == "capped" and grown < 100 << 20


async def test_what_is_packed_is_not_opened() -> None:
    """A gzip bomb of 1 GB once took 4.6 GB."""
    bomb = gzip.compress(b"\0" * (64 << 20))
    call, received, grown = await request([(0, head(more="content-encoding: gzip\r\n")), (0, bomb)])
    assert call.meter.failed == "capped" and "compresses" in call.meter.why
    assert "accept-encoding: identity" in received
    assert grown < 50 << 20


@pytest.mark.parametrize("tokens", [10**30, 10**18, -1, True, "12", 1.5, None])
def test_a_count_that_means_nothing_is_unknown(tokens: object) -> None:
    """`completion_tokens: 10**30` once left the race silent: no JSON of ours can hold it."""
    meter = Meter()
    count(
        meter,
        {"prompt_tokens": 5, "completion_tokens": tokens, "cost": 10**40},
        custom_model("https://a.example/v1", "m"),
    )
    assert meter.tokens is None and meter.given == 5 and meter.cost is None


@pytest.mark.parametrize(
    "address",
    ["192.0.0.192", "192.0.0.8", "2001:1::1", "2001:20::1", "169.254.169.254", "::1", "fec0::1"],
)
def test_addresses_of_protocols_are_not_public(address: str) -> None:
    """192.0.0.192 once counted as public."""
    assert not public(address)


@pytest.mark.parametrize("settings", ["abc", [1], 5, {"boosts": {"a": 1}}, {"card": 1}, {"options": 3}])
async def test_a_race_refuses_settings_that_are_none(settings: object) -> None:
    """Such settings once left a race silent for ever."""

    class Socket:
        headers = Headers()
        client = None

    runtime = Runtime()
    visit = _Connection(runtime, ServedModels(runtime, {"toy": "toy"}), Running(), Socket())  # type: ignore[arg-type]
    row = {"do": "race", "prompt": "1 2", "length": 8, "racers": [{"model": "toy", "settings": settings}]}
    try:
        race = visit._race(json.loads(json.dumps(row)))
    except (InvalidRequest, TypeError, ValueError):
        return
    done = [news async for news in race.at_once() if news.done]  # what only the model can judge is said by its meter
    assert done and done[0].meter.failed == "refused"
