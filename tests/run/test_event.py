"""What a run tells comes back from JSON as it was, for vocabularies of two bytes and of three."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import begin
from unmask.canvas import NOTHING, Canvas, blank
from unmask.errors import InvalidRequest
from unmask.run import event as events
from unmask.run.codec import canvas_from_dict, canvas_to_dict, frame_from_dict, frame_to_dict, pack, unpack, width_for
from unmask.run.frame import CANDIDATES, Frame


@st.composite
def frames(draw: Any, width: int) -> Frame:
    length, most = draw(st.integers(1, 12)), (1 << 8 * width) - 2

    def row(kind: str, low: int, high: int, shape: Any = length) -> Any:
        return draw(hnp.arrays(kind, shape, elements=st.integers(low, high)))

    cells = sorted(draw(st.sets(st.integers(0, length - 1))))
    sure = draw(st.lists(st.floats(0, 1), min_size=len(cells), max_size=len(cells)))
    small = st.integers(0, 10**6)
    return Frame(
        **{name: draw(small) for name in ("step", "block", "turn", "quota", "cost", "open")},
        done=draw(st.booleans()),
        cells=np.array(cells, np.int32),
        tokens=row("i4", 0, most, len(cells)),
        was=row("i4", NOTHING, most, len(cells)),
        confidence=np.array(sure).round(4).astype(np.float32),
        why=(
            (draw(st.text()), tuple(cells), tuple(float(round(x, 4)) for x in sure)),
            ("for no number", tuple(cells), ()),
        ),
        erased=np.array(sorted(draw(st.sets(st.integers(0, length - 1)))), np.int32),
        noise=row("i4", 0, most) if draw(st.booleans()) else np.empty(0, np.int32),
        guess=row("i4", NOTHING, most),
        sure=row("u1", 0, 255),
        entropy=row("u1", 0, 255),
        margin=row("u1", 0, 255),
        top_ids=row("i4", 0, most, (length, CANDIDATES)),
        top_probs=row("u1", 0, 255, (length, CANDIDATES)),
        stale=row("u1", 0, 255) if draw(st.booleans()) else np.empty(0, np.uint8),
    )


@given(st.data(), st.sampled_from([2, 3]))
def test_a_frame_survives_json(data: Any, width: int) -> None:
    frame = data.draw(frames(width))
    again = frame_from_dict(json.loads(json.dumps(frame_to_dict(frame, width, whole=True))), width)
    assert again.same(frame)
    kinds = {f: getattr(frame, f).dtype for f in vars(frame) if isinstance(getattr(frame, f), np.ndarray)}
    assert {f: getattr(again, f).dtype for f in kinds} == kinds


@given(st.sampled_from([1, 2, 3]), st.data())
def test_packing_comes_back(width: int, data: Any) -> None:
    most = (1 << 8 * width) - (1 if width == 1 else 2)
    row = np.array(data.draw(st.lists(st.integers(0, most))), np.int64)
    assert np.array_equal(unpack(pack(row, width), width), row)
    if width > 1:
        assert unpack(pack(np.array([NOTHING]), width), width).tolist() == [NOTHING]


def test_every_token_of_a_vocabulary_fits_its_width() -> None:
    for words in (2, 4096, 65_534, 65_535, 65_536, 126_464, 262_144):
        width = width_for(words)
        assert unpack(pack(np.array([words - 1]), width), width).tolist() == [words - 1]


@given(st.lists(st.sampled_from("gyopw"), max_size=12), st.data())
def test_a_canvas_survives_json(kinds: list[str], data: Any) -> None:
    n = len(kinds)
    letters = np.array(kinds, "U1")
    tokens = np.where(letters == "o", NOTHING, 7).astype(np.int64)
    ids = np.array(data.draw(st.permutations(range(n))), np.int64) + data.draw(st.integers(0, 3))
    own = letters == "y"
    canvas = Canvas(tokens, letters == "o", (letters == "p") | own, (letters == "g") | own, ids)
    assert canvas_from_dict(json.loads(json.dumps(canvas_to_dict(canvas)))).same(canvas)


@pytest.mark.parametrize(
    "row",
    [
        {"tokens": [1], "kinds": "oo"},
        {"tokens": [1], "kinds": "q"},
        {"tokens": [[1]], "kinds": "o"},
        {"tokens": [1, 2], "kinds": "oo", "ids": [0]},
        {"tokens": [1, 2], "kinds": "oo", "ids": [3, 3]},
        {"tokens": [1, 2], "kinds": "oo", "ids": [-3, 0]},
        {"tokens": [1, 2], "kinds": "oo", "ids": [0, 10**12]},
    ],
)
def test_a_damaged_canvas_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match=r"a canvas needs|a list of whole numbers"):
        canvas_from_dict(row)


def test_every_event_is_plain_json() -> None:
    canvas, head = blank([[1], 3]), {"words": 50}
    every = [
        events.Opened("a", head, canvas),
        events.Edited(1, {"do": "pin"}, canvas, begin().settings.to_dict()),
        events.Snapshot(3, canvas, True, 4),
        events.Moved(3, False, 4),
        events.Peeked(2, 1, {"candidates": []}),
        events.Branched("2", "1", 2, {"1": 5, "2": 2}),
        events.Settled("x", 1),
        events.Refusal("no", "pin", 4),
        events.Waiting(2, 1.5),
        events.Done(4, "x", {"passes": 4}, "the model failed"),
    ]
    rows = [json.loads(json.dumps(events.event_to_dict(e))) for e in every]
    assert [r["did"] for r in rows] == [n for n in events.NAMES.values() if n != "stepped"]
    assert rows[-1]["failed"] == "the model failed" and rows[0]["canvas"]["kinds"] == "gooo"
