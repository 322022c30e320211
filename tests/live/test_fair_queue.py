"""Fair turns: by visitor first, then by run; being away is no claim to more."""

from dataclasses import dataclass

from unmask.live.fair_queue import MANY, FairQueue


@dataclass
class Run:
    visitor: str
    name: str = ""
    credit: float = 0.0


def served(turns: FairQueue, runs: list[Run], count: int, seconds: float = 1.0) -> list[str]:
    """Who gets the next turns, where all ask again at once."""
    names = []
    for _ in range(count):
        for run in runs:
            turns.add(run)
        first = min(runs, key=turns.order)
        turns.give(first)
        turns.spend(first, seconds)
        names.append(first.name or first.visitor)
    return names


def test_turns_go_round_by_visitor_and_then_by_run() -> None:
    turns = FairQueue()
    runs = [Run("a", f"a{i}") for i in range(3)] + [Run("b", "b0")]
    names = served(turns, runs, 12)
    assert [n[0] for n in names].count("a") == [n[0] for n in names].count("b") == 6
    assert {n: names.count(n) for n in ("a0", "a1", "a2")} == {"a0": 2, "a1": 2, "a2": 2}


def test_a_newcomer_waits_for_nobody_and_starves_nobody() -> None:
    turns = FairQueue()
    old = [Run("a", "a0"), Run("a", "a1")]
    served(turns, old, 100)
    names = served(turns, [*old, Run("b", "b0")], 10)
    assert "b0" in names[:2] and names.count("b0") in (5, 6)
    again = served(turns, [*old, Run("a", "a2")], 9)
    assert again.count("a2") in (2, 3, 4)


def test_a_visitor_who_was_away_has_saved_nothing() -> None:
    turns, a, b = FairQueue(), Run("a"), Run("b")
    served(turns, [a, b], 10)
    served(turns, [a], 100)
    assert served(turns, [a, b], 10).count("b") in (5, 6)


def test_visitors_are_forgotten_in_time() -> None:
    turns = FairQueue()
    for i in range(3 * MANY):
        served(turns, [Run(str(i))], 1, 0.001)
    assert len(turns.shares) <= MANY
