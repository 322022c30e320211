"""Small worlds told in many shapes: unlimited text that is true in itself, and whose truth can be checked."""

from collections.abc import Callable
from random import Random

from dllm.train.worlds.letters import dialogue, letter
from dllm.train.worlds.plots import PLOTS
from dllm.train.worlds.puzzles import adding, function, order, record, sudoku, total
from dllm.train.worlds.recipes import recipe, steps
from dllm.train.worlds.scene import Document, scene, tell, with_words


def story(rng: Random) -> Document:
    plot = rng.choice(tuple(PLOTS))
    world = scene(rng)
    told = tell(PLOTS[plot], world, rng)
    key = f"{plot} {world['a']} {world['thing']} {world['fruits']} {world['animal']}"
    return Document("Story: " + " ".join(told), "Story: " + told[0], "story", key)


# how many of a hundred documents; the short ones need many to be learned
SHARES: dict[Callable[[Random], Document], int] = {
    story: 30,
    dialogue: 7,
    letter: 5,
    recipe: 4,
    steps: 3,
    record: 11,
    function: 9,
    total: 14,
    adding: 7,
    order: 6,
    sudoku: 4,
}
SHAPES = {
    "story": story,
    "dialogue": dialogue,
    "letter": letter,
    "recipe": recipe,
    "steps": steps,
    "record": record,
    "code": function,
    "sum": total,
    "adding": adding,
    "sort": order,
    "sudoku": sudoku,
}


def document(seed: int, split: str = "train", shape: str | None = None) -> Document:
    """The document of this seed; those of split "held" combine names, things and numbers that are never trained on."""
    if split not in ("train", "held"):
        raise ValueError(f"no split {split!r}; there are train and held")
    rng = Random(f"{split} {seed}")
    make = SHAPES[shape] if shape else rng.choices(tuple(SHARES), tuple(SHARES.values()))[0]
    while True:
        drawn = make(rng)
        if drawn.held == (split == "held"):
            break
    asks = drawn.shape in ("story", "letter") and rng.random() < 0.15
    return with_words(drawn, rng) if asks else drawn


__all__ = ["SHAPES", "Document", "document", "story"]
