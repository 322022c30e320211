"""The answer must call some of these tools, each as JSON between two marks, or be one of the allowed other texts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from unmask.decide.constraint import rule
from unmask.decide.grammar.automaton import automaton
from unmask.decide.grammar.json_schema import as_pattern
from unmask.decide.grammar.rule import Alphabet, Rule
from unmask.errors import InvalidRequest

START = '{"name":'


def calls(
    alphabet: Alphabet,
    tools: Sequence[Mapping[str, Any]],
    before: str = "",
    after: str = "",
    most: int = 1,
    otherwise: Sequence[Mapping[str, Any]] = (),
    depth: int = 0,
) -> Rule:
    """At most `most` calls; 0 means any number. `otherwise` lists constraints for texts allowed instead of a call; an
    empty one, `{}`, allows any non-blank text that does not begin like a call."""
    if not tools or most < 0:
        raise InvalidRequest("calls need a list of tools, and `most` from 0 on")
    one = f"{re.escape(before)}{as_pattern(_call(tools), depth)}{re.escape(after)}"
    # one repeated copy of the pattern: one copy per call would multiply the states
    dfa = automaton(rf"\s?({one}\n?){{1,{most or ''}}}", alphabet)
    for other in otherwise:
        text = (
            rule(other, alphabet).automaton
            if other
            else automaton(rf"(?s)\s*({_not_starting_with(before or START)})", alphabet)
        )
        if text is None:
            raise InvalidRequest("what may stand instead of a call cannot be a number of tokens")
        dfa = dfa.union(text)
    return Rule(dfa, structure=not otherwise)


def _call(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A JSON schema for a call of any of these tools."""
    options, parts = [], {}
    for i, tool in enumerate(tools):
        if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
            raise InvalidRequest("a tool has a `name` and its `parameters`")
        parts[str(i)] = _rebase_refs(tool.get("parameters") or {"type": "object", "properties": {}}, f"#/$defs/{i}")
        fields = {"name": {"const": tool["name"]}, "arguments": {"$ref": f"#/$defs/{i}"}}
        options.append({"type": "object", "properties": fields, "required": ["name", "arguments"]})
    return {"anyOf": options, "$defs": parts}


def _rebase_refs(part: Any, where: str) -> Any:
    """A schema nested in another at `where`, with its `$ref`s changed to match."""
    if isinstance(part, Mapping):
        return {
            k: where + v[1:] if k == "$ref" and isinstance(v, str) and v.startswith("#") else _rebase_refs(v, where)
            for k, v in part.items()
        }
    return [_rebase_refs(each, where) for each in part] if isinstance(part, list) else part


def _not_starting_with(mark: str) -> str:
    """A pattern for texts that do not begin with the first three characters of a mark."""
    first, *rest = list(mark[:3])
    pattern = ""
    for letter in reversed(rest):
        pattern = (
            rf"([^{re.escape(letter)}].*|{re.escape(letter)}({pattern}))" if pattern else rf"[^{re.escape(letter)}].*"
        )
    return rf"[^\s{re.escape(first)}].*" + (rf"|{re.escape(first)}({pattern})" if pattern else "")
