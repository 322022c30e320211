"""The word lists: many, and no word of two kinds."""

from itertools import combinations

from unmask.pair.worlds import words


def test_there_are_words_enough() -> None:
    assert len(words.CHILDREN) + len(words.NEW_CHILDREN) >= 200
    assert len(words.THINGS) >= 150
    assert len(words.NEW_CHILDREN) == 20 and not set(words.NEW_CHILDREN) & set(words.NAMED)


def test_no_word_is_of_two_kinds() -> None:
    kinds = [
        words.NAMES, words.COLOURS, words.THINGS, words.ANIMALS, words.SINGULAR, words.PLACES, words.SPOTS,
        words.PLANTS, words.JOBS, words.TOWNS, words.DAYS, words.EVENTS, words.NUMBERS, words.VERBS,
        words.VERBS.values(),
    ]  # fmt: skip
    for one, other in combinations(kinds, 2):
        assert not set(one) & set(other)
    lists = (words.GIRLS, words.BOYS, words.NEW_GIRLS, words.NEW_BOYS, words.THINGS, words.ANIMALS, words.PLACES)
    assert all(len(set(one)) == len(one) for one in lists)
    assert not words.SHE & words.HE
    assert not {name.lower() for name in words.NAMES - set(words.HEROES)} & {
        *words.THINGS, *words.PLANTS, *words.ANIMALS, *words.PLACES
    }  # fmt: skip


def test_several_and_one_are_spelled_right() -> None:
    assert [words.plural(it) for it in ("torch", "kite", "diary", "key", "cherry", "mango")] == [
        "torches", "kites", "diaries", "keys", "cherries", "mangoes",
    ]  # fmt: skip
    assert words.article("owl") == "an owl" and words.article("fox") == "a fox"
    assert words.number("Seven") == 7 and words.number("12") == 12 and words.number("kite") is None
