"""Which documents are made, and how many of each: one table for everything that is trained on and examined."""

from itertools import chain
from random import Random

from unmask.pair.worlds import (
    brackets,
    chat,
    code,
    dialogue,
    grid,
    letter,
    recipe,
    record,
    row,
    steps,
    story,
    sums,
    tale,
)
from unmask.pair.worlds.asking import with_words
from unmask.pair.worlds.document import Document, World

WORLDS: dict[str, World] = {
    world.shape: world
    for world in chain(
        (story.WORLD, chat.WORLD, dialogue.WORLD, letter.WORLD, recipe.WORLD, steps.WORLD, record.WORLD, code.WORLD),
        (*sums.WORLDS, *row.WORLDS, *grid.WORLDS, brackets.WORLD, tale.WORLD),
    )
}
TITLES = {world.title: world for world in WORLDS.values()}
OPENINGS = tuple(sorted({*TITLES, "Words"}))  # what every document begins with, up to a comma or colon
# how many of a thousand documents; short ones need many to be learned
MIX = {
    "story": 270,
    "chat": 150,
    "dialogue": 70,
    "letter": 42,
    "recipe": 35,
    "steps": 25,
    "record": 85,
    "code": 50,
    "sum": 80,
    "less": 18,
    "adding": 45,
    "sort": 40,
    "sudoku": 30,
    "copy": 10,
    "reverse": 12,
    "replace": 10,
    "shuffle": 8,
    "latin": 12,
    "brackets": 8,
}
SHAPES = tuple(MIX)
PROSE = ("story", "chat", "dialogue", "letter", "recipe", "steps")
DRILLS = ("adding",)  # practice: they ask for nothing, so how many words a pass settles says nothing
REQUESTS = {"story": 0.25, "letter": 0.1}  # share of documents under a line that asks for words
_SHAPES, _WEIGHTS = tuple(MIX), tuple(MIX.values())


def kind(shape: str) -> str:
    """Prose, or what has one right answer."""
    return "prose" if shape in PROSE else "structured"


def document(seed: int, split: str = "train", shape: str | None = None) -> Document:
    """The document of this seed. Those of split "held" have names, wordings, plots and questions not trained on."""
    if split not in ("train", "held"):
        raise ValueError(f"no split {split!r}; there are train and held")
    rng = Random(f"{split} {seed}")
    held_out = split == "held"
    write = WORLDS[shape or rng.choices(_SHAPES, _WEIGHTS)[0]].write
    while True:
        made = write(rng, held_out)
        if rng.random() < REQUESTS.get(made.shape, 0):
            made = with_words(made, rng)
        if made.held_out == held_out:
            return made
