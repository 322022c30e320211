"""Cells come and go as a decoder asks, keep their ids, and every such run is lived once more from its trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.long import mostly_long
from tests.support import PROMPT, begin, run
from unmask.canvas import Canvas, blank
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import nodes, recompute
from unmask.models.toy import Toy
from unmask.run.command import Edit, Erase, Pin, Release, Stretch
from unmask.run.edit import apply
from unmask.run.resize import stretches
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import EXTRA_PASSES, step
from unmask.run.timeline import Timeline, new_timeline
from unmask.run.trace import Trace, lines, parse_trace

TOY = Toy(seed=3)

# inserts and deletes anywhere, says which word, asks about canvases, and remembers cells by their ids
RESTLESS = '''"""Do everything that a policy may do, at random."""
import numpy as np
from unmask.decide import Choice, Needs, View, best

needs = Needs(rows="answer", logits=True)
revises = resizes = True

def restless(view: View) -> Choice:
    canvas, draw = view.canvas, view.random_draws(1)
    seen = (view.memory or frozenset()) | {*canvas.ids.tolist()}
    write = best(view, view.belief.confidence, quota=2)
    tokens = np.where(draw > 0.5, np.argsort(view.belief.logits, axis=1)[:, -7], view.belief.token)
    tokens = np.where(tokens == 49, 7, tokens)
    if view.block_pass > 6:
        return Choice(write, memory=seen, tokens=tokens)
    insert, delete = np.zeros(len(canvas) + 1, int), draw > 0.9
    insert[:-1][draw < 0.1] = 1 + view.block_pass % 2
    ask = (canvas.write(write, tokens),) * (view.block_pass % 3)
    assert len(view.answers) < 3
    return Choice(write, memory=seen, tokens=tokens, insert=insert, delete=delete, ask=ask)
'''


@pytest.fixture
def restless(tmp_path: Path, configure: Callable[..., None]) -> None:
    (tmp_path / "restless.py").write_text(RESTLESS)
    configure(UNMASK_POLICIES=str(tmp_path))


def policy(tmp_path: Path, configure: Callable[..., None], body: str, declares: str = "resizes = True") -> None:
    head = f"import numpy as np\nfrom unmask.decide import Choice, Needs, best\n{declares}\n"
    (tmp_path / "mine.py").write_text(f"{head}\ndef mine(view):\n    {body}\n")
    configure(UNMASK_POLICIES=str(tmp_path))


def saved_and_opened(timeline: Timeline) -> Timeline:
    (opened,) = parse_trace("".join(line + "\n" for line in lines(Trace((timeline,))))).runs
    return opened


def same(one: Timeline, two: Timeline, whole: bool) -> None:
    assert {*one.heads} == {*two.heads}
    for name, head in one.heads.items():
        for mine, other in zip(head.path(), two.heads[name].path(), strict=True):
            assert mine.canvas.same(other.canvas) and mine.edit == other.edit
            if mine.frame is not None:
                assert other.frame is not None and mine.frame.same(other.frame)
            if whole:
                assert mine.state.same(other.state)


def an_edit(random: Random, canvas: Canvas) -> Edit:
    """Something that a person may do now."""
    cells = np.flatnonzero(~canvas.prompt).tolist()
    cell = random.choice(cells)
    pinned = np.flatnonzero(canvas.pinned & ~canvas.given).tolist()
    kinds: list[Edit] = [Pin((cell,), (random.randrange(40),)), Erase((cell,)), Stretch(cell, random.randint(1, 3))]
    if pinned:
        kinds.append(Release((random.choice(pinned),)))
    if canvas.answer.sum() > 2 and canvas.free[cell]:
        kinds.append(Stretch(cell, -1))
    return random.choice(kinds)


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("seed", mostly_long(range(100), range(12)))
def test_a_random_mix_of_changes_is_lived_once_more_from_its_trace(seed: int) -> None:
    """Insert, delete, pin, undo, branch, save and open, in any order: equal to the run that its trace repeats."""
    random = Random(seed)
    settings = Settings(policy="restless", passes=8, seed=seed, block=random.choice([0, 6]))
    timeline = new_timeline(TOY.card, start(blank([PROMPT, random.randint(4, 10), [2, 7], 3]), settings))
    for _ in range(random.randint(3, 5)):
        for node in nodes(TOY, timeline.head):
            timeline = timeline.append(node)
            if random.random() < 0.3:
                break
        match random.randrange(4):
            case 0:  # undo: back to before something, on another branch
                timeline = timeline.fork(random.randrange(timeline.head.at + 1))
            case 1 if len(timeline.heads) > 1:
                timeline = timeline.switch(random.choice([*timeline.heads]))
            case 2:
                same(timeline, saved_and_opened(timeline), whole=False)
        edit = an_edit(random, timeline.head.canvas)
        state = apply(timeline.head.state, edit, TOY.card.words)
        timeline = timeline.append(timeline.head.child(state, edit=edit))
    again = recompute(saved_and_opened(timeline), lambda state: infer(TOY, [state])[0])
    same(timeline, again, whole=True)
    own = [node.edit.by for node in timeline.nodes() if isinstance(node.edit, Stretch) and node.edit.own]
    assert own


@pytest.mark.usefixtures("restless")
def test_ids_name_one_cell_for_the_whole_run_and_a_trace_stays_of_version_3() -> None:
    timeline = new_timeline(TOY.card, begin("restless", cells=8))
    for node in nodes(TOY, timeline.head):
        timeline = timeline.append(node)
    gone: set[int] = set()
    for before, after in zip(timeline.head.path(), timeline.head.path()[1:], strict=False):
        here, there = {*before.canvas.ids.tolist()}, {*after.canvas.ids.tolist()}
        assert not gone & there
        gone |= here - there
        fixed = before.canvas.given
        assert after.canvas.tokens[after.canvas.given].tolist() == before.canvas.tokens[fixed].tolist()
    assert gone
    remembered = [node.state.memory or frozenset() for node in timeline.head.path()]
    assert any(gone & seen for seen in remembered)  # the memory of a policy that resizes outlives its changes
    assert next(lines(Trace((timeline,)))).startswith('{"unmask":3,')


def test_changes_are_made_from_the_right_and_one_cell_of_the_answer_stays() -> None:
    canvas = blank([[1, 2], 4])
    insert, delete = np.array([0, 0, 0, 2, 0, 0, 1]), np.array([0, 0, 1, 1, 0, 1], bool)
    found = list(stretches(canvas, (insert, delete), 99))
    assert [(s.at, s.by) for s in found] == [(6, 1), (5, -1), (3, -1), (3, 2), (2, -1)]
    state = start(canvas, Settings())
    for edit in found:
        state = apply(state, edit)
    assert len(state.canvas) == 6 and state.canvas.ids.tolist()[:2] == [0, 1]
    every = np.zeros(7, int), canvas.open
    assert [(s.at, s.by) for s in stretches(canvas, every, 99)] == [(2, -3)]
    assert sum(s.by for s in stretches(canvas, (np.full(7, 5), np.zeros(6, bool)), 9)) == 3  # no longer than the model


@pytest.mark.parametrize(
    ("body", "declares", "says"),
    [
        ("return Choice(view.eligible, delete=view.eligible)", "", "must say `resizes = True`"),
        ("return Choice(view.eligible, insert=np.ones(3, int))", "resizes = True", "a count from 0 on for each cell"),
        ("return Choice(view.eligible, insert=np.full(22, -1))", "resizes = True", "a count from 0 on for each cell"),
        (
            "return Choice(best(view, view.belief.confidence), delete=~view.canvas.open)",
            "resizes = True",
            "must say `revises = True`",
        ),
        (
            "return Choice(best(view, -np.arange(21), quota=1), insert=(np.arange(22) == 5) * (view.block_pass > 0))",
            "resizes = True",
            "must say `revises = True`",
        ),
        ("return Choice(view.eligible, delete=view.eligible)", "resizes = True", "must say `revises = True`"),
        ("return Choice(view.eligible, ask=(view.canvas,) * 17)", "", "16 are allowed"),
        ("return Choice(view.eligible, ask=(view.canvas.stretch(6, 1),))", "", "another length than 21 cells"),
    ],
)
def test_what_a_policy_may_not_do_is_said_in_a_sentence(
    tmp_path: Path, configure: Callable[..., None], body: str, declares: str, says: str
) -> None:
    policy(tmp_path, configure, body, declares)
    with pytest.raises(InvalidRequest, match=says):
        run(TOY, begin("mine"))


def test_a_policy_that_always_asks_for_more_ends_within_its_block_and_touches_no_fixed_text(
    tmp_path: Path, configure: Callable[..., None]
) -> None:
    policy(tmp_path, configure, "return Choice(view.eligible & False, insert=np.append(view.canvas.open, False))")
    toy = Toy(seed=3)
    toy.card = replace(toy.card, longest=14)
    state = start(blank([PROMPT, 2, [2, 7], 2]).pin([10], [33]), Settings(policy="mine", passes=2, block=4))
    passes = run(toy, state)
    last = passes[-1][0].canvas
    assert passes[-1][0].done and len(last) == 14 and len(passes) < 3 * (2 + 4 * EXTRA_PASSES)
    assert last.tokens[last.given | last.pinned].tolist() == [*PROMPT, 2, 7, 33]
    assert np.diff(np.flatnonzero(last.given))[[0, 1, 2, 3, 5]].tolist() == [1] * 5  # none within fixed text


def test_a_rule_keeps_the_length(tmp_path: Path, configure: Callable[..., None]) -> None:
    policy(tmp_path, configure, "return Choice(best(view, view.belief.confidence), delete=view.eligible)")
    ruled = begin("mine", constraint={"kind": "avoids", "text": "7"})
    assert len(run(TOY, ruled)[-1][0].canvas) == len(ruled.canvas)


ASKS = """every = [view.canvas.write(view.eligible, np.full(len(view.canvas), n)) for n in range(4)]
    return Choice(best(view, view.belief.confidence, quota=2), ask=tuple(every))
"""


def test_four_canvases_cost_four_forwards_more_and_have_their_own_beliefs(
    tmp_path: Path, configure: Callable[..., None]
) -> None:
    policy(tmp_path, configure, ASKS)
    state, first = step(begin("mine"), infer(TOY, [begin("mine")])[0])
    (belief,) = infer(TOY, [state])
    assert (first.cost, belief.forwards, len(belief.answers)) == (1, 5, 4)
    for canvas, other in zip(state.ask, belief.answers, strict=True):
        (alone,) = infer(TOY, [replace(state, canvas=canvas, ask=())])
        assert np.array_equal(alone.top_probs, other.top_probs) and np.array_equal(alone.known, other.known)
    assert step(state, belief)[1].cost == 5
    edited = apply(state, Pin((8,), (4,)))
    assert edited.ask == () and infer(TOY, [edited])[0].answers == ()


def test_the_canvases_asked_for_share_one_forward(tmp_path: Path, configure: Callable[..., None]) -> None:
    policy(tmp_path, configure, ASKS)
    batches: list[int] = []

    class Counting(Toy):
        def logits(self, model_inputs: Any) -> Any:
            batches.append(len(model_inputs))
            return super().logits(model_inputs)

    run(Counting(seed=3), begin("mine", passes=4))
    assert batches[0] == 1 and {*batches[1:]} == {5}


def test_logits_are_those_that_the_probabilities_come_from(tmp_path: Path, configure: Callable[..., None]) -> None:
    policy(tmp_path, configure, "return Choice(view.eligible)", "needs = Needs(logits=True)")
    (belief,) = infer(TOY, [begin("mine", bans=(7,))])
    rows = belief.logits[belief.known]
    shares = np.exp(rows - rows.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    at = np.arange(len(rows))[:, None]
    assert belief.logits.shape == (len(belief.known), TOY.card.words) and shares[:, 7].max() < 1e-9
    assert np.allclose(shares[at, belief.top_ids[belief.known]], belief.top_probs[belief.known], atol=1e-6)
    assert infer(TOY, [begin()])[0].logits.size == 0
