"""Lessons: a Markdown file each, read into blocks that the page shows and `unmask lessons --check` plays.

A file begins with its runs, in YAML between two lines `---`: of each run its prompt, decoder and settings, and its
goals, a sentence and a comparison each (`unmask.inference.measures`). `also` changes the prompt of the runs: the goals
hold there, too. Then come a title (`# …`), a claim that a student can refute (`> …`), paragraphs, and fenced blocks:
`predict` and `check` ask a question (`+` marks the right answer; indented under each answer is the reply to it), `play`
names a run, `why` is for the curious. `[16 looks](passes 1 64)` in a paragraph is a number that can be dragged: it
changes the next `play`. `{record.looks}` in a reply is a measure of a run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.inference.measures import MEASURES
from unmask.run.spec import RunSpec
from unmask.serve.features import features
from unmask.ui.lessons.lesson_run import TWIN, LessonRun, read_runs

FOLDER = Path(__file__).parent
ASKS, FENCED = ("predict", "check"), ("predict", "check", "play", "why")
HANDLE = re.compile(r"\[(-?[\d.]+)([^\]]*)\]\((\w+(?:\.\w+)?) (-?[\d.]+) (-?[\d.]+)\)")
LINK = re.compile(r"\[([^\]]+)\]\((https://[^)\s]+)\)")
PLACEHOLDER = re.compile(r"\{(\w+)\.(\w+(?:\(\w+\))?)\}")


@dataclass(frozen=True)
class Block:
    """One part of a lesson: its kind, the line where it begins, and what it holds."""

    kind: str  # text, predict, check, play or why
    line: int
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Lesson:
    """One lesson as it is written."""

    name: str  # its file's
    title: str
    claim: str
    blocks: tuple[Block, ...]
    runs: Mapping[str, LessonRun]  # in the order in which they are played
    also: tuple[Mapping[str, LessonRun], ...] = ()  # the same runs on other prompts
    language: str = "en"

    @property
    def specs(self) -> list[RunSpec]:
        """What it plays, in order."""
        return [run.spec for run in self.runs.values()]

    def to_dict(self) -> dict[str, Any]:
        """For the page."""
        return {
            "name": self.name,
            "title": self.title,
            "claim": self.claim,
            "blocks": [{"kind": b.kind, **b.fields} for b in self.blocks],
            "runs": {name: run.to_dict() for name, run in self.runs.items()},
            "language": self.language,
        }


def languages() -> list[str]:
    """A folder each."""
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir() and any(folder.glob("*.md")))


@cache
def lessons(language: str = "en") -> tuple[Lesson, ...]:
    """The course, in order. Lessons match by their number; one without a translation is in English."""
    translated = {file.name[:2]: file for file in (FOLDER / language).glob("*.md")}
    return tuple(read(translated.get(file.name[:2], file)) for file in sorted((FOLDER / "en").glob("*.md")))


def own_lessons() -> Iterator[Lesson | InvalidRequest]:
    """The lessons in the folders of `UNMASK_LESSONS`, read anew each time; of one with a mistake, what is wrong."""
    for folder in config().lessons:
        for file in sorted(folder.glob("*.md")):
            try:
                yield read(file)
            except InvalidRequest as error:
                yield error


@cache
def words(language: str = "en") -> dict[str, str]:
    """What stands around the lessons in a language."""
    return dict(json.loads((FOLDER / language / "words.json").read_text(encoding="utf-8")))


@cache
def phrases(language: str) -> dict[str, str]:
    """What the page and its features say in a language, by the English in the code."""
    files = (FOLDER / language / "phrases.json", *(one.folder / f"{language}.json" for one in features()))
    found = (json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists())
    return {phrase: translated for one in found for phrase, translated in one.items()}


def read(file: Path) -> Lesson:
    """A lesson from its file, or a sentence with the line that is wrong."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{file.name}: {error}") from None
    end = next((i for i in range(1, len(lines)) if lines[i] == "---"), 0) if lines[:1] == ["---"] else 0
    if not end:
        raise InvalidRequest(f"{file.name}, line 1: a lesson begins with '---', its runs in YAML, and '---'")
    runs, also = read_runs(file.name, "\n".join(lines[1:end]))
    at = end + 1
    if len(lines) < at + 3 or not lines[at].startswith("# ") or not lines[at + 2].startswith("> "):
        raise InvalidRequest(f"{file.name}, line {at + 1}: after its runs come '# title', an empty line, and '> claim'")
    blocks = tuple(_blocks(file.name, lines, at + 3, runs))
    played = [block.fields["run"] for block in blocks if block.kind == "play"]
    if played != [*runs]:
        raise InvalidRequest(
            f"{file.name}: each run is played once, in the order of the runs: {', '.join(runs)}, "
            f"not {', '.join(played) or 'none'}"
        )
    return Lesson(file.stem, lines[at][2:].strip(), lines[at + 2][2:].strip(), blocks, runs, also, file.parent.name)


def _blocks(name: str, lines: list[str], at: int, runs: Mapping[str, LessonRun]) -> Iterator[Block]:
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            kind, begins = line[3:].strip(), at + 1
            end = next((i for i in range(begins, len(lines)) if lines[i].strip() == "```"), None)
            if kind not in FENCED or end is None:
                raise InvalidRequest(f"{name}, line {at + 1}: a block is one of {', '.join(FENCED)} and ends with ```")
            yield Block(kind, at + 1, _fields(name, kind, lines[begins:end], begins + 1, runs))
            at = end + 1
        elif line.strip():
            end = next(
                (i for i in range(at, len(lines)) if not lines[i].strip() or lines[i].startswith("```")), len(lines)
            )
            yield Block("text", at + 1, {"parts": parts(" ".join(lines[at:end]))})
            at = end
        else:
            at += 1


def _fields(name: str, kind: str, lines: list[str], line: int, runs: Mapping[str, LessonRun]) -> dict[str, Any]:
    if kind == "why":
        paragraphs = [p for p in "\n".join(lines).split("\n\n") if p.strip()]
        return {"paragraphs": [parts(" ".join(p.split())) for p in paragraphs]}
    if kind == "play":
        run = " ".join(lines).strip()
        if run not in runs:
            raise InvalidRequest(f"{name}, line {line}: there is no run '{run}'; there are {', '.join(runs)}")
        return {"run": run}
    return _question(name, lines, line, runs)


def _question(name: str, lines: list[str], line: int, runs: Mapping[str, LessonRun]) -> dict[str, Any]:
    """A question, its answers, which one is right, and the reply to each."""
    rows = [row for row in lines if row.strip()]
    marks = [i for i, row in enumerate(rows) if row.startswith(("- ", "+ "))]
    right = [i for i, at in enumerate(marks) if rows[at].startswith("+")]
    replies = [
        " ".join(row.strip() for row in rows[at + 1 : after])
        for at, after in zip(marks, [*marks[1:], len(rows)], strict=True)
    ]
    if len(marks) < 2 or len(right) != 1 or marks[0] != 1 or not all(replies):
        raise InvalidRequest(
            f"{name}, line {line}: a question of one line, answers with one '+', and indented under each its reply"
        )
    for run, measure in PLACEHOLDER.findall(" ".join(replies)):
        if run not in {*runs, TWIN}:
            raise InvalidRequest(f"{name}, line {line}: {{{run}.{measure}}} names no run of this lesson")
        if measure not in {*MEASURES, "text"} and not (run in runs and runs[run].has_goal_about(measure)):
            raise InvalidRequest(
                f"{name}, line {line}: '{measure}' is no measure; there are text, {', '.join(MEASURES)}"
            )
    return {"question": rows[0], "answers": [rows[at][2:] for at in marks], "right": right[0], "replies": replies}


def parts(text: str) -> list[dict[str, Any]]:
    """A paragraph as plain text, emphasis, links and handles: the page makes nodes of them, never markup."""
    found: list[dict[str, Any]] = []
    pattern = re.compile(rf"{HANDLE.pattern}|{LINK.pattern}|\*([^*]+)\*")
    at = 0
    for match in pattern.finditer(text):
        if match.start() > at:
            found.append({"text": text[at : match.start()]})
        value, unit, knob, low, high, words, address, strong = match.groups()
        if knob:
            numbers = {"value": float(value), "low": float(low), "high": float(high)}
            found.append({"handle": knob, "unit": unit, **numbers})
        elif address:
            found.append({"text": words, "link": address})
        else:
            found.append({"text": strong, "strong": True})
        at = match.end()
    if at < len(text):
        found.append({"text": text[at:]})
    return found
