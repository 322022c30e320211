"""Speed against users at once, for a run and its twin on another machine: where they cross, as data, CSV and SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from unmask.errors import InvalidRequest
from unmask.run.clock_sentence import TimedRun
from unmask.run.modelled_time import Clock, modelled_time

USERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
WIDTH, HEIGHT, MARGIN = 640, 360, 56
COLOURS = ("#1f6feb", "#b35900")


@dataclass(frozen=True)
class Point:
    """One side's speed with so many users at once. First text comes with the first pass that writes."""

    users: int
    per_user: float  # tokens a second
    total: float  # tokens a second of all users
    first_pass: float  # seconds, in which the prompt is read
    per_million: float  # cost of a million tokens


@dataclass(frozen=True)
class Crossing:
    """The curves of a run and its twin, and the users at which the twin becomes faster; None within the range."""

    run: tuple[Point, ...]
    twin: tuple[Point, ...]
    at: float | None


def curve(clock: Clock, run: TimedRun, price: float = 0.0, users: Sequence[int] = USERS) -> tuple[Point, ...]:
    """A side's speed for each number of users; `price` is what an hour of the machine costs."""
    if not 0 <= price < math.inf:
        raise InvalidRequest(f"The price of an hour cannot be {price}.", "price")
    points = []
    for count in users:
        time = modelled_time(replace(clock, users=count), run.works, run.measured.tokens)
        total = count * time.tokens_per_second
        cost = price / 3600 / total * 1e6 if total else 0.0
        points.append(Point(count, time.tokens_per_second, total, time.first, cost))
    return tuple(points)


def crossing(clock: Clock, run: TimedRun, twin: TimedRun, price: float = 0.0) -> Crossing:
    """Both curves, and the first number of users at which the side that was faster for one user no longer is."""

    def lead(users: int) -> float:
        one, two = (curve(clock, side, users=(users,))[0].per_user for side in (run, twin))
        return one - two

    at, low, high = None, USERS[0], USERS[-1]
    if run.measured.tokens and twin.measured.tokens and lead(low) * lead(high) < 0:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if lead(middle) * lead(USERS[0]) > 0 else (low, middle)
        at = float(high)
    return Crossing(curve(clock, run, price), curve(clock, twin, price), at)


def to_csv(found: Crossing) -> str:
    """A line for each number of users and side."""
    head = "side,users,tokens_per_second_per_user,tokens_per_second_total,first_pass_seconds,cost_per_million_tokens"
    rows = [
        f"{side},{p.users},{p.per_user:.6g},{p.total:.6g},{p.first_pass:.6g},{p.per_million:.6g}"
        for side, points in (("run", found.run), ("twin", found.twin))
        for p in points
    ]
    return "\n".join([head, *rows, ""])


def to_svg(found: Crossing, names: tuple[str, str], title: str) -> str:
    """Tokens a second per user (solid) and in total (dashed) against users, both on logarithmic axes."""
    values = [v for p in found.run + found.twin for v in (p.per_user, p.total) if v > 0]
    if not values:
        raise InvalidRequest("Neither side wrote a token, so there is no speed to draw.")
    bottom, top = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    top = max(top, bottom + 1)
    last = math.log2(USERS[-1])

    def x(users: float) -> float:
        return MARGIN + math.log2(users) / last * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return HEIGHT - MARGIN - (math.log10(value) - bottom) / (top - bottom) * (HEIGHT - 2 * MARGIN)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12" role="img"><title>{escape(title)}</title><rect width="100%" height="100%" fill="#fff"/>',
        _text(MARGIN, 20, title),
        _text(WIDTH / 2, HEIGHT - 12, "users at once", "middle"),
        _text(MARGIN, 38, "tokens a second, modelled: solid for each user, dashed for all"),
    ]
    for users in USERS:
        parts.append(_text(x(users), HEIGHT - MARGIN + 18, str(users), "middle"))
    for power in range(bottom, top + 1):
        at = y(10**power)
        parts.append(f'<path d="M{MARGIN} {at:.1f}H{WIDTH - MARGIN}" stroke="#ddd"/>')
        parts.append(_text(MARGIN - 6, at + 4, f"{10.0**power:,g}", "end"))
    for name, colour, points in zip(names, COLOURS, (found.run, found.twin), strict=True):
        drawn = [p for p in points if p.per_user > 0]
        for which, dash in (("per_user", ""), ("total", ' stroke-dasharray="6 4"')):
            path = " ".join(f"{x(p.users):.1f},{y(getattr(p, which)):.1f}" for p in drawn)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        row = 54 + 16 * COLOURS.index(colour)
        parts.append(_text(WIDTH - MARGIN, row, name, "end", colour))
    if found.at is not None:
        at = x(found.at)
        parts.append(f'<path d="M{at:.1f} {MARGIN}V{HEIGHT - MARGIN}" stroke="#888" stroke-dasharray="2 3"/>')
        parts.append(_text(at + 4, HEIGHT - MARGIN - 6, f"they cross at {found.at:.0f}"))
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
