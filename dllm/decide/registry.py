"""The registry of policies, by file name: those of this package, and those in the folders of UNMASK_POLICIES."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from unmask.config import config
from unmask.decide import policies
from unmask.decide.interface import Choice, EnumKnob, Knob, Policy
from unmask.decide.policy_metadata import policy_metadata
from unmask.errors import InvalidRequest


def policy_names() -> list[str]:
    """The names of all policies: the files in `policies`, and those in the folders of UNMASK_POLICIES."""
    return sorted({*_bundled_names(), *_custom_files(_folders())})


def get_policy(name: str) -> Policy:
    """The policy of this name; InvalidRequest lists the known ones."""
    # a request may contain any value, even a list
    return _cached_policy(name if isinstance(name, str) else repr(name), _folders())


def resizes(name: str) -> bool:
    """Whether a policy inserts and deletes cells; a trace may name one that is not here."""
    try:
        return get_policy(name).resizes
    except InvalidRequest:
        return False


@cache  # every step looks up its policy, which must not list a folder each time
def _cached_policy(name: str, folders: tuple[Path, ...]) -> Policy:
    elsewhere = _custom_files(folders)
    if name not in elsewhere and name not in _bundled_names():
        raise InvalidRequest(f"no policy '{name}'; there are {', '.join(policy_names())}", "policy")
    return _load(name, str(elsewhere.get(name, "")))


@cache
def _bundled_names() -> frozenset[str]:
    return frozenset(m.name for m in pkgutil.iter_modules(policies.__path__))


def _folders() -> tuple[Path, ...]:
    return config().policies


@cache
def _custom_files(folders: tuple[Path, ...]) -> dict[str, Path]:
    files = (p for folder in folders for p in sorted(folder.glob("*.py")))
    return {p.stem: p for p in files if not p.stem.startswith("_")}


def _load(name: str, path: str) -> Policy:
    module = _from_file(name, path) if path else importlib.import_module(f"{policies.__name__}.{name}")
    decide = getattr(module, name, None)
    if not callable(decide):
        raise InvalidRequest(f"the policy file '{name}.py' has no function '{name}'")
    declared = policy_metadata(name, vars(module))
    knobs, defaults = _knobs(name, decide)
    says = (module.__doc__ or decide.__doc__ or name).strip()
    about = declared.group, declared.needs, declared.revises, declared.resizes, declared.presets, declared.settled
    return Policy(name, decide, knobs, defaults, says, *about)


def _knobs(policy: str, decide: Callable[..., Choice]) -> tuple[dict[str, Knob | EnumKnob], dict[str, Any]]:
    """The knobs of a policy's function and their defaults, each of the type that it is annotated with."""
    hints = get_type_hints(decide, include_extras=True)
    knobs: dict[str, Knob | EnumKnob] = {}
    defaults: dict[str, Any] = {}
    for parameter in [*inspect.signature(decide).parameters.values()][1:]:
        name, subject = parameter.name, f"{parameter.name} of the policy '{policy}'"
        kind, *more = get_args(hints.get(name)) or (None,)
        about = next((m for m in more if isinstance(m, Knob | EnumKnob)), None)
        if about is None:
            raise InvalidRequest(f"{subject} has no range: annotate it with a Knob or an EnumKnob")
        if kind not in ((str,) if isinstance(about, EnumKnob) else (int, float)):
            raise InvalidRequest(
                f"{subject} must be a {'str' if isinstance(about, EnumKnob) else 'float or an int'}, not {kind}"
            )
        default = parameter.default
        if not isinstance(default, int | float if kind is float else kind) or isinstance(default, bool):
            raise InvalidRequest(f"{subject} needs a default of its own type, {kind.__name__}")
        if not (default in about.choices if isinstance(about, EnumKnob) else about.low <= default <= about.high):
            raise InvalidRequest(f"{subject} has a default outside its own range, {default!r}")
        knobs[name], defaults[name] = about, kind(default)
    return knobs, defaults


def _from_file(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"dllm_policies_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # type hints are looked up by module name
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the file may raise anything; the message names it
        raise InvalidRequest(f"the policy file '{path}' cannot be read: {type(error).__name__}: {error}") from error
    return module
