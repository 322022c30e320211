"""The modelled clock against published and measured figures, and the table of them in the documentation."""

from pathlib import Path

import pytest

from bench import clock

DOCS = Path(__file__).parents[2] / "docs" / "clock.md"


def test_the_table_in_the_documentation_is_current() -> None:
    text = DOCS.read_text()
    rows = list(clock.rows())
    assert len(rows) > 20
    for row in rows:
        assert str(row) in text


@pytest.mark.parametrize("case", clock.PUBLISHED + clock.MEASURED, ids=lambda case: case.what)
def test_a_case_is_inside_the_band_or_has_a_reason(case: clock.Case) -> None:
    assert case.inside != bool(case.reason)
