"""A seccomp filter for this process: no socket, no other process, no change of a file. Linux on x86-64 and arm64.

Each call that is refused fails with EACCES, so that the program sees an ordinary error."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct

NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # of prctl
LOAD, EQUAL, ANY_BIT, RETURN, ABOVE = 0x20, 0x15, 0x45, 0x06, 0x35
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in the record of a call
THREAD, WRITES = 0x10000, 0x3 | 0x40 | 0x200  # CLONE_THREAD; O_WRONLY, O_RDWR, O_CREAT and O_TRUNC

# the word of the architecture; calls that are refused; calls that may open a file to read, with their argument of flags
X86 = (
    0xC000003E,
    [41, 53, 57, 58, 59, 62, 76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 101, 133, 165, 166, 188, 189, 190,
     235, 248, 250, 258, 259, 260, 261, 263, 264, 265, 266, 268, 280, 285, 310, 311, 316, 321, 322, 425, 434, 437],
    {2: 1, 257: 2},
    56,
)  # fmt: skip
ARM = (
    0xC00000B7,
    [5, 6, 7, 33, 34, 35, 36, 37, 38, 39, 40, 45, 46, 47, 52, 53, 54, 55, 88, 117, 129, 198, 199, 217, 219, 221, 270,
     271, 276, 280, 281, 425, 434, 437],
    {56: 2},
    220,
)  # fmt: skip
CLONE3 = 435  # said to be unknown, so that the library falls back to `clone`, whose flags can be read


def program(x86: bool) -> list[tuple[int, int, int, int]]:
    """The filter's instructions: operation, steps if true, steps if false, value."""
    word, refused, opens, clone = X86 if x86 else ARM
    refuse = (RETURN, 0, 0, ERRNO | errno.EACCES)
    rows = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, word),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if x86:  # the other numbering of the same processor
        rows += [(ABOVE, 0, 1, 0x40000000), refuse]
    rows += [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    for number in refused:
        rows += [(EQUAL, 0, 1, number), refuse]
    for number, argument in opens.items():
        rows += [(EQUAL, 0, 4, number), (LOAD, 0, 0, ARGUMENTS + 8 * argument), (ANY_BIT, 0, 1, WRITES), refuse]
        rows += [(RETURN, 0, 0, ALLOW)]
    rows += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, ARGUMENTS), (ANY_BIT, 1, 0, THREAD), refuse]
    return [*rows, (RETURN, 0, 0, ALLOW)]


def install() -> bool:
    """Filter this process from now on; False where the system or the processor has no such filter."""
    machine = platform.machine().lower()
    if machine not in ("x86_64", "amd64", "aarch64", "arm64"):
        return False
    rows = program(machine in ("x86_64", "amd64"))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))

    class Program(ctypes.Structure):
        _fields_ = (("count", ctypes.c_ushort), ("code", ctypes.c_void_p))

    libc = ctypes.CDLL(None, use_errno=True)
    made = Program(len(rows), ctypes.cast(code, ctypes.c_void_p))
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return not libc.prctl(SECCOMP, FILTER, ctypes.byref(made), 0, 0)
