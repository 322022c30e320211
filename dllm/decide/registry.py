"""How a policy is found, by its file's name: those that came with this package, and those of a folder of one's own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import get_args, get_type_hints

from dllm.canvas import Refused
from dllm.config import config
from dllm.decide import policies
from dllm.decide.contract import Knob, Needs, Pick, Policy


def names() -> list[str]:
    """Every policy there is: the files beside this one, and those in the folders of DLLM_POLICIES."""
    return sorted({*_beside(), *_elsewhere()})


def named(name: str) -> Policy:
    """The policy of this name, or a sentence about what there is."""
    return _known(name if isinstance(name, str) else repr(name))  # a request may hold anything, even a list


@cache  # a step asks for its policy: that must neither list a folder nor read the environment each time
def _known(name: str) -> Policy:
    elsewhere = _elsewhere()
    if name not in elsewhere and name not in _beside():
        raise Refused(f"no policy '{name}'; there are {', '.join(names())}")
    return _load(name, str(elsewhere.get(name, "")))


@cache
def _beside() -> frozenset[str]:
    return frozenset(m.name for m in pkgutil.iter_modules(policies.__path__))


def _elsewhere() -> dict[str, Path]:
    return _found(config().policies)


@cache
def _found(folders: tuple[Path, ...]) -> dict[str, Path]:
    files = (p for folder in folders for p in sorted(folder.glob("*.py")))
    return {p.stem: p for p in files if not p.stem.startswith("_")}


def _load(name: str, path: str) -> Policy:
    module = _from_file(name, path) if path else importlib.import_module(f"{policies.__name__}.{name}")
    decide = getattr(module, name, None)
    if not callable(decide):
        raise Refused(f"the policy file '{name}.py' has no function '{name}'")
    hints = get_type_hints(decide, include_extras=True)
    parameters = [p for p in inspect.signature(decide).parameters.values() if p.default is not inspect.Parameter.empty]
    knobs = {p.name: a for p in parameters for a in get_args(hints.get(p.name)) if isinstance(a, Knob | Pick)}
    if bare := [p.name for p in parameters if p.name not in knobs]:
        raise Refused(f"{bare[0]} of the policy '{name}' has no range: annotate it with a Knob or a Pick")
    says = (module.__doc__ or decide.__doc__ or name).strip()
    defaults = {p.name: p.default for p in parameters}
    needs, revises = getattr(module, "needs", Needs()), getattr(module, "revises", False)
    return Policy(name, decide, knobs, defaults, says, needs, revises)


def _from_file(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"dllm_policies_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # type hints are looked up by module name
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a researcher's file raises, it is that file which is wrong
        raise Refused(f"the policy file '{path}' cannot be read: {type(error).__name__}: {error}") from error
    return module
