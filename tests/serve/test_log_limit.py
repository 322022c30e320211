"""The log grows by at most a hundred lines a minute, whatever callers do."""

import logging
import sys

import pytest

from unmask.serve import log_limit
from unmask.serve.log_limit import LINES, MORE, LogLimit


def test_what_is_repeated_does_not_fill_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed accepts once wrote 99.7 MB of tracebacks in a minute."""
    limit, lines, now = LogLimit(), list[str](), 0.0
    monkeypatch.setattr(log_limit.time, "monotonic", lambda: now)

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.extend(self.format(record).splitlines())

    handler, log = Kept(), logging.getLogger("test of the limit")
    handler.addFilter(limit)
    log.addHandler(handler)
    try:
        for n in range(500):
            try:
                raise OSError(n)
            except OSError:
                log.warning("accept failed %s", n, exc_info=sys.exc_info())
        assert len(lines) <= LINES and lines[-1] == MORE
        assert sum("Traceback" in line for line in lines) == 1
        now = 61.0
        log.warning("another minute")
        assert lines[-1] == "another minute"
    finally:
        log.removeHandler(handler)
