"""Code that a model wrote: right or wrong, without end, without limits, and reaching for what it must not have."""

import sys
from pathlib import Path

import pytest

from unmask.sandbox.run_code import passes

GUARDED = "try:\n  {}\nexcept OSError as error:\n  code = error.errno\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="the filter of system calls is Linux's")


def test_a_program_passes_if_its_tests_run_to_their_end() -> None:
    assert passes("def twice(x): return 2 * x", "assert twice(2) == 4")
    assert not passes("def twice(x): return 2 * x", "assert twice(2) == 5")
    assert passes("import threading\nt = threading.Thread(target=print)\nt.start()", "t.join()")


@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.exit(0)",
        "import os; os._exit(0)",
        "while True: pass",
        "import time; time.sleep(60)",
        "while True: print('x' * 10_000)",
        "x = bytearray(10**9)",
        "def f(): f()\nf()",
    ],
)
def test_leaving_early_and_going_on_for_ever_pass_nothing(program: str) -> None:
    assert not passes(program, "", seconds=1)


@linux
@pytest.mark.parametrize(
    "attempt",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import os; os.fork()",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.kill(os.getppid(), 9)",
        "open('{there}', 'w')",
        "open('{here}', 'a')",
        "import os; os.remove('{here}')",
        "import os; os.rename('{here}', '{there}')",
        "import os; os.truncate('{here}', 0)",
    ],
)
def test_no_network_no_process_no_change_of_a_file(attempt: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.write_text("kept")
    guarded = GUARDED.format(attempt.format(here=here, there=there))
    assert passes(guarded, "assert code == 13, code")  # EACCES: refused by the filter
    assert here.read_text() == "kept" and not there.exists()
