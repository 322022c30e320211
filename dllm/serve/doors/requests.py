"""What a client can ask over the socket beside commands to a run. Docstrings become `docs/protocol.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from unmask.models import Denoiser
from unmask.run.message import Flag, Messages, Number, Text, Whole
from unmask.run.spec import LENGTH, RunSpec
from unmask.run.talk import Turns

MOST_SIDES = 4  # of one `open`
MOST_EDITS = 256  # of one side

# a moment, and the edit that leads to it
ScheduledEdit = tuple[Annotated[Whole, Field(ge=1)], Mapping[str, Any]]
Names = Annotated[tuple[Text, ...], Field(min_length=1, max_length=MOST_SIDES)]


@dataclass(frozen=True)
class Side:
    """A model with its decoder, edits for later moments of its run, and the talk that its prompt goes on with."""

    model: Text = "denoiser"
    preset: Text | None = None
    settings: Mapping[str, Any] | None = None
    length: Whole | None = None
    edits: Annotated[tuple[ScheduledEdit, ...], Field(max_length=MOST_EDITS)] = ()
    talk: Turns = ()


@dataclass(frozen=True)
class Open:
    """Start a session for each side, all with the same prompt; blanks in it (`___`, `[MASK:6]`) are filled. From the
    character `own_from` on, the text is the person's own and may be erased. `edits` of a side are pairs of a moment and
    an edit, applied when the run reaches that moment; a pin may name its text. `talk` of a side has the earlier turns,
    each a question and its answer, for a model with a chat template. With `play` the runs start at once; with
    `if_familiar` only if the prompt is of a kind that the first model knows: else `familiar` is the answer, and nothing
    is opened. With `fit`, a length that is too large for a model's context is cut, and the oldest turns of a talk; with
    `prompt_optional` a prompt that the first model cannot read is left out; `opened` then has the changed fields in
    `fitted`."""

    sides: Annotated[tuple[Side, ...], Field(min_length=1, max_length=MOST_SIDES)] = (Side(),)
    prompt: Text = ""
    own_from: Whole | None = None
    length: Whole = LENGTH
    seed: Whole = 0
    play: Flag = False
    slow: Number = 1.0
    pace: Number = 0.0
    entropy: Flag = False
    if_familiar: Flag = False
    fit: Flag = False
    prompt_optional: Flag = False

    def spec(self, side: Side) -> RunSpec:
        length = self.length if side.length is None else side.length
        changes, preset = side.settings or {}, side.preset or ""
        own_from, talk = self.own_from, side.talk
        return RunSpec(self.prompt, side.model, length, preset, changes, self.seed, own_from=own_from, talk=talk)

    def fitted(self, denoisers: Sequence[Denoiser]) -> Open:
        """The request with a prompt and a length that all its models have room for."""
        fitted, first = self, denoisers[0]
        if self.prompt_optional and not self.sides[0].talk:
            spec = self.spec(self.sides[0]).fitted(first.card, first.tokenizer, prompt_optional=True)
            fitted = replace(fitted, prompt=spec.prompt, own_from=spec.own_from)
        pairs = list(zip(self.sides, denoisers, strict=True))
        specs = [fitted.spec(side).fitted(one.card, one.tokenizer) for side, one in pairs]
        lengths = [spec.length for spec, (side, _) in zip(specs, pairs, strict=True) if not side.length]
        sides = tuple(replace(side, talk=spec.talk) for spec, (side, _) in zip(specs, pairs, strict=True))
        return replace(fitted, length=min(lengths, default=self.length), sides=sides)


@dataclass(frozen=True)
class Resume:
    """Follow a session, or resume it after a lost connection: you get the messages after number `after`, or a snapshot.
    Answered by `allowed`: the key decides whether you may watch, steer or own."""

    session: Text
    key: Text = ""
    after: Whole = 0
    entropy: Flag = False


@dataclass(frozen=True)
class Close:
    """End a session for ever; owner only."""

    session: Text


@dataclass(frozen=True)
class Followers:
    """List who follows a session and what each may do; owner only."""

    session: Text


@dataclass(frozen=True)
class Give:
    """Give a follower the right to `watch` or to `steer` while that connection lasts; owner only. A steer key that was
    taken back no longer works."""

    session: Text
    to: Text
    right: Text


@dataclass(frozen=True)
class Plan(RunSpec):
    """What a run would do, without running it; answered by `planned` with its settings and the plan of its passes."""


@dataclass(frozen=True)
class History:
    """All events of the current branch, for viewers who join late; answered by `history`."""

    session: Text


@dataclass(frozen=True)
class Compare:
    """The tree of branches; for the two branches `one` and `two` also what differs, since which pass, and the edits on
    each; answered by `compare`."""

    session: Text
    one: Text | None = None
    two: Text | None = None


@dataclass(frozen=True)
class OodCheck:
    """Whether the prompt is of a kind that the first model was trained on; no run is started. Answered by
    `familiar`."""

    do = "familiar"
    models: Names
    prompt: Text = ""


@dataclass(frozen=True)
class RuleDoubt:
    """Whether the first model would hardly write a good text under a rule; no run is started. Answered by
    `rule_doubt`."""

    do = "rule_doubt"
    models: Names
    prompt: Text = ""
    constraint: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Nonsense:
    """Whether what is final of a session's text makes little sense, before it is finished or after. Answered by
    `nonsense`."""

    session: Text


@dataclass(frozen=True)
class Judge:
    """How many facts of a text, prompt included, agree, if it is of a kind that the judge can read; answered by
    `judged`."""

    prompt: Text = ""
    text: Text = ""


Request = Open | Resume | Close | Followers | Give | Plan | History | Compare | OodCheck | RuleDoubt | Nonsense | Judge
REQUESTS: Messages[Request] = Messages(
    (Open, Resume, Close, Followers, Give, Plan, History, Compare, OodCheck, RuleDoubt, Nonsense, Judge), noun="request"
)


@dataclass(frozen=True)
class PinText:
    """Fix a text in the cells from `at` on, spelled as in that place; with `over`, in the place of so many cells: a
    longer text gets cells of its own, and the rest of a longer word goes."""

    do = "pin"
    at: Whole
    text: Text
    over: Whole = 0
    at_moment: Whole | None = None


@dataclass(frozen=True)
class BanText:
    """Never write a text of one token; `lift` allows it again."""

    do = "ban"
    text: Text
    lift: Flag = False


@dataclass(frozen=True)
class BoostText:
    """Add `amount` to the logit of a text of one token."""

    do = "boost"
    text: Text
    amount: Number = 3.0


TextEdit = PinText | BanText | BoostText
TEXT_EDITS: Messages[TextEdit] = Messages((PinText, BanText, BoostText), noun="edit with a text")


@dataclass(frozen=True)
class Address:
    """What every message to a run has: the session, and the moment of the timeline at which an edit is made: at an
    earlier moment it starts a branch. With `keep`, what a person changed after that moment is changed there, too."""

    session: Text = ""
    at_moment: Whole | None = None
    keep: Flag = False
