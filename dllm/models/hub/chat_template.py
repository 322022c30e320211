"""Chat templates: Jinja in a sandbox, with the names and filters that templates on the Hub expect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

# names that a request may not set: what every template gets, and what would choose or continue a template
RESERVED = {"messages", "conversation", "tools", "documents", "add_generation_prompt", "continue_final_message"}
RESERVED |= {"chat_template", "tokenize"}
REASONING = ("reasoning_content", "thinking", "reasoning")  # names of what a model thought, the usual one first


def fill_in(
    template: str, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> str:
    """The text of a conversation, up to the start of the model's turn."""
    given = {"messages": [_message(one) for one in messages], "tools": [dict(tool) for tool in tools] or None}
    return str(_compiled(template).render(**values, **given, documents=None, add_generation_prompt=True))


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message without empty fields, which many templates would print, and with what was thought under each name."""
    kept = {name: value for name, value in message.items() if value is not None}
    thought = next((kept[name] for name in REASONING if name in kept), None)
    return kept if thought is None else {"thinking": thought, **kept, "reasoning_content": thought}


@lru_cache(maxsize=16)
def _compiled(template: str) -> Any:
    sandbox = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    sandbox.filters["tojson"] = _to_json
    sandbox.globals |= {"raise_exception": _refuse, "strftime_now": _now, "namespace": _Names, "dict": _dict}
    return sandbox.from_string(template)


class _Generation(Extension):
    """The tag that marks the model's own words in a template for training; here it changes nothing."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line)


class _Names(Namespace):
    """Variables of a template; those that begin with an underscore could be Python's own."""

    def __init__(*given: Any, **named: Any) -> None:
        for name in dict(*given[1:], **named):
            _checked(name)
        Namespace.__init__(*given, **named)

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(_checked(name), value)


def _checked(name: str) -> str:
    if name.startswith("_"):
        _refuse(f"a namespace may have no '{name}'")
    return name


def _refuse(reason: str) -> NoReturn:
    raise TemplateError(reason)


def _to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    """As JSON: Jinja's own filter writes `<` as an escape, for web pages."""
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _dict(*given: Any, **named: Any) -> dict[Any, Any]:
    return dict(*given, **named)
