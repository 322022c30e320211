"""The list of decoders: every preset once, each picture drawn by the decoder's own rule."""

import json

import pytest

from unmask.run.presets import preset, presets
from unmask.ui.decoders import ORDERS, decoders, fill_order, picture_of, uses_passes, uses_schedule


def test_every_preset_stands_in_the_list_once_and_in_plain_words() -> None:
    names = [item["name"] for row in decoders() for item in row["items"]]
    assert sorted(names) == sorted(presets())
    assert "Your own" not in [row["name"] for row in decoders()]  # each of ours declares its group


@pytest.mark.parametrize("name", sorted(presets()))
def test_a_picture_is_what_the_rule_does(name: str) -> None:
    kept = json.loads(ORDERS.read_text())
    assert kept.get(name, picture_of(preset(name))) == picture_of(preset(name)), "python -m unmask.ui.decoders"


def test_orders_are_what_their_names_say() -> None:
    left = fill_order(preset("autoregressive"))
    assert left is not None and left.when == tuple(range(1, 17))
    sure = fill_order(preset("dream"))
    assert sure is not None and sure.when.index(min(sure.when)) in (0, 7) and sure.when != left.when
    mind = fill_order(preset("p2"))
    assert mind is not None and sum(mind.changes) > 0


def test_a_schedule_governs_those_that_count_and_not_those_that_are_sure() -> None:
    assert uses_schedule("llada") and uses_schedule("dream")
    assert not uses_schedule("fast-dllm") and not uses_schedule("autoregressive")


def test_passes_count_where_a_plan_is_followed_and_not_where_a_rule_decides() -> None:
    assert uses_passes(preset("llada")) and uses_passes(preset("mdlm")) and uses_passes(preset("llada2"))
    assert not uses_passes(preset("fast-dllm")) and not uses_passes(preset("eb-sampler"))
