"""Calls of tools in a text: how a model writes them, and how far one has come that is still being written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HEAD = re.compile(r'\{"name": ?"([\w.-]+)", ?"arguments": ?(?=\{)')


@dataclass(frozen=True)
class Markup:
    """What stands around each call."""

    before: str = ""
    after: str = ""


PLAIN, TAGGED = Markup(), Markup("<tool_call>\n", "\n</tool_call>")


@dataclass(frozen=True)
class ParsedCall:
    """A call, or as much of its arguments as stands there."""

    name: str
    arguments: str


@dataclass(frozen=True)
class ParsedAnswer:
    """What an answer says: its text, and the calls it makes. What was read before is the beginning of it."""

    content: str = ""
    calls: tuple[ParsedCall, ...] = field(default=())


def parse_answer(text: str, markup: Markup) -> ParsedAnswer:
    """A text that is either calls or something else; while it may still become a call it says nothing."""
    text = text.lstrip()
    start = markup.before + '{"name":'
    if not text.startswith(start):
        return ParsedAnswer("" if start.startswith(text) else text)
    calls: list[ParsedCall] = []
    at = 0
    while text.startswith(start, at):
        at += len(markup.before)
        found = HEAD.match(text, at)
        if found is None:
            break
        ends = closing(text, found.end())
        calls.append(ParsedCall(found[1], text[found.end() : ends]))
        if ends is None:
            break
        at = ends + len("}") + len(markup.after)
        while text[at : at + 1].isspace():
            at += 1
    return ParsedAnswer("", tuple(calls))


def closing(text: str, start: int = 0) -> int | None:
    """Behind the bracket that closes the one at `start`; None where it is still to come."""
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        letter = text[at]
        if quoted:
            quoted, escaped = escaped or letter != '"', letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            depth += 1
        elif letter in "}]":
            depth -= 1
            if not depth:
                return at + 1
    return None
