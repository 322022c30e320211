"""What a sweep says of its decoders: means, intervals over prompts, the difference to the best, and advice."""

from math import inf

import pytest

from tests.features.lab.outcomes import outcome
from unmask.errors import InvalidRequest
from unmask.features.lab.paragraph import paragraph
from unmask.features.lab.points import Results, points
from unmask.features.lab.sweep import Outcome, Sweep
from unmask.run.presets import Decoder


def runs(decoder: str, passes: int, right: list[int], seeds: int = 1, draws: bool = True) -> list[Outcome]:
    """One text for each prompt and seed."""
    return [
        outcome(decoder, passes, r, prompt=f"Sum: {i} + 1", seed=seed, draws=draws, text=f"{seed * draws}")
        for i, r in enumerate(right)
        for seed in range(seeds)
    ]


def test_a_point_has_means_and_stands_on_the_front_if_nobody_is_better_and_cheaper() -> None:
    bold, careful, wasteful = points(
        runs("bold", 2, [1, 0, 0, 0]) + runs("careful", 8, [1, 1, 1, 0]) + runs("wasteful", 9, [1, 1, 0, 0])
    )
    assert bold.values["right"][0] == 0.25 and careful.values["right"][0] == 0.75
    assert bold.tokens_per_pass == 4 and careful.passes == 8
    assert "right" in bold.best and "right" in careful.best and "right" not in wasteful.best
    low, high = careful.values["right"][1:]
    assert 0 <= low < 0.75 < high <= 1
    assert bold.to_dict()["values"]["surprise"] is None


def test_seeds_that_repeat_a_text_do_not_narrow_its_interval() -> None:
    """Six greedy texts with five seeds gave [81, 91] where one seed gave [75, 96]."""
    (once,) = points(runs("greedy", 8, [1, 1, 1, 0, 1, 1], 1, draws=False))
    (often,) = points(runs("greedy", 8, [1, 1, 1, 0, 1, 1], 5, draws=False))
    assert often.values["right"] == once.values["right"]
    assert (often.runs, often.prompts, often.texts, often.greedy) == (30, 6, 6, True)


def test_the_difference_to_the_best_is_paired_by_prompt() -> None:
    """Decoders that fail on the same prompts differ by less than their own intervals say."""
    right = [1, 0] * 20
    (better, worse) = Results(runs("better", 8, right) + runs("worse", 8, [*right[:-4], 0, 0, 0, 0])).points(["right"])
    value, low, high = worse.behind["right"]
    assert value == pytest.approx(-0.05) and low < -0.05 < 0 < high and "right" not in better.behind
    assert high - low < 0.75 * (worse.values["right"][2] - worse.values["right"][1])


def test_with_one_prompt_each_seed_counts() -> None:
    rows = [outcome("drawn", 2, seed % 2, seed=seed) for seed in range(40)]
    (alone,) = Results(rows, one_prompt=True).points()
    (among,) = Results(rows).points()
    assert alone.values["right"][2] - alone.values["right"][1] < 0.35 < 0.7 < among.values["right"][2]


def test_advice_is_the_best_within_a_budget() -> None:
    rows = Results(runs("bold", 2, [0] * 24) + runs("careful", 8, [1] * 24) + runs("slow", 64, [1] * 24))
    assert rows.advice("right", passes=60).point.decoder == "careful" and rows.advice("right", passes=60).ahead
    assert rows.advice("right", passes=4).point.decoder == "bold"
    assert rows.advice("right", inf, seconds=0.1).point.decoder == "careful"
    with pytest.raises(InvalidRequest, match=r"the cheapest is bold with 2\.0 passes and 0\.02 s \(modelled\)"):
        rows.advice("right", passes=1)
    with pytest.raises(InvalidRequest, match=r"no measure 'beauty'; there are right, facts"):
        rows.advice("beauty")
    with pytest.raises(InvalidRequest, match="nothing was measured as 'surprise'"):
        rows.advice("surprise")


def test_a_lead_that_chance_explains_is_not_named() -> None:
    """The highest of many equal decoders was advised, by one text more."""
    rows = Results(
        runs("lucky", 64, [1] * 20 + [0] * 4) + runs("other", 8, [1] * 19 + [0] * 5) + runs("bad", 2, [0] * 24)
    )
    found = rows.advice("right")
    assert not found.ahead and found.point.decoder == "lucky" and found.equal == ("other",) and found.among == 3
    alone = rows.advice("right", passes=2)
    assert not alone.ahead and alone.among == 1 and alone.equal == ()


def test_in_a_counted_world_a_greedy_decoder_is_compared_with_none_that_draws() -> None:
    """The one likeliest text of a permutation is right: greedy decoders had 100 % beside others' true rates."""
    rows = runs("greedy", 1, [1], draws=False) + [outcome("drawn", 4, s % 3 > 0, prompt="", seed=s) for s in range(30)]
    results = Results(rows, one_prompt=True, counted=True)
    greedy, drawn = results.points(["right"])
    assert greedy.greedy and not greedy.best and not greedy.behind and not drawn.behind
    assert "right" in drawn.best and results.advice("right").point.decoder == "drawn"
    assert Results(rows, one_prompt=True).advice("right", passes=1).point.decoder == "greedy"


def test_the_paragraph_says_what_was_found_and_what_was_not() -> None:
    sweep = Sweep("toy", (Decoder("llada"),), tuple(f"{n}" for n in range(24)))
    best, worst, alike = runs("careful", 8, [1] * 24), runs("bold", 2, [0] * 24), runs("slow", 9, [1] * 23 + [0])
    says = [
        paragraph(sweep, Results(rows).points(["right"]), "right", "cpu, fp32, 2 threads", "2026-01-01")
        for rows in (best + worst, best + worst + alike)
    ]
    assert "careful: 100% [86%, 100%] at 8.0 passes, 1.00 tokens a pass." in says[0]
    assert "careful is ahead of all others" in says[0]
    assert "No difference is seen between careful and 1 other " in says[1]
