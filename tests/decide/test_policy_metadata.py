"""A policy's declaration is closed and true: a misspelt word is refused when read, a lie when it is acted on."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support import begin, run
from unmask.decide import Needs, get_policy, policy_names
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.models.toy import Toy
from unmask.run.command import Erase, Tune
from unmask.run.edit import apply
from unmask.run.step import step

TOY = Toy(seed=4)
HEAD = "import numpy as np\nfrom math import pi\nfrom unmask.decide import Choice, Needs, View, best\n"
PLAIN = HEAD + "def mine(view):\n    return Choice(best(view, view.belief.confidence, quota=1))\n"
LIARS = {
    "erases": "    return Choice(best(view, view.belief.confidence, quota=1), erase=view.written)\n",
    "overwrites": "    return Choice(best(view, view.belief.confidence, quota=1) | view.written)\n",
    "verifies": "    return Choice(view.eligible, verify=view.eligible, stay=True)\n",
}


def put(folder: Path, configure: Callable[..., None], text: str) -> None:
    (folder / "mine.py").write_text(text)
    configure(UNMASK_POLICIES=str(folder))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("needs = Needs(movd=True)", "unexpected keyword argument 'movd'"),
        ("needs = Needs(rows='anser')", "rows must be one of open, answer, next, not 'anser'"),
        ("needs = Needs(moved='yes')", "moved must be True or False"),
        ("needs = Needs(memory='forever')", "memory must be one of block, run"),
        ("needs = {'moved': True}", "needs of the policy 'mine' must be a Needs"),
        (
            "need = Needs(moved=True)",
            "declares 'need'; it may declare group, needs, revises, resizes, settled, PRESETS",
        ),
        ("wants = Needs(moved=True)", "declares 'wants'"),
        ("revise = True", "declares 'revise'"),
        ("REVISES = True", "declares 'REVISES'"),
        ("revises = 1", "revises of the policy 'mine' must be True or False"),
        ("revises = True", "so it needs Needs"),
        ("PRESET = {}", "declares 'PRESET'"),
        ("memory = 'run'", "declares 'memory'"),
        ("PRESETS = 3", "PRESETS of the policy 'mine' must be names with values"),
    ],
)
def test_a_wrong_declaration_is_refused_when_it_is_read(
    tmp_path: Path, configure: Callable[..., None], line: str, says: str
) -> None:
    """A typo in `needs` once decoded one cell a pass, and nobody said why."""
    put(tmp_path, configure, f"{PLAIN}{line}\n")
    with pytest.raises(InvalidRequest, match=says):
        get_policy("mine")


def test_constants_and_helpers_are_no_declarations(tmp_path: Path, configure: Callable[..., None]) -> None:
    put(tmp_path, configure, PLAIN + "WAYS = ('a', 'b')\nHELD = 0.1\n_quiet = True\ndef needed(x): return x\n")
    assert get_policy("mine").needs == Needs()


@pytest.mark.parametrize("lie", LIARS)
@pytest.mark.parametrize("watched", [False, True])
def test_a_lying_policy_is_refused_by_name(
    tmp_path: Path, configure: Callable[..., None], lie: str, watched: bool
) -> None:
    """One that erased without saying so once passed every law, and broke the promise that settled text stays."""
    put(tmp_path, configure, HEAD + "needs = Needs(rows='answer')\ndef mine(view):\n" + LIARS[lie])
    with pytest.raises(InvalidRequest, match=r"the policy 'mine' (takes back|verifies).*its file must say"):
        run(TOY, begin("mine"), watched)


@pytest.mark.parametrize("lie", ["erases", "overwrites"])
def test_who_says_so_may_take_back(tmp_path: Path, configure: Callable[..., None], lie: str) -> None:
    text = HEAD + "needs = Needs(rows='answer')\nrevises = True\ndef mine(view):\n" + LIARS[lie]
    put(tmp_path, configure, text)
    assert run(TOY, begin("mine", cells=4, passes=1))[-1][0].done


@pytest.mark.parametrize("policy", policy_names())
def test_what_a_policy_that_does_not_revise_has_written_stays(policy: str) -> None:
    state = begin(policy, block=4)
    for after, frame in run(TOY, state, watched=True):
        taken = (state.canvas.tokens != after.canvas.tokens) & ~state.canvas.open
        assert get_policy(policy).revises or not (taken.any() or frame.erased.size)
        state = after


REMEMBERS = (
    HEAD
    + '''
def mine(view):
    """Write one cell, and remember how many passes it remembers."""
    return Choice(best(view, view.belief.confidence, quota=1), memory=(view.memory or 0) + 1)
'''
)


@pytest.mark.parametrize(("kept", "last"), [("block", [1, 2, 3, None] * 2), ("run", [1, 2, 3, 4, 5, 6, 7, 8])])
def test_a_memory_is_forgotten_where_the_declaration_says(
    tmp_path: Path, configure: Callable[..., None], kept: str, last: list[int | None]
) -> None:
    put(tmp_path, configure, REMEMBERS + f"needs = Needs(memory='{kept}')\n")
    states = [s for s, _ in run(TOY, begin("mine", cells=8, block=4))]
    assert [s.memory for s in states] == last
    assert apply(states[2], Tune({"block": 2})).memory is None
    assert apply(states[2], Tune({"policy": "margin"})).memory is None
    assert apply(states[-1], Erase((6,))).memory is None


def test_what_is_verified_is_read_from_left_to_right() -> None:
    state = begin("self_speculate", cells=6)
    (belief,) = infer(TOY, [state])
    drafted, _ = step(state, belief)
    assert drafted.verify is not None and drafted.verified is not None and drafted.memory is None
    assert np.array_equal(drafted.verified, state.canvas.open)
    (again,) = infer(TOY, [drafted])
    alone = [
        np.argmax(TOY.hashed_logits(np.where(np.arange(11) < c, drafted.canvas.tokens, TOY.mask))[c])
        for c in range(5, 11)
    ]
    assert again.token[5:].tolist() == alone
