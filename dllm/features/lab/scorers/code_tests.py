"""The share of the reference's tests that the code passes: Python with `assert`, one text or a list of texts.

Each test runs in a process of its own with limits (`run_code.py`), and only if UNMASK_RUN_CODE is 1. The code is the
prompt with the answer, or the answer alone, or the fenced block in it: the first of them that is Python."""

import ast
import re
from typing import Any

from unmask.sandbox.run_code import passes

RUNS_CODE = True
FENCED = re.compile(r"```(?:python|py)?\n(.*?)(?:```|\Z)", re.DOTALL)


def score(prompt: str, text: str, reference: Any) -> float:
    tests = reference if isinstance(reference, list) else [reference]
    if not tests or not all(isinstance(one, str) and one.strip() for one in tests):
        raise ValueError("the reference must be a text with tests, or a list of them")
    program = next((one for one in _candidates(prompt, text) if _is_python(one)), None)
    return 0.0 if program is None else sum(passes(program, one) for one in tests) / len(tests)


def _candidates(prompt: str, text: str) -> list[str]:
    return [*FENCED.findall(text)[:1], prompt + text, text]


def _is_python(program: str) -> bool:
    try:
        ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
