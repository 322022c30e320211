"""Lessons: a Markdown file each, read into blocks that the page shows and the tests play.

A file has a title (`# …`), a claim that a student can refute (`> …`), paragraphs, and fenced blocks: `predict` and
`check` ask a question (`+` marks the right answer, the last line says why), `play` is an order as JSON, `why` is for
the curious. `[16 passes](passes 1 64)` in a paragraph is a number that can be dragged: it changes the last `play`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from unmask.errors import InvalidRequest
from unmask.run.spec import RunSpec

FOLDER = Path(__file__).parent
ASKS, FENCED = ("predict", "check"), ("predict", "check", "play", "why")
HANDLE = re.compile(r"\[(-?[\d.]+)([^\]]*)\]\((\w+(?:\.\w+)?) (-?[\d.]+) (-?[\d.]+)\)")
LINK = re.compile(r"\[([^\]]+)\]\((https://[^)\s]+)\)")


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
    language: str = "en"

    @property
    def specs(self) -> list[RunSpec]:
        """What its scripts play, in order."""
        return [RunSpec.from_dict(block.fields["order"]) for block in self.blocks if block.kind == "play"]

    def plain(self) -> dict[str, Any]:
        """For the page."""
        blocks = [{"kind": b.kind, **b.fields} for b in self.blocks]
        return {
            "name": self.name,
            "title": self.title,
            "claim": self.claim,
            "blocks": blocks,
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


@cache
def words(language: str = "en") -> dict[str, str]:
    """What stands around the lessons in a language."""
    return dict(json.loads((FOLDER / language / "words.json").read_text(encoding="utf-8")))


@cache
def phrases(language: str) -> dict[str, str]:
    """What a class and the gallery say in a language, by their English, which stands in the code."""
    file = FOLDER / language / "phrases.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def read(file: Path) -> Lesson:
    """A lesson from its file, or a sentence with the line that is wrong."""
    lines = file.read_text(encoding="utf-8").splitlines()
    if len(lines) < 3 or not lines[0].startswith("# ") or not lines[2].startswith("> "):
        raise InvalidRequest(f"{file.name}, line 1: a lesson begins with '# title', an empty line, and '> claim'")
    title, claim = lines[0][2:].strip(), lines[2][2:].strip()
    return Lesson(file.stem, title, claim, tuple(_blocks(file.name, lines, 3)), file.parent.name)


def _blocks(name: str, lines: list[str], at: int) -> Iterator[Block]:
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            kind, begins = line[3:].strip(), at + 1
            end = next((i for i in range(begins, len(lines)) if lines[i].strip() == "```"), None)
            if kind not in FENCED or end is None:
                raise InvalidRequest(f"{name}, line {at + 1}: a block is one of {', '.join(FENCED)} and ends with ```")
            yield Block(kind, at + 1, _fields(name, kind, lines[begins:end], begins + 1))
            at = end + 1
        elif line.strip():
            end = next(
                (i for i in range(at, len(lines)) if not lines[i].strip() or lines[i].startswith("```")), len(lines)
            )
            yield Block("text", at + 1, {"parts": parts(" ".join(lines[at:end]))})
            at = end
        else:
            at += 1


def _fields(name: str, kind: str, lines: list[str], line: int) -> dict[str, Any]:
    if kind == "why":
        paragraphs = [p for p in "\n".join(lines).split("\n\n") if p.strip()]
        return {"paragraphs": [parts(" ".join(p.split())) for p in paragraphs]}
    if kind == "play":
        try:
            row = json.loads("\n".join(lines))
            label = row.pop("button", "Play it")
            slow = bool(row.pop("slow", False))
            RunSpec.from_dict(row)
        except json.JSONDecodeError as error:
            raise InvalidRequest(f"{name}, line {line + error.lineno - 1}: this is not JSON: {error.msg}") from None
        except (InvalidRequest, AttributeError) as error:
            raise InvalidRequest(f"{name}, line {line}: {error}") from None
        return {"order": row, "button": label, "slow": slow}
    answers = [row for row in lines if row.startswith(("- ", "+ "))]
    right = [i for i, row in enumerate(answers) if row.startswith("+")]
    rest = [row for row in lines if row.strip() and row not in answers]
    if len(answers) < 2 or len(right) != 1 or len(rest) != 2:
        raise InvalidRequest(f"{name}, line {line}: a question, answers with one '+', and one line that says why")
    return {"question": rest[0], "answers": [row[2:] for row in answers], "right": right[0], "because": rest[1]}


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
