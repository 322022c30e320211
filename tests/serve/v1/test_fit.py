"""How many cells a /v1 request opens: a function of numbers alone."""

import pytest

from unmask.errors import TOO_LONG, InvalidRequest
from unmask.run.spec import LENGTH
from unmask.serve.v1.run_spec import SLACK, fit


def test_the_first_canvas_does_not_depend_on_the_limit() -> None:
    assert {fit(10, 512, limit)[0] for limit in (1, 8, 96, 4096)} == {LENGTH}
    assert [fit(10, 512, limit)[1] for limit in (1, 8, 96, 4096)] == [1, 8, 96, 502]
    assert fit(500, 512, 96) == (12, 12)


def test_passes_that_are_planned_are_for_the_limit() -> None:
    assert fit(10, 512, 8, planned=True) == (8, 8) and fit(10, 512, 400, planned=True) == (LENGTH, 400)


@pytest.mark.parametrize(
    ("least", "limit", "length"),
    [(2, 200, LENGTH), (50, 200, 100 + SLACK), (50, 120, 120), (0, 8, 8), (300, 4096, 502)],
)
def test_a_constraint_gets_room_for_its_shortest_text(least: int, limit: int, length: int) -> None:
    assert fit(10, 512, limit, least)[0] == length


def test_a_prompt_without_room_for_one_token_is_refused() -> None:
    assert fit(511, 512, 96) == (1, 1)
    with pytest.raises(InvalidRequest, match="have 513 cells") as refused:
        fit(512, 512, 96)
    assert (refused.value.field, refused.value.code) == ("prompt", TOO_LONG)
