"""What an order puts into the controls."""

from typing import Any

import pytest

from unmask.errors import InvalidRequest
from unmask.models.bundled import CANVAS
from unmask.run.presets import preset
from unmask.ui.panels import control_values, shape
from unmask.ui.sliders import LONGEST, MOST_PASSES


def test_an_order_without_a_decoder_means_the_models_own() -> None:
    values = control_values({"prompt": "Story: a", "length": 40, "changes": {"passes": 7}}, CANVAS)
    own = preset(CANVAS["preset"]).settings["options"]["tau"]
    assert values["preset"] == CANVAS["preset"] and values["proofread.tau"] == own
    assert (values["prompt"], values["length"], values["passes"], values["end"]) == ("Story: a", 40, 7, "stop")


def test_an_order_says_its_rule_and_stays_within_the_sliders() -> None:
    changes = {"policy": "threshold", "options": {"tau": 0.7}, "passes": 4000, "schedule": "drawn", "shares": [1, 2]}
    values = control_values({"preset": "mdlm", "length": 4000, "seed": 3, "changes": changes}, CANVAS)
    assert (values["length"], values["passes"], values["seed"]) == (LONGEST, MOST_PASSES, 3)
    assert (values["policy"], values["threshold.tau"], values["shares"]) == ("threshold", 0.7, [1, 2])


@pytest.mark.parametrize("row", [{"preset": "none such"}, {"length": "x"}, {"changes": {"policy": "x"}}, [], 3])
def test_what_is_no_order_is_refused(row: object) -> None:
    with pytest.raises(InvalidRequest):
        control_values(row, CANVAS)  # type: ignore[arg-type]


PLANNED: dict[str, Any] = {"length": 144, "passes": 16, "block": 0, "schedule": "linear", "bend": 2, "shares": []}


def test_a_plan_is_promised_only_where_the_decoder_keeps_it() -> None:
    """The page once promised at most 108 passes of a decoder that took 127."""
    assert "at most 16 looks, 9 tokens a look" in shape(PLANNED | {"preset": "dream"})
    drawn = {"preset": "dream", "schedule": "drawn", "shares": [0.25, 1.0]}
    assert "nothing to decide" not in shape(PLANNED | drawn)
    assert "leaves your schedule nothing to decide" in shape(PLANNED | drawn | {"passes": 144})
    sure = shape(PLANNED | {"preset": "fast-dllm"})
    assert "none beforehand" in sure and "at most one for each of the 144 tokens" in sure and "16" not in sure
    revises = shape(PLANNED | {"preset": "wino"})
    assert "none beforehand" in revises and "at most" not in revises
