"""A sweep's plan and what is made of its outcomes, worked out by hand."""

from typing import Any

import pytest

from unmask.errors import InvalidRequest
from unmask.features.lab.sweep import Sweep, settings
from unmask.run.presets import Decoder, presets


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


@pytest.mark.parametrize("name", presets())
def test_every_decoder_has_five_settings_that_it_accepts(name: str) -> None:
    rows = settings(name, 64)
    labels = [Decoder(name, changes).label for changes in rows]
    assert 4 <= len(rows) == len({*labels}) <= 5, labels
    for changes in rows:
        presets()[name].over(64, **changes)
