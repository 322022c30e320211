"""Which documents are made, and how many of each: one table for everything that is trained on and examined."""

from itertools import chain
from random import Random

from dllm.worlds import brackets, code, dialogue, grid, letter, recipe, record, row, steps, story, sums, tale
from dllm.worlds.asking import with_words
from dllm.worlds.document import Document, World

WORLDS: dict[str, World] = {
    world.shape: world
    for world in chain(
        (story.WORLD, dialogue.WORLD, letter.WORLD, recipe.WORLD, steps.WORLD, record.WORLD, code.WORLD),
        (*sums.WORLDS, *row.WORLDS, *grid.WORLDS, brackets.WORLD, tale.WORLD),
    )
}
TITLES = {world.title: world for world in WORLDS.values()}
# how many of a thousand documents; short ones need many to be learned
MIX = {
    "story": 330,
    "dialogue": 80,
    "letter": 50,
    "recipe": 40,
    "steps": 30,
    "record": 100,
    "code": 60,
    "sum": 90,
    "less": 20,
    "adding": 50,
    "sort": 45,
    "sudoku": 35,
    "copy": 10,
    "reverse": 15,
    "replace": 10,
    "shuffle": 10,
    "latin": 15,
    "brackets": 10,
}
SHAPES = tuple(MIX)
ASKED = {"story": 0.25, "letter": 0.1}  # share of documents under a line that asks for words
_SHAPES, _WEIGHTS = tuple(MIX), tuple(MIX.values())


def document(seed: int, split: str = "train", shape: str | None = None) -> Document:
    """The document of this seed. Those of split "held" have names, wordings, plots and questions not trained on."""
    if split not in ("train", "held"):
        raise ValueError(f"no split {split!r}; there are train and held")
    rng = Random(f"{split} {seed}")
    held = split == "held"
    write = WORLDS[shape or rng.choices(_SHAPES, _WEIGHTS)[0]].write
    while True:
        made = write(rng, held)
        if rng.random() < ASKED.get(made.shape, 0):
            made = with_words(made, rng)
        if made.held == held:
            return made
