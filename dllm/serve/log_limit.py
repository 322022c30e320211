"""Limits how fast the log grows: what callers can repeat must not fill a disk."""

from __future__ import annotations

import logging
import sys
import time

LINES = 90  # a minute
MINUTE = 60.0
MORE = "further messages are left out of this log for up to a minute"


class LogLimit(logging.Filter):
    """Lets a number of lines through each minute; of messages that repeat, only the first has its traceback."""

    def __init__(self) -> None:
        super().__init__()
        self._began, self._left = -MINUTE, 0
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._began >= MINUTE:
            self._began, self._left = now, LINES
            self._seen.clear()
        kind = f"{record.name} {record.msg}"[:200]
        if kind in self._seen:
            record.exc_info = record.exc_text = None
        self._seen.add(kind)
        traceback = logging.Formatter().formatException(record.exc_info) if record.exc_info else ""
        lines = len([*record.getMessage().splitlines(), *traceback.splitlines()])
        if self._left > 0 and lines >= self._left:
            record.msg, record.args, record.exc_info, lines = MORE, (), None, self._left
        self._left -= lines
        return self._left >= 0


def limit_log() -> None:
    """Limit what is written to the terminal, by uvicorn and by everybody who has no handler."""
    limit = LogLimit()
    for handler in (*logging.getLogger("uvicorn").handlers, *logging.getLogger().handlers, logging.lastResort):
        terminal = isinstance(handler, logging.StreamHandler) and handler.stream in (sys.stdout, sys.stderr)
        if handler and terminal and not any(isinstance(one, LogLimit) for one in handler.filters):
            handler.addFilter(limit)
