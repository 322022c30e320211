"""What a reader needs to know of a rule: shortened tokens, masks from the left, and words that stand for others."""

import numpy as np

from unmask.canvas import blank
from unmask.decide.constraint import CompiledConstraint
from unmask.decide.gap_by_reader import last_gap
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.stand_in import options, stand_ins

PIECES = ["", "a", '"', '",', '", "', " a", " and", "ab", ".", " B", " b"]
ALPHABET = Alphabet(PIECES)


def number(piece: str) -> int:
    return PIECES.index(piece)


def test_a_token_is_shortened_between_words_and_signs_alone() -> None:
    """A model that means `",` where only `"` is allowed wrote on inside the string; " and" does not mean " a"."""
    healed = ALPHABET.healed.tolist()
    assert healed[number('",')] == number('"') and healed[number('", "')] == number('",')
    assert [healed[number(piece)] for piece in (" and", "ab", " a", "a", "")] == [-1] * 5


def test_from_the_left_a_token_is_allowed_whatever_was_written_behind_it() -> None:
    """Where what stands behind a cell counts, a reader can say nothing but what stands there already."""
    rule = CompiledConstraint.compile({"kind": "regex", "pattern": '"a*"'}, ALPHABET, (), (0,))
    canvas = blank([4])
    canvas = canvas.write(canvas.open, np.array([number('"'), number("a"), number("a"), number('"')]))
    (exact,) = rule.allowed_tokens(canvas, np.array([1]))
    (reading,) = rule.allowed_tokens(canvas, np.array([1]), reading=True)
    assert exact is not None and reading is not None
    assert not exact[number('"')] and reading[number('"')] and reading[number("a")]


def test_text_needs_no_end_before_it() -> None:
    """A word that must not be there was written, and an end put before it."""
    rule = CompiledConstraint.compile({"kind": "avoids", "text": "b"}, ALPHABET, (), (0,))
    (exact,) = rule.allowed_tokens(blank([4]), np.array([2]))
    (text,) = rule.allowed_tokens(blank([4]), np.array([2]), as_text=True)
    assert exact is not None and text is not None
    assert exact[number("ab")] and not text[number("ab")]
    assert text[0] and text[number("a")] and [*np.flatnonzero(text & ~exact)] == []


def test_a_word_is_missing_until_it_is_written_before_a_cell() -> None:
    rule = CompiledConstraint.compile({"kind": "contains", "text": "b"}, ALPHABET, (), (0,), wanted=(((10,), (7,)),))
    canvas = blank([[1], 4])
    later = canvas.write(canvas.mask([3]), np.full(5, 10))
    assert rule.missing(canvas, 4) == (10,)
    assert rule.missing(later, 3) == (10,) and rule.missing(later, 4) == ()


def test_a_word_stands_for_another_everywhere_where_it_fits_best_first() -> None:
    canvas = blank([[1, 2], 6])
    canvas = canvas.write(canvas.open, np.array([1, 2, 5, 6, 5, 8, 0, 0]))
    alike = ALPHABET.shapes == ALPHABET.shapes[number(" b")]
    trials = stand_ins(canvas, 6, (10,), {2: 0.5, 3: 0.9}, alike)
    assert trials is not None
    assert [row[2:6].tolist() for row in trials.rows] == [[5, 10, 5, 8], [10, 6, 10, 8]]
    assert [np.flatnonzero(~telling[2:6]).tolist() for telling in trials.telling] == [[], [2]]
    longer = stand_ins(canvas, 6, (10, 7), {}, alike)
    assert longer is not None and len(longer.rows) == 1  # twice in the place of a word it leaves no cell for an end
    assert longer.rows[0][2:7].tolist() == [5, 10, 7, 5, 8] and longer.ends == (7,)


def test_options_fill_a_gap_with_nothing_in_the_rest_of_it() -> None:
    canvas = blank([[1], 3, [8]])
    found = options(canvas, (((5,), (1,)), ((5, 6), (1, 6))), 0, (9,))
    assert found is not None
    assert [row[1:4].tolist() for row in found.rows] == [[5, 9, 9], [5, 6, 9]]
    assert options(canvas, (((5,), (1,)), ((5, 6), (1, 6))), 0, ()) is None  # nothing can be left empty


def test_the_last_gap_is_the_one_before_the_last_fixed_text() -> None:
    assert last_gap(blank([[1], 2, [2], 3, [4]])).tolist() == [4, 5, 6]
    assert last_gap(blank([[1], 2, [2], 3])).tolist() == [1, 2]
    assert last_gap(blank([[1], 3])).tolist() == []
