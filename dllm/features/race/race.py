"""A race and its results: all racers at once on one clock, or one at a time for five rounds, with the spread."""

from __future__ import annotations

import asyncio
import csv
import datetime
import io
import json
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from unmask.features.race.providers.meter import Meter
from unmask.features.race.racers import Racer

ROUNDS = 5
MOST = 8 << 20  # characters of text in a trace; beyond that only final texts are kept
CHARTED = ("first", "end", "tokens_per_second", "tokens_per_second_after_first")
FIGURES = (
    "first_reasoning", "first", "first_settled", "end", "closed", "given", "tokens", "reasoning", "content",
    "tokens_per_second", "tokens_per_second_after_first", "cost",
)  # fmt: skip


@dataclass(frozen=True)
class News:
    """An update of a racer; `at` is in seconds on the race's clock."""

    racer: int
    round: int
    at: float
    text: str
    settled: int
    done: bool
    meter: Meter


@dataclass
class Race:
    """One prompt for several racers, and their results."""

    racers: Sequence[Racer]
    prompt: str
    length: int = 96
    began: str = ""
    results: list[News] = field(default_factory=list)
    updates: list[News] = field(default_factory=list)
    _characters: int = 0

    async def at_once(self, round: int = 0) -> AsyncIterator[News]:
        """Start all racers at once; one that fails reports it, and the others continue."""
        queue: asyncio.Queue[News | None] = asyncio.Queue(maxsize=64)
        start = self._start()

        async def follow(racer: int) -> None:
            async for news in self._updates(racer, round, start):
                await queue.put(news)
            await queue.put(None)

        tasks = [asyncio.ensure_future(follow(racer)) for racer in range(len(self.racers))]
        try:
            left = len(tasks)
            while left:
                news = await queue.get()
                if news is None:
                    left -= 1
                else:
                    yield self._record(news)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def in_turns(self, rounds: int = ROUNDS) -> AsyncIterator[News]:
        """Run one racer at a time, so that none slows another; each round starts with another racer."""
        for round in range(rounds):
            order = [(round + i) % len(self.racers) for i in range(len(self.racers))]
            for racer in order:
                async for news in self._updates(racer, round, self._start()):
                    yield self._record(news)

    def _start(self) -> float:
        self.began = self.began or datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return time.perf_counter()

    async def _updates(self, racer: int, round: int, start: float) -> AsyncIterator[News]:
        async for update in self.racers[racer].run(self.prompt, self.length):
            at = time.perf_counter() - start
            yield News(racer, round, at, update.text, update.settled, update.done, update.meter)

    def _record(self, news: News) -> News:
        self._characters += len(news.text)
        if news.done or self._characters <= MOST:
            self.updates.append(news)
        if news.done:
            self.results.append(news)
        return news

    def table(self) -> list[dict[str, Any]]:
        """A row for each racer: the median and spread of each figure over its rounds, and failures."""
        return [self._row(racer) for racer in range(len(self.racers))]

    def _row(self, racer: int) -> dict[str, Any]:
        runs = [n.meter for n in self.results if n.racer == racer]
        good = [m for m in runs if not m.failed]
        row: dict[str, Any] = self.racers[racer].fields() | {
            "racer": racer,
            "runs": len(runs),
            "failed": len(runs) - len(good),
        }
        for name in FIGURES:
            values = [v for m in good if (v := getattr(m, name)) is not None]
            row[name] = round(statistics.median(values), 6) if values else None
            row[f"{name}_spread"] = [round(min(values), 6), round(max(values), 6)] if len(values) > 1 else None
        # a number for each round, for the chart; None if unknown
        row["rounds"] = {name: [getattr(m, name) for m in good] for name in CHARTED}
        row["unmeasurable"] = next((m.unmeasurable for m in good if m.unmeasurable), "")
        row["seen"] = next((m.seen for m in reversed(good) if m.seen), None)
        row["passes"] = next((m.passes for m in good if m.passes is not None), None)
        row["rewrites"] = max((m.rewrites for m in good), default=0)
        row["cost_from"] = next((m.cost_from for m in good if m.cost_from), "unknown")
        row["region"] = next((m.region for m in good if m.region), "")
        row["why"] = next((m.why for m in runs if m.why), "")
        return row

    def csv(self) -> str:
        """Every run as a line of CSV; an unknown value is empty, never 0."""
        out = io.StringIO()
        names = ["began", "racer", "title", "kind", "where", "model", "round", *FIGURES]
        names += ["cost_from", "passes", "drafts", "rewrites", "retries", "unmeasurable", "region", "failed", "why"]
        writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for news in sorted(self.results, key=lambda n: (n.round, n.racer)):
            row = self.racers[news.racer].fields() | news.meter.to_dict()
            row |= {"began": self.began, "racer": news.racer, "round": news.round}
            writer.writerow({k: _escape_formula(v) for k, v in row.items()})
        return out.getvalue()

    def trace(self) -> str:
        """The race as JSON lines: a header, then each update with its time and the whole text so far."""
        head = {"unmask_race": 1, "began": self.began, "prompt": self.prompt, "length": self.length}
        lines = [head | {"racers": [racer.fields() for racer in self.racers]}]
        for news in self.updates:
            row = {"racer": news.racer, "round": news.round, "at": round(news.at, 4), "text": news.text}
            row |= {"settled": news.settled} | ({"done": True, "meter": news.meter.to_dict()} if news.done else {})
            lines.append(row)
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _escape_formula(value: Any) -> Any:
    """Escape a value that a spreadsheet would read as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value
