"""Freed memory is kept where the C library lets it."""

import subprocess
import sys

import pytest

WHERE = """
import ctypes, pathlib
from unmask.inference import memory
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
def in_heap(size):
    place = libc.malloc(size)
    after = [line for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "[heap]" in line]
    begin, end = (int(x, 16) for x in after[0].split()[0].split("-"))
    return begin <= place < end
before = in_heap(20 << 20)
assert memory.tune_malloc(*memory.{way})
print(before, in_heap(20 << 20), in_heap(100 << 20))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another C library keeps memory its own way")
@pytest.mark.parametrize(("way", "large"), [("SERVING", False), ("TRAINING", True)])
def test_pieces_come_from_the_heap(way: str, large: bool) -> None:
    process = subprocess.run([sys.executable, "-c", WHERE.format(way=way)], capture_output=True, text=True, timeout=60)
    assert process.stdout.split() == ["False", "True", str(large)], process.stderr
