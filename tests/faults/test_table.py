"""The table of faults names tests that exist, and the page that shows it is up to date in its rows and tests."""

import re

from scripts.faults import PAGE, ROWS, known, page, where
from scripts.mutate import MUTATIONS, ROOT

RESULT = re.compile(r"\((?:passed|failed|skipped|not run)[^)]*\)")


def test_every_row_has_tests_and_each_is_there() -> None:
    assert [row.number for row in ROWS][:25] == [str(n) for n in range(1, 26)]
    assert all(row.tests and where(test) for row in ROWS for test in row.tests)


def test_the_page_has_these_rows_and_tests() -> None:
    assert RESULT.sub("", PAGE.read_text()) == RESULT.sub("", page({})), "run: python -m scripts.faults --write"
    assert known().keys() >= {test for row in ROWS for test in row.tests}


def test_every_protection_is_still_where_its_mutation_takes_it_out() -> None:
    for mutation in MUTATIONS:
        assert (ROOT / mutation.file).read_text().count(mutation.code) == 1, mutation.says
        assert where(mutation.test)
