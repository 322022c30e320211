"""A sweep's plan and what is made of its outcomes, worked out by hand."""

from math import inf, nan
from typing import Any

import pytest

from unmask.errors import InvalidRequest
from unmask.features.lab.sweep import Outcome, Sweep, advice, paragraph, points, settings, table
from unmask.run.presets import Decoder, presets


def outcome(decoder: str, passes: int, right: float, **more: Any) -> Outcome:
    row: dict[str, Any] = {
        "prompt": "Sum: 1 + 1",
        "seed": 0,
        "text": "= 2",
        "tokens": 8,
        "seconds": passes * 0.01,
        "facts": right,
        "surprise": nan,
        "repeated": 0.0,
        "agrees": right,
        "same": right,
    }
    return Outcome(decoder=decoder, passes=passes, right=right, **(row | more))


def test_a_sweep_is_a_product_of_orders_prompt_by_prompt() -> None:
    sweep = Sweep("toy", (Decoder("llada", {"passes": 2}), Decoder("fast-dllm")), ("1 2", "3"), (0, 1), 8)
    orders = [order for _, _, order in sweep.specs()]
    assert sweep.count == len(orders) == 8
    assert [o.prompt for o in orders] == ["1 2"] * 4 + ["3"] * 4
    assert len({(o.prompt, o.preset, o.seed) for o in orders}) == 8


@pytest.mark.parametrize(
    "wrong, why",
    [
        ({"prompts": ()}, "at least one prompt"),
        ({"decoders": ()}, "at least one decoder"),
        ({"prompts": tuple(map(str, range(1001))), "seeds": tuple(range(1000))}, "1,001,000 runs; at most 5,000"),
        ({"decoders": (Decoder("lada"),)}, "no preset 'lada'"),
    ],
)
def test_what_cannot_be_swept_is_refused_by_name(wrong: dict[str, Any], why: str) -> None:
    fields: dict[str, Any] = {"model": "toy", "decoders": (Decoder("llada"),), "prompts": ("1",)}
    with pytest.raises(InvalidRequest, match=why):
        Sweep(**(fields | wrong))


def test_a_point_has_means_and_stands_on_the_front_if_nobody_is_better_and_cheaper() -> None:
    runs = [
        *[outcome("bold", 2, r) for r in (1, 0, 0, 0)],
        *[outcome("careful", 8, r) for r in (1, 1, 1, 0)],
        *[outcome("wasteful", 9, r) for r in (1, 1, 0, 0)],
    ]
    bold, careful, wasteful = points(runs)
    assert bold.values["right"][0] == 0.25 and careful.values["right"][0] == 0.75
    assert bold.tokens_per_pass == 4 and careful.passes == 8
    assert "right" in bold.best and "right" in careful.best and "right" not in wasteful.best
    low, high = careful.values["right"][1:]
    assert 0 <= low < 0.75 < high <= 1
    assert bold.to_dict()["values"]["surprise"] is None


def test_advice_is_the_best_within_a_budget() -> None:
    rows = points([outcome("bold", 2, 0.0), outcome("careful", 8, 1.0), outcome("slow", 64, 1.0)])
    assert advice(rows, "right").decoder == "careful"
    assert advice(rows, "right", passes=4).decoder == "bold"
    assert advice(rows, "right", inf, seconds=0.1).decoder == "careful"
    with pytest.raises(InvalidRequest, match=r"the cheapest is bold with 2\.0 passes and 0\.02 s"):
        advice(rows, "right", passes=1)
    with pytest.raises(InvalidRequest, match=r"no measure 'beauty'; there are right, facts"):
        advice(rows, "beauty")
    with pytest.raises(InvalidRequest, match="nothing was measured as 'surprise'"):
        advice(rows, "surprise")


@pytest.mark.parametrize("name", presets())
def test_every_decoder_has_five_settings_that_it_accepts(name: str) -> None:
    rows = settings(name, 64)
    labels = [Decoder(name, changes).label for changes in rows]
    assert 4 <= len(rows) == len({*labels}) <= 5, labels
    for changes in rows:
        presets()[name].over(64, **changes)


def test_the_sheet_and_the_paragraph_say_what_was_found() -> None:
    runs = [outcome("bold", 2, 0.0), outcome("careful", 8, 1.0)]
    head, first, _ = table(runs)
    assert head[0] == "decoder" and dict(zip(head, first, strict=True))["surprise"] == ""
    sweep = Sweep("toy", (Decoder("llada"),), ("1",))
    text = paragraph(sweep, points(runs), "right", "cpu, fp32, 2 threads", "2026-01-01")
    assert "careful: 100% [100%, 100%] at 8.0 passes, 1.00 tokens a pass." in text
