"""Pictures for people to look at: every lesson in every language has one, and no two states write one file."""

import pytest

from scripts import screenshots
from unmask.ui.lessons import languages, lessons


def test_every_lesson_has_its_picture_and_no_two_states_share_a_file() -> None:
    names = [state.__name__ for state in screenshots.STATES]
    assert len({*names}) == len(names)
    course = [f"lesson-{language}-{one.name[:2]}" for language in languages() for one in lessons(language)]
    assert [name for name in names if name.startswith("lesson-")] == course and len(course) >= 24


def test_a_state_that_is_not_there_is_refused_before_a_browser_starts() -> None:
    with pytest.raises(SystemExit, match=r"unknown state: lesson-en-99; the states are .*paused"):
        screenshots.main(["paused", "lesson-en-99"])
