"""Which words suit each other is right to 1e-9 where every text can be counted; `clash` writes no two that do not."""

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest

from unmask.belief import PairwiseLift
from unmask.inference import infer
from unmask.inference.compatibility import CERTAIN, pairwise_effects, parallel_cost
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.models.oracle import Oracle
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.step import step


def start_state(prompt: str, name: str = "permutations:4", length: int = 4, **changes: object) -> tuple[Oracle, State]:
    oracle = load(name)
    assert isinstance(oracle, Oracle)
    spec = RunSpec.from_dict(
        {"prompt": prompt, "model": name, "length": length, "changes": {"precision": "double"} | changes}
    )
    return oracle, spec.start(oracle.card, oracle.tokenizer)


def share(oracle: Oracle, fixed: dict[int, int]) -> float:
    """How many of all texts have these words, by counting."""
    return float(np.mean([all(text[c] == w for c, w in fixed.items()) for text in oracle.texts.tolist()]))


def test_an_influence_is_the_ratio_of_the_counted_posteriors() -> None:
    oracle, state = start_state("[MASK:4]")
    for words in permutations(range(4), 2):
        tokens = np.array([words[0], words[1], words[0], words[1]])
        lift = pairwise_effects(oracle, state, np.array([0, 3]), np.arange(4), tokens)
        for row, tried in enumerate((0, 3)):
            assert np.isnan(lift[row, tried])
            for other in {0, 1, 2, 3} - {tried}:
                both = share(oracle, {tried: int(tokens[tried]), other: int(tokens[other])})
                alone = share(oracle, {tried: int(tokens[tried])}) * share(oracle, {other: int(tokens[other])})
                if both:
                    assert lift[row, other] == pytest.approx(np.log(both / alone), abs=1e-9)
                else:
                    assert lift[row, other] < -100  # impossible together


def test_the_price_of_parallelism_is_the_counted_one() -> None:
    oracle, state = start_state("[MASK:16]", "sudoku4", 16)
    text = oracle.texts[17]
    for cells in ([0, 1, 2], [0, 5, 10, 15], [3], [1, 4, 6, 9, 11]):
        joint = share(oracle, {c: int(text[c]) for c in cells})
        alone = np.prod([share(oracle, {c: int(text[c])}) for c in cells])
        nats = parallel_cost(oracle, state, np.array(cells), text[cells])
        assert nats == pytest.approx(np.log(alone / joint), abs=1e-9), cells


def test_a_pass_tries_its_candidates_and_says_what_that_cost() -> None:
    oracle, state = start_state("1 [MASK:3]", policy="clash", options={"tau": 0.3})
    (belief,) = infer(oracle, [state])
    assert isinstance(belief.pairwise_lift, PairwiseLift)
    cells = np.flatnonzero(belief.known & (belief.confidence > 0.3) & (belief.confidence < CERTAIN))
    assert belief.pairwise_lift.cells.tolist() == cells.tolist() == [1, 2, 3]
    assert belief.forwards == 1 + 1 + len(cells)  # the pass, the canvas as it is, and each word alone
    (plain,) = infer(
        oracle, [replace(state, settings=state.settings.with_changes({"policy": "threshold", "options": {}}))]
    )
    assert plain.pairwise_lift is None and plain.forwards == 1


def test_lifts_are_compared_both_ways_round() -> None:
    lift = np.full((2, 4), np.nan)
    lift[0, [1, 3]], lift[1, [1]] = [0.2, -0.9], [-0.5]
    table = PairwiseLift(np.array([0, 3]), lift).between(np.array([0, 1, 3]))
    assert table.tolist() == [[0.0, 0.2, -0.9], [0.2, 0.0, -0.5], [-0.9, -0.5, 0.0]]


@pytest.mark.parametrize("name, length", [("permutations:6", 6), ("sudoku4", 16), ("balanced:8", 8)])
def test_clash_writes_nothing_impossible_together(name: str, length: int) -> None:
    """Above the same threshold, writing whatever is likely gives texts that are in no list; this does so less."""
    oracle = load(name)
    assert isinstance(oracle, Oracle)
    valid = {tuple(text) for text in oracle.texts.tolist()}
    wrong = {}
    for least in (0.0, 0.5):
        options = {"tau": 0.1, "least": least}
        changes = {"policy": "clash", "options": options, "block": 0, "temperature": 1.0, "precision": "double"}
        wrong[least] = 0
        for seed in range(12):
            spec = RunSpec.from_dict(
                {"prompt": f"[MASK:{length}]", "model": name, "length": length, "seed": seed, "changes": changes}
            )
            state = spec.start(oracle.card, oracle.tokenizer)
            for after, frame in decode(oracle, state):
                if least and len(frame.cells) > 1:
                    tokens = np.zeros(length, np.int64)
                    tokens[frame.cells] = frame.tokens
                    lift = pairwise_effects(oracle, state, frame.cells, frame.cells, tokens)
                    assert np.nanmin(lift) >= np.log(0.5) - 1e-9  # each two were tried
                state = after
            wrong[least] += tuple(state.canvas.tokens.tolist()) not in valid
    assert wrong[0.5] < wrong[0.0]


def test_a_rewind_to_before_a_trial_is_exact() -> None:
    model: Denoiser = load("toy")
    spec = RunSpec.from_dict({"prompt": "3 1 4", "model": "toy", "length": 12, "preset": "compatible"})
    state = spec.start(model.card, model.tokenizer)
    frames = [state]
    for after, _ in decode(model, state):
        frames.append(after)
    for before, after in pairwise(frames):
        (belief,) = infer(model, [before])
        assert step(before, belief)[0].canvas.same(after.canvas)
