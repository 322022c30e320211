"""Whatever is asked, in whatever order: prompt and pins stay, rewinding is exact, a replay and a re-lived run agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from unmask.canvas import blank
from unmask.decide import policy_names
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.inference.decode import recompute
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.command import Ban, Boost, Edit, Erase, Pin, Release, Stretch, Tune
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.run.timeline import new_timeline
from unmask.run.trace import Trace

TOY = Toy(seed=2)
PROMPT = [3, 1, 4, 1, 5]
POLICIES = [n for n in policy_names() if n != "self_speculate"]  # which needs a model that answers both ways
CELLS, TOKENS = st.integers(-1, 40), st.sampled_from([*range(-1, 49), 50, 51])  # all but the mask


def model_input(state: State) -> Any:
    return infer(TOY, [state], [True])[0]


class Steering(RuleBasedStateMachine):
    """One timeline, and what a person may do to it."""

    @initialize(policy=st.sampled_from(POLICIES), heat=st.sampled_from([0.0, 1.0]), block=st.sampled_from([0, 5]))
    def begin(self, policy: str, heat: float, block: int) -> None:
        state = start(blank([PROMPT, 9, [7, 7], 6]), Settings(policy, passes=8, temperature=heat, block=block, seed=11))
        self.run = new_timeline(TOY.card, state, "x")
        self.pins: dict[int, int] = {}

    @property
    def state(self) -> State:
        return self.run.head.state

    @rule(passes=st.integers(1, 3))
    def play(self, passes: int) -> None:
        for _ in range(passes):
            if self.state.done:
                return
            before = self.state
            after, frame = step(before, model_input(before))
            free = before.canvas.free
            assert free[frame.cells].all() and free[frame.erased].all()
            assert frame.open == int(after.canvas.open.sum()) and after.step == before.step + 1
            self.run = self.run.append(self.run.head.child(after, frame))

    def edit(self, edit: Edit) -> bool:
        before = self.state
        kept = before.canvas.tokens.copy()
        try:
            after = apply(before, edit, TOY.card.words)
        except InvalidRequest as refused:
            assert str(refused) and "\n" not in str(refused)
            assert np.array_equal(before.canvas.tokens, kept)
            return False
        self.run = self.run.append(self.run.head.child(after, edit=edit))
        return True

    @rule(at=CELLS, tokens=st.lists(TOKENS, min_size=1, max_size=3))
    def pin(self, at: int, tokens: list[int]) -> None:
        if self.edit(Pin(tuple(range(at, at + len(tokens))), tuple(tokens))):
            ids = self.state.canvas.ids
            self.pins |= {int(ids[at + i]): t for i, t in enumerate(tokens)}

    @rule(cells=st.lists(CELLS, max_size=3))
    def release(self, cells: list[int]) -> None:
        if self.edit(Release(tuple(cells))):
            for cell in cells:
                self.pins.pop(int(self.state.canvas.ids[cell]), None)

    @rule(cells=st.lists(CELLS, max_size=4))
    def erase(self, cells: list[int]) -> None:
        if self.edit(Erase(tuple(cells))):
            for cell in cells:
                self.pins.pop(int(self.state.canvas.ids[cell]), None)

    @rule(token=TOKENS, lift=st.booleans())
    def ban(self, token: int, lift: bool) -> None:
        if self.edit(Ban(token, lift)) and not lift:
            canvas = self.state.canvas
            assert not ((canvas.tokens == token) & canvas.free & ~canvas.open).any()

    @rule(token=TOKENS, amount=st.sampled_from([-200.0, -5.0, 0.0, 4.0]))
    def boost(self, token: int, amount: float) -> None:
        self.edit(Boost(token, amount))

    @rule(at=CELLS, by=st.integers(-3, 3))
    def stretch(self, at: int, by: int) -> None:
        if len(self.state.canvas) + by < 40 and self.edit(Stretch(at, by)):
            here = set(self.state.canvas.ids.tolist())
            self.pins = {k: v for k, v in self.pins.items() if k in here}

    @rule(
        changes=st.sampled_from(
            [{"passes": 3}, {"passes": 30}, {"block": 4}, {"block": 0}, {"temperature": 0.7}, {"schedule": "cosine"}]
            + [{"policy": p} for p in POLICIES]
            + [
                {"policy": "nonsense"},
                {"passes": 0},
                {"guidance": -1},
                {"sight": "block", "block": 6},
                {"sight": "all"},
            ]
        )
    )
    def tune(self, changes: dict[str, Any]) -> None:
        self.edit(Tune(changes))

    @precondition(lambda self: self.run.head.at > 1 and len(self.run.heads) < 6)
    @rule(share=st.floats(0, 1))
    def fork(self, share: float) -> None:
        """Go on from an earlier moment; what was left behind must never change."""
        left = self.run
        self.run = self.run.fork(int(share * self.run.head.at))
        assert self.run.heads[left.on] is left.head and self.run.on not in left.heads
        self._pins_of_the_canvas()

    @precondition(lambda self: len(self.run.heads) > 1)
    @rule(data=st.data())
    def switch(self, data: Any) -> None:
        self.run = self.run.switch(data.draw(st.sampled_from(sorted(self.run.heads))))
        self._pins_of_the_canvas()

    @precondition(lambda self: len(self.run.heads) > 1)
    @rule(data=st.data())
    def drop(self, data: Any) -> None:
        self.run = self.run.drop(data.draw(st.sampled_from(sorted(set(self.run.heads) - {self.run.on}))))

    def _pins_of_the_canvas(self) -> None:
        canvas = self.state.canvas
        self.pins = {int(canvas.ids[c]): int(canvas.tokens[c]) for c in np.flatnonzero(canvas.pinned)}

    @precondition(lambda self: self.run.head.at > 0)
    @rule(share=st.floats(0, 1))
    def rewind(self, share: float) -> None:
        """Any pass thought again from its state is the pass that was."""
        node = self.run.head.ancestor(1 + int(share * (self.run.head.at - 1)))
        if node.frame is not None and node.parent is not None:
            after, again = step(node.parent.state, model_input(node.parent.state))
            assert again.same(node.frame) and after.canvas.same(node.canvas)

    @invariant()
    def the_prompt_and_the_pins_stand(self) -> None:
        if not hasattr(self, "run"):
            return
        canvas = self.state.canvas
        assert canvas.tokens[:5].tolist() == PROMPT and canvas.given[:5].all()
        assert not (canvas.open & (canvas.given | canvas.pinned)).any()
        where = {int(name): i for i, name in enumerate(canvas.ids)}
        for name, token in self.pins.items():
            assert canvas.pinned[where[name]] and canvas.tokens[where[name]] == token
        assert int(canvas.pinned.sum()) == len(self.pins)
        assert (canvas.tokens[~canvas.open] >= 0).all() and TOY.mask not in canvas.tokens[
            canvas.answer & ~canvas.pinned
        ]

    def teardown(self) -> None:
        if not hasattr(self, "run"):
            return
        read = traces.parse_trace("\n".join(traces.lines(Trace((self.run,))))).first
        lived = recompute(read, model_input)
        assert list(read.heads) == list(self.run.heads) and read.on == self.run.on
        for live, replayed, again in zip(self.run.nodes(), read.nodes(), lived.nodes(), strict=True):
            assert live.canvas.same(replayed.canvas) and live.canvas.same(again.canvas)
            assert live.settings == replayed.settings == again.settings
            if live.frame is not None:
                assert replayed.frame is not None and again.frame is not None
                assert live.frame.same(replayed.frame) and live.frame.same(again.frame)


TestSteering = pytest.mark.fuzz(Steering.TestCase)
TestSteering.settings = settings(stateful_step_count=50, deadline=None)
