"""The models that a server offers, by name; a caller cannot name a folder or a Hub id."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models import Denoiser, builtin_names, can_load
from unmask.models.bundled import available_builtins
from unmask.models.oracle import WORLDS
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import LEAVING, Runtime

log = logging.getLogger(__name__)
_NAMED = re.compile(r"[^?=]*=")  # a name of its own; an `=` behind a question mark is one of the options


def served_models(entries: Sequence[str] = ()) -> dict[str, str]:
    """The served names, each with its argument for `load`; from entries `NAME` or `NAME=WHAT`, or UNMASK_MODELS, or all
    built-in models; and those of the servers in UNMASK_ATTACH."""
    entries = entries or [name for name in config().models if name != "any"]  # "any" is handled in `model_list`
    attached = dict(map(_attached, config().attach))
    if not entries:
        own = {name: name for name in (*available_builtins(), *WORLDS, "toy") if name in builtin_names()}
        return own | attached
    pairs = [
        (entry[: named.end() - 1], entry[named.end() :] or entry) if (named := _NAMED.match(entry)) else (entry, entry)
        for entry in entries
    ]
    for name, what in pairs:
        if not name or not can_load(what):
            known = ", ".join(builtin_names())
            raise InvalidRequest(f"cannot serve '{name}': use NAME or NAME=WHAT, with {known}, a Hub id or a folder")
    return dict(pairs) | attached


async def open_models(runtime: Runtime, wanted: Sequence[str] = ()) -> None:
    """Opens the models that were named; else the first of UNMASK_MODELS that is stored on this machine."""
    from unmask.models.hub.source import is_stored

    served = [what for what in served_models().values() if config().models and is_stored(what)]
    for what in wanted or served[:1]:
        try:
            await runtime.model(what)
        except InvalidRequest as refused:  # the page says it too, where the model is opened
            log.warning("the model %s is not open: %s", what, refused)


def _attached(entry: str) -> tuple[str, str]:
    """The name and the argument for `load` of a server: named by its host, if it has no other name."""
    name, equals, address = entry.partition("=")
    if "://" in name:  # the `=` is one of the address's options
        name, address = str(urlsplit(entry).netloc), entry
    elif not equals:
        raise InvalidRequest(f"UNMASK_ATTACH has '{entry[:80]}', which is no address: use URL or NAME=URL")
    return name, f"attach:{address}"


class ServedModels:
    """The models of one server, by the names that callers use."""

    def __init__(self, runtime: Runtime, names: Mapping[str, str]) -> None:
        self.runtime, self.names = runtime, dict(names)

    async def find(self, name: str) -> Denoiser:
        """An open model; an `ApiError` that lists the names if there is none of this name."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise ApiError(404, f"there is no model of this name; there are {known}", "model", "model_not_found")
        try:
            return await self.runtime.model(self.names[name])
        except asyncio.CancelledError:
            raise
        except Exception as error:  # such as a damaged file or an unreachable Hub: details go to the log only
            if self.runtime.draining:
                raise ApiError(503, LEAVING, code="stopping", headers={"Retry-After": "30"}) from None
            log.warning("the model %s cannot be opened: %s", name, error)
            raise ApiError(
                503, f"the model {name} cannot be opened at present; see the server log", "model", "model_unavailable"
            ) from None
