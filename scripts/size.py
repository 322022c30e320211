"""How large the code is, counted without running it: `python -m scripts.size [PATH]` prints a table of a checkout.

`--wheel` and `--clone` also build the wheel and make a shallow clone. Lines of Python, JavaScript and CSS are counted,
each file once and without vendored ones."""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

COUNTED = (".py", ".js", ".css")
PRODUCT = ("dllm/", "ui/", "assets/")
# how the pair is made; an older tree has it in dllm, beside `unmask eval`
OLDER = "antibody claims decoders gallery lists nonsense offers ood_threshold rules"
MAKING = (
    "pair/",
    "dllm/pair/train/",
    "dllm/pair/scripts/",
    *(f"dllm/pair/evaluation/{name}" for name in OLDER.split()),
)
LONGEST, BRANCHES = 60, 20
IMPORT = re.compile(r"""^(?:import|export)\s(?:[^"';]*?\sfrom\s)?\s*["']([^"']+)["']""", re.M)
ATTRIBUTE = re.compile(r'\bstyle="([^"]*)"')


def tracked(root: Path) -> list[str]:
    """The files of a checkout that git does not ignore, without links."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file() and not (root / name).is_symlink()]


class Tree:
    """A checkout: its files that are counted, with their texts."""

    def __init__(self, root: Path) -> None:
        self.texts = {
            name: (root / name).read_text("utf-8")
            for name in tracked(root)
            if name.endswith(COUNTED) and not name.startswith("assets/vendor/")
        }

    def within(self, *places: str, suffix: str | tuple[str, ...] = COUNTED, without: tuple[str, ...] = ()) -> list[str]:
        """The files whose names begin so."""
        return [
            name
            for name in self.texts
            if name.endswith(suffix) and name.startswith(places) and not name.startswith(without)
        ]

    def lines(self, names: Iterable[str]) -> str:
        found = [self.texts[name].count("\n") for name in names]
        return f"{sum(found):,} in {len(found)} files" if found else "none"

    def functions(self) -> Iterator[tuple[str, str, ast.AST]]:
        """Every function of Python: its file, name and tree."""
        for name in self.within("dllm/", "ui/", suffix=".py", without=MAKING):
            for node in ast.walk(ast.parse(self.texts[name])):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield name, node.name, node

    def loaded(self, start: str = "assets/main.js") -> list[str]:
        """The scripts that one loads by its imports, and theirs; a feature's are served below `features/`."""
        seen, todo = [], [start]
        while todo:
            name = todo.pop()
            if name in seen or name not in self.texts:
                continue
            seen.append(name)
            address = PurePosixPath(name.removeprefix("assets/").removeprefix("dllm/"))
            for target in IMPORT.findall(self.texts[name]):
                parts: list[str] = []
                for part in (address.parent / target).parts if target.startswith(".") else ():
                    parts = parts[:-1] if part == ".." else [*parts, part]
                path = "/".join(parts)
                todo += [f"assets/{path}", f"dllm/{path}"]
        return seen


def length(node: ast.AST) -> int:
    """The lines of a function, from its `def`."""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    return node.end_lineno - node.lineno + 1


def branches(node: ast.AST) -> int:
    """The cyclomatic number, with what ruff's C901 leaves out: `and`, `or`, conditional expressions, comprehensions."""
    count = 1
    for part in ast.walk(node):
        match part:
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.IfExp():
                count += 1
            case ast.ExceptHandler() | ast.match_case():
                count += 1
            case ast.BoolOp(values=values):
                count += len(values) - 1
            case ast.comprehension(ifs=ifs):
                count += 1 + len(ifs)
    return count


def by_ruff(root: Path, names: list[str]) -> int:
    """How many functions ruff's C901 finds too complex."""
    rule = ["--select", "C901", "--config", f"lint.mccabe.max-complexity={BRANCHES}", "--output-format", "json"]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero", *rule, *names]
    return len(json.loads(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout))


def declarations(block: str) -> list[str]:
    """The declarations between two braces, whatever their spaces."""
    rows = (" ".join(row.split()) for row in block.split(";"))
    return [row for row in rows if re.match(r"[a-z-]+ ?: ?\S", row)]


def sheets(tree: Tree) -> list[str]:
    """The declarations of all sheets, and of a template's own."""
    texts = [tree.texts[name] for name in tree.within(*PRODUCT, suffix=".css")]
    for name in tree.within(*PRODUCT, suffix=(".js", ".py")):
        texts += re.findall(r"<style>(.*?)</style>", tree.texts[name], re.S)
    blocks = (re.findall(r"\{([^{}]*)\}?", re.sub(r"/\*.*?\*/", "", text, flags=re.S)) for text in texts)
    return [row for found in blocks for block in found for row in declarations(block)]


def in_scripts(tree: Tree) -> list[str]:
    """The declarations that stand in elements."""
    found = (ATTRIBUTE.findall(tree.texts[name]) for name in tree.within(*PRODUCT, suffix=(".js", ".py")))
    return [row for blocks in found for block in blocks for row in declarations(re.sub(r"\$\{[^}]*\}", "0", block))]


def table(root: Path) -> Iterator[tuple[str, str]]:
    """Each row and its value."""
    tree = Tree(root)
    product = tree.within(*PRODUCT, without=MAKING)
    yield "dllm, ui, assets: lines of py, js, css", tree.lines(product)
    for suffix in COUNTED:
        yield f"  of them {suffix[1:]}", tree.lines(name for name in product if name.endswith(suffix))
    for place in PRODUCT:
        yield f"  of them in {place[:-1]}", tree.lines(tree.within(place, without=MAKING))
    yield "how the pair is made (beside that)", tree.lines(tree.within(*MAKING, without=("pair/tests/",)))
    for place in ("scripts/", "bench/", "assets/stage/", "dllm/models/", "dllm/features/"):
        yield place[:-1], tree.lines(tree.within(place))
    yield "tests", tree.lines(tree.within("tests/", "pair/tests/"))
    loaded = tree.loaded()
    yield (
        "modules that main.js loads",
        f"{len(loaded)}, {sum(tree.texts[name].count(chr(10)) for name in loaded):,} lines",
    )
    css, inline = sheets(tree), in_scripts(tree)
    yield "css: declarations, in scripts besides", f"{len(css):,}, {len(inline)}"
    yield "  distinct", f"{len(set(css) | set(inline)):,}"
    yield "  !important", str(sum("!important" in row for row in css + inline))
    functions = list(tree.functions())
    yield f"functions over {LONGEST} lines in dllm, ui", str(sum(length(node) > LONGEST for *_, node in functions))
    python = tree.within("dllm/", "ui/", suffix=".py", without=MAKING)
    yield f"  cyclomatic number over {BRANCHES} (ruff)", str(by_ruff(root, python))
    yield "  the same, and/or and comprehensions too", str(sum(branches(node) > BRANCHES for *_, node in functions))


def worst(root: Path) -> Iterator[str]:
    """The functions that are too long or too complex."""
    for name, function, node in Tree(root).functions():
        if length(node) > LONGEST or branches(node) > BRANCHES:
            yield f"{name}: {function}, {length(node)} lines, {branches(node)} branches"


def wheel(root: Path) -> str:
    """The size of the wheel, built in a copy's folder."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", place]
        subprocess.run(command, cwd=root, capture_output=True, check=True)
        (made,) = Path(place).glob("*.whl")
        return f"{made.stat().st_size / 1e6:.2f} MB"


def clone(root: Path) -> str:
    """The size of `.git` in a shallow clone of what is committed."""
    with tempfile.TemporaryDirectory() as place:
        branch = Path(place) / "from"
        subprocess.run(["git", "clone", "-q", "--depth", "1", root.resolve().as_uri(), branch], check=True)
        files = [path for path in (branch / ".git").rglob("*") if path.is_file()]
        return f"{sum(path.stat().st_size for path in files) / 1e6:.2f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--worst", action="store_true", help="also name the functions that are too long or complex")
    parser.add_argument("--wheel", action="store_true", help="also build the wheel")
    parser.add_argument("--clone", action="store_true", help="also make a shallow clone")
    chosen = parser.parse_args()
    rows = list(table(chosen.path))
    rows += [("wheel", wheel(chosen.path))] if chosen.wheel else []
    rows += [(".git of a shallow clone", clone(chosen.path))] if chosen.clone else []
    for what, value in rows:
        print(f"{what:42} {value:>22}")
    for line in worst(chosen.path) if chosen.worst else ():
        print(line)


if __name__ == "__main__":
    main()
