"""Each lesson's claim, asserted with the margin that it is taught with: by counting where a world can be counted."""

from dataclasses import replace

import numpy as np
import pytest

from unmask.inference import infer
from unmask.inference.decode import decode, nodes
from unmask.inference.outcomes import ceiling, outcomes
from unmask.models import load
from unmask.models.oracle import Oracle
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.modelled_time import Clock
from unmask.run.pass_time import get_chip, get_size
from unmask.run.spec import RunSpec
from unmask.run.stats import run_stats
from unmask.run.timeline import new_timeline
from unmask.ui.lessons import Lesson, lessons


def lesson(number: int) -> Lesson:
    return lessons("en")[number - 1]


def texts_of(oracle: Oracle) -> set[tuple[int, ...]]:
    return set(map(tuple, oracle.texts.tolist()))


def chance(spec: RunSpec) -> float:
    """How often what a lesson plays ends right, over all draws."""
    oracle = load(spec.model)
    assert isinstance(oracle, Oracle)
    spec = replace(spec, changes={**spec.changes, "precision": "double"})
    found = outcomes(oracle, spec.start(oracle.card, oracle.tokenizer))
    return sum(share for text, share in found.items() if text in texts_of(oracle))


def test_4_two_words_can_each_be_likely_and_impossible_together() -> None:
    at_once, one_by_one = lesson(4).specs
    assert chance(at_once) == pytest.approx(0.5, abs=1e-9)
    assert chance(one_by_one) == pytest.approx(1.0, abs=1e-9)
    oracle = load("sudoku4")
    assert isinstance(oracle, Oracle)
    state = RunSpec("1", model="sudoku4", length=15).start(oracle.card, oracle.tokenizer)
    (belief,) = infer(oracle, [state])
    guess = belief.top_ids[1, 0]
    both = (
        (oracle.texts[:, 1] == guess) & (oracle.texts[:, 2] == guess) & (oracle.texts[:, 0] == state.canvas.tokens[0])
    )
    product = belief.top_probs[1, 0] * belief.top_probs[2, list(belief.top_ids[2]).index(guess)]
    assert product > 0.1 and not both.any()  # the same number beside itself: likely twice, possible never


def test_5_the_shape_of_the_schedule_decides_the_price() -> None:
    early, late = lesson(5).specs
    assert chance(early) == pytest.approx(0.75, abs=1e-9) and chance(late) == pytest.approx(0.5, abs=1e-9)
    oracle = load("permutations:4")
    assert isinstance(oracle, Oracle)
    canvas = RunSpec("", length=4).start(oracle.card, oracle.tokenizer).canvas
    found = [ceiling(oracle, canvas, passes, texts_of(oracle)) for passes in (1, 2, 4)]
    assert found == pytest.approx([0.09375, 0.375, 1.0], abs=1e-9)


def test_8_blocks_of_one_are_a_typewriter() -> None:
    toy = load("toy")
    typed = RunSpec("1 2 3", model="toy", length=24, changes={"policy": "left_to_right", "passes": 24})
    blocks = RunSpec("1 2 3", model="toy", length=24, preset="fast-dllm", changes={"block": 1})
    ends = []
    for spec in (typed, blocks):
        run = list(decode(toy, spec.start(toy.card, toy.tokenizer)))
        assert [frame.cells.tolist() for _, frame in run] == [[3 + i] for i in range(24)]
        ends.append(run[-1][0].canvas.tokens.tolist())
    assert ends[0] == ends[1]
    passes = []
    for size in (1, 4, 8):
        changes = {"block": size, "passes": 24 // size}
        spec = RunSpec("1 2 3", model="toy", length=24, preset="llada", changes=changes)
        passes.append(len(list(decode(toy, spec.start(toy.card, toy.tokenizer)))))
    assert passes == sorted(passes, reverse=True)


def test_9_asking_first_keeps_words_apart_that_clash() -> None:
    bold, asking = lesson(9).specs
    oracle = load(bold.model)
    assert isinstance(oracle, Oracle)
    right = {}
    for name, spec in (("bold", bold), ("asking", asking)):
        found = []
        for first in "123456":
            one = replace(spec, prompt=first, changes={**spec.changes, "temperature": 1.0})
            for seed in range(20):
                *_, (last, _) = decode(oracle, replace(one, seed=seed).start(oracle.card, oracle.tokenizer))
                found.append(tuple(last.canvas.tokens.tolist()) in texts_of(oracle))
        right[name] = np.mean(found)
    assert right["asking"] >= right["bold"]


def test_10_any_order_obeys_a_pattern() -> None:
    toy = load("toy")
    pattern = {"kind": "regex", "pattern": r"( (1|2) (3|4))+"}
    for seed in range(40):
        changes = {"policy": "random", "passes": 6, "temperature": 1.0, "constraint": pattern}
        spec = RunSpec("7", model="toy", length=12, changes=changes, seed=seed)
        *_, (last, _) = decode(toy, spec.start(toy.card, toy.tokenizer))
        words = last.canvas.tokens[1:].tolist()
        assert all(w in (1, 2) for w in words[::2]) and all(w in (3, 4) for w in words[1::2])


def test_11_the_same_seed_is_the_same_text_and_a_pin_changes_only_its_cone() -> None:
    toy, kept = load("toy"), []
    for seed in range(20):
        spec = RunSpec(
            "1 2 3", model="toy", length=48, preset="llada", changes={"temperature": 1.0, "passes": 24}, seed=seed
        )
        state = spec.start(toy.card, toy.tokenizer)
        run, again = (list(decode(toy, state)) for _ in range(2))
        first = run[-1][0].canvas.tokens
        assert np.array_equal(first, again[-1][0].canvas.tokens)
        after, frame = run[15]
        cell = int(frame.cells[0])
        pinned = apply(after, Pin((cell,), ((int(frame.tokens[0]) + 1) % 49,)), toy.card.words)
        other = replace(spec, seed=seed + 100).start(toy.card, toy.tokenizer)
        by_pin, by_seed = (list(decode(toy, s))[-1][0].canvas.tokens for s in (pinned, other))
        kept.append(((by_pin == first).mean(), (by_seed == first).mean()))
    by_pin, by_seed = np.mean(kept, axis=0)
    assert by_pin > by_seed + 0.3


def test_12_counting_cells_behind_the_end_multiplies_the_speed() -> None:
    """A twelve-word answer on 96 cells: the trick is worth a factor of eight, and the meter does not play it."""
    oracle = load("permutations:8")
    state = RunSpec("", model="permutations:8", length=64).start(oracle.card, oracle.tokenizer)
    run = list(decode(oracle, state))
    clocks = [(0.01, 0.0)] * len(run)
    m = run_stats(run[-1][0].canvas, [frame for _, frame in run], clocks, oracle.card)
    assert m.tokens == 8 and m.tokens_per_second == pytest.approx(m.tokens / (m.passes * 0.01), rel=0.02)
    assert 64 / m.tokens >= 3


def test_13_a_lead_for_one_user_is_lost_with_many_and_needs_several_words_a_look() -> None:
    """The lesson's own runs and their twins, on the clock of an H100 with a model of 8 billion."""
    speeds = []
    for spec in (*lesson(13).specs, replace(lesson(13).specs[0], model="twin", preset="", changes={})):
        denoiser = load(spec.model)
        timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer))
        for node in nodes(denoiser, timeline.head):
            timeline = timeline.append(node)
        clocks = [Clock(get_chip("h100"), get_size("llada-8b"), users) for users in (1, 64)]
        speeds.append([timeline.modelled(clock).tokens_per_second for clock in clocks])
    (several, shared), (one_a_look, _), (twin, twin_shared) = speeds
    assert several > 2 * twin and one_a_look < twin
    assert shared < twin_shared / 2
