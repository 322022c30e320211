"""The end of the process, after the last messages: at once, though a thread may still be reading a model."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from typing import NoReturn


def depart(status: int) -> NoReturn:
    """End with this status. Python would wait for threads that read, and be aborted by those that compute."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(status)
