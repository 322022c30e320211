"""Sign-in with Hugging Face on a Space: the visitor's own inference quota pays for remote models in a race.

The token is in a cookie that no script can read. It arrives with the WebSocket of the race, is sent with that race's
calls to Hugging Face's router, and is not stored on the server."""

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
from unmask.features.race.providers.cards import Secret

WAY = "huggingface"  # the `way` of the model cards that it pays for
COOKIE, STATE = "unmask-quota", "unmask-signing-in"
MINUTES = 10  # to sign in
HOURS = 8  # that a token is valid, if its server does not say
# SameSite=None: the app is also shown in a frame of huggingface.co
_FLAGS: Mapping[str, Any] = {"secure": True, "httponly": True, "samesite": "none"}


def offered() -> bool:
    """Whether this is a Space with sign-in: `hf_oauth` in its front matter sets these variables."""
    now = config()
    return bool(now.oauth_client and now.oauth_secret and now.oauth_provider and now.space_host)


def key(cookies: Mapping[str, str]) -> Secret:
    """The visitor's token; empty if the visitor has not signed in."""
    return Secret(cookies.get(COOKIE, "") if offered() else "")


def routes() -> list[BaseRoute]:
    """The routes for sign-in, callback and sign-out; none if sign-in is not configured."""
    if not offered():
        return []
    return [
        Route("/login/huggingface", _sign_in),
        Route("/login/callback", _callback),
        Route("/login/leave", _sign_out, methods=["POST"]),
    ]


async def _sign_in(request: Request) -> Response:
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    parameters = {
        "response_type": "code",
        "client_id": config().oauth_client,
        "redirect_uri": _redirect_uri(),
        "scope": "openid profile inference-api",
        "state": state,
        "code_challenge": _challenge(verifier),
        "code_challenge_method": "S256",
    }
    try:
        address = (await _endpoints())["authorization_endpoint"]
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return _failed("Hugging Face did not answer")
    answer = RedirectResponse(f"{address}?{urlencode(parameters)}", 303)
    answer.set_cookie(STATE, f"{state}.{verifier}", max_age=60 * MINUTES, path="/login", **_FLAGS)
    return answer


async def _callback(request: Request) -> Response:
    state, _, verifier = request.cookies.get(STATE, "").partition(".")
    code = request.query_params.get("code", "")
    # only the browser that began the sign-in may end it, or a visitor could be signed in to another's account
    if not code or not state or not hmac.compare_digest(state, request.query_params.get("state", "")):
        return _failed("this page was not opened by signing in here, or too long ago")
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": _redirect_uri(),
        "code_verifier": verifier,
    }
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
    """The provider's OpenID configuration."""
    async with httpx.AsyncClient(timeout=10) as web:
        reply = await web.get(f"{config().oauth_provider.rstrip('/')}/.well-known/openid-configuration")
    found: Mapping[str, str] = reply.raise_for_status().json()
    return found


def _redirect_uri() -> str:
    """The redirect address that is registered with Hugging Face; a Space may have further host names."""
    return f"https://{config().space_host.split(',')[0].strip()}/login/callback"


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _failed(why: str) -> Response:
    return PlainTextResponse(f"Signing in did not work: {why}. Close this tab and try again.", 502)
