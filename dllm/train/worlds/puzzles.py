"""Texts with one right answer: sums, sorting, sudoku, records and small functions."""

import json
from collections.abc import Callable
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

from dllm.judge.words import (
    ANIMALS,
    CHILDREN,
    COLOURS,
    DAYS,
    EVENTS,
    FOODS,
    FRUITS,
    NUMBERS,
    PLACES,
    THINGS,
    TOWNS,
    article,
)
from dllm.train.worlds.scene import Document, pronouns


def total(rng: Random) -> Document:
    left, right = rng.randint(10, 99), rng.randint(10, 99)
    tens, ones = left // 10 * 10 + right // 10 * 10, left % 10 + right % 10
    # most sums count something, so that ten thousand of them differ
    of = f" {rng.choice(tuple(FOODS.values()) + tuple(f'{thing}s' for thing in THINGS))}" if rng.random() < 0.85 else ""
    ask = f"Sum: {left}{of} + {right}{of}\n"
    text = (
        f"{ask}{left // 10 * 10} + {right // 10 * 10} = {tens}\n{left % 10} + {right % 10} = {ones}\n"
        f"{tens} + {ones} = {left + right}\nAnswer: {left + right}{of}"
    )
    return Document(text, ask, "sum", f"{left} {right}")


def adding(rng: Random) -> Document:
    """The small sums that larger ones are worked out by, many to a document: nothing here can be copied."""
    lines = []
    for _ in range(rng.randint(5, 8)):
        kind = rng.random()
        if kind < 0.5:
            left, right = rng.randint(0, 9), rng.randint(0, 9)
        elif kind < 0.75:
            left, right = rng.randint(1, 9) * 10, rng.randint(1, 9) * 10
        else:
            left, right = rng.randint(2, 18) * 10, rng.randint(0, 18)
        lines.append(f"{left} + {right} = {left + right}")
    return Document("Adding:\n" + "\n".join(lines), "Adding:\n", "adding", " ".join(lines))


def order(rng: Random) -> Document:
    numbers = rng.sample(range(10, 100), 6)
    ask = f"Sort: {' '.join(map(str, numbers))}\n"
    return Document(f"{ask}Sorted: {' '.join(map(str, sorted(numbers)))}", ask, "sort", ask)


Grid = tuple[int, ...]


def clash(grid: Grid) -> bool:
    """Whether a row, a column or a corner square holds a number twice; 0 is an empty cell."""
    lines = [[4 * i + j for j in range(4)] for i in range(4)] + [[4 * j + i for j in range(4)] for i in range(4)]
    lines += [[8 * a + 2 * b, 8 * a + 2 * b + 1, 8 * a + 2 * b + 4, 8 * a + 2 * b + 5] for a in (0, 1) for b in (0, 1)]
    for line in lines:
        seen = [grid[at] for at in line if grid[at]]
        if len(seen) != len(set(seen)):
            return True
    return False


@cache
def grids() -> tuple[Grid, ...]:
    """All 288 sudokus of four by four."""
    rows = list(permutations((1, 2, 3, 4)))
    whole = []
    for top, second in product(rows, rows):
        if clash(top + second + (0,) * 8):
            continue
        for third, fourth in product(rows, rows):
            if not clash(top + second + third + fourth):
                whole.append(top + second + third + fourth)
    return tuple(whole)


@cache
def alike(cell: int, value: int) -> frozenset[int]:
    """Which of the grids have this number in this cell."""
    return frozenset(at for at, grid in enumerate(grids()) if grid[cell] == value)


def sudoku(rng: Random) -> Document:
    grid = rng.choice(grids())
    shown = set(range(16))
    wanted = rng.randint(6, 10)
    for cell in rng.sample(range(16), 16):
        if 16 - len(shown) == wanted:
            break
        rest = shown - {cell}
        if len(frozenset.intersection(*(alike(at, grid[at]) for at in rest))) == 1:  # still one solution
            shown = rest

    def drawn(visible: set[int]) -> str:
        return "\n".join(
            " ".join(str(grid[at]) if at in visible else "_" for at in range(r, r + 4)) for r in (0, 4, 8, 12)
        )

    ask = f"Sudoku:\n{drawn(shown)}\nSolved:\n"
    return Document(ask + drawn(set(range(16))), ask, "sudoku", ask)


def record(rng: Random) -> Document:
    name = rng.choice(CHILDREN)
    who = pronouns(name)
    he, his = who["He"], who["his"]
    town, colour, animal, thing = rng.choice(TOWNS), rng.choice(COLOURS), rng.choice(ANIMALS), rng.choice(THINGS)
    food, day, place = rng.choice(tuple(FRUITS.values())), rng.choice(DAYS), rng.choice(PLACES)
    age, count, coins, hour = rng.randint(5, 15), rng.randint(2, 9), rng.randint(10, 60), rng.randint(1, 11)
    kind = rng.choice(("person", "order", "event", "lost"))
    fields: dict[str, object]
    if kind == "person":
        fields = {"name": name, "age": age, "town": town, "pet": animal, "likes": food}
        text = rng.choice(
            (
                f"{name} is {age} years old and lives in {town}. {he} has {article(animal)} and likes {food}.",
                f"This is {name} from {town}. {he} is {age} years old, loves {food} and has {article(animal)}.",
                f"{name} lives in {town} with {his} {animal}. {he} is {age} years old. {he} likes {food} best.",
                f"In {town} lives {name}, who is {age} years old. {who['His']} pet is {article(animal)}, "
                f"and {food} are {his} favourite fruit.",
            )
        )
    elif kind == "order":
        fields = {"name": name, "item": food, "count": count, "coins": coins, "day": day}
        text = rng.choice(
            (
                f"On {day} {name} bought {count} {food} for {coins} coins.",
                f"{name} ordered {count} {food}. They cost {coins} coins and come on {day}.",
                f"Please send {count} {food} to {name} on {day}. The price is {coins} coins.",
                f"{name} will pay {coins} coins for {count} {food} on {day}.",
            )
        )
    elif kind == "event":
        what = rng.choice(EVENTS)
        fields = {"event": what, "place": place, "day": day, "hour": hour, "host": name}
        text = rng.choice(
            (
                f"{name} invites you to a {what} at the {place} on {day} at {hour} o'clock.",
                f"There is a {what} on {day}! Come to the {place} at {hour} o'clock and ask for {name}.",
                f"On {day} at {hour} o'clock the {what} begins at the {place}. {name} is the host.",
                f"The {what} of {name} is at the {place}, on {day} at {hour} o'clock.",
            )
        )
    else:
        fields = {"item": thing, "colour": colour, "place": place, "owner": name, "reward": coins}
        text = rng.choice(
            (
                f"{name} lost {article(colour)} {thing} at the {place}. The reward is {coins} coins.",
                f"Lost at the {place}: {article(colour)} {thing}. {name} will give {coins} coins to the finder.",
                f"Has anyone seen {article(colour)} {thing}? It belongs to {name}, was lost at the {place}, "
                f"and brings {coins} coins.",
                f"{coins} coins for the {colour} {thing} that {name} lost at the {place}!",
            )
        )
    ask = f"Text: {text}\nJSON:"
    return Document(f"{ask} {json.dumps(fields)}", ask, "record", f"{kind} {name} {food} {thing} {place}")


def function(rng: Random) -> Document:
    """A function that does what its name says, and two examples that are true."""
    k = rng.randint(2, 9)
    word = NUMBERS[k]
    kinds: tuple[tuple[str, str, str, str, Callable[[int], object] | Callable[[list[int]], object]], ...] = (
        (f"add_{word}", f"Add {word} to n.", "n", f"n + {k}", lambda n: n + k),
        (f"take_{word}", f"Take {word} from n.", "n", f"n - {k}", lambda n: n - k),
        (f"times_{word}", f"Multiply n by {word}.", "n", f"n * {k}", lambda n: n * k),
        ("double", "Double n.", "n", "n + n", lambda n: n + n),
        (f"more_than_{word}", f"Say whether n is more than {word}.", "n", f"n > {k}", lambda n: n > k),
        ("is_even", "Say whether n is even.", "n", "n % 2 == 0", lambda n: n % 2 == 0),
        ("total", "Add up the numbers.", "numbers", "sum(numbers)", sum),
        ("largest", "Find the largest number.", "numbers", "max(numbers)", max),
        ("smallest", "Find the smallest number.", "numbers", "min(numbers)", min),
        ("count", "Count the numbers.", "numbers", "len(numbers)", len),
        ("first", "Give the first number.", "numbers", "numbers[0]", lambda numbers: numbers[0]),
        ("last", "Give the last number.", "numbers", "numbers[-1]", lambda numbers: numbers[-1]),
        ("in_order", "Sort the numbers.", "numbers", "sorted(numbers)", sorted),
        ("backwards", "Turn the list round.", "numbers", "numbers[::-1]", lambda numbers: numbers[::-1]),
    )
    name, wish, needs, body, does = rng.choice(kinds)
    given: list[Any]
    if needs == "n":
        top = 12 if "times" in name else 40
        given = rng.sample(range(10 if "take" in name else 2, top), 2)
    else:
        given = [[rng.randint(1, 9) for _ in range(rng.randint(2, 4))] for _ in range(2)]
    examples = "".join(f"\n    >>> {name}({value})\n    {does(value)}" for value in given)
    ask = f"Code: {wish}\n"
    text = f'{ask}def {name}({needs}):\n    """{wish}\n{examples}\n    """\n    return {body}'
    return Document(text, ask, "code", f"{name} {given}")
