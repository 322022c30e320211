"""The laws that every policy keeps, and hand-worked cases for the rules that no published file covers."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.long import mostly_long
from tests.support import PROMPT, NoisyToy, begin, ending, lawful, run
from unmask.belief import ORDER, PROPOSE, Belief, random_draws
from unmask.canvas import Bools, Canvas, blank
from unmask.decide import Choice, EnumKnob, Knob, View, get_policy, policy_names
from unmask.errors import InvalidRequest
from unmask.inference import DistributionCache, infer
from unmask.models.toy import Toy
from unmask.run.command import Erase, Pin, Stretch, Tune
from unmask.run.edit import apply
from unmask.run.presets import presets
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step

ROOT = Path(__file__).parents[2]
TOY = Toy(seed=3)
# each with whatever makes its paths longest
SHAPES: dict[str, dict[str, Any]] = {
    "whole": {"passes": 6},
    "blocks": {"passes": 12, "block": 6},
    "sequence": {"passes": 4, "block": 8, "block_from": "sequence", "sight": "block", "passes_for": "block"},
    "warm": {"passes": 6, "temperature": 1.0, "top_k": 20},
    "guided": {"passes": 6, "guidance": 1.5, "bans": (7,), "boosts": {8: 2.0}},
}


def opening(policy: str, shape: str) -> State:
    """Blanks between givens, and a pin in the last block."""
    canvas = blank([PROMPT, 6, [2, 7], 8]).pin([17], [33])
    options = {"post": 3} if policy == "edit" else {}
    return start(canvas, Settings(policy=policy, options=options, **SHAPES[shape]))


@pytest.fixture(params=policy_names())
def policy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_policy_ends_keeps_the_prompt_and_the_pins_and_says_why(policy: str, shape: str) -> None:
    """And nobody decides otherwise for being watched."""
    state = opening(policy, shape)
    background, passes = ending(TOY, state), 0
    for after, frame in run(TOY, state, watched=True):
        lawful(state.canvas, after.canvas)
        explained = {cell for _, cells, _ in frame.why for cell in cells}
        assert explained >= {*frame.cells.tolist(), *frame.erased.tolist()}
        assert frame.open == after.canvas.open.sum() and frame.done == after.done
        assert all(len(numbers) in (0, len(cells)) and np.isfinite(numbers).all() for _, cells, numbers in frame.why)
        assert not (frame.tokens == TOY.mask).any()
        state, passes = after, passes + 1
    assert state.done and not state.canvas.open.any()
    assert passes <= 60
    assert state.canvas.tokens.tolist() == background


@pytest.mark.parametrize("shape", SHAPES)
def test_rewind_is_exact(policy: str, shape: str) -> None:
    """From any state again, in any order, with nothing remembered, the same frame comes."""
    states = [opening(policy, shape)]
    frames = []
    for state, frame in run(TOY, states[0], watched=True):
        states.append(state)
        frames.append(frame)
    for i in reversed(range(0, len(frames), 2)):
        (belief,) = infer(TOY, [states[i]], [True])
        again, frame = step(states[i], belief)
        assert frame.same(frames[i])
        assert again.canvas.same(states[i + 1].canvas)


def test_a_batch_thinks_what_each_would_alone(policy: str) -> None:
    states = [opening(policy, shape) for shape in SHAPES]
    alone = [ending(TOY, s) for s in states]
    distribution_caches = [DistributionCache() for _ in states]
    while live := [i for i, s in enumerate(states) if not s.done]:
        beliefs = infer(
            TOY, [states[i] for i in live], [i % 2 == 0 for i in live], [distribution_caches[i] for i in live]
        )
        for i, belief in zip(live, beliefs, strict=True):
            states[i], _ = step(states[i], belief)
    assert [s.canvas.tokens.tolist() for s in states] == alone


@pytest.mark.parametrize("shape", mostly_long(["blocks", "sequence"], ["blocks"]))
@pytest.mark.parametrize("edit", [Erase((6, 18)), Stretch(8, 3), Stretch(13, -4), Tune({"block": 3}), Pin((8,), (4,))])
def test_every_policy_ends_soon_after_an_edit_at_any_moment(policy: str, shape: str, edit: Any) -> None:
    """`uniform` once forgot what was opened in an earlier block, and went on for hundreds of passes."""
    states = [opening(policy, shape), *(s for s, _ in run(TOY, opening(policy, shape)))]
    for state in {id(s): s for s in (states[1], states[len(states) // 2], states[-1])}.values():
        edited = apply(state, edit, TOY.card.words)
        passes = run(TOY, edited)
        assert len(passes) <= 60
        if passes:
            lawful(edited.canvas, passes[-1][0].canvas)
            assert passes[-1][0].done


def test_every_policy_lives_on_noise(policy: str) -> None:
    toy = NoisyToy()
    state = start(blank([PROMPT, 12]).pin([9], [3]), Settings(policy=policy, passes=5, noise=50))
    for after, frame in run(toy, state):
        lawful(state.canvas, after.canvas)
        assert (after.canvas.tokens >= 0).all()
        assert np.array_equal(frame.noise, after.canvas.tokens)
        state = after
    assert state.done


def test_every_policy_shows_itself(policy: str) -> None:
    found = get_policy(policy)
    assert found.says.endswith(".") and found.options({}) == dict(found.defaults)
    for name, about in found.knobs.items():
        assert about.help
        if isinstance(about, Knob):
            assert about.low <= found.defaults[name] <= about.high
            for wrong in (about.low - 1, about.high + 1, float("nan"), "much", True, None):
                with pytest.raises(InvalidRequest, match=name):
                    found.options({name: wrong})
        else:
            assert isinstance(about, EnumKnob) and found.defaults[name] in about.choices
            with pytest.raises(InvalidRequest, match=", ".join(about.choices)):
                found.options({name: "other"})
    with pytest.raises(InvalidRequest, match="has no knob 'tao'"):
        found.options({"tao": 1})


@pytest.mark.parametrize("preset", presets().values(), ids=list(presets()))
def test_every_preset_runs(preset: Any) -> None:
    settings = preset.over(12)
    toy = NoisyToy() if settings.policy == "uniform" else TOY
    state = start(blank([PROMPT, 12]), replace(settings, noise=50 if settings.policy == "uniform" else 0))
    assert run(toy, state)[-1][0].done
    assert preset.title and preset.says.endswith(".")


# hand-worked: one look at a made-up belief


def seen(confidence: Sequence[float], canvas: Canvas | None = None, **more: Any) -> View:
    """A view in which every cell is believed to this degree; `more` replaces parts of the belief or the view."""
    n = len(confidence)
    sure = np.array(confidence)
    canvas = canvas if canvas is not None else blank([n])
    parts: dict[str, Any] = {
        "known": np.ones(n, bool),
        "token": np.arange(n),
        "confidence": sure,
        "margin": sure,
        "entropy": 1 - sure,
        "top_ids": np.arange(n)[:, None],
        "top_probs": sure[:, None],
        "kept": np.zeros(n),
        "moved": np.full(n, np.nan),
        "doubt": np.full(n, np.nan),
        "background": np.full(n, 0.02),
    }
    view = {
        "quota": 1,
        "block_pass": 0,
        "block_passes": 4,
        "random_draws": lambda use: random_draws(0, 0, canvas.ids, use),
        "memory": None,
    }
    belief = Belief(**{k: np.asarray(more.pop(k, v)) for k, v in parts.items()})
    return View(belief, canvas, canvas.open.copy(), np.ones(n, bool), **(view | more))


def decided(policy: str, view: View, **knobs: Any) -> tuple[list[int], list[int], Choice]:
    choice = get_policy(policy).decide(view, **(dict(get_policy(policy).defaults) | knobs))
    erase: Bools = choice.erase if choice.erase is not None else np.zeros(len(view.canvas), bool)
    return np.flatnonzero(choice.write).tolist(), np.flatnonzero(erase).tolist(), choice


def test_the_surest_come_first_and_ties_by_place() -> None:
    assert decided("confidence", seen([0.5, 0.9, 0.5, 0.9], quota=3))[0] == [0, 1, 3]
    assert decided("threshold", seen([0.5, 0.9, 0.8]), tau=0.8)[0] == [1, 2]
    assert decided("threshold", seen([0.5, 0.6, 0.6]), tau=0.8)[0] == [1]
    assert decided("left_to_right", seen([0.5, 0.9]))[0] == [0]


def test_entropy_bound_counts_all_but_the_largest() -> None:
    view = seen([0.9, 0.5, 0.8, 0.95])  # entropies .1 .5 .2 .05, rising .05 .1 .2 .5
    assert decided("entropy_bound", view, gamma=0.0)[0] == [3]
    assert decided("entropy_bound", view, gamma=0.16)[0] == [0, 2, 3]  # .05 + .1 beside the .2
    assert decided("entropy_bound", view, gamma=0.36)[0] == [0, 1, 2, 3]


def test_wino_takes_back_fewer_than_it_wrote_the_most_doubted_first() -> None:
    canvas = blank([6]).write(np.array([1, 1, 1, 0, 0, 0], bool), np.full(6, 9))
    view = seen([0.0, 0, 0, 0.7, 0.8, 0.2], canvas, doubt=[0.3, 0.1, 0.95, np.nan, np.nan, np.nan])
    assert decided("revoke", view, tau=0.6, tau_back=0.9)[:2] == ([3, 4], [1])
    lone = seen([0.0, 0, 0, 0.1, 0.3, 0.2], canvas, doubt=[0.3, 0.1, 0.95, np.nan, np.nan, np.nan])
    assert decided("revoke", lone, tau=0.6, tau_back=0.9)[:2] == ([4], [])


def test_a_shadow_is_asked_as_if_its_cell_were_open() -> None:
    """The toy looks at neighbours only, so a shadow's answer is what an open cell there would be told."""
    state = begin("revoke", passes=4, options={"tau": 0.3})
    state = run(TOY, state)[0][0]
    (belief,) = infer(TOY, [state])
    placed = np.flatnonzero(~state.canvas.open & state.canvas.answer)
    assert placed.size
    for cell in placed:
        (bare,) = infer(TOY, [replace(state, canvas=state.canvas.erase(state.canvas.mask([cell])))])
        token = state.canvas.tokens[cell]
        shown = dict(zip(bare.top_ids[cell].tolist(), bare.top_probs[cell].tolist(), strict=True))
        if token in shown:
            assert belief.doubt[cell] == pytest.approx(shown[token], rel=1e-5)


def test_saber_takes_back_what_fell_most() -> None:
    canvas = blank([6]).write(np.array([1, 1, 0, 0, 0, 0], bool), np.full(6, 9))
    when, last = np.array([0.6, 0.6, *[np.nan] * 4]), np.array([0.9, 0.5, *[0.2] * 4])
    view = seen([0.3, 0.45, 0.7, 0.8, 0.1, 0.1], canvas, memory=(when, last))
    write, erase, choice = decided("backtrack", view, n=2)
    assert (write, erase) == ([2, 3], [0])  # the mean so far is .6; cell 0 fell by .6, cell 1 by .05
    assert choice.memory[0][[2, 3]].tolist() == [0.7, 0.8]
    assert decided("backtrack", seen([0.3, 0.2]), n=2)[0] == [0, 1]  # nothing placed: the n surest


def test_replan_keeps_the_surest_of_all() -> None:
    canvas = blank([4]).write(np.array([1, 1, 0, 0], bool), np.full(4, 9))
    write, erase, _ = decided("replan", seen([0.9, 0.2, 0.8, 0.1], canvas, block_pass=1, block_passes=4))
    assert (write, erase) == ([2], [1])  # int(4 · (1 − 2/4)) = 2 reopened: cells 1 and 3


def test_uniform_accepts_throws_anew_and_settles() -> None:
    canvas = blank([4]).write(np.array([1, 1, 0, 0], bool), np.full(4, 9))
    view = seen([0.97, 0.2, 0.95, 0.1], canvas)
    write, erase, choice = decided("uniform", view, gamma=0.05)  # entropies .03 and .05, then .8
    assert (write, erase) == ([0, 2], [1]) and choice.stay and not choice.settle
    calm = seen([1.0, 1, 1, 1], canvas, block_pass=1, memory=(np.arange(4),))
    assert decided("uniform", calm)[2].settle
    assert not decided("uniform", replace(calm, memory=(np.arange(4)[::-1],)))[2].settle
    assert decided("uniform", replace(view, block_pass=3))[2].settle  # the last pass


@pytest.mark.parametrize(
    ("way", "turn", "closing", "reopening"),
    [
        ("cap", 1, (0.25 + 0.02 * 0.25) / 0.75, 0.02),  # t .75 -> s .5: ((t-s) + σ(1-t)) / t
        ("rescale", 1, (0.25 + 0.02 * 0.25) / 0.75, 0.02),  # the greatest rate is min(1, s/(1-t)) = 1
        ("cap", 3, 1.0, 0.0),  # the last pass closes all and opens none
    ],
)
def test_remasking_follows_the_reverse_kernel(way: str, turn: int, closing: float, reopening: float) -> None:
    canvas = blank([40_000]).write(np.arange(40_000) < 20_000, np.full(40_000, 9))
    write, erase, _ = decided(
        "remask", seen([0.5] * 40_000, canvas, block_pass=turn, block_passes=4), way=way, rate=0.02
    )
    assert len(write) / 20_000 == pytest.approx(closing, abs=0.012)
    assert len(erase) / 20_000 == pytest.approx(reopening, abs=0.004)


def test_remasking_by_confidence_doubts_the_unsure() -> None:
    n = 20_000
    canvas = blank([2 * n]).write(np.arange(2 * n) < n, np.full(2 * n, 9))
    when = np.where(np.arange(2 * n) < n // 2, 0.0, 3.0)  # the first half was written unsure
    view = seen([0.5] * (2 * n), canvas, block_pass=1, block_passes=4, memory=when)
    _, erase, _ = decided("remask", view, way="confidence")
    unsure = sum(c < n // 2 for c in erase)
    assert unsure > 3 * (len(erase) - unsure)


def test_a_remasking_loop_holds_and_then_goes_on() -> None:
    canvas = blank([2000]).write(np.arange(2000) < 1800, np.full(2000, 9))
    erased = [
        len(decided("remask", seen([0.5] * 2000, canvas, block_pass=turn, block_passes=20), way="loop", rate=0.5)[1])
        for turn in range(20)
    ]
    assert erased[0] == 0 and erased[-1] == 0
    assert erased[12] > 0


def test_ancestral_closes_cells_by_chance_and_draws_their_words() -> None:
    closed = decided("ancestral", seen([0.5] * 40_000, block_pass=1, block_passes=4))[0]
    assert len(closed) / 40_000 == pytest.approx(1 / 3, abs=0.01)
    state = begin("ancestral", cells=1, prompt=[3, 1, 4], passes=1, temperature=1.0)
    logits = TOY.hashed_logits(np.array([3, 1, 4, TOY.mask]))[3]
    expected = np.exp(logits - logits.max())
    expected /= expected.sum()
    runs = 1500
    drawn = [ending(TOY, start(state.canvas, replace(state.settings, seed=s)))[-1] for s in range(runs)]
    counts = np.bincount(drawn, minlength=50)
    often = expected * runs >= 5
    chi = ((counts[often] - runs * expected[often]) ** 2 / (runs * expected[often])).sum()
    assert chi < often.sum() + 4 * np.sqrt(2 * often.sum())
    assert counts[TOY.mask] == 0


def test_a_random_order_is_even_and_not_that_of_words() -> None:
    first = [ending_first(seed) for seed in range(400)]
    counts = np.bincount(first, minlength=8)
    assert ((counts - 50) ** 2 / 50).sum() < 27  # chi-square, 7 degrees: p = 0.0003
    assert not np.array_equal(random_draws(1, 0, np.arange(8), ORDER), random_draws(1, 0, np.arange(8), PROPOSE))


def ending_first(seed: int) -> int:
    view = seen([0.5] * 8, random_draws=lambda use: random_draws(seed, 0, np.arange(8), use))
    return decided("random", view)[0][0]


def test_an_order_with_heat_draws_without_replacement_from_the_scores() -> None:
    view = seen([0.2, 0.8], margin=[0.0, np.log(3)])
    firsts = 0
    for seed in range(2000):
        lucky = replace(view, random_draws=lambda use, seed=seed: random_draws(seed, 0, np.arange(2), use))  # type: ignore[misc]
        firsts += decided("margin", lucky, order_heat=1.0)[0] == [1]
    assert firsts / 2000 == pytest.approx(0.75, abs=0.04)


# a policy of one's own

SEVEN_LINES = '''"""Write the rightmost open cells, as many as `n`."""
import numpy as np
from unmask.decide import Annotated, Choice, Knob, View, best

def from_behind(view: View, n: Annotated[int, Knob(1, 9, "how many")] = 2) -> Choice:
    return Choice(best(view, np.arange(len(view.canvas)) + 0.0, quota=n))
'''


def test_seven_lines_make_a_policy(tmp_path: Path, configure: Callable[..., None]) -> None:
    (tmp_path / "from_behind.py").write_text(SEVEN_LINES)
    configure(UNMASK_POLICIES=str(tmp_path))
    assert "from_behind" in policy_names()
    for shape in SHAPES:
        test_every_policy_ends_keeps_the_prompt_and_the_pins_and_says_why("from_behind", shape)
        test_rewind_is_exact("from_behind", shape)
    _, frame = run(TOY, begin("from_behind", options={"n": 3}))[0]
    assert frame.cells.tolist() == [18, 19, 20]
    listing = subprocess.run(
        [sys.executable, "-m", "unmask", "policies"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert "from_behind: Write the rightmost open cells" in listing.stdout
    assert "--n 2   how many (1 to 9)" in listing.stdout


NUMBER = "from unmask.decide import Annotated, Knob, EnumKnob\n"


def test_a_knob_has_the_type_it_is_annotated_with(tmp_path: Path, configure: Callable[..., None]) -> None:
    """A default of 1 once made a knob of fractions refuse 0.5."""
    (tmp_path / "mine.py").write_text(NUMBER + "def mine(view, n: Annotated[float, Knob(0, 9, 'n')] = 1): pass")
    configure(UNMASK_POLICIES=str(tmp_path))
    assert get_policy("mine").options({"n": 0.5}) == {"n": 0.5}
    assert type(get_policy("mine").options({})["n"]) is float


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("def mine(view): return 1 +", "cannot be read: SyntaxError"),
        ("def other(view): pass", "has no function 'mine'"),
        ("def mine(view, n: int = 2): pass", "n of the policy 'mine' has no range"),
        (NUMBER + "def mine(view, n: Annotated[int, Knob(1, 9, 'n')]): pass", "needs a default of its own type, int"),
        (NUMBER + "def mine(view, n: Annotated[int, Knob(1, 9, 'n')] = 2.5): pass", "needs a default of its own type"),
        (NUMBER + "def mine(view, n: Annotated[int, Knob(1, 9, 'n')] = 10): pass", "default outside its own range, 10"),
        (NUMBER + "def mine(view, n: Annotated[str, Knob(1, 9, 'n')] = 'a'): pass", "must be a float or an int"),
        (
            NUMBER + "def mine(view, n: Annotated[str, EnumKnob(('a',), 'n')] = 'b'): pass",
            "default outside its own range",
        ),
    ],
)
def test_a_broken_policy_file_is_a_sentence(
    tmp_path: Path, configure: Callable[..., None], file: str, says: str
) -> None:
    (tmp_path / "mine.py").write_text(file)
    configure(UNMASK_POLICIES=str(tmp_path))
    with pytest.raises(InvalidRequest, match=says.replace("(", r"\(")):
        get_policy("mine")
