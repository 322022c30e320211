"""A download at the command line: progress on one line, ended by Ctrl-C, gone on with by the next one."""

from __future__ import annotations

import sys
import threading
from typing import Any

from unmask.canvas import Refused
from unmask.serve.process_exit import depart

PATIENCE = 1.0  # seconds for a download to close its files


def fetch(what: str) -> int:
    """Download a model into the hub's cache."""
    from unmask.models import read

    stopped, failed = threading.Event(), list[BaseException]()

    def watch(progress: Any) -> None:
        if stopped.is_set():
            raise Refused("stopped")
        share = 100 * progress.done // max(progress.total, 1)
        left = f", about {progress.seconds_left:.0f} s left" if progress.seconds_left else ""
        print(f"\r{share} % of {progress.total / 1e9:.2f} GB{left}   ", end="", file=sys.stderr, flush=True)

    def work() -> None:
        try:
            read(what, watch=watch)
        except Exception as error:  # raised again below, on the main thread
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)  # a signal ends the wait below, and not a read
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        stopped.set()
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        thread.join(PATIENCE)
        depart(130)  # what still waits for an answer of the hub is left behind
    if failed:
        raise failed[0]
    print(f"\n{what} is here now", flush=True)
    return 0
