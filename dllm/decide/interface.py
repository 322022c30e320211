"""What a policy sees, what it answers, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Bools, Canvas, Floats
from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Knob:
    """The range of a policy's number and the line that explains it; a menu is built from it."""

    low: float
    high: float
    help: str


@dataclass(frozen=True)
class EnumKnob:
    """A policy's choice between ways, with the line that explains it."""

    choices: tuple[str, ...]
    help: str


ROWS = ("open", "answer", "next")
KEPT = ("block", "run")


@dataclass(frozen=True)
class Needs:
    """What a policy reads beyond the cells it may write; a file that needs more says so in `needs`."""

    rows: str = "open"  # "open", "answer" (also what is written) or "next" (the leftmost open cell alone)
    moved: bool = False  # the KL from the last pass
    shadow: bool = False  # a second look at written cells by a shadow that cannot see them
    background: bool = False  # how common each proposal is in ordinary text
    verify: bool = False  # it may ask, by `Choice.verify`, that cells be read again from left to right
    together: str = ""  # the knob above which proposals are each tried alone, and the others' asked again
    ahead: str = ""  # with `verify`: the knob that says how many open cells are drafted; only a draft is asked about
    memory: str = "block"  # how long what it remembers is kept: a new block forgets it, or only a new plan ("run")

    def __post_init__(self) -> None:
        for name, known in (("rows", ROWS), ("memory", KEPT)):
            if getattr(self, name) not in known:
                raise InvalidRequest(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        if self.ahead and not self.verify:
            raise InvalidRequest("ahead is about drafts that are verified: it needs verify=True")
        for each in fields(self):
            if each.type == "bool" and not isinstance(getattr(self, each.name), bool):
                raise InvalidRequest(f"{each.name} must be True or False, not {getattr(self, each.name)!r}")


@dataclass(frozen=True, eq=False)
class View:
    """All that a policy sees."""

    belief: Belief
    canvas: Canvas
    eligible: Bools  # open cells that may be written now
    block: Bools  # the cells of the present block
    quota: int  # how many the schedule would write
    block_pass: int  # passes spent in this block
    block_passes: int  # passes planned for it
    random_draws: Callable[[int], Floats]  # one draw per cell, by use
    memory: Any = None  # what the policy chose to remember; None at the start of a plan, and of each block
    verified: Bools | None = None  # the cells of `Choice.verify`, whose beliefs were read from left to right this time

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
    verify: Bools | None = None  # cells to be read again at the next pass, each from what stands to its left
    skip: Bools | None = None  # cells too many, in a gap: they take the word that says so, whatever is proposed


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy as found: its function, its knobs, its first sentence, what it needs, and its published presets."""

    name: str
    decide: Callable[..., Choice]
    knobs: Mapping[str, Knob | EnumKnob]
    defaults: Mapping[str, Any]  # of the type that each knob is annotated with
    says: str
    needs: Needs = field(default_factory=Needs)
    revises: bool = False  # may take back or replace what it wrote
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by name, as `PRESETS` of its file has them

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The knobs with their values, or a sentence about the first one that is wrong."""
        for name, value in given.items():
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise InvalidRequest(f"'{self.name}' has no knob '{name}'; it has {known}")
            knob = self.knobs[name]
            if isinstance(knob, EnumKnob):
                if value not in knob.choices:
                    raise InvalidRequest(
                        f"{name} of '{self.name}' must be one of {', '.join(knob.choices)}, not {value!r}"
                    )
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
                raise InvalidRequest(f"{name} of '{self.name}' must be a number, not {value!r}")
            if not knob.low <= value <= knob.high:
                raise InvalidRequest(
                    f"{name} of '{self.name}' must lie between {knob.low:g} and {knob.high:g}, not {value:g}"
                )
            if isinstance(self.defaults[name], int) and value != int(value):
                raise InvalidRequest(f"{name} of '{self.name}' must be a whole number, not {value:g}")
        return {name: type(default)(given.get(name, default)) for name, default in self.defaults.items()}
