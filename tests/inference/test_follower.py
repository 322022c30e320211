"""A text is found again in its prediction after a word that is another, is new, or is left out."""

import pytest

from unmask.inference.follower import PATIENCE, Follower

TEXT = [*range(100, 140)]


@pytest.mark.parametrize(
    ("answer", "follows"),
    [
        ([], 100),
        ([100, 101], 102),
        ([100, 101, 7], 103),  # another word
        ([100, 101, 7, 102], 103),  # a new word
        ([100, 101, 104], 105),  # two words are left out
        ([100, 101, *[7] * 9, 130, 131], 132),  # far behind, after a long difference
    ],
)
def test_the_place_where_a_text_goes_on(answer: list[int], follows: int) -> None:
    follower = Follower(TEXT)
    follower.follow(answer)
    assert follower.ahead()[0] == follows


def test_nothing_is_read_along_with_another_text_until_it_agrees() -> None:
    follower = Follower(TEXT)
    follower.follow([7] * (PATIENCE + 1))
    assert not follower.ahead()
    follower.follow([7] * (PATIENCE + 1) + TEXT[20:22])
    assert follower.ahead()[0] == TEXT[22] and len(follower.agreed) == 2
    follower.follow(TEXT[:3])  # another answer
    assert follower.ahead()[0] == TEXT[3] and follower.agreed == {0, 1, 2}


def test_the_first_token_may_have_a_space_before_it() -> None:
    follower = Follower([1, 2, 3], [9, 2, 3])
    follower.follow([9, 2])
    assert list(follower.ahead()) == [3] and follower.agreed == {0, 1}
