"""Where to write next: what a policy sees, what it answers, and how one is found by its file's name."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np

from dllm.belief import ORDER, Belief
from dllm.canvas import Bools, Canvas, Floats, Ints, Refused

__all__ = ["Annotated", "Choice", "Knob", "Needs", "Pick", "Policy", "Reason", "View"]
__all__ += ["best", "by_rank", "named", "names", "order", "ranked", "shaken"]


@dataclass(frozen=True)
class Knob:
    """The range of a policy's number and the line that explains it; a menu is built from it."""

    low: float
    high: float
    help: str


@dataclass(frozen=True)
class Pick:
    """A policy's choice between ways, with the line that explains it."""

    ways: tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Needs:
    """What a policy reads beyond the cells it may write; a file that needs more says so in `needs`."""

    rows: str = "open"  # "open", "answer" (also what is written) or "next" (the leftmost open cell alone)
    moved: bool = False  # the KL from the last pass
    shadow: bool = False  # a second look at written cells by a shadow that cannot see them
    background: bool = False  # how common each proposal is in ordinary text
    verify: bool = False  # while it remembers a draft (the ids of its cells), the model answers from left to right


@dataclass(frozen=True, eq=False)
class View:
    """All that a policy sees."""

    belief: Belief
    canvas: Canvas
    eligible: Bools  # open cells that may be written now
    block: Bools  # the cells of the present block
    quota: int  # how many the schedule would write
    turn: int  # passes spent in this block
    turns: int  # passes planned for it
    luck: Callable[[int], Floats]  # one draw per cell, by use
    memory: Any = None  # what the policy chose to remember

    @property
    def written(self) -> Bools:
        """Cells in sight that hold a token which the model may take back."""
        return self.belief.known & ~self.canvas.open & self.canvas.free


@dataclass(frozen=True, eq=False)
class Reason:
    """Why some cells were chosen: a sentence, with `{}` for a cell's own number."""

    where: Bools
    words: str
    number: Floats | None = None


@dataclass(frozen=True, eq=False)
class Choice:
    """Where to write what the belief proposes, where to take back, what to remember, and why."""

    write: Bools  # on a written cell: replace what stands there
    erase: Bools | None = None
    memory: Any = None
    why: tuple[Reason, ...] = ()
    stay: bool = False  # look again even if nothing is open
    settle: bool = False  # what is written takes its likeliest token, not the drawn one, and nothing lingers


@dataclass(frozen=True)
class Policy:
    """A policy as found: its function, its knobs, its first sentence and what it needs."""

    name: str
    decide: Callable[..., Choice]
    knobs: Mapping[str, Knob | Pick]
    defaults: Mapping[str, Any]
    says: str
    needs: Needs = field(default_factory=Needs)
    revises: bool = False  # may take back or replace what it wrote

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The knobs with their values, or a sentence about the first one that is wrong."""
        for name, value in given.items():
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise Refused(f"'{self.name}' has no knob '{name}'; it has {known}")
            knob = self.knobs[name]
            if isinstance(knob, Pick):
                if value not in knob.ways:
                    raise Refused(f"{name} of '{self.name}' must be one of {', '.join(knob.ways)}, not {value!r}")
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise Refused(f"{name} of '{self.name}' must be a number, not {value!r}")
            if not knob.low <= value <= knob.high:
                raise Refused(f"{name} of '{self.name}' must lie between {knob.low:g} and {knob.high:g}, not {value:g}")
            if isinstance(self.defaults[name], int) and value != int(value):
                raise Refused(f"{name} of '{self.name}' must be a whole number, not {value:g}")
        return {name: type(default)(given.get(name, default)) for name, default in self.defaults.items()}


def order(eligible: Bools, score: Floats) -> Ints:
    """The eligible cells, the highest score first; ties by position."""
    cells = eligible.nonzero()[0]
    return cells[(-score[cells]).argsort(kind="stable")]


def ranked(eligible: Bools, score: Floats) -> Ints:
    """The rank of each eligible cell, 1 for the highest score; 0 elsewhere."""
    cells = order(eligible, score)
    rank = np.zeros(len(eligible), np.int64)
    rank[cells] = np.arange(1, len(cells) + 1)
    return rank


def best(view: View, score: Floats, quota: int | None = None) -> Bools:
    """The eligible cells of highest score, as many as the quota."""
    chosen = np.zeros(len(score), bool)
    chosen[order(view.eligible, score)[: view.quota if quota is None else quota]] = True
    return chosen


def by_rank(view: View, score: Floats, quota: int | None = None) -> Choice:
    """Write the best cells, and say which rank each had."""
    quota = view.quota if quota is None else quota
    cells = order(view.eligible, score)
    write, rank = np.zeros(len(score), bool), np.zeros(len(score))
    write[cells[:quota]] = True
    rank[cells] = np.arange(1, len(cells) + 1)
    words = f"rank {{}} of {len(cells)}, quota {quota}"
    if view.turns > 1 and view.turn >= view.turns - 1:
        words = f"forced by the last pass: rank {{}} of {len(cells)}"
    return Choice(write=write, why=(Reason(write, words, rank),))


def shaken(view: View, score: Floats, heat: float) -> Floats:
    """A score with luck in it: the order of a draw without replacement from softmax(score / heat), by Gumbel noise."""
    if not heat:
        return score
    noise: Floats = -np.log(-np.log(np.clip(view.luck(ORDER), 1e-12, 1 - 1e-12)))
    return score + heat * noise


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
    return frozenset(m.name for m in pkgutil.iter_modules(__path__))


def _elsewhere() -> dict[str, Path]:
    return _found(os.environ.get("DLLM_POLICIES", ""))


@cache
def _found(folders: str) -> dict[str, Path]:
    files = (p for folder in folders.split(os.pathsep) if folder for p in sorted(Path(folder).glob("*.py")))
    return {p.stem: p for p in files if not p.stem.startswith("_")}


def _load(name: str, path: str) -> Policy:
    module = _from_file(name, path) if path else importlib.import_module(f"{__name__}.{name}")
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
