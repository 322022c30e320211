"""What the place tells of itself: for its owner, in Prometheus's words, and nothing about anybody."""

import re

from unmask.live.histogram import Histogram
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.event import Done
from unmask.run.spec import RunSpec
from unmask.serve.access import SERVER_RULES, Access, access
from unmask.serve.metrics import lines
from unmask.serve.runtime import Runtime


def test_a_histogram_counts_what_lies_at_or_below() -> None:
    seen = Histogram((1, 2, 5))
    for value in (0.5, 1, 1.5, 5, 9):
        seen.add(value)
    assert list(seen.upto()) == [("1", 2), ("2", 3), ("5", 4), ("+Inf", 5)]
    assert (seen.total, seen.sum, seen.largest) == (5, 17, 9)


async def test_passes_waits_and_tokens_are_counted() -> None:
    runtime = Runtime()
    session = await runtime.open(
        Toy(), RunSpec("1 2", "toy", 8, changes={"policy": "confidence", "passes": 4}), "203.0.113.9"
    )
    reader = session.subscribe(0)
    session.send(Play())
    while not isinstance((await reader.get()).event, Done):
        pass
    text = "\n".join(lines(runtime))
    for wanted in (
        "sessions 1",
        "pass_seconds_count 4",
        "wait_seconds_count 4",
        "pass_tokens_sum 8",
        "visitors 1",
        "ready 1",
    ):
        assert f"unmask_{wanted}" in text, wanted
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) unmask_\w+ .+|unmask_\w+(\{le=\"[^\"]+\"\})? [0-9.e+-]+", line), line
    assert "203.0.113.9" not in text and session.id not in text
    await runtime.close()


def test_they_are_the_owners() -> None:
    assert access("/metrics", SERVER_RULES) is Access.KEYED
