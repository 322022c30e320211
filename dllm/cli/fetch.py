"""A download at the command line: progress on one line, ended by Ctrl-C, gone on with by the next one."""

from __future__ import annotations

import sys
import threading
from typing import Any

from dllm.canvas import Refused


def fetch(what: str) -> int:
    """Download a model into the hub's cache."""
    from dllm.models import read

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
        except Exception as error:  # it belongs to whoever asked
            failed.append(error)

    thread = threading.Thread(target=work)  # the library's own threads would go on to the end of a file
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        stopped.set()
        thread.join()
        print("\nstopped; ask again to go on", file=sys.stderr)
        return 130
    if failed:
        raise failed[0]
    print(f"\n{what} is here now", flush=True)
    return 0
