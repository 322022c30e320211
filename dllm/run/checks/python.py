"""Python parses"""

import ast
import re
import warnings
from collections.abc import Iterator

FENCED = re.compile(r"```(?:python|py)?\n(.*?)(?:```|\Z)", re.DOTALL)
CODE = re.compile(r"^(?:def|class|import|from|@|if __name__)\b.*", re.MULTILINE)


def program(text: str, begins: int) -> tuple[int, str] | None:
    """The code of a text and where it begins: its fenced block, else all from the first line that looks like code."""
    if found := FENCED.search(text, max(0, begins - 12)):
        return found.start(1), found[1]
    first = CODE.search(text)
    return None if first is None else (first.start(), text[first.start() :])


def check(text: str, begins: int) -> Iterator[tuple[int, int, str]]:
    """The line that Python cannot read."""
    found = program(text, begins)
    if found is None or "░" in found[1]:
        return
    start, code = found
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        lines = code.split("\n")
        number = min(max(getattr(error, "lineno", None) or len(lines), 1), len(lines))
        while number > 1 and not lines[number - 1].strip():
            number -= 1
        at = start + sum(len(line) + 1 for line in lines[: number - 1])
        line = lines[number - 1]
        end = at + max(len(line.rstrip()), 1)
        yield at + len(line) - len(line.lstrip()), end, f"Python cannot read this line: {getattr(error, 'msg', error)}"
