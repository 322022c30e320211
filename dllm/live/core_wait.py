"""How long this thread has waited for a core that something else used, as Linux counts it."""

from __future__ import annotations

# what a run may have waited for a core, if its times are to count: seconds, and a share of its device time
ONCE, SHARE = 0.012, 0.22


def core_wait() -> float:
    """Seconds since the thread began; 0 where the system does not count them."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def is_crowded(waited: float, clock: float) -> bool:
    """Whether something else on the machine took so much of the processor that a run's times say nothing."""
    return waited > ONCE + SHARE * clock
