"""The models that a server offers, under names of its own: a caller never names a folder or a hub."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models import Denoiser, builtin_names, can_load
from unmask.models.bundled import available_builtins
from unmask.models.oracle import WORLDS
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import LEAVING, Runtime

log = logging.getLogger(__name__)


def served_models(entries: Sequence[str] = ()) -> dict[str, str]:
    """What is served: `name` or `name=what`, as `load` reads it; else `UNMASK_MODELS`, else all there is."""
    entries = entries or [name for name in config().models if name != "any"]  # see `menu.known`
    if not entries:
        return {name: name for name in (*available_builtins(), *WORLDS, "toy") if name in builtin_names()}
    pairs = [(entry.partition("=")[0], entry.partition("=")[2] or entry) for entry in entries]
    for name, what in pairs:
        if not name or not can_load(what):
            there = ", ".join(builtin_names())
            raise InvalidRequest(f"cannot serve '{name}': there are {there}, ids and folders; say NAME or NAME=WHAT")
    return dict(pairs)


class ServedModels:
    """The models of one server by the names that callers use."""

    def __init__(self, runtime: Runtime, names: Mapping[str, str]) -> None:
        self.runtime, self.names = runtime, dict(names)

    async def find(self, name: str) -> Denoiser:
        """An opened model, or a sentence about what there is."""
        if name not in self.names:
            there = ", ".join(self.names)
            raise ApiError(404, f"there is no model of this name; there are {there}", "model", "model_not_found")
        try:
            return await self.runtime.model(self.names[name])
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a damaged file, a hub out of reach: the owner's log has more than the caller gets
            if self.runtime.draining:
                raise ApiError(503, LEAVING, code="stopping", headers={"Retry-After": "30"}) from None
            log.warning("the model %s cannot be opened: %s", name, error)
            raise ApiError(
                503, f"the model {name} cannot be opened here at present", "model", "model_unavailable"
            ) from None
