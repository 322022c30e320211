"""A row of the results table: what is measured, the figure, the target, and whether it is met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`met` is None if there is no target."""

    what: str
    figure: str
    wanted: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        """As a line of a Markdown table; a miss is marked."""
        mark = "**missed**" if self.met is False else ""
        return f"| {self.what} | {self.figure} | {self.wanted} | {mark} |"


def at_least(what: str, value: float, wanted: float | None, unit: str = " x", digits: int = 2, note: str = "") -> Row:
    """A row whose figure should be at least `wanted`. `note` follows the figure."""
    figure = f"{value:.{digits}f}{unit}{note}"
    return Row(what, figure) if wanted is None else Row(what, figure, f">= {wanted:g}{unit}", value >= wanted)


def at_most(what: str, value: float, wanted: float | None, unit: str = " x", digits: int = 2, note: str = "") -> Row:
    """A row whose figure should be at most `wanted`."""
    figure = f"{value:.{digits}f}{unit}{note}"
    return Row(what, figure) if wanted is None else Row(what, figure, f"<= {wanted:g}{unit}", value <= wanted)
