"""The folder for temporary files: Gradio makes one when it starts, so where none can be, one sentence says so."""

from __future__ import annotations

import os
import sys
import tempfile

# A folder in memory, which Linux has even where every disk is read-only; only random names are made in it.
MEMORY = "/dev/shm"  # nosec B108
ELSEWHERE = f"Unmask: no folder for temporary files can be written to; {MEMORY} is used. Set TMPDIR to choose one."
NONE = (
    "Unmask needs a folder for temporary files that can be written to: set TMPDIR to one. "
    "Without the page no folder is needed: python -m unmask serve"
)


def settle() -> None:
    """Choose the folder before anybody asks for it, or end with a sentence."""
    try:
        tempfile.gettempdir()
        return
    except FileNotFoundError:
        pass
    if not os.access(MEMORY, os.W_OK):
        print(NONE, file=sys.stderr, flush=True)
        raise SystemExit(2)
    print(ELSEWHERE, file=sys.stderr, flush=True)
    tempfile.tempdir = MEMORY
