"""The models that a client may open: the server's by name, and from this machine any folder or Hub id."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.canvas import Card
from unmask.config import config
from unmask.errors import InvalidRequest, ModelError
from unmask.models import builtin_names, can_load
from unmask.models.bundled import available_builtins
from unmask.serve.admission import is_local, visitor
from unmask.serve.runtime import NOT_STORED, Runtime
from unmask.serve.served_models import served_models

LONGEST = 300  # characters of a name
ATTACH = "attach:"  # of a model that another server runs
EIGHT_BITS = "?number=int8"
SHOWN = (
    "name family number threads device licence weights longest causal trained note size twin fair revision "
    "parameters knows"
).split()
CLOSED = (
    "This server opens only its own models: a folder or an id can be named where it runs on your own machine, "
    "or where its owner set UNMASK_MODELS=any."
)


def resolve_model(name: str, at_home: bool) -> str:
    """The argument of `load` for a name. A folder or an id is allowed on this machine, or with UNMASK_MODELS=any."""
    served = served_models()
    if name in served or name in builtin_names() or name in in_eight_bits():
        return served.get(name, name)
    names = ", ".join(dict.fromkeys([*served, *builtin_names()]))
    if not may_choose(at_home):
        raise InvalidRequest(f"no model '{name[:80]}'; there are {names}. {CLOSED}")
    if name.startswith(ATTACH) and not at_home:  # also with UNMASK_MODELS=any: visitors must not reach private networks
        raise InvalidRequest(f"This host calls no other servers but those that its owner serves by name: {names}.")
    if len(name) > LONGEST or not can_load(name):
        raise InvalidRequest(f"'{name[:80]}' is no folder here and no id such as ORG/NAME; there are also {names}")
    return name


def in_eight_bits() -> list[str]:
    """The served models of the bundled pair, with weights and products of eight bits."""
    return [
        f"{name}{EIGHT_BITS}" for name, what in served_models().items() if name == what and name in available_builtins()
    ]


def may_choose(at_home: bool) -> bool:
    """Whether a client may open any folder or id."""
    return at_home or "any" in config().models


def routes(runtime: Runtime) -> list[BaseRoute]:
    """`/menu`: the models for the page's menu, and whether another one fits."""

    async def menu(request: Request) -> Response:
        home = is_local(request.headers, request.client.host if request.client else "")
        keeps = runtime.keeper is not None and not runtime.keeper.trouble
        fields: dict[str, Any] = {
            "models": [*served_models(), *in_eight_bits()],
            "opened": {name: card_fields(model.card) for name, model in runtime.loader.loaded.items()},
            "kept_hours": runtime.keeper.hours if runtime.keeper is not None and keeps else 0,
            "not_kept": NOT_STORED if runtime.keeper is not None and not keeps else "",
            "why": "" if may_choose(home) else CLOSED,
        }
        return Response(orjson.dumps(fields), media_type="application/json", headers={"Cache-Control": "no-store"})

    async def fit(request: Request) -> Response:
        """Whether a model fits this machine, as a sentence."""
        name, client = request.query_params.get("model", ""), request.client.host if request.client else ""
        if not may_choose(is_local(request.headers, client)):
            return Response(orjson.dumps({"says": "", "why": CLOSED}), 403, media_type="application/json")
        try:
            fields = await runtime.work.run(visitor(request.headers, client), lambda: _fit(name))
        except (InvalidRequest, ModelError) as refused:
            fields = {"says": f"{str(refused)[:1].upper()}{str(refused)[1:]}."}
        return Response(orjson.dumps(fields), media_type="application/json")

    return [Route("/menu", menu, methods=["GET"]), Route("/menu/fit", fit, methods=["GET"])]


def card_fields(card: Card) -> dict[str, Any]:
    """The fields of a card that the page shows."""
    row = asdict(card)
    return {key: row[key] for key in SHOWN}


def _fit(name: str) -> dict[str, Any]:
    """The sentence on a folder or id, and its numbers; empty for a model that is here by name, or on another server."""
    if name in served_models() or name in builtin_names() or name.startswith(ATTACH) or not can_load(name):
        return {"says": ""}
    from unmask.models.hub.fit import fit  # late, since it asks for the device

    found = fit(name)
    row = {key: getattr(found, key) for key in "name number download seconds licence billions twin verdict".split()}
    return {"says": str(found), "row": row | {"need": found.needs[found.number]}}
