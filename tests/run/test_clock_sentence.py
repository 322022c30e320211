"""What is said about a run's speed, on works whose times are worked by hand."""

from dataclasses import replace

import pytest

from unmask.errors import InvalidRequest
from unmask.run.clock_sentence import TimedRun, clock_sentence, sentence_text
from unmask.run.fed_tokens import Work
from unmask.run.modelled_time import Clock, measured_time, seconds_band
from unmask.run.pass_time import CHIPS, Size, measured_chip

DENSE = Size(8e9, 8e9)
CLOCK = Clock(CHIPS["h100"], DENSE, efficiency=1)
# 72 tokens in 11 passes over 112 cells, and in 72 steps
RUN = TimedRun("Denoiser", measured_time([0.08] * 11, 72), [Work(1, 112, 0)] * 11)
TWIN = TimedRun("Twin", measured_time([0.01] * 72, 72), [Work(1, 1, 0)] * 72)


def sentence(clock: Clock = CLOCK, run: TimedRun = RUN, twin: TimedRun | None = TWIN) -> str:
    return sentence_text(clock_sentence(clock, run, twin))


def test_both_clocks_of_equal_work() -> None:
    assert sentence(run=replace(RUN, measured=measured_time([0.066] * 11, 72))) == (
        "Here the two are about as fast. On one H100 SXM, a model of 8 billion would look at the whole text "
        "11 times while the other writes 11 tokens: 6.5 × faster (modelled)."
    )


def test_the_faster_side_here_is_named() -> None:
    assert sentence().startswith("Here Twin is 1.2 × faster.")
    assert sentence(run=replace(RUN, measured=measured_time([0.03] * 11, 72))).startswith(
        "Here Denoiser is 2.2 × faster."
    )


def test_many_users_turn_it_around() -> None:
    # 64 users: a pass over 7,168 cells takes 115.97 ms, a step 4.776 ms: 11 / 72 * 24.28 = 3.7
    assert "with 64 users" in sentence(replace(CLOCK, users=64))
    assert "while the other writes 267 tokens: 3.7 × slower (modelled)" in sentence(replace(CLOCK, users=64))


def test_unequal_work_is_not_compared() -> None:
    short = replace(TWIN, measured=measured_time([0.01] * 20, 20))
    assert sentence(twin=short) == "The two wrote 72 and 20 tokens, so their speeds are not compared."
    assert "faster" not in sentence(twin=replace(TWIN, measured=measured_time([0.01], 0)))


def test_blocks_do_not_look_at_the_whole_text_and_a_reader_is_a_second_model() -> None:
    assert "would look 11 times while" in sentence(run=replace(RUN, works=[Work(1, 32, 80)] * 11))
    reads = replace(RUN, works=[*RUN.works[:-1], Work(1, 90, 0, by_reader=True)])
    assert "a model of 8 billion, with another to proofread, would look 11 times" in sentence(run=reads)


def test_one_side_alone_and_this_machine() -> None:
    here = Clock(measured_chip(DENSE, [(1, 0.1), (112, 1.0)]), DENSE, efficiency=1)
    assert sentence(here, twin=None) == (
        "On this machine, a model of 8 billion would look 11 times and write 6.5 tokens a second (modelled)."
    )
    assert sentence(run=replace(RUN, measured=measured_time([0.1], 0)), twin=None) == ""


def test_experts_are_named_in_the_size() -> None:
    mixture = Size(16e9, 1.4e9, experts=256, chosen=8)
    assert "a model of 16 billion (1.4 active) would" in sentence(replace(CLOCK, size=mixture))


def test_the_band_is_the_time_at_both_ends() -> None:
    fast, slow = seconds_band(CLOCK, RUN.works)
    # 11 passes of 4.776 ms
    assert (fast, slow) == (pytest.approx(0.05254 / 0.9, rel=1e-3), pytest.approx(0.05254 / 0.3, rel=1e-3))


@pytest.mark.parametrize("values", [{"users": 0}, {"users": 10**6}, {"efficiency": 2}, {"overhead": -1}])
def test_impossible_clocks_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InvalidRequest):
        replace(CLOCK, **values)
