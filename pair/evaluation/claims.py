"""What each of the page's six examples says of the models, looked for among prompts and decoders until it is so."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unmask.canvas import Bools
from unmask.inference.decode import decode
from unmask.models import Denoiser
from unmask.pair.worlds import document, strict
from unmask.pair.worlds.fact_agreement import sentences
from unmask.run.frame import Frame
from unmask.run.judge import Verdict
from unmask.run.presets import preset
from unmask.run.spec import CAUSAL, RunSpec
from unmask.run.state import start
from unmask.run.stats import text_cells

FIRST = 4_000_000  # the seed of the first held-out document that is looked at
MOST = 60  # documents looked at for one claim
EACH = 12  # of each kind, where several are looked at
PATIENCE = 90.0  # seconds spent on one claim
BOLD, CAREFUL = 2, 16  # passes
WORSE = 0.85  # of the facts at most agree in a text that is visibly too bold, or
BROKEN = 4  # mistakes at least that are no facts, such as words that make no sentence
REVISING = ("wino", "saber", "llada2.1", "p2", "remdm")
REWRITES = 3  # changes of mind that one can see
PLAIN = (  # in the plainest words that every version of the pair has learned
    "Text: Tess lost a silver key at the barn. The reward is [MASK:2] coins.\n"
    'JSON: {"item": "key", "colour": "silver", "place": "barn", "owner": "Tess", "reward": 63}'
)
NAMES = 3  # times that a name returns


@dataclass(frozen=True)
class Trial:
    """A run as the page would ask for it."""

    prompt: str
    length: int
    preset: str = "fast-dllm"
    changes: Mapping[str, Any] = field(default_factory=lambda: {"end": "stop"})


@dataclass(frozen=True)
class TrialResult:
    """What came of it."""

    text: str  # the whole, the prompt included
    verdict: Verdict
    passes: int
    frames: tuple[Frame, ...]
    ended: bool  # inside a gap, where the text should go on
    shown: Bools  # (cells,) the text that stands in the end: what is behind it is not seen

    @property
    def agree(self) -> tuple[int, int]:
        """Facts that agree, and facts."""
        return sum(fact.holds for fact in self.verdict.facts), len(self.verdict.facts)

    @property
    def rewrites(self) -> int:
        """How often a word of the text was changed or taken back."""
        shown = self.shown
        return sum(int(shown[f.cells[f.was >= 0]].sum()) + int(shown[f.erased].sum()) for f in self.frames)


def outcome(denoiser: Denoiser, trial: Trial) -> TrialResult:
    """The run, with the settings that the page's controls would send."""
    settings = preset(trial.preset).over(trial.length, **trial.changes)
    changes = {name: value for name, value in settings.to_dict().items() if name in CAUSAL}
    spec = RunSpec(trial.prompt, length=trial.length, preset="autoregressive", changes=changes)
    canvas = spec.canvas(denoiser.card, denoiser.tokenizer)
    if denoiser.card.causal:
        settings = spec.settings(denoiser.card, int(canvas.open.sum()))
    run = list(decode(denoiser, start(canvas, settings)))
    last = run[-1][0].canvas
    text = text_cells(last, denoiser.card)
    behind = last.given & (last.given.cumsum() > last.origin)  # what stands behind a blank
    ended = bool(behind.any()) and bool(np.isin(last.tokens[last.answer], denoiser.card.ends).any())
    words = denoiser.tokenizer.decode(last.tokens[last.given | text].tolist())
    prefix = denoiser.tokenizer.decode(last.tokens[: last.origin].tolist())
    frames = tuple(frame for _, frame in run)
    return TrialResult(words, strict(prefix, words), sum(frame.cost for frame in frames), frames, ended, text)


@dataclass(frozen=True)
class Pair:
    """The models of the page."""

    denoiser: Denoiser
    twin: Denoiser


def sides_differ(pair: Pair, trial: Trial) -> bool:
    """Whether the page's two sides write different texts: a comparison of one text with itself shows only the looks."""
    return outcome(pair.denoiser, trial).text.strip() != outcome(pair.twin, trial).text.strip()


@dataclass(frozen=True)
class Claim:
    """One example: where to look, and what must come out. The proof is a sentence with figures; empty, it failed."""

    name: str
    trials: Callable[[Pair], Iterator[Trial]]
    proof: Callable[[Pair, Trial], str]


def documents(shape: str, fits: str = "") -> Iterator[Any]:
    """Held-out documents of a kind whose prompt fits a pattern."""
    for seed in range(FIRST, FIRST + MOST):
        made = document(seed, "held", shape)
        if re.fullmatch(fits or ".*", made.prompt, re.DOTALL):
            yield made


def _endings(pair: Pair) -> Iterator[Trial]:
    for made in documents("story", r"Story: [^\n]+"):
        last = sentences(made.text)[-1]
        spell = pair.denoiser.tokenizer.encode
        cells = len(spell(made.text)) - len(spell(made.prompt)) - len(spell(f" {last}"))
        if made.text.endswith(last) and 30 <= cells <= 90:
            changes = {"end": "forbid", "block": 0}
            yield Trial(f"{made.prompt} [MASK:{cells}] {last}", cells, changes=changes)


def _ending(pair: Pair, trial: Trial) -> str:
    found = outcome(pair.denoiser, trial)
    if not found.verdict.strict or found.ended:
        return ""
    return f"{len(sentences(found.text))} sentences, every fact agrees, and the last is the one that was given"


def _gaps(pair: Pair) -> Iterator[Trial]:
    yield Trial(PLAIN, 96)
    for made in documents("record"):
        row = json.loads(made.text[len(made.prompt) :])
        for value in (v for v in row.values() if isinstance(v, int) and v > 9):
            before, number, after = made.text.partition(f" {value}")
            if not number or after[:1].isdigit() or "JSON" in before:
                continue
            spell = pair.denoiser.tokenizer.encode
            cells = len(spell(before + number)) - len(spell(before))
            yield Trial(f"{before} [MASK:{cells}]{after}", 96, changes={"end": "stop"})


def _gap(pair: Pair, trial: Trial) -> str:
    before, _, after = re.split(r"\[MASK:(\d+)\]", trial.prompt)
    sentence = before + after.partition("JSON:")[0]
    numbers = [v for v in json.loads(after.partition("JSON:")[2]).values() if isinstance(v, int)]
    value = next((str(v) for v in numbers if not re.search(rf"\b{v}\b", sentence)), "")  # it stands nowhere else
    found = outcome(pair.denoiser, trial)
    ours = found.text[len(before.rstrip()) : len(found.text) - len(after)].strip()
    theirs = outcome(pair.twin, trial).text[len(before.rstrip()) :].strip()
    guess = (re.match(r"\d+", theirs) or [""])[0]
    if not value or found.ended or ours != value or guess == value:
        return ""
    return (
        f"{ours} is written, as the JSON says; the twin writes {guess or 'other words'}, and its own text over the JSON"
    )


def _graded(_: Pair) -> Iterator[Trial]:
    """The easiest kind first: good weights write steps right even in two passes."""
    for shape, fits in (("steps", r"Steps: [^\n]+\n"), ("dialogue", ""), ("story", r"Story: [^\n]+")):
        for made in itertools.islice(documents(shape, fits), EACH):
            yield Trial(made.prompt, 112, "llada", {"passes": BOLD, "block": 0, "end": "stop"})


def _bold(pair: Pair, trial: Trial) -> str:
    bold = outcome(pair.denoiser, trial)
    careful = outcome(
        pair.denoiser, Trial(trial.prompt, trial.length, trial.preset, {**trial.changes, "passes": CAREFUL})
    )
    (hold, facts), (holds, of), broken = bold.agree, careful.agree, len(bold.verdict.reasons)
    if not of or holds < of or careful.verdict.reasons or (facts and hold > WORSE * facts and broken < BROKEN):
        return ""
    if bold.passes > BOLD:
        return ""
    wrong, none = (f", and {broken} other mistakes", ", and none") if broken >= BROKEN else ("", "")
    return f"{BOLD} looks: {hold} of {facts} facts agree{wrong}; {CAREFUL} looks: {holds} of {of}{none}"


def _sorts(_: Pair) -> Iterator[Trial]:
    for made in documents("sort"):
        yield Trial(made.prompt, 24)


def _list(pair: Pair, trial: Trial) -> str:
    found = outcome(pair.denoiser, trial)
    numbers = re.findall(r"\d+", trial.prompt)
    most = max(len(frame.cells) for frame in found.frames)
    twin = outcome(pair.twin, trial)
    if not found.verdict.strict or found.passes > 4 or most < len(numbers) or twin.passes < 2 * found.passes:
        return ""
    return f"{len(numbers)} numbers sorted in {found.passes} looks; the twin takes {twin.passes}"


def _stories(_: Pair) -> Iterator[Trial]:
    for made in documents("story", r"Story: [^\n]+"):
        yield Trial(made.prompt, 144)


def _name(pair: Pair, trial: Trial) -> str:
    found = outcome(pair.denoiser, trial)
    names = {
        name: len(re.findall(rf"\b{name}\b", found.text)) for name in re.findall(r"\b[A-Z][a-z]+\b", trial.prompt[6:])
    }
    name = max(names, key=lambda n: names[n], default="")
    if not found.verdict.strict or not name or names[name] < NAMES:
        return ""
    return f"{name} is named {names[name]} times in {len(sentences(found.text))} sentences, and every fact agrees"


def _rewrites(_: Pair) -> Iterator[Trial]:
    """Stories, which seldom go one way only; not the first ones, which show what is too bold."""
    for name in REVISING:
        for made in itertools.islice(documents("story", r"Story: [^\n]+"), EACH, None):
            block = {"block": 0} if preset(name).over(144).block else {}
            yield Trial(made.prompt, 144, name, {"end": "stop", **block})


def _mind(pair: Pair, trial: Trial) -> str:
    """In few looks, which one can follow; and the twin's text is right as well, and another one."""
    found = outcome(pair.denoiser, trial)
    if found.rewrites < REWRITES or found.passes > CAREFUL or not found.verdict.strict:
        return ""
    theirs = outcome(pair.twin, trial)
    if not theirs.verdict.strict or theirs.text.strip() == found.text.strip():
        return ""
    hold, facts = found.agree
    return f"{found.rewrites} words changed or taken back, and in the end {hold} of {facts} facts agree"


CLAIMS: tuple[Claim, ...] = (
    Claim("ending", _endings, _ending),
    Claim("gap", _gaps, _gap),
    Claim("bold", _graded, _bold),
    Claim("list", _sorts, _list),
    Claim("name", _stories, _name),
    Claim("mind", _rewrites, _mind),
)


def find_trial(pair: Pair, claim: Claim, patience: float = PATIENCE) -> tuple[Trial, str]:
    """The first trial that shows the claim, with its proof; else the first trial there is, and no proof."""
    until, first = time.monotonic() + patience, None
    for trial in claim.trials(pair):
        first = first or trial
        if proof := claim.proof(pair, trial):
            return trial, proof
        if time.monotonic() > until:
            break
    assert first is not None, claim.name
    return first, ""
