"""Checks of a text that a run is writing: their registry, by file name, and how one is called.

A check is a file with a function `check(text)` that gives `(start, end, reason)` for each place of the text that is
wrong: those of the folder `checks`, and those in the folders of UNMASK_CHECKS. An open cell is the letter ░. It may
also take `begins`, where the answer begins, and options by name."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.run import checks
from unmask.run.settings import Settings

OPEN = "░"  # how an open cell is written in the text that a check reads
MOST = 16  # places that one check may name at once
LONGEST_REASON = 200
Finding = tuple[int, int, str]  # from this character to before that one, and why
Call = Callable[[Callable[[], None]], None]
CheckFunction = Callable[..., Iterable[Finding]]


class CheckFailed(Exception):
    """A check raised, took too long, or gave what is no list of places; its text is a sentence for the user."""


@dataclass(frozen=True)
class TextCheck:
    """A check: its name, its function, and what it says of itself."""

    name: str
    find: CheckFunction
    says: str = ""
    options: Mapping[str, Any] = ()  # type: ignore[assignment] # the defaults of its options
    takes_begins: bool = False
    runs_code: bool = False  # it runs what a model wrote
    bundled: bool = False  # of this package: ends quickly on any text

    def findings(self, text: str, begins: int, options: Mapping[str, Any], call: Call | None = None) -> list[Finding]:
        """The places that it names; CheckFailed says why there are none. `call` calls what may never end."""
        given = {"begins": begins} if self.takes_begins else {}
        answer: list[Any] = []

        def find() -> None:
            try:
                found = self.find(text, **given, **options)
                answer.append([one for one, _ in zip(found or (), range(MOST), strict=False)])
            except BaseException as error:  # of anybody's code, even `SystemExit`
                answer.append(error)

        (find if self.bundled or call is None else partial(call, find))()
        if not answer:
            raise CheckFailed(f"the check '{self.name}' took too long")
        if isinstance(answer[0], BaseException):
            why = f"{type(answer[0]).__name__}: {answer[0]}"[:LONGEST_REASON]
            raise CheckFailed(f"the check '{self.name}' failed: {why}")
        return [self._checked(one, len(text)) for one in answer[0]]

    def _checked(self, one: Any, length: int) -> Finding:
        if not (isinstance(one, tuple | list) and len(one) == 3 and all(type(place) is int for place in one[:2])):
            raise CheckFailed(f"the check '{self.name}' gave {one!r:.60}, not a start, an end and a reason")
        start, end, why = one
        if not 0 <= start < end <= length:
            raise CheckFailed(
                f"the check '{self.name}' named the place {start} to {end} of a text with {length} characters"
            )
        return start, end, str(why)[:LONGEST_REASON]


def check_names() -> list[str]:
    """The names of all checks that may be used here; one that runs code only with UNMASK_RUN_CODE."""
    names = {*_bundled_names(), *_custom_files(config().checks)}
    return sorted(name for name in names if config().run_code or not get_check(name, listed=True).runs_code)


def get_check(name: Any, listed: bool = False) -> TextCheck:
    """The check of this name; InvalidRequest lists the known ones."""
    files = _custom_files(config().checks)
    if not isinstance(name, str) or (name not in files and name not in _bundled_names()):
        raise InvalidRequest(f"no check {name!r:.60}; there are {', '.join(check_names())}", "checks")
    found = _loaded(name, str(files.get(name, "")))
    if found.runs_code and not listed and not config().run_code:
        raise InvalidRequest(f"the check '{name}' runs code that a model wrote: set UNMASK_RUN_CODE=1 first", "checks")
    return found


def own_check(find: CheckFunction) -> TextCheck:
    """A function as a check, by its own name."""
    name = getattr(find, "__name__", "check")
    return _described(name, find, inspect.getdoc(find) or name, False, False)


def require_checks(settings: Settings) -> None:
    """InvalidRequest if a check of these settings is not to be had here, or has another option. Settings themselves are
    not refused for it: a trace opens where a check of its run is missing."""
    used, options = {get_check(name).name for name in settings.checks}, settings.check_options
    for name, given in options.items():
        if name not in used:
            raise InvalidRequest(f"check_options: '{name}' is not among the checks", "check_options")
        if not isinstance(given, Mapping):
            raise InvalidRequest(f"check_options: '{name}' must have names with values", "check_options")
        known = get_check(name).options
        for key, value in given.items():
            if key not in known:
                there = ", ".join(known) or "none"
                raise InvalidRequest(f"the check '{name}' has no option '{key}'; it has {there}", "check_options")
            if known[key] is not None and not isinstance(value, type(known[key])):
                kind = type(known[key]).__name__
                raise InvalidRequest(f"{key} of the check '{name}' must be of the type {kind}", "check_options")


@cache
def _bundled_names() -> frozenset[str]:
    return frozenset(module.name for module in pkgutil.iter_modules(checks.__path__))


@cache
def _custom_files(folders: tuple[Path, ...]) -> dict[str, Path]:
    files = (file for folder in folders for file in sorted(folder.glob("[!_]*.py")))
    return {file.stem: file for file in files}


@cache
def _loaded(name: str, path: str) -> TextCheck:
    module = _from_file(name, path) if path else importlib.import_module(f"{checks.__name__}.{name}")
    find = getattr(module, "check", None)
    if not callable(find):
        raise InvalidRequest(f"the check file '{path or name}' has no function 'check'", "checks")
    says = (module.__doc__ or find.__doc__ or name).strip().split("\n")[0].rstrip(".")
    return _described(name, find, says, bool(getattr(module, "RUNS_CODE", False)), not path)


def _described(name: str, find: CheckFunction, says: str, runs_code: bool, bundled: bool) -> TextCheck:
    parameters = inspect.signature(find).parameters
    options = {one.name: one.default for one in parameters.values() if one.kind is one.KEYWORD_ONLY}
    return TextCheck(name, find, says.split("\n")[0], options, "begins" in parameters, runs_code, bundled)


def _from_file(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"unmask_check_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the file may raise anything; the message names it
        why = f"{type(error).__name__}: {error}"
        raise InvalidRequest(f"the check file '{path}' cannot be read: {why}", "checks") from error
    return module
