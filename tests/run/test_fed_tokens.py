"""What passes computed, counted from frames, against the tokens that reached the network."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support import PROMPT, begin, run
from unmask.inference.decode import nodes
from unmask.models import load
from unmask.models.graph_network import GraphNetwork
from unmask.models.toy import Toy
from unmask.run.fed_tokens import Work, work_of_passes
from unmask.run.spec import RunSpec
from unmask.run.timeline import Timeline, new_timeline, with_pieces
from unmask.run.trace import Trace, save
from unmask.run.trace import load as load_trace

DECODERS: list[tuple[str, dict[str, Any], int]] = [
    ("denoiser", {}, 1),  # proofreads: the reader's texts begin with a separator
    ("denoiser", {"policy": "revoke"}, 0),  # shadows
    ("denoiser", {"policy": "confidence", "block": 8, "sight": "block", "passes": 12}, 0),
    ("twin", {}, 1),
    ("fast", {}, 1),
    ("fast", {"policy": "threshold", "block": 8}, 1),
]


def decode(model: str, changes: dict[str, Any], fed: list[int]) -> tuple[Timeline, list[int]]:
    """A run, and the tokens that reached the network in each pass."""
    denoiser = load(model)
    spec = RunSpec("A story about a fox:", model, 24, "", changes)
    timeline = new_timeline(denoiser.card, spec.start(denoiser.card, denoiser.tokenizer))
    each = []
    fed.clear()
    for node in nodes(denoiser, timeline.head):
        timeline = timeline.append(node)
        if node.frame:
            each.append(sum(fed))
            fed.clear()
    return with_pieces(timeline, denoiser.tokenizer), each


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    lengths: list[int] = []
    forward = GraphNetwork.forward

    def counted(self: GraphNetwork, ids: Any, *rest: Any, **more: Any) -> Any:
        lengths.append(int(np.asarray(ids).size))
        return forward(self, ids, *rest, **more)

    monkeypatch.setattr(GraphNetwork, "forward", counted)
    return lengths


@pytest.mark.parametrize(("model", "changes", "separators"), DECODERS)
def test_tokens_are_those_that_the_network_read(fed, model, changes, separators):
    timeline, each = decode(model, changes, fed)
    works = timeline.works()
    assert len(works) == len(each) > 4
    for work, tokens in zip(works, each, strict=True):
        assert abs(tokens - work.forwards * work.tokens) <= separators


def test_guidance_feeds_the_canvas_twice(fed):
    timeline, each = decode("denoiser", {"policy": "threshold", "guidance": 1.5}, fed)
    assert [work.forwards * work.tokens for work in timeline.works()] == each


@pytest.mark.parametrize("model", ["denoiser", "fast", "twin"])
def test_a_saved_run_has_the_same_work(fed, tmp_path, model):
    timeline, _ = decode(model, {}, fed)
    save(Trace((timeline,)), tmp_path / "run.dllm")
    (again,) = load_trace(tmp_path / "run.dllm").runs
    assert again.works() == timeline.works()
    assert again.tokens() == timeline.tokens()


def test_an_approximate_cache_computes_the_cells_of_age_0():
    toy = Toy()
    state = begin(cells=11)
    (_, frame) = run(toy, state)[0]
    stale = np.array([3] * len(PROMPT) + [0] * 4 + [3] * 7, np.uint8)
    assert list(work_of_passes(toy.card, [(state, replace(frame, stale=stale))])) == [Work(1, 4, 12)]
