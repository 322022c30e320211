"""A constraint that forbids nothing changes nothing: the bundled pair writes the same frames with it and without."""

from functools import cache
from typing import Any

import pytest

from tests.long import mostly_long
from unmask.decide.constraint import constraint_kinds
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.frame import Frame
from unmask.run.spec import RunSpec

CELLS = 64
AVOIDS = {"kind": "avoids", "text": "zzzz"}
NOTHING: dict[str, dict[str, Any]] = {
    "avoids": AVOIDS,
    "calls": {"kind": "calls", "tools": [{"name": "zzzz"}], "otherwise": [{"kind": "regex", "pattern": r"[\s\S]*"}]},
    "contains": {"kind": "contains", "text": ""},
    "every": {"kind": "every", "of": [AVOIDS, {"kind": "length", "most": CELLS}]},
    "grammar": {"kind": "grammar", "text": "start: /[^z]|z/*"},
    "length": {"kind": "length", "most": CELLS},
    "regex": {"kind": "regex", "pattern": r"[\s\S]*"},
}
SHAPED = {"choice", "json_object", "schema"}  # kinds that always forbid some text
PROMPTS = ("Story: Max found a strange door.", "User: how are you?", "lol")


@cache
def frames(model: str, prompt: str, kind: str = "") -> tuple[list[Frame], list[int]]:
    denoiser: Any = load(model)
    denoiser.clear_caches()
    spec = RunSpec(prompt, length=CELLS, seed=3, changes={"constraint": NOTHING[kind]} if kind else {})
    run = list(decode(denoiser, spec.start(denoiser.card, denoiser.tokenizer)))
    return [frame for _, frame in run], run[-1][0].canvas.tokens.tolist()


def test_every_kind_that_can_forbid_nothing_is_tried() -> None:
    assert set(NOTHING) == set(constraint_kinds()) - SHAPED


@pytest.mark.parametrize("kind", NOTHING)
@pytest.mark.parametrize("prompt", mostly_long(PROMPTS, PROMPTS[:1]))
@pytest.mark.parametrize("model", ["denoiser", "fast", "twin"])
def test_it_changes_no_frame(model: str, prompt: str, kind: str) -> None:
    plain, ruled = frames(model, prompt)[0], frames(model, prompt, kind)[0]
    assert len(plain) == len(ruled)
    assert all(one.same(other) for one, other in zip(plain, ruled, strict=True))


@pytest.mark.parametrize("kind", NOTHING)
def test_in_a_gap_it_changes_no_cell(kind: str) -> None:
    """Confidences differ a little: before given text, a constraint allows no EOS token."""
    prompt = "Story: Mia had [MASK:12] cake. Then Mia went home."
    assert frames("denoiser", prompt)[1] == frames("denoiser", prompt, kind)[1]
