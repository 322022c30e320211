"""Automata, and the languages that they make of a vocabulary, are exact: compared with every text there is."""

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unmask.canvas import blank
from unmask.decide.constraint import CompiledConstraint
from unmask.decide.grammar.alphabet import Alphabet
from unmask.decide.grammar.automaton import MOST_STATES, Automaton, automaton
from unmask.errors import InvalidRequest

PIECES = ["", "a", "b", "ab", "ba", " ", " a", "\ufffd", "<|mark|>"]  # 0 ends a text
END, WORDS = 0, len(PIECES)
ALPHABET = Alphabet(PIECES)
TEXTS = ["".join(letters) for n in range(6) for letters in product("ab ", repeat=n)]

PATTERNS = st.recursive(
    st.sampled_from(["a", "b", " ", "[ab]", "[^a]", ".", r"\s", r"\w", r"\S", ""]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda options: f"({'|'.join(options)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"])).map(
            lambda p: f"(?:{p[0]}){p[1]}"
        ),
    ),
    max_leaves=6,
)


def reads(machine: Automaton, text: str) -> bool:
    state = 0
    for letter in text:
        state = machine.steps[state, machine.kinds[np.searchsorted(ALPHABET.letters, ord(letter))]]
        if state < 0:
            return False
    return bool(machine.final[state])


@given(PATTERNS)
def test_an_automaton_reads_what_the_pattern_matches(pattern: str) -> None:
    machine = automaton(pattern, ALPHABET)
    assert [reads(machine, t) for t in TEXTS] == [bool(re.fullmatch(pattern, t)) for t in TEXTS]


@given(PATTERNS, PATTERNS)
def test_other_texts_and_texts_of_both(one: str, other: str) -> None:
    first, second = automaton(one, ALPHABET), automaton(other, ALPHABET)
    expected = [bool(re.fullmatch(one, t)) for t in TEXTS]
    if not all(expected):
        assert [reads(first.complement(), t) for t in TEXTS] == [not e for e in expected]
    both = [e and bool(re.fullmatch(other, t)) for e, t in zip(expected, TEXTS, strict=True)]
    if any(both):
        assert [reads(first.intersection(second), t) for t in TEXTS] == both


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        (r"(a|b)*a(a|b){20}", f"more than {MOST_STATES} states"),
        ("(a?){5000}a{5000}", "too large"),
        ("a" * 200_000, "too long"),
        ("(" * 3000 + "a" + ")" * 3000, "cannot be read|nested too deeply"),
        (r"(a)\1", "back-references cannot be used"),
        ("(?=a)b", "look-ahead and look-behind cannot"),
        ("^a$", r"leave \^ and \$ out"),
        ("a(", "cannot be read"),
        ("(?i:a)", "no flags"),
        ("é", "no text at all"),
    ],
)
def test_what_is_not_regular_or_too_large_is_refused_by_name(pattern: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        automaton(pattern, ALPHABET)


# a language on a canvas, against all rows of words that there are

MACHINES = [
    {"kind": "regex", "pattern": "(ab)+"},
    {"kind": "regex", "pattern": "a*b?"},
    {"kind": "regex", "pattern": "a( a| b)*"},
    {"kind": "contains", "text": "ba"},
    {"kind": "avoids", "text": "ab"},
    {"kind": "choice", "options": ["abba", "b a"]},
    {"kind": "length", "least": 2, "most": 3},
    {"kind": "length", "most": 4, "unit": "letters"},
    {"kind": "length", "least": 2, "most": 2, "unit": "words"},
    {"kind": "every", "of": [{"kind": "contains", "text": "b"}, {"kind": "length", "least": 3, "most": 3}]},
]
MEANS = {
    0: lambda t, n: re.fullmatch(" ?(ab)+", t),
    1: lambda t, n: re.fullmatch(" ?(a*b?)", t),
    2: lambda t, n: re.fullmatch(" ?(a( a| b)*)", t),
    3: lambda t, n: re.search(r"\bba\b", t),
    4: lambda t, n: "ab" not in t,
    5: lambda t, n: t.removeprefix(" ") in ("abba", "b a"),
    6: lambda t, n: 2 <= n <= 3,
    7: lambda t, n: len(t) <= 4,
    8: lambda t, n: len(t.split()) == 2,
    9: lambda t, n: re.search(r"\bb\b", t) and n == 3,
}
CELLS = 4
ROWS = list(product(range(WORDS), repeat=CELLS))


def meets(which: int, row: tuple[int, ...]) -> bool:
    count = row.index(END) if END in row else len(row)
    structure = MACHINES[which]["kind"] == "choice"  # programs read it, so only ends follow its end
    if 8 in row or (structure and any(t != END for t in row[count:])):
        return False
    return bool(MEANS[which]("".join(PIECES[t] for t in row[:count]), count))


VALID = {which: [row for row in ROWS if meets(which, row)] for which in range(len(MACHINES))}


@st.composite
def canvases(draw: st.DrawFn) -> tuple[int, dict[int, int], int]:
    which = draw(st.integers(0, len(MACHINES) - 1))
    assume(VALID[which])
    row = draw(st.sampled_from(VALID[which]))
    cells = draw(st.sets(st.integers(0, CELLS - 1), max_size=3))
    return which, {cell: row[cell] for cell in cells}, draw(st.integers(0, 2))


@given(canvases())
@settings(max_examples=150)
def test_the_allowed_words_are_exactly_those_of_some_valid_text(case: tuple[int, dict[int, int], int]) -> None:
    which, fixed_cells, prompt = case
    legal = CompiledConstraint.compile(MACHINES[which], ALPHABET, (), (END,))
    canvas = blank([[1] * prompt, CELLS])
    for cell, token in fixed_cells.items():
        canvas = canvas.write(canvas.mask([prompt + cell]), np.full(len(canvas), token))
    legal.check(canvas)
    fits = [row for row in VALID[which] if all(row[c] == t for c, t in fixed_cells.items())]
    for cell, mask in enumerate(legal.allowed_tokens(canvas, prompt + np.arange(CELLS))):
        others = {c: t for c, t in fixed_cells.items() if c != cell}
        possible = {row[cell] for row in VALID[which] if all(row[c] == t for c, t in others.items())}
        assert mask is not None and set(np.flatnonzero(mask).tolist()) == possible, cell
    assert fits


@given(canvases(), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_chance_of_a_valid_text_is_the_sum_over_all_texts(case: tuple[int, dict[int, int], int], seed: int) -> None:
    which, fixed_cells, prompt = case
    legal = CompiledConstraint.compile(MACHINES[which], ALPHABET, (), (END,))
    canvas = blank([[1] * prompt, CELLS])
    for cell, token in fixed_cells.items():
        canvas = canvas.write(canvas.mask([prompt + cell]), np.full(len(canvas), token))
    shares = np.random.default_rng(seed).dirichlet(np.full(WORDS, 0.5), CELLS)
    region = legal.region(canvas)
    counted = sum(
        np.prod([1.0 if c in fixed_cells else shares[c, row[c]] for c in range(CELLS)])
        for row in VALID[which]
        if all(row[c] == t for c, t in fixed_cells.items())
    )
    assert region.chance(canvas, lambda cell: shares[cell - prompt]) == pytest.approx(counted, abs=1e-12)
    live = region.live(canvas)
    assert len(live) == CELLS + 1 and live[0] == 1 and min(live) >= 1


@given(canvases(), st.lists(st.integers(0, WORDS - 1), min_size=CELLS, max_size=CELLS), st.integers(0, 10**6))
@settings(max_examples=150)
def test_what_is_written_together_is_the_surest_that_is_possible(
    case: tuple[int, dict[int, int], int], tokens: list[int], seed: int
) -> None:
    which, fixed_cells, _ = case
    legal = CompiledConstraint.compile(MACHINES[which], ALPHABET, (), (END,))
    canvas = blank([CELLS])
    for cell, token in fixed_cells.items():
        canvas = canvas.write(canvas.mask([cell]), np.full(CELLS, token))
    sure = np.random.default_rng(seed).uniform(0.1, 1, CELLS)
    write = canvas.open & (np.random.default_rng(seed + 1).random(CELLS) < 0.8)
    kept = legal.compatible_writes(canvas, write, None, np.array(tokens), sure)
    assert not (kept & ~write).any()

    def possible(cells: list[int]) -> bool:
        fixed = fixed_cells | {c: tokens[c] for c in cells}
        return any(all(row[c] == t for c, t in fixed.items()) for row in VALID[which])

    chosen = np.flatnonzero(kept).tolist()
    assert possible(chosen)
    wanted = np.flatnonzero(write).tolist()
    subsets = [[c for c, k in zip(wanted, keep, strict=True) if k] for keep in product([0, 1], repeat=len(wanted))]
    best = max(sum(sure[c] for c in cells) for cells in subsets if possible(cells))
    assert sum(sure[c] for c in chosen) == pytest.approx(best)


def test_a_blank_between_given_words_has_a_constraint_of_its_own() -> None:
    legal = CompiledConstraint.compile({"kind": "choice", "options": ["ab", "ba"], "slot": 1}, ALPHABET, (), (END,))
    canvas = blank([[1], 2, [2], 2, [1]])
    before, inside = legal.allowed_tokens(canvas, np.array([1, 4]))
    assert before is None and inside is not None
    assert {PIECES[t] for t in np.flatnonzero(inside)} == {"a", "b", " ", " a"}  # no end of text before given words
    with pytest.raises(InvalidRequest, match="there is no blank 1: the text has 1"):
        legal.check(blank([[1], 2]))


def test_what_no_canvas_of_this_length_can_meet_is_refused_with_the_least_that_it_takes() -> None:
    legal = CompiledConstraint.compile({"kind": "regex", "pattern": "(abab){3}"}, ALPHABET, (), (END,))
    with pytest.raises(InvalidRequest, match="no answer of 4 cells meets the constraint: the shortest takes 6"):
        legal.check(blank([[1], 4]))
    canvas = blank([8])
    with pytest.raises(InvalidRequest, match="with these words in place"):
        legal.check(canvas.pin([3], [5]))


def test_a_banned_word_is_not_counted_on() -> None:
    canvas = blank([2])
    legal = CompiledConstraint.compile({"kind": "regex", "pattern": "abab"}, ALPHABET, (3,), (END,))
    with pytest.raises(InvalidRequest, match="the shortest takes 3"):
        legal.check(canvas)
