"""A grammar as a regular expression, written as llama.cpp (`root ::= …`) or Lark (`start: …`) has it.

A rule that begins or ends with itself is a repetition. Any other recursion goes on to a depth: the texts are then some
of the grammar's, and all of them are the grammar's. What Lark ignores between tokens is not written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from unmask.decide.grammar.budget import spend
from unmask.decide.grammar.json_schema import MOST_PATTERN
from unmask.decide.grammar.numbers import either
from unmask.decide.grammar.pattern import MOST_LETTERS
from unmask.errors import InvalidRequest

STEPS = 100  # of a budget, for each rule that is written out
COMMON = {  # what Lark's `%import common.NAME` brings
    "DIGIT": "[0-9]",
    "HEXDIGIT": "[0-9a-fA-F]",
    "INT": "[0-9]+",
    "SIGNED_INT": "[+-]?[0-9]+",
    "DECIMAL": r"(?:[0-9]+\.[0-9]*|\.[0-9]+)",
    "FLOAT": r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "NUMBER": r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "SIGNED_FLOAT": r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "SIGNED_NUMBER": r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
    "LCASE_LETTER": "[a-z]",
    "UCASE_LETTER": "[A-Z]",
    "LETTER": "[a-zA-Z]",
    "WORD": "[a-zA-Z]+",
    "CNAME": "[a-zA-Z_][a-zA-Z0-9_]*",
    "ESCAPED_STRING": r'"(?:[^"\\\n]|\\.)*"',
    "WS": r"[ \t\f\r\n]+",
    "WS_INLINE": r"[ \t]+",
    "NEWLINE": r"(?:\r?\n)+",
}
HEAD = re.compile(r"[ \t]*[?!]*([A-Za-z_][\w-]*)(?:\.-?\d+)?[ \t]*(::=|:(?!:))")
STRING = r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'"
TOKEN = re.compile(
    rf"(?P<string>(?:{STRING})i?)"
    r"|(?P<regex>/(?!/)(?:[^/\\\n]|\\.)+/[imslux]*)"
    r"|(?P<times>~[ \t]*\d+(?:[ \t]*\.\.[ \t]*\d+)?|\{[ \t]*\d+[ \t]*(?:,[ \t]*\d*)?[ \t]*\})"
    r"|(?P<dots>\.\.)|(?P<alias>->[ \t]*\w+)|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>[][()|?*+.])"
)
CLASS = re.compile(r"\[(?:[^\]\\\n]|\\.)+\]")
SPACE = re.compile(r"[ \t\r\n]+")
COMMENT = {"::=": re.compile(r"#[^\n]*"), ":": re.compile(r"//[^\n]*|#[^\n]*")}
DIRECTIVE = re.compile(r"%(\w+)[ \t]*([^\n]*)")


@dataclass(frozen=True)
class Text:
    """A piece of a pattern that names no rule."""

    pattern: str


@dataclass(frozen=True)
class Named:
    """The text of another rule."""

    name: str


@dataclass(frozen=True)
class Repeated:
    """A part, so many times."""

    part: Part
    times: str  # as a pattern has it: ?, *, + or {2,3}


@dataclass(frozen=True)
class Sequence:
    """Parts one after another."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Either:
    """One of several parts."""

    options: tuple[Part, ...]


Part = Text | Named | Repeated | Sequence | Either


class _TooDeepError(Exception):
    """A rule would contain itself more often than is allowed."""


def grammar_pattern(text: str, depth: int) -> str:
    """A pattern for texts of a grammar in which no rule contains itself more than `depth` times."""
    if len(text) > MOST_LETTERS:
        raise InvalidRequest(f"the grammar is too long: it may have {MOST_LETTERS} characters")
    try:
        rules = _Reader(text).rules()
        start = next((name for name in ("root", "start") if name in rules), next(iter(rules)))
        return _Writer(rules, depth).named(start, ())
    except _TooDeepError:
        why = f"every text of the grammar has a rule inside itself more than {depth} times"
        raise InvalidRequest(why) from None
    except RecursionError:
        raise InvalidRequest("the grammar is nested too deeply") from None


class _Reader:
    """Reads the rules of a grammar."""

    def __init__(self, text: str) -> None:
        heads = [found for line in re.finditer(r"^.*$", text, re.M) if (found := HEAD.match(text, line.start()))]
        if not heads:
            raise InvalidRequest('a grammar has rules, such as root ::= "yes" | "no"')
        self.text, self.notation = text, heads[0][2]
        self.heads = {head.start(): head for head in heads if head[2] == self.notation}
        self.tokens = list(self._tokens())
        self.at = 0

    def _tokens(self) -> Iterator[tuple[str, str]]:
        at = 0
        while at < len(self.text):
            if head := self.heads.get(at):
                yield "head", head[1]
            elif self.text[at] == "%" and (directive := DIRECTIVE.match(self.text, at)):
                yield "directive", f"{directive[1]} {directive[2]}"
                at = directive.end()
                continue
            match = head or SPACE.match(self.text, at) or COMMENT[self.notation].match(self.text, at)
            if match:
                at = match.end()
                # a head begins with the blanks of its line
                at = at if head else min([here for here in self.heads if match.start() < here < at], default=at)
                continue
            match = CLASS.match(self.text, at) if self.notation == "::=" else None
            if match:
                yield "class", match[0]
            else:
                match = TOKEN.match(self.text, at)
                if not match:
                    raise InvalidRequest(f"the grammar cannot be read at {self.text[at : at + 20]!r}")
                yield str(match.lastgroup), match[0]
            at = match.end()

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def _take(self, *wanted: str) -> bool:
        """Goes over the next token if it is one of these."""
        found = self._next()[1] in wanted and self._next()[0] == "sign"
        self.at += found
        return found

    def rules(self) -> dict[str, Part]:
        found: dict[str, Part] = {}
        while self.at < len(self.tokens):
            kind, what = self._next()
            self.at += 1
            if kind == "directive":
                found |= self._directive(what)
            elif kind == "head":
                found[what] = self._either()
            else:
                raise InvalidRequest(f"the grammar has {what[:20]!r} outside of a rule")
        return found

    def _directive(self, what: str) -> dict[str, Part]:
        word, _, rest = what.partition(" ")
        if word == "ignore":
            return {}
        names = re.fullmatch(r"common\s*\.\s*(\w+)(?:\s*->\s*(\w+))?|common\s*\(([\w\s,]+)\)", rest.strip())
        if word != "import" or not names:
            raise InvalidRequest(f"a grammar here has %import common.NAME and %ignore, not %{what[:40]}")
        each = [name.strip() for name in (names[1] or names[3]).split(",")]
        if unknown := next((name for name in each if name not in COMMON), None):
            raise InvalidRequest(f"the grammar imports {unknown!r}; what can be imported: {', '.join(COMMON)}")
        return {names[2] or name: Text(COMMON[name]) for name in each}

    def _either(self) -> Part:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while part := self._part():
            if self._take("?", "*", "+"):
                part = Repeated(part, self.tokens[self.at - 1][1])
            elif self._next()[0] == "times":
                low, _, high = re.sub(r"[~{}\s]", "", self._next()[1]).replace("..", ",").partition(",")
                part = Repeated(part, f"{{{low},{high}}}" if self._next()[1].count(",") + bool(high) else f"{{{low}}}")
                self.at += 1
            parts.append(part)
        if self._next()[0] == "alias":
            self.at += 1
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _part(self) -> Part | None:
        kind, what = self._next()
        self.at += 1
        if kind == "string":
            return self._range(what)
        if kind == "name":
            return Named(what)
        if kind == "regex":
            body, _, flags = what[1:].rpartition("/")
            if set(flags) - set("su"):
                raise InvalidRequest(f"a pattern in a grammar has no flags but s: {what[:40]}")
            return Text(f"(?s:{body})" if "s" in flags else f"(?:{body})")
        if kind == "class":
            return Text("[" + re.sub(r"(?<!\\)([\[&~|])", r"\\\1", what[1:-1]) + "]")
        if (kind, what) == ("sign", "."):
            return Text(".")
        if (kind, what) in (("sign", "("), ("sign", "[")):
            inside = self._either()
            if not self._take(")" if what == "(" else "]"):
                raise InvalidRequest(f"the grammar opens {what} and does not close it")
            return inside if what == "(" else Repeated(inside, "?")
        self.at -= 1
        return None

    def _range(self, what: str) -> Part:
        """A text in quotes, or the letters between two."""
        if self._next()[0] != "dots":
            return Text(_literal(what))
        self.at += 1
        kind, last = self._next()
        self.at += 1
        ends = [ast.literal_eval(one) for one in (what, last)] if kind == "string" else []
        if [len(one) for one in ends] != [1, 1]:
            raise InvalidRequest(f'a range in a grammar has two letters, as "a".."z": {what[:20]}..{last[:20]}')
        return Text(f"[{re.escape(ends[0])}-{re.escape(ends[1])}]")


def _literal(quoted: str) -> str:
    any_case = quoted.endswith("i")
    try:
        text = str(ast.literal_eval(quoted.removesuffix("i")))
    except (SyntaxError, ValueError) as error:
        raise InvalidRequest(f"the grammar has a text that cannot be read: {quoted[:40]}") from error
    if not any_case:
        return re.escape(text)
    return "".join(f"[{c.lower()}{c.upper()}]" if c.lower() != c.upper() else re.escape(c) for c in text)


class _Writer:
    """Writes rules as one pattern."""

    def __init__(self, rules: Mapping[str, Part], depth: int) -> None:
        self.rules = {name: _without_loop(name, part) for name, part in rules.items()}
        self.depth = depth

    def named(self, name: str, inside: tuple[str, ...]) -> str:
        if name not in self.rules:
            raise InvalidRequest(f"the grammar has no rule {name!r}")
        if inside.count(name) > self.depth:
            raise _TooDeepError
        spend(STEPS)
        pattern = self.of(self.rules[name], (*inside, name))
        if len(pattern) > MOST_PATTERN:
            raise InvalidRequest("the grammar is too large: write it with less recursion, or with a smaller depth")
        return f"(?:{pattern})"

    def of(self, part: Part, inside: tuple[str, ...]) -> str:
        match part:
            case Text(pattern):
                return pattern
            case Named(name):
                return self.named(name, inside)
            case Sequence(parts):
                return "".join(self.of(one, inside) for one in parts)
            case Repeated(repeated, times):
                try:
                    return f"(?:{self.of(repeated, inside)}){times}"
                except _TooDeepError:
                    if times in ("?", "*") or times.startswith("{0"):
                        return ""
                    raise
            case Either(options):
                found = []
                for option in options:
                    with suppress(_TooDeepError):  # another option may end the recursion
                        found.append(self.of(option, inside))
                if not found:
                    raise _TooDeepError
                return either(found)


def _without_loop(name: str, rule: Part) -> Part:
    """The rule as a repetition, if each of its options that contains it begins, or each ends, with it."""
    options = rule.options if isinstance(rule, Either) else (rule,)
    loops = [one for one in options if _mentions(name, one)]
    others = tuple(one for one in options if not _mentions(name, one))
    if not loops or not others:
        return rule
    for end in (-1, 0):
        rests = [one.parts[:-1] if end else one.parts[1:] for one in loops if isinstance(one, Sequence)]
        plain = [one for one in loops if isinstance(one, Sequence) and one.parts[end] == Named(name)]
        if len(plain) == len(loops) and not any(_mentions(name, one) for rest in rests for one in rest):
            again = Repeated(Either(tuple(Sequence(rest) for rest in rests)), "*")
            return Sequence((again, Either(others)) if end else (Either(others), again))
    return rule


def _mentions(name: str, part: Part) -> bool:
    match part:
        case Named(other):
            return other == name
        case Repeated(repeated, _):
            return _mentions(name, repeated)
        case Sequence(parts) | Either(parts):
            return any(_mentions(name, one) for one in parts)
        case Text(_):
            return False
