"""The list of features, and what a feature declares. Nothing else in the engine names one.

A feature is a folder `dllm/features/NAME`: Python, and for the page `feature.js`, style sheets and phrases in
other languages. To delete one, delete the folders `features/NAME` here and in the tests, and its name in `NAMES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from starlette.routing import BaseRoute

from unmask.live.permissions import Permission
from unmask.paths import FEATURES
from unmask.run.message import Messages
from unmask.serve.access import SERVER_RULES, Access, Rules
from unmask.serve.doors.subscription import Subscription
from unmask.serve.runtime import Keeper, Runtime

NAMES = ("lab", "race", "classroom", "lenses", "downloads", "kept_runs", "exports", "previews", "record", "decisions")


class Visit(Protocol):
    """What a feature may use of a WebSocket connection."""

    runtime: Runtime
    visitor: str
    at_home: bool  # on this machine, so that any folder or id may be opened
    socket: Any

    async def send(self, row: Mapping[str, Any]) -> None: ...
    async def send_text(self, text: str) -> None: ...
    async def send_large(self, text: str) -> None: ...
    def follower(self, session: str, right: Permission = Permission.WATCH) -> Subscription: ...


class Answering(Protocol):
    """A feature's part of one WebSocket connection: the messages that it answers there."""

    latest: frozenset[str]  # kinds of which only the last request is answered

    def takes(self, row: Mapping[str, Any]) -> bool:
        """Whether the feature answers this message."""
        ...

    async def answer(self, row: Mapping[str, Any]) -> None: ...

    def follower(self, session: str) -> Subscription | None:
        """The connection's subscription to a session, if this feature made it."""
        ...

    def gone(self) -> None:
        """The connection is closed."""
        ...


class Answers:
    """Base class of `Answering` for features that answer some kinds of messages and keep no state."""

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
    prompt: bool = False  # whether the element gets the page's prompt


@dataclass(frozen=True)
class Button:
    """An element `<unmask-ELEMENT>` in the page's head, or in the menu there."""

    element: str
    place: Literal["head", "menu"]


@dataclass(frozen=True)
class Feature:
    """A feature: its routes, messages, models, and its parts of the page."""

    name: str
    routes: Callable[[Runtime], list[BaseRoute]] | None = None
    api: Callable[[Runtime, Sequence[str]], list[BaseRoute]] | None = None  # its routes below /v1, from served models
    access: Mapping[str, Access] = field(default_factory=dict)  # who may use the routes
    messages: Callable[[Visit], Answering] | None = None  # made once for each connection
    requests: Messages[Any] | None = None  # what it answers there
    models: tuple[str, ...] = ()  # families of models that it needs
    keeper: Callable[[float], Keeper | None] | None = None  # from hours to a keeper that stores runs that long
    tabs: tuple[Tab, ...] = ()
    button: Button | None = None
    opens: str = ""  # in the page's address, as `#opens=…`: its elements are loaded at once
    recorded: bool = False  # whether its scripts are part of a saved page, which shows recordings without a server

    @property
    def folder(self) -> Path:
        return FEATURES / self.name

    @property
    def elements(self) -> list[str]:
        """Its elements on the page."""
        names = [tab.element for tab in self.tabs] + ([self.button.element] if self.button else [])
        return [f"unmask-{name}" for name in names]

    @property
    def script(self) -> bool:
        """Whether it has a part of the page."""
        return (self.folder / "feature.js").is_file()

    @property
    def sheets(self) -> list[Path]:
        return sorted(self.folder.glob("*.css"))


@cache
def features() -> tuple[Feature, ...]:
    """Every feature, in the order of the list."""
    return tuple(import_module(f"unmask.features.{name}").FEATURE for name in NAMES)


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes of all features."""
    return [route for one in features() if one.routes for route in one.routes(runtime)]


def api_routes(runtime: Runtime, models: Sequence[str] = ()) -> list[BaseRoute]:
    """The features' routes below /v1, which come before those of /v1 itself."""
    return [route for one in features() if one.api for route in one.api(runtime, models)]


def rules() -> Rules:
    """The access rules of the server's own routes and of the features'."""
    return {path: rule for one in features() for path, rule in one.access.items()} | dict(SERVER_RULES)


def keeper(hours: float) -> Keeper | None:
    """The keeper that stores runs across restarts, if a feature has one."""
    return next((one.keeper(hours) for one in features() if one.keeper), None)
