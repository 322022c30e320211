"""The process that `scoring.py` starts: reads a scorer's file, then scores one line of JSON after another.

It imports nothing from the package. Each answer is one short line, also if the scorer raises or prints."""

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any


def _limit_memory(memory_mb: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))


def _read(path: str) -> Callable[[str, str, Any], Any]:
    spec = importlib.util.spec_from_file_location("scorer", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Callable[[str, str, Any], Any] = module.score
    if not callable(score):
        raise TypeError("score must be a function")
    return score


def _answer_of(work: Callable[[], Any], memory_mb: int) -> dict[str, Any]:
    """The score, or why there is none."""
    try:
        value = work()
        if not isinstance(value, Real):
            what = (
                f"the text {value[:20]!r}" if isinstance(value, str) else f"a value of the type {type(value).__name__}"
            )
            return {"why": f"returned {what}, not a number from 0 to 1"}
        number = float(value)
    except MemoryError:
        return {"why": f"needed more than {memory_mb} MB of memory"}
    except BaseException as error:  # also `sys.exit`
        return {"why": f"raised {type(error).__name__}: {str(error)[:200]}"}
    if not isfinite(number) or not 0 <= number <= 1:
        return {"why": f"returned {number:g}, not a number from 0 to 1"}
    return {"score": number}


def main() -> None:
    path, memory, root = sys.argv[1:]
    lines, answer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    silent = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silent, number)
    sys.path.append(root)
    _limit_memory(int(memory))
    scorer: list[Callable[[str, str, Any], Any]] = []

    def read() -> float:
        scorer.append(_read(path))
        return 0.0

    answer.write(json.dumps(_answer_of(read, int(memory))).encode() + b"\n")
    for line in lines:
        row = json.loads(line)
        found = _answer_of(lambda row=row: scorer[0](row["prompt"], row["text"], row["reference"]), int(memory))  # type: ignore[misc]
        answer.write(json.dumps(found).encode() + b"\n")


if __name__ == "__main__":
    main()
