"""On a Space a visitor signs in, and the visitor's own quota pays for the race: with a real provider on a real port."""

import asyncio
import base64
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from websockets.asyncio.client import connect

from tests.features.race.providers.scripted import rival
from tests.features.race.test_race import APPENDS
from tests.serve.process import free_port
from tests.until import LONG, until
from unmask.features.race import quota
from unmask.features.race import routes as door
from unmask.features.race.providers.cards import card
from unmask.features.race.routes import routes
from unmask.serve.runtime import Runtime

TOKEN, CLIENT, SECRET = "hf_oauth_of-a-visitor", "client-1", "client-secret"
BACK = "https://owner-unmask.hf.space/login/callback"


class Provider:
    """Signs in whoever comes, as Hugging Face does it: a code for the browser, a token for the one who can prove that
    the code was for it."""

    def __init__(self, address: str) -> None:
        self.address, self.codes = address, dict[str, str]()

    async def about(self, _: Request) -> Response:
        a = self.address
        return JSONResponse({"authorization_endpoint": f"{a}/oauth/authorize", "token_endpoint": f"{a}/oauth/token"})

    async def authorize(self, request: Request) -> Response:
        row = request.query_params
        assert row["client_id"] == CLIENT and row["redirect_uri"] == BACK and "inference-api" in row["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = row["code_challenge"]
        return RedirectResponse(f"{BACK}?code={code}&state={row['state']}")

    async def token(self, request: Request) -> Response:
        form = parse_qs((await request.body()).decode())
        own = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
        challenge = self.codes.pop(form["code"][0], None)
        if request.headers["authorization"] != f"Basic {own}" or form["redirect_uri"] != [BACK]:
            return JSONResponse({"error": "invalid_client"}, 401)
        if challenge != base64.urlsafe_b64encode(digest).decode().rstrip("="):
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse({"access_token": TOKEN, "token_type": "bearer", "expires_in": 3600})

    @property
    def routes(self) -> list[BaseRoute]:
        return [
            Route("/.well-known/openid-configuration", self.about),
            Route("/oauth/authorize", self.authorize),
            Route("/oauth/token", self.token, methods=["POST"]),
        ]


@asynccontextmanager
async def server(made: list[BaseRoute], port: int) -> AsyncIterator[None]:
    own = uvicorn.Server(uvicorn.Config(Starlette(routes=made), port=port, log_level="info"))
    task = asyncio.ensure_future(own.serve())
    await until(lambda: own.started)
    try:
        yield
    finally:
        own.should_exit = True
        await task


@pytest.fixture
async def space(configure: Callable[..., None]) -> AsyncIterator[str]:
    """A Space's address, with a provider beside it."""
    provider, port = Provider(f"http://127.0.0.1:{free_port()}"), free_port()
    configure(
        SPACE_HOST="owner-unmask.hf.space", OAUTH_CLIENT_ID=CLIENT, OAUTH_CLIENT_SECRET=SECRET,
        OPENID_PROVIDER_URL=provider.address,
    )  # fmt: skip
    runtime = Runtime()
    async with (
        server(provider.routes, urlsplit(provider.address).port or 0),
        server(routes(runtime, ("toy",)), port),
    ):
        yield f"127.0.0.1:{port}"
    await runtime.close()


def cookies(answer: httpx.Response) -> dict[str, Any]:
    """What a browser would keep."""
    kept: SimpleCookie = SimpleCookie()
    for line in answer.headers.get_list("set-cookie"):
        kept.load(line)
    return dict(kept)


async def signed_in(web: httpx.AsyncClient, space: str) -> httpx.Response:
    first = await web.get(f"http://{space}/login/huggingface")
    there = await web.get(first.headers["location"])
    back = urlsplit(there.headers["location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == BACK
    own = {"cookie": f"{quota.STATE}={cookies(first)[quota.STATE].value}"}
    return await web.get(f"http://{space}{back.path}?{back.query}", headers=own)


async def test_a_visitor_s_own_quota_pays_and_is_kept_by_the_browser_alone(
    space: str, configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with httpx.AsyncClient(timeout=LONG) as web:
        end = await signed_in(web, space)
    assert end.status_code == 303 and end.headers["location"] == "/"
    cookie = cookies(end)[quota.COOKIE]
    assert cookie.value == TOKEN and cookie["httponly"] and cookie["secure"] and cookie["path"] == "/race"
    assert cookie["max-age"] == "3600"
    messages: list[str] = []
    head = {"Cookie": f"{quota.COOKIE}={cookie.value}"}
    async with rival(APPENDS) as to, connect(f"ws://{space}/race", additional_headers=head) as line:
        await line.send(json.dumps({"do": "field"}))
        messages.append(str(await line.recv()))
        field = json.loads(messages[-1])
        assert field["quota"] == {"way": "huggingface", "signed": True}
        assert {r["where"] for r in field["rivals"] if r["key"]} == {"huggingface"}
        router = replace(card("gpt-oss-20b huggingface"), base_url=f"{to.origin}/v1")
        assert router.base_url != card(router.name).base_url == "https://router.huggingface.co/v1"
        monkeypatch.setattr(door, "card", lambda name: router if name == router.name else card(name))
        configure(UNMASK_RIVAL_ORIGINS=to.origin)
        racers = [{"card": router.name}, {"card": "gpt-mini direct"}]
        await line.send(json.dumps({"do": "race", "prompt": "1 2", "length": 8, "racers": racers}))
        while json.loads(messages[-1])["did"] not in ("results", "refused"):
            messages.append(str(await line.recv()))
        table = json.loads(messages[-1])["table"]
        assert table[0]["failed"] == 0 and table[0]["tokens"] == 10
        assert table[1]["failed"] == 1  # nobody else gets the token
        assert f"bearer {TOKEN}" in to.heads[0].lower() and to.requests[0]["model"] == "openai/gpt-oss-20b"
    assert caplog.records
    for text in (*messages, caplog.text):
        assert TOKEN not in text and SECRET not in text


async def test_only_the_browser_that_began_may_end_it_and_once(space: str) -> None:
    async with httpx.AsyncClient(timeout=LONG) as web:
        assert (await signed_in(web, space)).status_code == 303
        first, other = [await web.get(f"http://{space}/login/huggingface") for _ in range(2)]
        back = urlsplit((await web.get(first.headers["location"])).headers["location"])
        stranger = {"cookie": f"{quota.STATE}={cookies(other)[quota.STATE].value}"}
        for wrong in ({}, stranger):
            answer = await web.get(f"http://{space}{back.path}?{back.query}", headers=wrong)
            assert answer.status_code == 502 and quota.COOKIE not in cookies(answer)
        own = {"cookie": f"{quota.STATE}={cookies(first)[quota.STATE].value}"}
        code = [await web.get(f"http://{space}{back.path}?{back.query}", headers=own) for _ in range(2)]
        assert [c.status_code for c in code] == [303, 502]
        left = await web.post(f"http://{space}/login/leave")
        assert left.status_code == 204 and cookies(left)[quota.COOKIE]["max-age"] == "0"


async def test_elsewhere_there_is_no_sign_in_and_a_cookie_opens_nothing(configure: Callable[..., None]) -> None:
    assert quota.routes() == [] and not quota.key({quota.COOKIE: TOKEN})
    configure(OAUTH_CLIENT_ID=CLIENT, OAUTH_CLIENT_SECRET=SECRET, OPENID_PROVIDER_URL="https://huggingface.co")
    assert quota.routes() == []  # no Space
