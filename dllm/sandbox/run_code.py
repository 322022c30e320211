"""Runs code that a model wrote: in a process of its own, with limits of time, memory and output.

On Linux the process can open no network, start no other process and change no file (`syscall_filter.py`). It can read
files, as the person who started Unmask can; what it prints is thrown away, and only whether it passed comes back."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from pathlib import Path

from unmask.errors import InvalidRequest

SECONDS, MEMORY_MB = 5, 512


def passes(program: str, tests: str, seconds: int = SECONDS, memory_mb: int = MEMORY_MB) -> bool:
    """Whether a program and then its tests run to their end."""
    if sys.platform == "win32":
        raise InvalidRequest("code can be run on Linux and macOS only: Windows has no limits for a process")
    word = secrets.token_hex(16)  # said at the end; a program that leaves early never says it
    row = {"program": program, "tests": tests, "word": word, "seconds": seconds, "memory_mb": memory_mb}
    child = subprocess.Popen(
        [sys.executable, "-I", "-B", str(Path(__file__).with_name("code_child.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={"PATH": "", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        answer, _ = child.communicate(json.dumps(row).encode(), timeout=seconds + 2)
    except subprocess.TimeoutExpired:
        return False
    finally:
        child.kill()
        child.communicate()
    return child.returncode == 0 and answer == word.encode()
