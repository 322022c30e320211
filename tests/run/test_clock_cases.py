"""The cases that the page's formula is tested with are those that Python gives now."""

from scripts.clock_cases import FILE, text


def test_the_committed_cases_are_current() -> None:
    assert FILE.read_text() == text()
