"""Whether texts under a rule are good ones: six kinds of rule, thirty runs of each, strictly judged.

`python -m pair.evaluation.rules` prints how many run and how many are right, and every text that is wrong."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.inference.rule_doubt import rule_doubt
from unmask.models import Denoiser, load
from unmask.pair.worlds import strict
from unmask.pair.worlds.fact_agreement import sentences
from unmask.pair.worlds.kinds import TAG_OF, bare
from unmask.pair.worlds.story import GRAMMAR
from unmask.run.judge import Verdict
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

LISTS = Path(__file__).with_name("rule_lists.json")  # decoders were tuned on the rows with even numbers alone
LENGTH = 112  # open cells, as on the page
# a story with a word from outside the pair's worlds is judged as if it were another of its kind
STAND_INS = {"animal": ("otter", "goat", "duck"), "thing": ("umbrella", "kite", "drum")}
OUTSIDE = {"elephant": "animal", "dragon": "animal", "penguin": "animal", "tiger": "animal", "train": "thing"}
UNFINISHED = ("it ends before its end", "something is left out", "out of order", "the sentences are of different plots")


@dataclass(frozen=True)
class Task:
    """A prompt under a rule, and the judge of its answer."""

    kind: str
    number: int
    prompt: str
    rule: Mapping[str, Any]
    right: Callable[[str], bool]

    @property
    def held_out(self) -> bool:
        return self.number % 2 == 1


@dataclass(frozen=True)
class Outcome:
    """What became of a task: the answer, or why it was refused."""

    task: Task
    text: str
    passes: int
    refused: str = ""
    doubt: str = ""  # what is said before the run: that the model would hardly write such a text

    @property
    def right(self) -> bool:
        return not self.refused and self.task.right(self.text)


def tasks(kinds: Sequence[str] = ()) -> Iterator[Task]:
    """The tasks of these kinds, or of all."""
    lists = json.loads(LISTS.read_text())
    for kind, made in KINDS.items():
        if not kinds or kind in kinds:
            yield from (Task(kind, number, *made(*row)) for number, row in enumerate(lists[kind]))


def attempt(denoiser: Denoiser, task: Task) -> Outcome:
    """Run a task as the page does."""
    changes = {"constraint": dict(task.rule)} if task.rule else {}
    spec = RunSpec(task.prompt, length=LENGTH, changes=changes)
    passes = 0
    try:
        state = spec.start(denoiser.card, denoiser.tokenizer)
    except InvalidRequest as refused:
        return Outcome(task, "", 0, str(refused))
    canvas = state.canvas
    for now, _ in decode(denoiser, state):
        canvas, passes = now.canvas, passes + 1
    doubt = str(rule_doubt(denoiser, task.prompt, task.rule) or "")
    text = answer_text(denoiser, canvas)
    if not task.rule:
        text = denoiser.tokenizer.decode(canvas.tokens.tolist())
    return Outcome(task, text, passes, doubt=doubt)


Made = tuple[str, Mapping[str, Any], Callable[[str], bool]]


def _contains(prompt: str, word: str) -> Made:
    def right(text: str) -> bool:
        return has(word, text) and any(_as_known(prompt, text, word))

    return prompt, {"kind": "contains", "text": word}, right


def _as_known(prompt: str, text: str, word: str) -> Iterator[bool]:
    """Whether the story is strictly right; with a word from outside, as if that were another of its kind."""
    if word in TAG_OF or any(word in key for key in GRAMMAR.index):
        yield strict(prompt, prompt + text).strict
        return
    for known in STAND_INS[OUTSIDE[word]]:
        if (known[0] in "aeiou") == (word[0] in "aeiou") and not has(known, prompt + text):
            yield strict(prompt, prompt + re.sub(rf"\b{word}\b", known, text)).strict


def _avoids(prompt: str, word: str) -> Made:
    return (
        prompt,
        {"kind": "avoids", "text": word},
        lambda text: word not in text and strict(prompt, prompt + text).strict,
    )


def _choice(prompt: str, options: Sequence[str], right: int) -> Made:
    return prompt, {"kind": "choice", "options": [*options]}, lambda text: text.strip() == options[right]


def _schema(text: str, properties: Mapping[str, Any], record: Mapping[str, Any]) -> Made:
    each = {k: {"enum": v} if isinstance(v, list) else {"type": v} for k, v in properties.items()}
    schema = {"type": "object", "properties": each, "required": [*each], "additionalProperties": False}
    return f"Text: {text}\nJSON:", {"kind": "schema", "schema": schema}, lambda answer: _same_record(answer, record)


def _same_record(text: str, record: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(text) == record)
    except ValueError:
        return False


def _pattern(prompt: str, pattern: str, answer: str) -> Made:
    def right(text: str) -> bool:
        if not re.fullmatch(f" ?(?:{pattern})", text):
            return False
        return text.strip() == answer if answer else sound(strict(prompt, prompt + text))

    return prompt, {"kind": "regex", "pattern": pattern}, right


def _gap(before: str, cells: int, ending: str) -> Made:
    def right(whole: str) -> bool:
        if not whole.endswith(ending):
            return False
        lines, given = sentences(whole), len(sentences(before))
        begun = whole[: whole.index(lines[given - 1]) + len(lines[given - 1])]
        if bare(ending.strip())[0] in GRAMMAR.index:
            return strict(begun, whole).strict
        # an ending of somebody's own belongs to no plot
        return len(lines) > given + 1 and sound(strict(begun, whole.removesuffix(ending)))

    return f"{before} [MASK:{cells}]{ending}", {}, right


def sound(verdict: Verdict) -> bool:
    """Whether nothing is wrong in a text but that its plot goes on."""
    facts = all(fact.holds or fact.why.endswith("is named only once") for fact in verdict.facts)
    return facts and all(reason.startswith(UNFINISHED) for reason in verdict.reasons)


def has(word: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(word)}\b", text))


KINDS: Mapping[str, Callable[..., Made]] = {
    "contains": _contains,
    "avoids": _avoids,
    "choice": _choice,
    "schema": _schema,
    "pattern": _pattern,
    "gap": _gap,
}


def counted(outcomes: Sequence[Outcome]) -> str:
    """How many run, and how many are right, in all and of the half that is held out."""
    apart = [one for one in outcomes if one.task.held_out]
    passes = sum(one.passes for one in outcomes)
    doubted = [one for one in outcomes if one.doubt]
    return (
        f"{len(outcomes):3} tasks, {sum(not one.refused for one in outcomes):3} run, "
        f"{len(doubted)} doubted before ({sum(one.right for one in doubted)} of them right), "
        f"{sum(one.right for one in outcomes):3} right, held out {sum(one.right for one in apart)} of {len(apart)}, "
        f"{passes} passes"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m pair.evaluation.rules", description=__doc__)
    parser.add_argument("kinds", nargs="*", help="only these kinds")
    parser.add_argument("--model", default="denoiser", help="denoiser, twin or fast")
    parser.add_argument("--tuned", action="store_true", help="only the half that is not held out")
    parser.add_argument("--texts", action="store_true", help="print every text, not only those that are wrong")
    chosen = parser.parse_args(arguments)
    denoiser, found = load(chosen.model), dict[str, list[Outcome]]()
    for task in tasks(chosen.kinds):
        if chosen.tuned and task.held_out:
            continue
        one = attempt(denoiser, task)
        found.setdefault(task.kind, []).append(one)
        if (chosen.texts or not one.right) and not task.held_out:
            print(task.kind, task.number, "right" if one.right else "wrong", one.passes, dict(task.rule), sep=" · ")
            print(f"    {task.prompt!r} → {one.refused or repr(one.text)}", flush=True)
    for kind, some in found.items():
        print(f"{kind:10} {counted(some)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
