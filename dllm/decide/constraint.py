"""Constraints on the answer: a row of JSON becomes a compiled constraint that says which tokens a cell may hold."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_origin

import numpy as np

from unmask.canvas import NOTHING, Bools, Canvas, Floats, Ints
from unmask.decide import constraints
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.budget import step_budget
from unmask.decide.grammar.language import Language
from unmask.decide.grammar.region import Region
from unmask.decide.grammar.rule import Rule
from unmask.decide.record import RecordRule
from unmask.errors import InvalidRequest

COMMON = ("kind", "slot")
Spellings = tuple[tuple[tuple[int, ...], ...], ...]
MOST_LETTERS = 200_000  # characters of a constraint, as JSON


def constraint_kinds() -> list[str]:
    """The kinds of constraint: the file names in the folder `constraints`."""
    return sorted(m.name for m in pkgutil.iter_modules(constraints.__path__))


def parse_constraint(row: Mapping[str, Any]) -> dict[str, Any]:
    """A validated copy of a constraint; InvalidRequest names the first field that is wrong."""
    try:
        text = json.dumps(row)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"a constraint holds plain values only: {error}") from error
    if len(text) > MOST_LETTERS:
        raise InvalidRequest(f"a constraint has at most {MOST_LETTERS} characters")
    copy: dict[str, Any] = json.loads(text)
    _check(copy)
    return copy


def rule(row: Mapping[str, Any], alphabet: Alphabet) -> Rule:
    """The rule of a constraint over an alphabet."""
    return _kind(row["kind"])(alphabet, **{k: v for k, v in row.items() if k not in COMMON})


def _check(row: Any) -> None:
    if not isinstance(row, Mapping) or row.get("kind") not in constraint_kinds():
        raise InvalidRequest(f"a constraint names its `kind`: one of {', '.join(constraint_kinds())}")
    subject = f"the constraint '{row['kind']}'"
    parameters = [*inspect.signature(_kind(row["kind"])).parameters.values()][1:]
    known = {p.name: p for p in parameters}
    for name in row:
        if name not in known and name not in COMMON:
            raise InvalidRequest(f"{subject} has no '{name}'; it has {', '.join((*known, 'slot'))}")
    slot = row.get("slot", 0)
    if isinstance(slot, bool) or not isinstance(slot, int) or slot < 0:
        raise InvalidRequest(f"slot counts the blanks from 0, it cannot be {slot!r}")
    for name, parameter in known.items():
        if name not in row:
            if parameter.default is inspect.Parameter.empty:
                raise InvalidRequest(f"{subject} needs '{name}'")
            continue
        value, kind = row[name], get_origin(parameter.annotation) or parameter.annotation
        if isinstance(value, bool) or not isinstance(value, list if kind is Sequence else kind):
            raise InvalidRequest(f"{subject}: '{name}' must be {_TYPE_NAMES[kind]}, not {value!r}")
    for each in row.get("of", ()) if row["kind"] == "every" else ():
        if "slot" in each:
            raise InvalidRequest("inside `every` a constraint has no slot of its own")
        _check(each)


_TYPE_NAMES: dict[Any, str] = {str: "a text", int: "a whole number", Sequence: "a list", Mapping: "a JSON object"}


@cache
def _kind(name: str) -> Callable[..., Rule]:
    function: Callable[..., Rule] = getattr(importlib.import_module(f"{constraints.__name__}.{name}"), name)
    return function


@dataclass(frozen=True, eq=False)
class CompiledConstraint:
    """A constraint for one model's vocabulary: which tokens a cell may hold, and which can be written together."""

    language: Language
    least: int
    most: int | None
    slot: int | None
    alphabet: Alphabet
    structure: bool = False  # programs read the text: see `Rule`
    wanted: Spellings = ()  # each text that must be there, as tokens: after a space, and without one
    options: Spellings = ()  # the only texts that are allowed, in the same way; none where that are not just a few
    record: RecordRule | None = None  # where it is taken from a whole one
    _last: tuple[Canvas, Ints, tuple[bool, bool], list[Bools | None]] | None = None

    @classmethod
    def compile(
        cls,
        row: Mapping[str, Any],
        alphabet: Alphabet,
        never: Sequence[int],
        ends: Sequence[int],
        skips: Sequence[int] = (),
        wanted: Spellings = (),
        options: Spellings = (),
        record: RecordRule | None = None,
    ) -> CompiledConstraint:
        """Compile a constraint for a vocabulary. `never` are tokens that cannot be written, `ends` the EOS tokens,
        `skips` tokens without text, which cannot be written where a least number of tokens is asked for; `wanted` are
        the texts that must be there, each in its spellings."""
        with step_budget():
            requirement = rule(row, alphabet)
            dfa = requirement.automaton or automaton("(?s).*", alphabet)
            free = () if requirement.least else skips
            language = Language(dfa, alphabet, never, ends, free, requirement.structure)
            language.shortest()  # raises if no tokens of this model make an allowed text
        return cls(
            language,
            requirement.least,
            requirement.most,
            row.get("slot"),
            alphabet,
            requirement.structure,
            wanted,
            options,
            record,
        )

    def region(self, canvas: Canvas) -> Region:
        """The constrained cells: from the first to the last cell of the answer, or the blank number `slot`."""
        answer = np.flatnonzero(canvas.answer)
        if not answer.size:
            raise InvalidRequest("the canvas has no cells to fill")
        begins, ends = int(answer[0]), int(answer[-1]) + 1
        if self.slot is not None:
            breaks = np.flatnonzero(np.diff(answer) > 1)
            firsts, lasts = answer[np.append(0, breaks + 1)], answer[np.append(breaks, len(answer) - 1)]
            if self.slot >= len(firsts):
                raise InvalidRequest(f"there is no blank {self.slot}: the text has {len(firsts)}, counted from 0")
            begins, ends = int(firsts[self.slot]), int(lasts[self.slot]) + 1
        most = 1 << 30 if self.most is None else self.most
        return Region(self.language, begins, ends, ends == len(canvas), self.least, most)

    def check(self, canvas: Canvas) -> None:
        """Raise InvalidRequest if no text of these cells can meet the constraint."""
        region = self.region(canvas)
        if region.possible(canvas):
            return
        cells, least = region.ends - region.begins, max(self.language.shortest(), self.least)
        if canvas.open[region.begins : region.ends].all():
            why = f"no answer of {cells} cells meets the constraint: the shortest takes {least}"
            raise InvalidRequest(why, "length", "too_short")
        raise InvalidRequest("with these words in place, no answer can meet the constraint any more")

    def allowed_tokens(
        self, canvas: Canvas, cells: Ints, reading: bool = False, as_text: bool = False
    ) -> list[Bools | None]:
        """For each of these cells, a mask over the vocabulary; None for a cell outside the constraint. `reading` from
        the left, what is written after a cell does not count: it can be written again. `as_text`, no token is allowed
        merely because the text may end before it."""
        last = self._last  # each pass calls this twice: to mask logits, and to count the allowed tokens
        if last and last[0] is canvas and np.array_equal(last[1], cells) and last[2] == (reading, as_text):
            return last[3]
        region = self.region(canvas)
        inside = (cells >= region.begins) & (cells < region.ends)
        masks = iter(region.allowed(canvas, cells[inside], reading, as_text))
        rows = [next(masks) if constrained else None for constrained in inside.tolist()]
        object.__setattr__(self, "_last", (canvas, cells, (reading, as_text), rows))
        return rows

    def wants_whole(self, canvas: Canvas) -> bool:
        """Whether a record is to be written whole, without the constraint, before fields are taken from it."""
        return self.record is not None and self.record.is_asked(canvas)

    def from_whole(self, canvas: Canvas, whole: Canvas | None, end: int) -> Ints | None:
        """The tokens of a canvas whose record has the fields that are wanted, of those of a whole one; None if that
        lacks one, or if they do not meet the constraint."""
        row = None if self.record is None or whole is None else self.record.answer(whole, end)
        if row is None or not self.region(canvas).possible(canvas.write(canvas.free, row)):
            return None
        return row

    def missing(self, canvas: Canvas, before: int) -> tuple[int, ...]:
        """The tokens of the first wanted text that is not there before a cell, nor fixed behind it; none if all are, or
        if none is wanted."""
        there = ~canvas.open & ((np.arange(len(canvas)) < before) | ~canvas.free)
        tokens = np.where(there, canvas.tokens, NOTHING)[canvas.answer]
        text = b" ".join(b"%d" % token for token in [NOTHING, *tokens.tolist(), NOTHING])
        for spellings in self.wanted:
            if not any(b" %b " % b" ".join(b"%d" % token for token in one) in text for one in spellings):
                return spellings[0]
        return ()

    def alike(self, token: int) -> Bools:
        """The tokens that begin as this one does: with a space or not, with a capital or not."""
        shapes = self.alphabet.shapes
        mask: Bools = shapes == shapes[token]
        return mask

    def compatible_writes(self, canvas: Canvas, write: Bools, erase: Bools | None, tokens: Ints, sure: Floats) -> Bools:
        """The subset of `write` whose tokens can all be written without violating the constraint."""
        before = canvas if erase is None else canvas.erase(erase)
        return self.region(canvas).compatible_writes(before, write, tokens, sure)
