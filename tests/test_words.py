"""A participle names no thing, and retired words are no part of a name: these laws hold for Python and for scripts."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RETIRED = frozenset(("told", "said", "asked", "heard", "held", "written"))  # as a whole name
BOOLEANS = frozenset((("dllm/decide/interface.py", "written"),))  # a mask over cells: true or false, so it may
# words that nobody would search for; each has the field's own word in its place
RETIRED_PARTS = frozenset(
    (
        *("luck", "loan", "lent", "borrowed", "teller", "parcel", "unthinkable", "recall", "recalls", "recalled"),
        *("punctual", "depart", "departure", "relived", "spared", "wish", "wishes", "wished", "shaken", "strangeness"),
        *("sweeping", "unwatched", "foremost", "lingers", "reliance", "speller", "spellers", "misconfigured", "deed"),
        *("onward", "tomography", "familiar", "sought", "roomy", "lain", "afresh", "distant", "minds", "strange"),
    )
)
# fields of messages keep their spelling
WIRE = frozenset(
    (("dllm/serve/doors/requests.py", "if_familiar"), ("dllm/serve/doors/answers.py", "strange")),
)
DECLARED = re.compile(  # names that a script gives: to constants, functions, classes, what is taken apart, and members
    r"\b(?:const|let|class|function\*?)\s+([A-Za-z_$][\w$]*)|\b(?:const|let)\s*([{\[][^=;]*?[}\]])\s*(?:=|of\b)"
    r"|^ +(?:static |async |get |set |\*)*([A-Za-z_]\w*)(?:\s*=[^=>]|;$|\([^()]*\)\s*\{$)",
    re.MULTILINE,
)
SCRIPTS = [
    file
    for room in ("assets", "dllm/features", "tests/js")
    for file in sorted((ROOT / room).rglob("*.js"))
    if "vendor" not in file.parts
]
ROOMS = ("dllm", "ui", "pair", "bench", "examples", "scripts", "tests")
FILES = [ROOT / "app.py", *sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))]


def parts(name: str) -> set[str]:
    """The words of a name, in snake_case or CamelCase."""
    return {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every name that a file gives to something, with its line; what it reads was named elsewhere."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)) | ast.alias(asname=str(name)):
                yield node.lineno, name


def offences(source: str, file: str = "") -> list[str]:
    """The names that break a law, as `file:line: name`."""
    return [
        f"{file}:{line}: {name}"
        for line, name in names(ast.parse(source))
        if (name.lower().strip("_") in RETIRED and (file, name) not in BOOLEANS)
        or (parts(name) & RETIRED_PARTS and (file, name) not in WIRE)
    ]


def script_offences(source: str, file: str = "") -> list[str]:
    """The names of a script that have a retired part, as `file:line: name`; whole names are eslint's `id-denylist`."""
    return [
        f"{file}:{source.count(chr(10), 0, found.start()) + 1}: {name}"
        for found in DECLARED.finditer(source)
        for name in re.findall(r"[A-Za-z_$][\w$]*", "".join(part or "" for part in found.groups()))
        if parts(name) & RETIRED_PARTS
    ]


def test_no_retired_word_names_a_thing_of_the_page() -> None:
    assert len(SCRIPTS) > 250
    assert [
        bad for file in SCRIPTS for bad in script_offences(file.read_text("utf-8"), str(file.relative_to(ROOT)))
    ] == []
    assert [str(file) for file in SCRIPTS if parts(file.stem) & RETIRED_PARTS] == []


@pytest.mark.parametrize(
    "planted",
    [
        "const wish = 1;",
        "let luck;",
        "const { a, lent } = b;",
        "for (const [one, roomy] of rows) go();",
        "function takeWishes() {}",
        "class Teller {}",
        "class A {\n  lent = null;\n}",
        "class A {\n  get wished() {\n  }\n}",
        "class A {\n  async depart(to) {\n  }\n}",
    ],
)
def test_a_planted_name_of_a_script_is_found(planted: str) -> None:
    assert len(script_offences(planted)) == 1


def test_no_retired_word_names_a_thing() -> None:
    assert len(FILES) > 300
    assert [bad for file in FILES for bad in offences(file.read_text("utf-8"), str(file.relative_to(ROOT)))] == []


def test_no_retired_word_names_a_file() -> None:
    stems = {file.relative_to(ROOT): file.stem for file in FILES}
    assert [str(file) for file, stem in stems.items() if stem in RETIRED or parts(stem) & RETIRED_PARTS] == []


@pytest.mark.parametrize(
    "planted",
    [
        "told = 1",
        "for _, held in rows: pass",
        "def said(): pass",
        "async def f(*, asked: int): pass",
        "class Held: pass",
        "self._heard = []",
        "match x:\n    case [*_, written]: pass",
        "import a as told",
        "x: list[str] = [told for told in ()]",
        "ASKED = 3",
        "if (written := f()): pass",
        "luck = 1",
        "class EventTeller: pass",
        "def load(**wishes): pass",
        "self.last_recall = None",
        "MOST_WISHES = 3",
        "def test_a_lent_device_is_given_back(): pass",
        "import a as local_speller",
    ],
)
def test_a_planted_name_is_found(planted: str) -> None:
    assert len(offences(planted)) == 1


@pytest.mark.parametrize("name", ["pluck = 1", "client = 2", "class Teleporter: pass", "def silent(): pass"])
def test_a_word_inside_another_is_no_offence(name: str) -> None:
    assert offences(name) == []
