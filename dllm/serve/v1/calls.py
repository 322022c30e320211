"""Parses tool calls in a text, also one that is still incomplete."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HEAD = re.compile(r'\{"name": ?"([\w.-]+)", ?"arguments": ?(?=\{)')


@dataclass(frozen=True)
class Markup:
    """The text before and after each call."""

    before: str = ""
    after: str = ""


PLAIN, TAGGED = Markup(), Markup("<tool_call>\n", "\n</tool_call>")


@dataclass(frozen=True)
class ParsedCall:
    """A tool call; its arguments may be incomplete JSON."""

    name: str
    arguments: str


@dataclass(frozen=True)
class ParsedAnswer:
    """The content and the tool calls of an answer. Later parses of a growing text extend earlier ones."""

    content: str = ""
    calls: tuple[ParsedCall, ...] = field(default=())


def parse_answer(text: str, markup: Markup) -> ParsedAnswer:
    """Parse a text as tool calls or as content; a text that may still become a call gives neither."""
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
    """The index after the bracket that closes the one at `start`; None if it is not closed yet."""
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
