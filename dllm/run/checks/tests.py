"""Python passes its tests"""

import ast
from collections.abc import Iterator

from unmask.run.checks.python import check as parses
from unmask.run.checks.python import program
from unmask.sandbox.run_code import passes

RUNS_CODE = True  # so it exists only with UNMASK_RUN_CODE=1


def check(text: str, begins: int, *, asserts: str = "") -> Iterator[tuple[int, int, str]]:
    """The function that does not pass `asserts`, lines of Python that are run after the text's own program."""
    found = program(text, begins)
    if found is None or not asserts.strip() or "░" in found[1]:
        return
    start, code = found
    if wrong := list(parses(text, begins)):
        yield from wrong
        return
    for line in asserts.strip().splitlines():
        if not passes(code, line, seconds=2):
            for node in ast.parse(code).body:
                if isinstance(node, ast.FunctionDef) and node.name in line:
                    lines = code.split("\n")
                    first = node.body[-1].lineno
                    at = start + sum(len(one) + 1 for one in lines[: first - 1])
                    end = start + sum(len(one) + 1 for one in lines[: (node.end_lineno or first)]) - 1
                    yield at + len(lines[first - 1]) - len(lines[first - 1].lstrip()), end, f"it does not hold: {line}"
                    return
            yield start, start + len(code.rstrip()), f"it does not hold: {line}"
            return
