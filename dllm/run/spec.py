"""A run spec: everything needed to start a run, as plain values. Every endpoint builds one; a link encodes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from unmask.canvas import BaseTokenizer, Bools, Canvas, Card, blank
from unmask.canvas.text import BLANK, parts_of
from unmask.errors import TOO_LONG, UNKNOWN_TEXT, InvalidRequest, about_field
from unmask.run.check import require_checks
from unmask.run.constraint_check import check_constraint
from unmask.run.free_length import cuts_gaps, with_long_gaps
from unmask.run.message import Text, Whole, Wholes, read
from unmask.run.presets import preset
from unmask.run.settings import SETTINGS, Settings
from unmask.run.state import State, start
from unmask.run.talk import Turns, talk_tokens
from unmask.run.word_request import with_word_request

Parts = list[list[int] | int]  # tokens, and numbers of open cells
LENGTH = 96  # default number of open cells after a prompt
TALK_ROOM = 4  # an earlier turn is left out where an answer would have less than this part of the context
# settings that also apply to a model that writes from left to right
CHECKS = {"checks", "check_options", "check_when", "check_rounds"}
CAUSAL = {name for name, each in SETTINGS.items() if each.scope in ("sampling", "ending")} | {"constraint"} | CHECKS
# settings that a model's card decides, whichever preset is used
ENDING = {name for name, each in SETTINGS.items() if each.scope == "ending"}


@dataclass(frozen=True)
class RunSpec:
    """Prompt, model, decoder, settings and seed of a run."""

    prompt: Text = ""  # the text to continue; ___ and [MASK:6] are blanks to fill
    model: Text = "denoiser"
    length: Whole = LENGTH  # open cells after a prompt without blanks, or before a suffix
    preset: Text = ""  # a decoder by name; empty uses the model's own
    changes: Mapping[str, Any] = field(default_factory=dict)  # settings that differ from the decoder's
    seed: Whole = 0
    # the text after the open cells (infill); the prompt then has no blanks: underscores are text
    suffix: Text | None = None
    tokens: Wholes | None = None  # the prompt as tokens, instead of `prompt`
    # index of the character from which the text is a person's own, with cells that may be reopened
    own_from: Whole | None = None
    draft: Text | None = None  # an answer to begin with: it is written already, and what is to change is erased
    talk: Turns = ()  # earlier turns, for a model with a chat template; underscores in a prompt are text then

    def __post_init__(self) -> None:
        if self.length < 1:
            raise InvalidRequest(f"the length must be at least 1, not {self.length}", "length")
        if self.own_from is not None and (self.tokens is not None or self.suffix is not None):
            raise InvalidRequest("own_from counts the characters of `prompt`: leave it out with tokens or a suffix")
        if self.talk and not (self.own_from is None and self.tokens is None and self.suffix is None and self.prompt):
            raise InvalidRequest("a talk goes on with a `prompt` alone, without tokens, suffix or own_from", "talk")
        if self.own_from is not None and not 0 <= self.own_from <= len(self.prompt):
            raise InvalidRequest(
                f"own_from goes from 0 to {len(self.prompt)} characters, not {self.own_from}", "own_from"
            )
        changes = dict(self.changes)
        object.__setattr__(self, "seed", changes.pop("seed", self.seed))
        object.__setattr__(self, "changes", MappingProxyType(changes))

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> RunSpec:
        """A spec from JSON; InvalidRequest names the first field that is wrong."""
        return read(_adapter(), row, cls.__name__.lower())

    def to_dict(self) -> dict[str, Any]:
        """The spec as JSON, without fields that have their default."""
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        row["changes"] = {k: [*v] if isinstance(v, tuple) else v for k, v in self.changes.items()}
        if "boosts" in row["changes"]:
            row["changes"]["boosts"] = {str(k): v for k, v in row["changes"]["boosts"].items()}
        row["tokens"] = None if self.tokens is None else [*self.tokens]
        standard = {f.name: f.default for f in fields(self)} | {"changes": {}}
        return {k: v for k, v in row.items() if v != standard[k]}

    def parts(self, card: Card, tokenizer: BaseTokenizer) -> Parts:
        """The tokens of the prompt, and the numbers of open cells between and after them."""
        if self.tokens is not None:
            return [self._prompt_tokens(card), self.length]
        if self.talk:
            with about_field("talk"):
                return [talk_tokens(tokenizer, self.talk, self.prompt), self.length]
        with about_field("prompt"):
            if self.suffix is None:
                return self._prompt_parts(card, tokenizer)
            before = tokenizer.encode_prompt(self.prompt) if self.prompt else []
        with about_field("suffix"):
            return [before, self.length, tokenizer.encode(self.suffix)]

    def canvas(self, card: Card, tokenizer: BaseTokenizer, parts: Parts | None = None) -> Canvas:
        """The canvas before the first pass; `parts` saves tokenizing the prompt again."""
        parts = self.parts(card, tokenizer) if parts is None else parts
        if self.draft is not None:
            return self._drafted(card, tokenizer, parts)
        if card.causal:  # it cannot fill blanks: it continues the text before the first one
            first = next(i for i, part in enumerate(parts) if isinstance(part, int))
            parts = [*parts[:first], self.length if parts[first + 1 :] else parts[first]]
        total = sum(part if isinstance(part, int) else len(part) for part in parts)
        if card.whole and isinstance(parts[-1], int):  # as its authors decode: the last block is a whole one
            more = min(-total % card.whole, max(0, card.longest - total))
            parts, total = [*parts[:-1], parts[-1] + more], total + more
        if total > card.longest:
            why = f"prompt and answer have {total} cells; this model sees at most {card.longest}"
            raise InvalidRequest(why, "prompt", TOO_LONG)
        canvas = blank([part for part in parts if part != []])
        return canvas if self.own_from is None else replace(canvas, pinned=self._own_cells(canvas, parts))

    def _drafted(self, card: Card, tokenizer: BaseTokenizer, parts: Parts) -> Canvas:
        """The canvas with the draft in the open cells; those that are left over hold the end of the text."""
        assert self.draft is not None
        with about_field("draft"):
            if card.causal:
                raise InvalidRequest("a model that writes from left to right cannot begin with a draft")
            if not isinstance(parts[-1], int) or sum(isinstance(part, int) for part in parts) > 1:
                raise InvalidRequest("a draft follows a prompt without blanks")
            tokens = tokenizer.encode(self.draft)
            if not tokens:
                raise InvalidRequest("the draft is empty: leave it out")
            length = max(self.length, len(tokens)) if card.ends else len(tokens)
            canvas = replace(self, draft=None).canvas(card, tokenizer, [*parts[:-1], length])
            row, rest = canvas.tokens.copy(), np.flatnonzero(canvas.open)
            row[rest[: len(tokens)]] = tokens
            row[rest[len(tokens) :]] = card.ends[0] if card.ends else tokens[-1]
            return canvas.write(canvas.open, row)

    def fitted(self, card: Card, tokenizer: BaseTokenizer, prompt_optional: bool = False) -> RunSpec:
        """The spec with a length that fits beside the prompt into the model's context; if `prompt_optional`, a prompt
        that the model cannot spell, or that leaves it no cell to write, is left out. Of a talk that is too long, the
        oldest turns are left out."""
        try:
            given = sum(len(part) for part in self.parts(card, tokenizer) if not isinstance(part, int))
        except InvalidRequest as refused:
            if prompt_optional and refused.code == UNKNOWN_TEXT:
                return replace(self, prompt="", own_from=None).fitted(card, tokenizer)
            raise
        if self.talk and given + min(self.length, card.longest // TALK_ROOM) > card.longest:
            return replace(self, talk=self.talk[1:]).fitted(card, tokenizer, prompt_optional)
        if prompt_optional and self.prompt and given >= card.longest:
            return replace(self, prompt="", own_from=None).fitted(card, tokenizer)
        return replace(self, length=min(self.length, max(1, card.longest - given)))

    def _prompt_parts(self, card: Card, tokenizer: BaseTokenizer) -> Parts:
        """Tokens and open cells of the prompt; a person's own part is tokenized by itself."""
        if self.own_from is None:
            prompt = with_word_request(self.prompt, card, self.changes.get("constraint") or {})
            return parts_of(prompt, self.length, tokenizer)
        prompt, own = self.prompt[: self.own_from], self.prompt[self.own_from :]
        if BLANK.search(prompt):
            raise InvalidRequest("own_from is too large: it must not be after the first blank", "own_from")
        if not BLANK.search(own):
            return [tokenizer.encode_prompt(prompt) if prompt else [], tokenizer.encode(own), self.length]
        head = prompt.removesuffix(" ") if BLANK.match(own) else prompt
        return [tokenizer.encode(head), *parts_of(own, self.length, tokenizer)]

    @staticmethod
    def _own_cells(canvas: Canvas, parts: Parts) -> Bools:
        """The cells of a person's own text: all given cells after the prompt."""
        first = parts[0]
        assert not isinstance(first, int)
        return canvas.given & (np.arange(len(canvas)) >= len(first))

    def settings(self, card: Card, cells: int) -> Settings:
        """The settings for an answer of so many cells; a causal model always decodes from left to right."""
        if card.causal:
            kept = {k: v for k, v in self.changes.items() if k in CAUSAL}
            settings = preset("autoregressive").over(cells, **{**_end_settings(card, cells), **kept})
        elif self.preset:
            settings = preset(self.preset).over(cells, **{**_end_settings(card, cells), **self.changes})
        elif card.preset and "policy" not in self.changes:
            settings = self._author_settings(card, cells)
        else:
            settings = Settings().with_changes({**_end_settings(card, cells), **self.changes})
        if card.canvas and not 0 < settings.block <= card.canvas:
            settings = settings.with_changes({"block": card.canvas})
        if card.canvas:
            settings = settings.with_changes({"sight": "block"})
        if card.noise and settings.guidance:
            raise InvalidRequest("guidance hides the prompt behind masks, and this model has none", "guidance")
        return replace(settings, seed=self.seed, noise=card.words if card.noise else 0)

    def start(self, card: Card, tokenizer: BaseTokenizer, parts: Parts | None = None) -> State:
        """The state before the first pass."""
        canvas = self.canvas(card, tokenizer, parts)
        settings = self.settings(card, int(canvas.open.sum()))
        require_checks(settings)
        if settings.room and cuts_gaps(card, settings):
            canvas = with_long_gaps(canvas, min(settings.room, card.longest - len(canvas) + int(canvas.answer.sum())))
            settings = self.settings(card, int(canvas.open.sum()))
        return check_constraint(card, tokenizer, start(canvas, settings))

    def _author_settings(self, card: Card, cells: int) -> Settings:
        """The settings that the model's authors use."""
        own = dict(card.preset.get("settings", {})) | _end_settings(card, cells)
        changes = {**own, **self.changes}
        if options := {**own.get("options", {}), **self.changes.get("options", {})}:
            changes["options"] = options
        return preset(str(card.preset["preset"])).over(cells, **changes)

    def _prompt_tokens(self, card: Card) -> list[int]:
        wrong = [t for t in self.tokens or () if not 0 <= t < card.words]
        if wrong:
            raise InvalidRequest(f"{wrong[0]} is not a token: they go from 0 to {card.words - 1}")
        return [*(self.tokens or ())]


def with_length(parts: Parts, length: int) -> Parts:
    """The parts of a spec without blanks, with so many open cells."""
    return [length if isinstance(part, int) else part for part in parts]


@cache
def _adapter() -> TypeAdapter[RunSpec]:
    return TypeAdapter(RunSpec)


def preset_changes(card: Card, settings: Settings, name: str, cells: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The changes of settings that switch a run to this preset, as if it had been started with it.

    The run keeps what is not part of the decoder: its seed, bans, boosts and constraint."""
    kept = {"seed", "bans", "boosts", "constraint", "noise"} | CHECKS
    fresh = RunSpec(preset=name, changes=changes, seed=settings.seed).settings(card, cells)
    return {k: v for k, v in fresh.to_dict().items() if k not in kept or k in changes}


def _end_settings(card: Card, cells: int) -> dict[str, Any]:
    """The model's own settings for the end of text."""
    own = {k: v for k, v in card.preset.get("settings", {}).items() if k in ENDING}
    if "end_after" in own:  # a short answer must be able to end
        own["end_after"] = min(int(own["end_after"]), cells // 2)
    return own
