"""The list of features, and what each of them declares. Nothing else in the engine names a feature.

To delete one, delete its folder `dllm/features/NAME` and its name in `NAMES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from starlette.routing import BaseRoute

from unmask.live.permissions import Permission
from unmask.serve.access import DOORS, Access, Rules
from unmask.serve.doors.subscription import Subscription
from unmask.serve.runtime import Keeper, Runtime

NAMES = ("lab", "race", "classroom", "lenses", "downloads", "kept_runs", "exports")


class Visit(Protocol):
    """What a feature may use of a WebSocket connection."""

    runtime: Runtime
    visitor: str
    socket: Any

    async def send(self, row: Mapping[str, Any]) -> None: ...
    async def send_text(self, text: str) -> None: ...
    def follower(self, row: Mapping[str, Any], right: Permission = Permission.WATCH) -> Subscription: ...


class Messages(Protocol):
    """A feature's part of one WebSocket connection: the messages that it answers there."""

    latest: frozenset[str]  # kinds of which only the last request is answered

    def takes(self, row: Mapping[str, Any]) -> bool:
        """Whether this message is the feature's."""
        ...

    async def answer(self, row: Mapping[str, Any]) -> None: ...

    def follower(self, session: str) -> Subscription | None:
        """A session that the connection follows by this feature."""
        ...

    def gone(self) -> None:
        """The connection is closed."""
        ...


class Answers:
    """The usual case: some kinds of messages, with no state of their own."""

    kinds: frozenset[str] = frozenset()
    latest: frozenset[str] = frozenset()

    def __init__(self, visit: Visit) -> None:
        self.visit = visit

    def takes(self, row: Mapping[str, Any]) -> bool:
        return row["do"] in self.kinds

    def follower(self, session: str) -> Subscription | None:
        return None

    def gone(self) -> None:
        pass


@dataclass(frozen=True)
class Tab:
    """A tab of the page, which holds one element `<unmask-ELEMENT>`."""

    title: str
    element: str
    prompt: bool = False  # the element is given the page's prompt


@dataclass(frozen=True)
class Feature:
    """One feature: everything that the server and the page have to know of it."""

    name: str
    routes: Callable[[Runtime], list[BaseRoute]] | None = None
    access: Mapping[str, Access] = field(default_factory=dict)  # who may use the routes
    messages: Callable[[Visit], Messages] | None = None  # made once for each connection
    models: tuple[str, ...] = ()  # families of models that it needs
    keeper: Callable[[float], Keeper | None] | None = None  # keeps runs for so many hours
    script: str = ""  # below assets/
    style: tuple[str, ...] = ()  # sheets below assets/looks/
    tabs: tuple[Tab, ...] = ()
    button: str = ""  # an element in the page's head


@cache
def features() -> tuple[Feature, ...]:
    """Every feature, in the order of the list."""
    return tuple(import_module(f"unmask.features.{name}").FEATURE for name in NAMES)


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes of all features."""
    return [route for one in features() if one.routes for route in one.routes(runtime)]


def rules() -> Rules:
    """Who may use which path: the server's own and the features'."""
    return {path: rule for one in features() for path, rule in one.access.items()} | dict(DOORS)


def keeper(hours: float) -> Keeper | None:
    """What keeps runs over restarts, if a feature does."""
    return next((one.keeper(hours) for one in features() if one.keeper), None)
