"""A sweep in a paragraph, to be pasted into a report."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.features.lab.points import UNBOUNDED, Point, Row
from unmask.features.lab.sweep import MEASURES, Sweep


def paragraph(sweep: Sweep, rows: Sequence[Point], measure: str, machine: str, date: str) -> str:
    """What was run, which decoders are best for their number of passes, and whether one is ahead of all others."""
    lines = [
        f"{_plural(len(sweep.prompts), 'prompt')}, {_plural(len(sweep.seeds), 'seed')}, {sweep.length} cells, "
        f"model {sweep.model}, {len(sweep.decoders)} settings of decoders; {machine}; {date}. "
        f"Measured: {MEASURES[measure]}, with intervals of 95 % over "
        + ("the seeds of this prompt." if len(sweep.prompts) == 1 else "prompts.")
    ]
    front = [point for point in rows if measure in point.best]
    if front:
        lines.append("Best for their number of passes:")
    for point in sorted(front, key=lambda p: p.passes):
        lines.append(
            f"{point.decoder}: {_interval(point.values[measure], measure)} at {point.passes:.1f} passes, "
            f"{point.tokens_per_pass:.2f} tokens a pass{', greedy' if point.greedy else ''}."
        )
    behind = [point for point in rows if measure in point.behind]
    alike = [point for point in behind if not (point.behind[measure][1] > 0 or point.behind[measure][2] < 0)]
    if behind:
        top = next(point.decoder for point in front if measure not in point.behind)
        lines.append(
            f"No difference is seen between {top} and {_plural(len(alike), 'other')} "
            "(paired differences, corrected by Holm)."
            if alike
            else f"{top} is ahead of all others (paired differences, corrected by Holm)."
        )
    return " ".join(lines)


def _plural(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


def _interval(row: Row, measure: str) -> str:
    value, low, high = row
    if measure in UNBOUNDED:
        return f"{value:.2f} [{low:.2f}, {high:.2f}]"
    return f"{value:.0%} [{low:.0%}, {high:.0%}]"
