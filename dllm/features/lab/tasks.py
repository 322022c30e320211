"""Prompts of one's own with references: a JSONL file, each line `{"prompt": …, "reference": …}`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unmask.errors import InvalidRequest

ROWS, LETTERS = 2_000, 8_000  # prompts of a task; characters of a prompt or of a reference
BYTES = 8 << 20  # of a file
FIELDS = ("prompt", "reference")


@dataclass(frozen=True)
class Item:
    """A prompt of a task, what its answer is compared with, and where it was read."""

    prompt: str
    reference: Any = None
    task: str = ""
    line: int = 0

    @property
    def place(self) -> str:
        """Where a sentence says it is."""
        return f"line {self.line} of '{self.task}'" if self.task else f"the prompt '{self.prompt[:40]}'"


def read_tasks(files: Iterable[str | Path]) -> tuple[Item, ...]:
    """The prompts of some files; the name of a task is that of its file, and no two have one name."""
    found: list[Item] = []
    paths: dict[str, Path] = {}
    for path in map(Path, files):
        if path.stem in paths:
            raise InvalidRequest(f"two tasks are called '{path.stem}': {paths[path.stem]} and {path}; rename one")
        paths[path.stem] = path
        try:
            if path.stat().st_size > BYTES:
                raise InvalidRequest(f"{path} is larger than {BYTES >> 20} MB")
            text = path.read_text("utf-8-sig")
        except OSError as error:
            raise InvalidRequest(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise InvalidRequest(f"{path} is no text in UTF-8: byte {error.start}") from None
        found += read_task(text, path.stem)
    return unique(found)


def read_task(text: str, task: str, rows: int = ROWS) -> tuple[Item, ...]:
    """The prompts of a JSONL text; InvalidRequest names the line that is wrong."""
    found: list[Item] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if len(found) == rows:
            raise InvalidRequest(f"'{task}' has more than {rows:,} prompts: make two tasks of it")
        found.append(_item(line, task, number))
    if not found:
        raise InvalidRequest(f"'{task}' has no prompt: each line is a JSON object with a prompt and its reference")
    return unique(found)


def unique(items: Iterable[Item]) -> tuple[Item, ...]:
    """The prompts, if each is there once: a sweep pairs decoders by prompt."""
    first: dict[str, Item] = {}
    for one in items:
        if one.prompt in first:
            raise InvalidRequest(f"{one.place} has the prompt of {first[one.prompt].place} again")
        first[one.prompt] = one
    return tuple(first.values())


def _item(line: str, task: str, number: int) -> Item:
    place = f"line {number} of '{task}'"
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InvalidRequest(f"{place} is no JSON: {why}"[:300]) from None
    if not isinstance(row, dict) or not isinstance(row.get("prompt"), str) or not row["prompt"].strip():
        raise InvalidRequest(f"{place} has no prompt: it must be a JSON object with a text called 'prompt'")
    if other := [name for name in row if name not in FIELDS]:
        raise InvalidRequest(f"{place} has a field '{other[0][:40]}': only {' and '.join(FIELDS)} are read")
    reference = row.get("reference")
    for name, letters in (("prompt", len(row["prompt"])), ("reference", len(json.dumps(reference)))):
        if letters > LETTERS:
            raise InvalidRequest(f"{place} has a {name} of {letters:,} characters; {LETTERS:,} are possible")
    return Item(row["prompt"], reference, task, number)
