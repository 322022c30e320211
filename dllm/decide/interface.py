"""The interface of a policy: `View` is its input, `Choice` its output, `Policy` its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from unmask.belief import Belief
from unmask.canvas import Bools, Canvas, Floats, Ints
from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Knob:
    """A numeric parameter of a policy: its range, and the help text of its slider."""

    low: float
    high: float
    help: str


@dataclass(frozen=True)
class EnumKnob:
    """A parameter of a policy with named options, and the help text of its menu."""

    choices: tuple[str, ...]
    help: str


ROWS = ("open", "answer", "next")
MEMORY_SCOPES = ("block", "run")


@dataclass(frozen=True)
class Needs:
    """What a policy needs computed beyond predictions for open cells; its file declares it as `needs`."""

    rows: str = "open"  # "open", "answer" (also what is written) or "next" (the leftmost open cell alone)
    moved: bool = False  # the KL divergence from the previous pass
    shadow: bool = False  # the probability of each written token with its cell masked
    background: bool = False  # how common each proposal is in ordinary text
    verify: bool = False  # it may request, by `Choice.verify`, an autoregressive pass over written cells
    together: str = (
        ""  # the knob with the confidence above which proposals are each tried alone (`Belief.pairwise_lift`)
    )
    ahead: str = ""  # with `verify`: the knob with the draft length; only the draft's cells are computed
    memory: str = "block"  # how long its memory lasts: until the next block, or until a new plan ("run")
    logits: bool = False  # every token's logit in each computed cell (`Belief.logits`)

    def __post_init__(self) -> None:
        for name, known in (("rows", ROWS), ("memory", MEMORY_SCOPES)):
            if getattr(self, name) not in known:
                raise InvalidRequest(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        if self.ahead and not self.verify:
            raise InvalidRequest("ahead is about drafts that are verified: it needs verify=True")
        for each in fields(self):
            if each.type == "bool" and not isinstance(getattr(self, each.name), bool):
                raise InvalidRequest(f"{each.name} must be True or False, not {getattr(self, each.name)!r}")


@dataclass(frozen=True, eq=False)
class View:
    """The input of a policy at one pass."""

    belief: Belief
    canvas: Canvas
    eligible: Bools  # open cells that may be written now
    block: Bools  # the cells of the present block
    quota: int  # how many cells the schedule would write
    block_pass: int  # passes spent in this block
    block_passes: int  # passes planned for it
    random_draws: Callable[[int], Floats]  # `random_draws(use)`: one draw in [0, 1) per cell
    memory: Any = None  # the `memory` of its last `Choice`; None at the start of a plan, and of each block
    verified: Bools | None = None  # the cells of `Choice.verify`; this pass predicted them from left to right
    aside: Aside | None = None  # what became of the run aside that an earlier choice asked for; the next pass has it
    is_aside: bool = False  # this is a pass of a run aside
    answers: tuple[Belief, ...] = ()  # of the canvases of the last `Choice.ask`, in their order; none after an edit

    @property
    def written(self) -> Bools:
        """Computed cells whose token the policy may erase or replace."""
        return self.belief.known & ~self.canvas.open & self.canvas.free


@dataclass(frozen=True, eq=False)
class Reason:
    """Why some cells were chosen: a sentence, with `{}` in the place of each cell's number."""

    where: Bools
    words: str
    number: Floats | None = None


@dataclass(frozen=True, eq=False)
class Choice:
    """The output of a policy: where to write the belief's proposals, where to erase, what to remember, and why."""

    write: Bools  # on a written cell: replace its token
    erase: Bools | None = None
    memory: Any = None
    why: tuple[Reason, ...] = ()
    stay: bool = False  # make another pass even if nothing is open
    settle: bool = False  # write the likeliest token, not the sampled one, and ignore `stay`
    verify: Bools | None = None  # cells that the next pass predicts autoregressively, each from the cells to its left
    tokens: Ints | None = None  # [L] the tokens to write instead of the belief's, also in cells that were not computed
    skip: Bools | None = None  # surplus cells of a gap: they get the model's delete token instead of a proposal
    aside: Canvas | None = None  # the next passes are those of a run on this canvas, without the rule: see `View.aside`
    insert: Ints | None = None  # [L + 1] how many open cells come in before each cell, and at the end
    delete: Bools | None = None  # cells that go, with what is written in them
    ask: tuple[Canvas, ...] = ()  # canvases of as many cells, inferred along with the next pass: see `View.answers`


@dataclass(frozen=True, eq=False)
class Aside:
    """The end of a run aside: its canvas, and the memory of its policy."""

    canvas: Canvas
    memory: Any


# from a canvas, the cells to verify next, the policy's memory and filler tokens: the cells that no later pass changes
Settled = Callable[[Canvas, Bools, Any, Sequence[int]], Bools]


@dataclass(frozen=True, eq=False)
class Policy:
    """A policy loaded from its file: its function, knobs, description, needs and presets."""

    name: str
    decide: Callable[..., Choice]
    knobs: Mapping[str, Knob | EnumKnob]
    defaults: Mapping[str, Any]  # each of its knob's annotated type
    says: str  # the docstring of its file
    group: str = ""  # in the list of decoders
    needs: Needs = field(default_factory=Needs)
    revises: bool = False  # may erase or replace what it wrote
    resizes: bool = False  # may insert and delete cells
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by name, from `PRESETS` of its file
    settled: Settled | None = None  # for one that revises: what it does not change any more; None: anything may change

    def options(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The value of every knob; InvalidRequest names the first one that is wrong."""
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
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not knob.low <= value <= knob.high:
                raise InvalidRequest(
                    f"{name} of '{self.name}' must be a number from {knob.low:g} to {knob.high:g}, not {value!r}"
                )
            if isinstance(self.defaults[name], int) and value != int(value):
                raise InvalidRequest(f"{name} of '{self.name}' must be a whole number, not {value:g}")
        return {name: type(default)(given.get(name, default)) for name, default in self.defaults.items()}
