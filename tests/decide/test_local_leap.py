"""LocalLeap, against its rule written down once more as the paper has it: cell by cell."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.decide.test_policies import seen
from unmask.decide import get_policy


def by_the_paper(confidence: list[float], eligible: list[bool], tau: float, near: float, radius: int) -> list[int]:
    cells = [i for i, may in enumerate(eligible) if may]
    anchors = [i for i in cells if confidence[i] >= tau]
    chosen = []
    for i in cells:
        relaxed = any(abs(i - a) <= radius for a in anchors)
        if confidence[i] >= (near if relaxed else tau):
            chosen.append(i)
    return chosen or [max(cells, key=lambda i: (confidence[i], -i))]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40).filter(lambda c: any(e for _, e in c)),
    st.floats(0.5, 1),
    st.floats(0, 1),
    st.integers(0, 6),
)
def test_near_an_anchor_the_bar_is_lower(cells: list[tuple[float, bool]], tau: float, near: float, radius: int) -> None:
    confidence, eligible = [c for c, _ in cells], [e for _, e in cells]
    near = min(near, tau)
    view = replace(seen(confidence), eligible=np.array(eligible))
    choice = get_policy("local_leap").decide(view, tau=tau, near=near, radius=radius)
    assert np.flatnonzero(choice.write).tolist() == by_the_paper(confidence, eligible, tau, near, radius)
