"""A participle names no thing: retired words stay out of the names in code, and the law is awake."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RETIRED = frozenset(("told", "said", "asked", "heard", "held", "written"))
BOOLEANS = frozenset((("dllm/decide/interface.py", "written"),))  # a mask over cells: true or false, so it may
ROOMS = ("dllm", "ui", "bench", "examples", "scripts", "tests")
FILES = [ROOT / "app.py", *sorted(file for room in ROOMS for file in (ROOT / room).rglob("*.py"))]


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
    """The names that break the law, as `file:line: name`."""
    return [
        f"{file}:{line}: {name}"
        for line, name in names(ast.parse(source))
        if name.lower().strip("_") in RETIRED and (file, name) not in BOOLEANS
    ]


def test_no_participle_stands_for_a_thing() -> None:
    assert len(FILES) > 300
    assert [bad for file in FILES for bad in offences(file.read_text("utf-8"), str(file.relative_to(ROOT)))] == []
    assert [file for file in FILES if file.stem in RETIRED] == []


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
    ],
)
def test_a_planted_name_is_found(planted: str) -> None:
    assert len(offences(planted)) == 1
