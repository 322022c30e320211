"""Rows of words to copy, turn round, sort, shuffle or change: what can be written at once, and what cannot.

The same question as ParallelBench asks (arXiv:2510.04767): a copy needs no cell to know of another, a shuffle needs
every cell to know of all.
"""

import re
from functools import partial
from random import Random

from unmask.pair.worlds.document import Document, World, fact, first_line
from unmask.pair.worlds.words import ANIMALS, CHILDREN, COLOURS, PLACES, SINGULAR, THINGS
from unmask.run.judge import Fact, Verdict

KINDS = (THINGS, ANIMALS, COLOURS, PLACES, CHILDREN, tuple(SINGULAR))
DONE = {"Copy": "Copied", "Reverse": "Reversed", "Shuffle": "Shuffled", "Replace": "Replaced", "Sort": "Sorted"}


def drawn(rng: Random, least: int, most: int) -> list[str]:
    """Different words, of one kind or of several."""
    count = rng.randint(least, most)
    if rng.random() < 0.5:
        return rng.sample(rng.choice(KINDS), count)
    return list(dict.fromkeys(rng.choice(rng.choice(KINDS)) for _ in range(count)))


def task(title: str, head: str, row: list[str], answer: list[str]) -> Document:
    ask = f"{title}: {head}{' '.join(row)}\n"
    return Document(f"{ask}{DONE[title]}: {' '.join(answer)}", ask, title.lower())


def copy(rng: Random, new: bool = False) -> Document:
    row = drawn(rng, 4, 9)
    return task("Copy", "", row, row)


def reverse(rng: Random, new: bool = False) -> Document:
    row = drawn(rng, 4, 8)
    return task("Reverse", "", row, row[::-1])


def shuffle(rng: Random, new: bool = False) -> Document:
    row = drawn(rng, 4, 6)
    while (mixed := rng.sample(row, len(row))) == row:
        continue
    return task("Shuffle", "", row, mixed)


def replace(rng: Random, new: bool = False) -> Document:
    row = drawn(rng, 4, 8)
    old, fresh = row[rng.randrange(len(row))], rng.choice(THINGS)
    row.insert(rng.randrange(len(row) + 1), old)
    return task("Replace", f"{old} with {fresh} in ", row, [fresh if word == old else word for word in row])


def order(rng: Random, new: bool = False) -> Document:
    numbers = rng.sample(range(10, 100), 6)
    return task("Sort", "", [str(one) for one in numbers], [str(one) for one in sorted(numbers)])


def given(question: str) -> tuple[list[str], str, str]:
    """The row, and the word to replace by another."""
    change = re.match(r"\s*(\w+) with (\w+) in (.*)", question)
    return (change[3].split(), change[1], change[2]) if change else (question.split(), "", "")


def read(title: str, question: str, answer: str) -> Verdict:
    question, answer = first_line(question, answer)
    row, old, fresh = given(question)
    first, _, rest = answer.strip().partition("\n")
    done, _, body = first.partition(":")
    words = body.split()
    if done != DONE[title] or not row:
        return Verdict((Fact("row", False, f"nothing was {DONE[title].lower()}"),))
    reasons = ["it goes on behind the row"] if rest else []
    if body != " " + " ".join(words):
        reasons.append("the words are not one space apart")
    facts = [fact("length", len(words) == len(row), f"{len(words)} words of {len(row)}")]
    if title in ("Sort", "Shuffle"):
        facts.append(fact("same", sorted(words) == sorted(row), "the words are not those that were given"))
        if title == "Shuffle":
            facts.append(fact("order", words != row, "nothing has moved"))
        else:
            ordered = all(one.isascii() and one.isdigit() for one in words) and sorted(words, key=int) == words
            facts.append(fact("order", ordered and bool(words), "they are not in order"))
        return Verdict(tuple(facts), tuple(reasons))
    wanted = {"Copy": row, "Reverse": row[::-1], "Replace": [fresh if word == old else word for word in row]}[title]
    facts += [
        fact("word", one == other, f"{other} instead of {one}") for one, other in zip(wanted, words, strict=False)
    ]
    return Verdict(tuple(facts), tuple(reasons))


WORLDS = tuple(
    World(title.lower(), title, write, partial(read, title))
    for title, write in (
        ("Copy", copy), ("Reverse", reverse), ("Shuffle", shuffle), ("Replace", replace), ("Sort", order)
    )
)  # fmt: skip
