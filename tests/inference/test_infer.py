"""From a state to a belief: shaping, guidance and luck are those of their formulas, and nonsense is a sentence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.support import PROMPT, begin, run
from unmask.belief import Belief
from unmask.canvas import blank
from unmask.errors import ModelError
from unmask.inference import DistributionCache, infer
from unmask.inference.sampling import sample, topk
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Boost, Erase, Pin
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step

TOY = Toy(seed=2)


class Fixed(Toy):
    """Says the same logits whatever it is asked, and remembers what it was asked."""

    def __init__(self, row: Sequence[float], **card: Any) -> None:
        super().__init__(words=len(row))
        self.row, self.model_inputs = torch.tensor(row, dtype=torch.float64), list[ModelInput]()
        self.card = replace(self.card, never=(), **card)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[torch.Tensor]:
        self.model_inputs += model_inputs
        return [self.row.repeat(len(t.rows), 1) for t in model_inputs]


def believed(model: Toy, state: State, watched: bool = False) -> Belief:
    return infer(model, [state], [watched])[0]


def test_a_belief_is_the_softmax_of_the_logits() -> None:
    row = [2.0, 1.0, 0.5, 0.0, -1.0, -3.0]
    belief = believed(Fixed(row), begin(cells=2, prompt=[1], precision="double"))
    p = np.exp(row) / np.exp(row).sum()
    assert belief.known.tolist() == [False, True, True]
    assert belief.token[1] == 0 and belief.confidence[1] == pytest.approx(p[0])
    assert belief.margin[1] == pytest.approx(p[0] - p[1])
    assert belief.entropy[1] == pytest.approx(-(p * np.log(p)).sum())
    assert belief.top_ids[1].tolist() == [0, 1, 2, 3, 4] and belief.top_probs[1] == pytest.approx(p[:5])
    assert np.isnan(belief.background).all()  # this policy does not ask
    position = begin("position", cells=2, prompt=[1], precision="double")
    assert believed(Fixed(row), position).background[1] == pytest.approx(1 / 6)


def test_what_stands_there_is_given_its_own_probability() -> None:
    row = [2.0, 1.0, 0.5, 0.0, -1.0, -3.0]
    state = begin("replan", cells=2, prompt=[1], precision="double")
    state = replace(state, canvas=state.canvas.write(np.array([0, 0, 1], bool), np.full(3, 4)))
    assert believed(Fixed(row), state).kept[2] == pytest.approx((np.exp(row) / np.exp(row).sum())[4])


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_guidance_is_the_formula_and_counts_two(scale: float) -> None:
    state = begin(guidance=scale, precision="double")
    belief = believed(TOY, state)
    masked = np.where(state.canvas.open, TOY.mask, state.canvas.tokens)
    c, u = TOY.hashed_logits(masked), TOY.hashed_logits(np.full(len(masked), TOY.mask))
    logits = u + (scale + 1) * (c - u)
    logits[:, TOY.mask] = -1e30
    p = torch.softmax(torch.from_numpy(logits), -1).numpy()
    assert belief.forwards == 2
    assert belief.token[5:].tolist() == p[5:].argmax(-1).tolist()
    assert belief.confidence[5:] == pytest.approx(p[5:].max(-1))
    assert [f.cost for _, f in run(TOY, state)] == [2] * 8
    assert believed(TOY, begin()).forwards == 1


def test_top_k_and_top_p_and_temperature_shape_what_is_drawn() -> None:
    row = np.log([0.4, 0.3, 0.2, 0.06, 0.04])

    def words(**changes: Any) -> list[float]:
        state = begin("ancestral", cells=4000, prompt=[], passes=1, **{"temperature": 1.0} | changes)
        return (np.bincount(believed(Fixed(row.tolist()), state).token, minlength=5) / 4000).tolist()

    assert words() == pytest.approx([0.4, 0.3, 0.2, 0.06, 0.04], abs=0.03)
    assert words(top_k=2) == pytest.approx([4 / 7, 3 / 7, 0, 0, 0], abs=0.03)
    assert words(top_p=0.69) == pytest.approx([4 / 7, 3 / 7, 0, 0, 0], abs=0.03)
    assert words(top_p=0.71) == pytest.approx([4 / 9, 3 / 9, 2 / 9, 0, 0], abs=0.03)
    assert words(top_k=3, top_p=0.45) == pytest.approx([4 / 7, 3 / 7, 0, 0, 0], abs=0.03)  # p of what k left
    squared = np.array([0.16, 0.09, 0.04, 0.0036, 0.0016])
    assert words(temperature=0.5) == pytest.approx(squared / squared.sum(), abs=0.03)


@pytest.mark.parametrize("changes", [{"top_p": 0.0}, {"temperature": 1e-300}, {"temperature": 1e-9, "top_k": 3}])
def test_the_first_always_stays(changes: dict[str, Any]) -> None:
    belief = believed(TOY, begin(**{"temperature": 1.0, "confidence": "shaped"} | changes))
    assert belief.token[5:].tolist() == believed(TOY, begin()).token[5:].tolist()
    assert belief.confidence[5:] == pytest.approx(1)


def test_a_very_flat_belief_is_cut_in_order() -> None:
    words = 5000
    row = torch.linspace(0.001, 0, words).tolist()
    state = begin("ancestral", cells=500, prompt=[], temperature=1.0, top_p=0.5)
    tokens = believed(Fixed(row), state).token
    assert tokens.max() < words * 0.51 and tokens.max() > words * 0.45


def test_confidence_may_be_read_before_or_after_shaping() -> None:
    row = np.log([0.4, 0.3, 0.2, 0.06, 0.04]).tolist()
    plain, shaped = (
        believed(Fixed(row), begin(top_k=2, temperature=1.0, confidence=c, cells=40)) for c in ("plain", "shaped")
    )
    assert plain.token.tolist() == shaped.token.tolist()
    first = plain.token[5:] == 0
    assert plain.confidence[5:] == pytest.approx(np.where(first, 0.4, 0.3), rel=1e-5)
    assert shaped.confidence[5:] == pytest.approx(np.where(first, 4 / 7, 3 / 7), rel=1e-5)
    assert shaped.entropy[5] == pytest.approx(-(4 / 7 * np.log(4 / 7) + 3 / 7 * np.log(3 / 7)), rel=1e-4)


def test_bans_boosts_and_end_policies() -> None:
    row = [3.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    model = Fixed(row, ends=(0,))
    for changes, token in [
        ({}, 0),
        ({"bans": (0,)}, 1),
        ({"bans": (0, 1), "boosts": {5: 2.0}}, 5),
        ({"boosts": {1: 1.5}}, 1),
        ({"boosts": {1: 0.5, 9999: 50.0}}, 0),  # what the model has no word for says nothing
        ({"end": "penalise", "end_penalty": 0.9}, 0),
        ({"end": "penalise", "end_penalty": 1.1}, 1),
        ({"end": "forbid"}, 1),
    ]:
        assert set(believed(model, begin(**changes)).token[5:].tolist()) == {token}, changes
    early = believed(model, begin(end="forbid", end_after=3)).token[5:]
    assert early.tolist() == [1] * 3 + [0] * 13


def test_a_mask_that_the_model_predicts_itself_is_never_written() -> None:
    class Masker(Toy):
        def hashed_logits(self, tokens: Any) -> Any:
            logits = super().hashed_logits(tokens)
            logits[:, self.mask] = 100.0
            return logits

    toy = Masker()
    for policy in ("threshold", "confidence", "ancestral"):
        last = run(toy, begin(policy, temperature=1.0))[-1][0]
        assert last.done and not (last.canvas.tokens == toy.mask).any()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_say_nothing_are_a_sentence(wrong: float) -> None:
    with pytest.raises(ModelError, match="not usable"):
        believed(Fixed([wrong] * 6), begin())
    with pytest.raises(ModelError, match="not usable"):
        believed(Fixed([0.0, 1, 2, float("nan"), 0, 0]), begin())


def test_everything_forbidden_is_a_sentence() -> None:
    with pytest.raises(ModelError, match="no token"):
        believed(Fixed([0.0] * 6), begin(bans=tuple(range(6))))


@pytest.mark.parametrize("precision", ["model", "single", "double"])
@pytest.mark.parametrize("guidance", [0.0, 1.0])
def test_a_model_may_forbid_by_minus_infinity(precision: str, guidance: float) -> None:
    """0 times minus infinity is no number: such a model's entropies were once called unusable."""
    belief = believed(
        Fixed([1.0, 0.0, float("-inf"), float("-inf"), -1, -1]), begin(precision=precision, guidance=guidance)
    )
    assert (belief.token[5:] == 0).all() and np.isfinite(belief.entropy).all() and (belief.entropy[5:] > 0.5).all()


@given(st.integers(1, 6), st.integers(2, 3000), st.integers(1, 8), st.integers(0, 99))
def test_largest_is_topk(rows: int, words: int, k: int, seed: int) -> None:
    p = torch.softmax(torch.randn(rows, words, generator=torch.Generator().manual_seed(seed)), -1)
    mine, theirs = topk(p, min(k, words)), p.topk(min(k, words), dim=-1)
    assert torch.equal(mine[0], theirs.values) and torch.equal(mine[1], theirs.indices)


def test_among_equals_the_proposal_is_argmax() -> None:
    """torch.topk names any of several equal ones; argmax, by which published decoders propose, the first."""
    for words in (50, 4096):
        row = torch.zeros(words)
        row[[words - 3, 17, words // 2]] = 5.0
        belief = believed(Fixed(row.tolist()), begin())
        assert set(belief.token[5:].tolist()) == {17}
        assert all(len(set(ids)) == 5 for ids in belief.top_ids[5:].tolist())


def test_drawn_words_have_their_probabilities_and_impossible_ones_never_come() -> None:
    p = torch.tensor([[0.0, 0.5, 0.0, 0.3, 0.2, 0.0]]).repeat(5000, 1)
    draws = (torch.arange(5000).double() + 0.5) / 5000
    shares = torch.bincount(sample(p, draws), minlength=6) / 5000
    assert shares.tolist() == pytest.approx([0, 0.5, 0, 0.3, 0.2, 0], abs=1e-3)
    edges = torch.tensor([0.0, np.nextafter(1, 0)]).double()
    assert sample(p[:2], edges).tolist() == [1, 4]


def test_only_what_is_asked_reaches_the_vocabulary() -> None:
    model = Fixed([1.0, 0, 0, 0, 0, 0])
    for policy, watched, rows in [
        ("confidence", False, 15),
        ("confidence", True, 16),
        ("replan", False, 16),
        ("left_to_right", False, 1),
    ]:
        model.model_inputs.clear()
        believed(model, apply(begin(policy), Pin((9,), (1,))), watched)
        assert len(model.model_inputs[0].rows) == rows


def test_what_moved_is_the_same_cached_or_thought_again() -> None:
    """With a boost and guidance: a distribution thought again was once compared without them."""
    settings: dict[str, Any] = {"boosts": {4: 3.0}, "bans": (7,), "guidance": 0.5}
    state, distribution_cache = begin("stable", **settings), DistributionCache()
    for i in range(6):
        (kept,) = infer(TOY, [state], [i % 2 == 0], [distribution_cache])
        (again,) = infer(TOY, [state], [False], [DistributionCache()])
        cells = again.known
        assert np.array_equal(kept.moved[cells], again.moved[cells])
        assert kept.forwards == again.forwards == 2
        if i:
            assert (kept.moved[cells] < 100).all()
        state, _ = step(state, kept)
        state = apply(state, [Boost(i, 1.0), Erase((5,))][i % 2])


def test_unequal_thoughts_share_nothing_and_equal_ones_a_forward() -> None:
    model = Fixed([1.0, 0, 0, 0, 0, 0])
    calls = []
    real = model.logits
    model.logits = lambda model_inputs: (calls.append(len(model_inputs)), real(model_inputs))[1]  # type: ignore[method-assign]
    states = [begin(), begin(cells=20), begin("margin"), begin("entropy", guidance=1.0)]
    assert len(infer(model, states)) == 4
    assert sorted(calls) == [1, 4]


def test_a_canvas_may_be_all_blank() -> None:
    state = start(blank([3]), Settings(passes=1))
    assert run(TOY, state)[-1][0].done
    assert start(blank([PROMPT]), Settings()).done
