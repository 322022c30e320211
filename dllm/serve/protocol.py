"""Writes docs/protocol.md from the message types and the texts in protocol.toml: `python -m unmask.serve.protocol`."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from unmask.run.command import COMMANDS
from unmask.run.event import NAMES
from unmask.run.message import Messages
from unmask.serve.doors.requests import REQUESTS, TEXT_EDITS
from unmask.serve.features import features

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"

WORDS: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def protocol() -> str:
    """The page as Markdown."""
    return "\n".join([*_to_the_server(), *_from_the_server()])


def _to_the_server() -> list[str]:
    return [
        "# The socket",
        "",
        "<!-- written by `python -m unmask.serve.protocol` from the message types; a test compares -->",
        "",
        "`ws://HOST/ws`, or `wss:`. Text messages, one JSON object each, 64 KB at the most. Programs send no",
        "`Origin`; pages must be of the same origin. `examples/watch.py` and `examples/watch.html` are whole",
        "clients in thirty lines. Close codes: 1008 invalid or too many messages, 1009 too large, 1013 too slow",
        "for 30 s.",
        "",
        "## Messages to the server",
        "",
        "Every message has `do`; messages about one run have `session`. `id` and `ref` (any number you choose) are",
        "returned with the answer, a refusal or an `edited`. `at_moment` is the moment of the timeline at which an",
        "edit is made: at an earlier moment it starts a branch. A refusal says `why`, and may name the wrong",
        "`field` and a `code` for programs.",
        "",
        "With the right to *watch* a session you may `peek` and ask for its `history`; everything else below needs",
        "the right to *steer*. Only the *owner* may `close`, `rename`, `drop`, ask for `followers` and `give` them",
        "rights.",
        "",
        "| do | with | what happens |",
        "|---|---|---|",
        *(_request(name, kind) for known in requests() for name, kind in known.kinds.items()),
        "",
        "`sides` are 1 to 4 of `{model, preset?, settings?, length?, edits?}`. Edits may name text instead of",
        "token numbers, spelled as in that place:",
        "",
        "| do | with | what happens |",
        "|---|---|---|",
        *(_request(name, kind) for name, kind in TEXT_EDITS.kinds.items()),
        "",
    ]


def _from_the_server() -> list[str]:
    return [
        "## Messages from the server",
        "",
        "Every message has `did`.",
        "",
        "| did | with | what it means |",
        "|---|---|---|",
        *(_event(name, kind) for kind, name in NAMES.items()),
        "| `loading` | `model`, `id`, `stage?`, `done?`, `total?`, `seconds_left?` | "
        f"{_line(WORDS['fields']['loading'])} |",
        f"| `beat` | | {_line(WORDS['fields']['beat'])} |",
        "",
        "Further fields, where they apply:",
        "",
        "| field | what it is |",
        "|---|---|",
        *(f"| `{k}` | {_line(v)} |" for k, v in WORDS["fields"].items() if k not in ("beat", "loading")),
        "",
        "A canvas is `{tokens, kinds, ids?}`: a token and a letter for each cell (`g` given, `y` the person's own",
        "text, given but erasable, `o` open, `p` pinned, `w` written), and the cells' lasting ids if they are not",
        "0, 1, 2 and so on.",
        "",
        "## A frame",
        "",
        "The content of `stepped`. *Packed* is base64 of little-endian numbers, `width` bytes each (`head.width`),",
        "all bits set for no token; probabilities take one byte.",
        "",
        "| key | what it is |",
        "|---|---|",
        *(f"| `{name}` | {says} |" for name, says in WORDS["frame"].items()),
        "",
    ]


def requests() -> list[Messages[Any]]:
    """Every kind of message that the server reads."""
    of_features = [one.requests for one in features() if one.requests]
    return [REQUESTS, *of_features, COMMANDS]


def _request(name: str, kind: type[Any]) -> str:
    arguments = ", ".join(_argument(f) for f in fields(kind) if f.name != "at_moment")
    return f"| `{name}` | {arguments} | {_line(kind.__doc__)} |"


def _argument(f: Field[Any]) -> str:
    if f.default is MISSING and f.default_factory is MISSING:
        return f"`{f.name}`"
    if f.default in (None, "") or isinstance(f.default, tuple) or f.default_factory is not MISSING:
        return f"`{f.name}?`"
    return f"`{f.name}` = {str(f.default).lower()}"


def _event(name: str, kind: type[Any]) -> str:
    if name == "stepped":
        arguments = "a frame, below"
    else:
        arguments = ", ".join(f"`{f.name}`" for f in fields(kind))
    says = (kind.__doc__ or "").split(" `thinking`")[0]
    return f"| `{name}` | {arguments} | {_line(says)} |"


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(protocol(), encoding="utf-8")
