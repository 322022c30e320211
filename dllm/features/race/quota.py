"""A visitor's own inference quota, on a Space: signed in with Hugging Face, it pays for rivals in the visitor's races.

The token lies in a cookie of the visitor's browser that no script can read. It comes with the line to the race, goes
out with that race's calls to Hugging Face's router, and is kept nowhere here."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import httpx
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from unmask.config import config
from unmask.features.race.providers.secret import Secret

WAY = "huggingface"  # of the cards whose rivals it pays for
COOKIE, STATE = "unmask-quota", "unmask-signing-in"
MINUTES = 10  # to sign in
HOURS = 8  # that a token holds where its server does not say
# sent in a tab of one's own and in a frame of huggingface.co, never over a plain line, and to no script
_FLAGS: Mapping[str, Any] = {"secure": True, "httponly": True, "samesite": "none"}


def offered() -> bool:
    """Whether this is a Space with sign-in: `hf_oauth` in its front matter sets these variables."""
    now = config()
    return bool(now.oauth_client and now.oauth_secret and now.oauth_provider and now.space_host)


def key(cookies: Mapping[str, str]) -> Secret:
    """The visitor's token; nothing where nobody signed in."""
    return Secret(cookies.get(COOKIE, "") if offered() else "")


def routes() -> list[BaseRoute]:
    """Sign in, come back, sign out; none where there is no sign-in."""
    if not offered():
        return []
    return [
        Route("/login/huggingface", _sign_in),
        Route("/login/callback", _come_back),
        Route("/login/leave", _sign_out, methods=["POST"]),
    ]


async def _sign_in(request: Request) -> Response:
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    question = {
        "response_type": "code",
        "client_id": config().oauth_client,
        "redirect_uri": _back(),
        "scope": "openid profile inference-api",
        "state": state,
        "code_challenge": _challenge(verifier),
        "code_challenge_method": "S256",
    }
    try:
        address = (await _endpoints())["authorization_endpoint"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return _failed("Hugging Face did not answer")
    answer = RedirectResponse(f"{address}?{urlencode(question)}", 303)
    answer.set_cookie(STATE, f"{state}.{verifier}", max_age=60 * MINUTES, path="/login", **_FLAGS)
    return answer


async def _come_back(request: Request) -> Response:
    state, _, verifier = request.cookies.get(STATE, "").partition(".")
    code = request.query_params.get("code", "")
    # only the browser that began may end it: else somebody could be signed in as somebody else
    if not code or not state or not hmac.compare_digest(state, request.query_params.get("state", "")):
        return _failed("this page was not opened by signing in here, or too long ago")
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": _back(), "code_verifier": verifier}
    try:
        address = (await _endpoints())["token_endpoint"]
        async with httpx.AsyncClient(timeout=10) as web:
            answered = await web.post(address, data=form, auth=(config().oauth_client, config().oauth_secret[0]))
        reply = answered.raise_for_status().json()
        token, seconds = str(reply["access_token"]), int(reply.get("expires_in") or 3600 * HOURS)
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return _failed("Hugging Face did not confirm it")
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, token, max_age=seconds, path="/race", **_FLAGS)
    answer.delete_cookie(STATE, path="/login", **_FLAGS)
    return answer


async def _sign_out(request: Request) -> Response:
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, path="/race", **_FLAGS)
    return answer


async def _endpoints() -> Mapping[str, str]:
    """Where its provider takes questions."""
    async with httpx.AsyncClient(timeout=10) as web:
        reply = await web.get(f"{config().oauth_provider.rstrip('/')}/.well-known/openid-configuration")
    found: Mapping[str, str] = reply.raise_for_status().json()
    return found


def _back() -> str:
    """The address that a Space has agreed on with Hugging Face; behind its own name it may have others."""
    return f"https://{config().space_host.split(',')[0].strip()}/login/callback"


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _failed(why: str) -> Response:
    return PlainTextResponse(f"Signing in did not work: {why}. Close this tab and try again.", 502)
