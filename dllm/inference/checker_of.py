"""The checker of a model's runs. A check that is not of this package is called on a thread, for a limited time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from unmask.models import Denoiser
from unmask.run.check import CheckFunction, own_check
from unmask.run.checker import Checker

SECONDS = 2.0


def checker_of(denoiser: Denoiser, own: Iterable[CheckFunction] = ()) -> Checker:
    """The checks that its settings name, and functions of one's own."""
    return Checker(denoiser.card, denoiser.tokenizer, tuple(map(own_check, own)), limited)


def limited(work: Callable[[], None]) -> None:
    """Call a function, and wait for it so long at most."""
    thread = threading.Thread(target=work, name="check", daemon=True)
    thread.start()
    thread.join(SECONDS)
