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
    """`most` calls, 0 for any number. `otherwise` are constraints whose texts may stand instead; `{}` is any text with
    a letter in it that does not begin like a call."""
    if not tools or most < 0:
        raise InvalidRequest("calls need a list of tools, and how many calls there may be at the most")
    one = f"{re.escape(before)}{as_pattern(_call(tools), depth)}{re.escape(after)}"
    # one copy of the pattern, repeated: a copy for each call would need a state for each of its letters again
    made = automaton(rf"\s?({one}\n?){{1,{most or ''}}}", alphabet)
    for other in otherwise:
        text = (
            rule(other, alphabet).automaton if other else automaton(rf"(?s)\s*({_unlike(before or START)})", alphabet)
        )
        if text is None:
            raise InvalidRequest("what may stand instead of a call cannot be a number of tokens")
        made = made.either(text)
    return Rule(made)


def _call(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One schema for a call of any of them."""
    options, parts = [], {}
    for i, tool in enumerate(tools):
        if not isinstance(tool, Mapping) or not isinstance(tool.get("name"), str):
            raise InvalidRequest("a tool has a `name` and its `parameters`")
        parts[str(i)] = _moved(tool.get("parameters") or {"type": "object", "properties": {}}, f"#/$defs/{i}")
        fields = {"name": {"const": tool["name"]}, "arguments": {"$ref": f"#/$defs/{i}"}}
        options.append({"type": "object", "properties": fields, "required": ["name", "arguments"]})
    return {"anyOf": options, "$defs": parts}


def _moved(part: Any, where: str) -> Any:
    """A schema inside another: its references point to where it stands now."""
    if isinstance(part, Mapping):
        return {
            k: where + v[1:] if k == "$ref" and isinstance(v, str) and v.startswith("#") else _moved(v, where)
            for k, v in part.items()
        }
    return [_moved(each, where) for each in part] if isinstance(part, list) else part


def _unlike(mark: str) -> str:
    """Texts that do not begin like this mark; which they are is known after its first three letters."""
    first, *rest = list(mark[:3])
    pattern = ""
    for letter in reversed(rest):
        pattern = (
            rf"([^{re.escape(letter)}].*|{re.escape(letter)}({pattern}))" if pattern else rf"[^{re.escape(letter)}].*"
        )
    return rf"[^\s{re.escape(first)}].*" + (rf"|{re.escape(first)}({pattern})" if pattern else "")
