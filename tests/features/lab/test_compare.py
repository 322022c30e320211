"""Decoders side by side: aligned by what is written, and parted where they part."""

from unmask.features.lab.compare import DecoderRun, describe_differences, first_difference
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.spec import RunSpec


def lane(preset: str, **changes: object) -> DecoderRun:
    toy = load("toy")
    first = RunSpec("1 2 3", model="toy", length=16, preset=preset, changes=changes).start(toy.card, toy.tokenizer)
    return DecoderRun.of(preset, first, list(decode(toy, first)))


def test_a_lane_replays_to_its_canvas() -> None:
    toy = load("toy")
    one = lane("llada", passes=4)
    row = one.to_dict(toy.tokenizer)
    cells = list(row["first"])
    for changes in row["passes"]:
        for cell, piece in changes:
            cells[cell] = piece
    assert cells == [toy.tokenizer.piece(int(t)) for t in one.canvases[-1].tokens]
    assert one.shares == [0, 0.25, 0.5, 0.75, 1] and len(row["passes"]) == 4


def test_they_part_where_the_first_different_word_was_written() -> None:
    toy = load("toy")
    a, b = lane("llada", passes=2), lane("llada", passes=8)
    (sentence,) = describe_differences([a, b], toy.tokenizer)
    cell, when = first_difference(a, b)
    assert a.canvases[-1].tokens[cell] != b.canvases[-1].tokens[cell]
    assert f"They part at pass {when}, in cell {cell + 1}" in sentence
    # before that pass no cell of both lanes holds different words that stay
    for other in range(len(a.canvases[0])):
        stays_a = [c.tokens[other] for c in a.canvases[:when] if not c.open[other]]
        stays_b = [c.tokens[other] for c in b.canvases[:when] if not c.open[other]]
        assert not (stays_a and stays_b and stays_a[-1] != stays_b[-1])
    assert describe_differences([a, a], toy.tokenizer) == ["llada ends with the same text as llada."]
