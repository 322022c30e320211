"""Fair turns: by visitor first, then by run; being away is no claim to more."""

import asyncio
from dataclasses import dataclass
from typing import Any

from tests.support import begin
from unmask.live.fair_queue import MANY, FairQueue, Waiting
from unmask.live.request import Client, Job, Request, Turn
from unmask.models.toy import Toy


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


# what a device does next: chosen without a device, a thread or a model


def request(client: Client, model: Any = None, **changes: int) -> Request:
    return Request(client, model or Toy(), begin(**changes), False, loop=asyncio.new_event_loop())


def chosen(queue: FairQueue, waiting: Waiting, workers: int = 1, batch: int = 16) -> list[str] | None:
    turn = queue.choose(waiting, workers, batch)
    return None if turn is None else [one.client.name for one in turn.batch] or ["job"]


def test_the_client_with_the_least_device_time_goes_first_and_those_of_its_shape_with_it() -> None:
    queue, toy = FairQueue(), Toy()
    poor, rich, other = Client("poor"), Client("rich"), Client("other")
    for client in (poor, rich, other):
        queue.add(client)
    queue.spend(poor, 1.0)
    queue.spend(rich, 2.0)
    queue.spend(other, 3.0)
    requests = [request(rich, toy), request(poor, toy), request(other, Toy())]
    assert chosen(queue, Waiting(requests)) == ["poor", "rich"]
    assert chosen(queue, Waiting(requests), batch=1) == ["poor"]
    assert chosen(queue, Waiting(requests, returning=[Client("poorer")])) is None  # it may ask again at once
    assert chosen(queue, Waiting([])) is None


def test_sides_of_a_pair_never_share_a_forward_and_never_run_at_once() -> None:
    queue, toy = FairQueue(), Toy()
    toy.concurrent = True
    left, right, stranger = Client("left", "pair"), Client("right", "pair"), Client("stranger")
    requests = [request(left, toy), request(right, toy), request(stranger, toy)]
    assert chosen(queue, Waiting(requests)) == ["left", "stranger"]
    running = [Turn(1, [request(left, toy)])]
    assert chosen(queue, Waiting(requests[1:], running=running), workers=2) == ["stranger"]
    assert chosen(queue, Waiting(requests[1:2], running=running), workers=2) is None


def test_a_job_waits_for_all_workers_and_the_server_s_own_goes_first() -> None:
    queue, client = FairQueue(), Client("a")
    own, of_client = Job(lambda: None, None), Job(lambda: None, client)
    running = [Turn(1, [request(Client("b"))])]
    assert chosen(queue, Waiting([request(client)], [own], running), workers=2) is None
    turn = queue.choose(Waiting([request(client)], [of_client, own]), 2, 16)
    assert turn is not None and turn.job is own and turn.cores == 2
    queue.spend(client, 1.0)
    assert chosen(queue, Waiting([request(Client("b"))], [of_client])) == ["b"]


def test_a_client_for_idle_times_waits_for_everybody() -> None:
    """A preview waits for a run that waits, runs, or has just run; two previews run together."""
    queue, toy = FairQueue(), Toy()
    first, second, run = Client("first", only_idle=True), Client("second", only_idle=True), Client("run")
    previews = [request(first, toy), request(second, toy)]
    queue.add(run)
    queue.spend(run, 10.0)
    assert chosen(queue, Waiting(previews)) == ["first", "second"]
    assert chosen(queue, Waiting([*previews, request(run, toy)])) == ["run"]  # though it has used the device more
    assert chosen(queue, Waiting(previews, running=[Turn(1, [request(run)])]), workers=2) is None
    assert chosen(queue, Waiting(previews, running=[Turn(1, [], Job(lambda: None, run))]), workers=2) is None
    assert chosen(queue, Waiting(previews, returning=[run])) is None
    assert chosen(queue, Waiting(previews, [Job(lambda: None, run)])) == ["job"]
    other = [Turn(1, [request(second)])]
    assert chosen(queue, Waiting(previews[:1], running=other, returning=[first]), workers=2) == ["first"]


def test_a_choice_changes_nothing() -> None:
    queue, requests = FairQueue(), [request(Client("a")), request(Client("b"))]
    before = queue.level, dict(queue.shares)
    assert chosen(queue, Waiting(requests)) == chosen(queue, Waiting(requests))
    assert queue.level == before[0] and len(requests) == 2
