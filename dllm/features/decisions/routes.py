"""`POST /v1/systemone`: decisions on the wire, for clients of TypeSafe.

The body is `{model, state, questions}`, and `{model, answers, usage}` comes back. `x_together` and `x_every_order` are
those of `unmask.ask`. What is wrong with a question is refused with 422, as those clients expect."""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.features.decisions.front import ask
from unmask.live.device import Client
from unmask.serve.api_error import ApiError
from unmask.serve.json_routes import answer, visitor
from unmask.serve.runtime import LEAVING, Runtime
from unmask.serve.served_models import ServedModels, served_models
from unmask.serve.v1.parse import json_body

FIELDS = ("model", "state", "questions", "x_together", "x_every_order")
EACH = 4  # requests of one visitor at once


def routes(runtime: Runtime, models: Sequence[str] = ()) -> list[BaseRoute]:
    """The route."""
    registry, running = ServedModels(runtime, served_models(models)), Counter[str]()

    async def decided(request: Request) -> dict[str, Any]:
        if runtime.draining:
            raise ApiError(503, LEAVING, code="stopping", headers={"Retry-After": "30"})
        body, who = await json_body(request), visitor(request)
        _check(body, await request.body())
        if running[who] >= EACH:
            why = f"{EACH} requests of yours are in progress: try again in a moment"
            raise ApiError(429, why, code="too_many_requests", headers={"Retry-After": "2"})
        running[who] += 1
        try:
            name = body.get("model") or next(iter(registry.names))
            denoiser = await registry.find(name)
            ways = {"together": body.get("x_together", True), "every_order": body.get("x_every_order", False)}
            device, client = runtime.device_for(denoiser), Client("questions", visitor=who)
            found = await device.run(partial(ask, body["state"], body["questions"], denoiser, **ways), client)
            return found.to_dict() | {"model": name}
        finally:
            running[who] -= 1

    async def decide(request: Request) -> Response:
        try:
            response = answer(await decided(request))
        except InvalidRequest as wrong:
            response = _refused(ApiError(422, str(wrong), wrong.field or None, wrong.code or "invalid_value"))
        except ApiError as error:
            response = _refused(error)
        response.headers["x-typesafe-request-id"] = f"req_{secrets.token_urlsafe(18)}"
        return response

    return [Route("/v1/systemone", decide, methods=["POST"])]


def _refused(error: ApiError) -> Response:
    response = answer(error.plain(), error.status)
    response.headers.update(error.headers)
    return response


def _check(body: dict[str, Any], raw: bytes) -> None:
    """Refuse a body with a field that is missing, unknown or of another type, or a name that is there twice."""
    for name in ("state", "questions"):
        if name not in body:
            raise ApiError(422, f"{name} is missing", name, "missing_required_parameter")
    if extra := [name for name in body if name not in FIELDS]:
        raise ApiError(422, f"{extra[0][:40]} is not a parameter here", extra[0][:40], "unknown_parameter")
    if body.get("model") is not None and not isinstance(body["model"], str):
        raise ApiError(422, "model must be text", "model", "invalid_value")
    for name in FIELDS[3:]:
        if not isinstance(body.get(name, False), bool):
            raise ApiError(422, f"{name} must be true or false", name, "invalid_value")
    json.loads(raw, object_pairs_hook=_no_name_twice)  # the usual reader takes the last one


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ApiError(422, f"the name '{name[:40]}' is there twice", name[:40], "invalid_value")
        found[name] = value
    return found
