"""The time of a pass on another machine, against cases worked by hand."""

import pytest

from unmask.errors import InvalidRequest
from unmask.run.pass_time import (
    CHIPS,
    SIZES,
    Size,
    get_chip,
    get_size,
    measured_chip,
    most_passes,
    pass_seconds,
)

DENSE = Size(8e9, 8e9)


def test_few_tokens_wait_for_the_weights():
    # 16e9 bytes / 3.35e12 = 4.776 ms, and half the efficiency doubles it
    assert pass_seconds(DENSE, CHIPS["h100"], 1, efficiency=1) == pytest.approx(4.776e-3, rel=1e-3)
    assert pass_seconds(DENSE, CHIPS["h100"], 256, efficiency=0.5) == pytest.approx(9.552e-3, rel=1e-3)


def test_many_tokens_wait_for_the_arithmetic():
    # 2 * 8e9 * 1024 / 989e12 = 16.566 ms
    assert pass_seconds(DENSE, CHIPS["h100"], 1024, efficiency=1) == pytest.approx(16.566e-3, rel=1e-3)


def test_cache_and_overhead_add_their_time():
    # (16e9 + 3.35e9) / 3.35e12 = 5.776 ms, and 1 ms
    seconds = pass_seconds(DENSE, CHIPS["h100"], 1, efficiency=1, cache=3.35e9, overhead=1e-3)
    assert seconds == pytest.approx(6.776e-3, rel=1e-3)


def test_experts_are_read_as_tokens_reach_them():
    # 2e9 shared, 8e9 in 4 experts, 1 chosen: one token reads 4e9, two read 2e9 + 8e9 * 7/16 = 5.5e9
    mixture = Size(10e9, 4e9, experts=4, chosen=1)
    assert mixture.weights_read(1) == pytest.approx(8e9)
    assert mixture.weights_read(2) == pytest.approx(11e9)


@pytest.mark.parametrize("values", [{"efficiency": 2}, {"efficiency": 0}, {"efficiency": 1, "overhead": -1}])
def test_bad_values_are_refused(values):
    with pytest.raises(InvalidRequest):
        pass_seconds(DENSE, CHIPS["h100"], 1, **values)


def test_no_tokens_are_refused():
    with pytest.raises(InvalidRequest):
        pass_seconds(DENSE, CHIPS["h100"], 0, efficiency=1)


def test_fp8_reads_25_gigabytes_in_7_52_milliseconds():
    # the published row: one user, a canvas of 256, all 25.2 GB read
    everything = Size(25.2e9, 4e9, bytes_each=1)
    assert pass_seconds(everything, CHIPS["h100"], 256, efficiency=1) == pytest.approx(7.52e-3, rel=2e-3)


# published milliseconds a pass: an 8B diffusion model of 384 tokens a pass at 9.91 tokens written, and Qwen3-8B at one
PUBLISHED = [
    (DENSE, "a100", 384, 9910 / 251.6),
    (DENSE, "h100", 384, 9910 / 545.3),
    (DENSE, "b200", 384, 9910 / 1241),
    (Size(8.2e9, 8.2e9), "a100", 1, 1000 / 90),
    (Size(8.2e9, 8.2e9), "h100", 1, 1000 / 98),
    (Size(8.2e9, 8.2e9), "b200", 1, 1000 / 234),
]


@pytest.mark.parametrize(("size", "chip", "tokens", "milliseconds"), PUBLISHED)
def test_published_figures_lie_inside_the_band_of_efficiencies(size, chip, tokens, milliseconds):
    fastest = 1000 * pass_seconds(size, CHIPS[chip], tokens, efficiency=0.9)
    slowest = 1000 * pass_seconds(size, CHIPS[chip], tokens, efficiency=0.3)
    assert fastest <= milliseconds <= slowest


def test_fp8_doubles_operations_only_where_the_chip_has_them():
    half = Size(8e9, 8e9, bytes_each=1)
    # 2 * 8e9 * 4096 operations: over 2 * 989e12 = 33.13 ms; an A100 multiplies in bf16: over 312e12 = 210.05 ms
    assert pass_seconds(half, CHIPS["h100"], 4096, efficiency=1) == pytest.approx(33.13e-3, rel=1e-3)
    assert pass_seconds(half, CHIPS["a100"], 4096, efficiency=1) == pytest.approx(210.05e-3, rel=1e-3)


def test_this_machine_reads_and_multiplies_at_the_best_measured_rates():
    # 1 token in 1 s reads 16e9 bytes; 100 tokens in 2 s are 2 * 8e9 * 100 / 2 = 0.8e12 operations a second
    chip = measured_chip(DENSE, [(1, 1.0), (100, 2.0)])
    assert (chip.bandwidth, chip.operations) == (pytest.approx(16e9), pytest.approx(0.8e12))
    assert pass_seconds(DENSE, chip, 100, efficiency=1) == pytest.approx(2)


def test_a_claim_is_a_number_of_passes():
    # one pass over 256 cells reads 16e9 bytes: 2 ms on a B200; 256 tokens at 1,000 a second last 256 ms: 128 passes
    passes = most_passes(DENSE, CHIPS["b200"], canvas=256, tokens=256, tokens_per_second=1000, efficiency=1)
    assert passes == pytest.approx(128)


@pytest.mark.parametrize("name", SIZES)
def test_known_models_read_less_for_one_token_only_if_they_have_experts(name):
    size = get_size(name)
    assert size.weights_read(1) == pytest.approx(size.active * size.bytes_each)
    assert size.weights_read(1e6) == pytest.approx(size.parameters * size.bytes_each)


def test_a_size_in_billions_is_a_dense_model():
    assert get_size("1.5b").parameters == get_size("1.5b").active == 1.5e9


@pytest.mark.parametrize("name", ["", "b", "-8b", "nanb", "8", "gpt"])
def test_unknown_models_are_refused(name):
    with pytest.raises(InvalidRequest, match="llada-8b"):
        get_size(name)


def test_unknown_chips_are_refused():
    with pytest.raises(InvalidRequest, match="h100"):
        get_chip("h101")


@pytest.mark.parametrize("values", [{"active": 9e9}, {"experts": 4, "chosen": 4}, {"chosen": 0}, {"bytes_each": 0}])
def test_impossible_sizes_are_refused(values):
    with pytest.raises(InvalidRequest):
        Size(**{"parameters": 8e9, "active": 8e9} | values)
