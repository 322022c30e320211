"""A run is taken away as a file by whoever steers it; the menu tells what may be opened; entropy is for who asks."""

from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from starlette.applications import Starlette

from tests.serve.test_connection import Caller, called
from unmask.errors import InvalidRequest
from unmask.features.exports import routes
from unmask.run import trace
from unmask.serve import model_list
from unmask.serve.access import AccessMiddleware
from unmask.serve.features import rules
from unmask.serve.runtime import Runtime

HOME = ("127.0.0.1", 1)


@pytest.fixture
def runtime() -> Runtime:
    return Runtime()


@pytest.fixture
async def caller(runtime: Runtime) -> AsyncIterator[Caller]:
    async with called(runtime) as one:
        yield one


def browser(runtime: Runtime, client: tuple[str, int] = HOME) -> httpx.AsyncClient:
    app = AccessMiddleware(Starlette(routes=[*routes.routes(runtime), *model_list.routes(runtime)]), rules())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=client), base_url="http://localhost")


async def test_a_run_is_taken_away_as_a_trace(runtime: Runtime, caller: Caller) -> None:
    opened = await caller.open()
    caller.say("step", passes=2)
    for _ in range(2):
        await caller.hear("stepped")
    async with browser(runtime) as web:
        got = await web.get(f"/trace/{opened['session']}", params={"key": opened["keys"]["watch"]})
        answer = trace.parse_trace(got.content)
        assert answer.first.head.at == 2 and answer.first.about["session"] == opened["session"]
        assert got.headers["content-disposition"].endswith('.trace.jsonl"')
        for name, key in ((opened["session"], "x"), (opened["session"], ""), ("nobody", opened["keys"]["own"])):
            assert (await web.get(f"/trace/{name}", params={"key": key})).status_code == 404
        foreign = {"Origin": "https://evil.example"}
        got = await web.get(f"/trace/{opened['session']}", params={"key": opened["keys"]["watch"]}, headers=foreign)
        assert got.status_code == 403


async def test_entropy_comes_only_to_those_who_ask(caller: Caller) -> None:
    await caller.open()
    caller.say("step")
    assert "e" not in await caller.hear("stepped")
    opened = await caller.open(entropy=True)
    caller.say("step")
    assert "e" in await caller.hear("stepped")
    caller.say("resume", key=opened["keys"]["own"], after=99)
    caller.say("step")
    assert "e" not in await caller.hear("stepped")
    caller.say("resume", key=opened["keys"]["own"], after=99, entropy=True)
    caller.say("step")
    assert "e" in await caller.hear("stepped")


def test_only_at_home_is_a_folder_or_an_id_opened(configure: Callable[..., None]) -> None:
    assert model_list.resolve_model("toy", False) == "toy"
    assert model_list.resolve_model("org/name", True) == "org/name"
    with pytest.raises(InvalidRequest, match="UNMASK_MODELS=any"):
        model_list.resolve_model("org/name", False)
    with pytest.raises(InvalidRequest, match="no folder here and no id"):
        model_list.resolve_model("nonsense", True)
    configure(UNMASK_MODELS="any")
    assert model_list.resolve_model("org/name", False) == "org/name"
    configure(UNMASK_MODELS="small=org/name toy")
    assert model_list.resolve_model("small", False) == "org/name"


@pytest.mark.parametrize("models", ["any", "toy", "mine=attach:http://127.0.0.1:1/v1"])
def test_a_visitor_makes_a_host_call_no_server_of_the_visitor_s_choice(
    configure: Callable[..., None], models: str
) -> None:
    configure(UNMASK_MODELS=models)
    for address in (
        "http://127.0.0.1:1/v1",
        "http://169.254.169.254/latest",
        "http://[::1]/v1?model=x",
        "https://h/v1",
    ):
        with pytest.raises(InvalidRequest):
            model_list.resolve_model(f"attach:{address}", False)
    if "mine" in models:
        assert model_list.resolve_model("mine", False) == "attach:http://127.0.0.1:1/v1"
    assert model_list.resolve_model("attach:http://127.0.0.1:1/v1", True) == "attach:http://127.0.0.1:1/v1"


async def test_the_menu_says_what_thinks_and_why_not_more(runtime: Runtime, caller: Caller) -> None:
    async with browser(runtime) as web:
        assert (await web.get("/menu")).json()["opened"] == {}
        await caller.open()
        answer = (await web.get("/menu")).json()
        assert answer["opened"]["toy"]["family"] == "toy" and not answer["why"]
        foreign = await web.get("/menu", headers={"Origin": "https://evil.example"})
        assert foreign.status_code == 403
    async with browser(runtime, ("203.0.113.9", 1)) as web:
        answer = (await web.get("/menu")).json()
        assert "UNMASK_MODELS=any" in answer["why"]
