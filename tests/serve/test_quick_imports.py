"""A server's imports leave out what only editors read, and change nothing else."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
from pathlib import Path

import gradio as gr
import pytest

from unmask.serve import process

PARSED = """
import ast, contextlib, sys
from unmask.serve import process as imports
parsed, parse = [], ast.parse
ast.parse = lambda source, *rest, **named: (parsed.append(source), parse(source, *rest, **named))[1]
with imports.fast_imports() if sys.argv[1] == "quick" else contextlib.nullcontext():
    import gradio
print(sum("class Textbox" in str(source) for source in parsed))
"""


@pytest.mark.parametrize(("how", "parses"), [("quick", False), ("usual", True)])
def test_no_stub_is_written_for_a_component(how: str, parses: bool) -> None:
    """Gradio spent a second of each start of the app on them."""
    command = [sys.executable, "-c", PARSED, how]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert (int(found.stdout) > 0) == parses


def test_who_else_asks_for_a_file_is_answered_and_afterwards_all_is_as_before() -> None:
    real = inspect.getfile
    with process.fast_imports():
        assert inspect.getfile(process) == process.__file__
        with pytest.raises(OSError, match="stubs"):
            inspect.getfile(gr.Textbox)
        assert not gc.isenabled()
    assert inspect.getfile is real and gc.isenabled()
    gc.unfreeze()
