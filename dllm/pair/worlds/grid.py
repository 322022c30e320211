"""Sudokus of four by four, and Latin squares of words: every row and every column holds each just once."""

import re
from functools import cache
from itertools import permutations, product
from random import Random

from unmask.pair.worlds.document import Document, World, fact, first_line
from unmask.pair.worlds.words import ANIMALS, COLOURS, THINGS
from unmask.run.judge import Fact, Verdict

Grid = tuple[int, ...]
ROWS = {f"row {i + 1}": [4 * i + j for j in range(4)] for i in range(4)}
COLUMNS = {f"column {i + 1}": [4 * j + i for j in range(4)] for i in range(4)}
SQUARES = {
    f"square {2 * a + b + 1}": [8 * a + 2 * b + k for k in (0, 1, 4, 5)] for a in (0, 1) for b in (0, 1)
}  # fmt: skip


def clash(grid: Grid) -> bool:
    """Whether a row, a column or a corner square holds a number twice; 0 is an empty cell."""
    for line in (*ROWS.values(), *COLUMNS.values(), *SQUARES.values()):
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


def sudoku(rng: Random, new: bool = False) -> Document:
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
    return Document(ask + drawn(set(range(16))), ask, "sudoku")


def read_sudoku(question: str, answer: str) -> Verdict:
    puzzle, found, solved = f"{question}{answer}".partition("Solved:")
    cells = re.findall(r"[1-4_]", puzzle)
    grid = re.findall(r"\S", solved)[:16]
    if not found or len(cells) != 16 or len(grid) != 16:
        return Verdict((Fact("solved", False, "there is no whole solution"),))
    kept = all(was in ("_", now) for was, now in zip(cells, grid, strict=True))
    facts = [fact("givens", kept, "a number that was given has changed")]
    for name, line in (ROWS | COLUMNS | SQUARES).items():
        facts.append(fact("solved", {grid[at] for at in line} == set("1234"), f"{name} does not hold 1 to 4"))
    shaped = re.fullmatch(r"\s*(\d \d \d \d\n){3}\d \d \d \d\s*", solved)
    return Verdict(tuple(facts), () if shaped else ("it is not four rows of four",))


def latin(rng: Random, new: bool = False) -> Document:
    """The first row is given; which of the squares follows is free, but no two cells are."""
    size = rng.choice((3, 4, 4))
    words = rng.sample(rng.choice((COLOURS, ANIMALS, THINGS)), size)
    rows = [words]
    while len(rows) < size:
        rows = [words]
        for _ in range(size - 1):
            free = [row for row in permutations(words) if all(map(differ, zip(row, *rows, strict=True)))]
            if not free:
                break
            rows.append(list(rng.choice(free)))
    lines = [" ".join(row) for row in rows]
    ask = f"Latin: {lines[0]}\n"
    return Document(ask + "\n".join(lines[1:]), ask, "latin")


def differ(column: tuple[str, ...]) -> bool:
    return len(set(column)) == len(column)


def read_latin(question: str, answer: str) -> Verdict:
    question, answer = first_line(question, answer)
    first = question.split()
    rows = [line.split() for line in answer.strip().split("\n")]
    facts = [fact("rows", len(rows) == len(first) - 1, f"{len(rows) + 1} rows of {len(first)}")]
    for at, row in enumerate(rows, 2):
        facts.append(fact("row", sorted(row) == sorted(first), f"row {at} does not hold each"))
    if all(len(row) == len(first) for row in rows):
        columns = enumerate(zip(first, *rows, strict=True), 1)
        facts += [fact("column", differ(column), f"column {at} holds one twice") for at, column in columns]
    else:
        facts.append(Fact("column", False, "the rows are not of one length"))
    tidy = "\n".join(" ".join(row) for row in rows) == answer.strip()
    return Verdict(tuple(facts), () if tidy else ("the words are not one space apart",))


WORLDS = (World("sudoku", "Sudoku", sudoku, read_sudoku), World("latin", "Latin", latin, read_latin))
