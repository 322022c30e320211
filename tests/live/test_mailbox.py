"""A mailbox keeps the order of what is asked, and a slider that was dragged counts once."""

import asyncio

import pytest

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.live.mailbox import Envelope, Mailbox
from unmask.run.command import Pause, Pin, Play, Tune


def test_letters_come_in_order_and_changes_of_one_moment_are_one() -> None:
    box = Mailbox()
    for letter in (
        Envelope(Tune({"temperature": 0.1, "options": {"tau": 0.5}})),
        Envelope(Tune({"temperature": 0.7, "options": {"post": 3}}), ref=2),
        Envelope(Tune({"temperature": 0.9}), at=4),
        Envelope(Tune({}, "llada")),
        Envelope(Tune({"passes": 3})),
        Envelope(Play()),
    ):
        box.put(letter)
    assert box.has_edits and len(box) == 6
    assert box.take() == Envelope(Tune({"temperature": 0.7, "options": {"tau": 0.5, "post": 3}}), ref=2)
    assert box.take() == Envelope(Tune({"temperature": 0.9}), at=4)  # made at another moment
    assert box.take() == Envelope(Tune({"passes": 3}, "llada"))  # a decoder's name and what differs from it
    assert not box.has_edits and box.take().name == "play" and not box


def test_several_edits_that_are_one_request_have_one_name() -> None:
    letter = Envelope((Pin((1,), (2,)), Pin((3,), (4,))))
    assert letter.name == "pin" and len(letter.edits) == 2 and Envelope(Pause()).edits == ()


def test_it_is_bounded() -> None:
    box = Mailbox()
    for _ in range(config().commands):
        box.put(Envelope(Pause()))
    with pytest.raises(InvalidRequest, match="too many commands"):
        box.put(Envelope(Pause()))


async def test_whoever_waits_is_woken_by_a_letter_by_a_ring_and_by_the_clock() -> None:
    box = Mailbox()
    await box.wait(0.001)
    for wake in (box.ring, lambda: box.put(Envelope(Pause()))):
        waiting = asyncio.ensure_future(box.wait())
        await asyncio.sleep(0)
        assert not waiting.done()
        wake()
        await asyncio.wait_for(waiting, 10)
    await box.wait()  # a letter is there already
