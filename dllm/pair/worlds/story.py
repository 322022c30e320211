"""Stories: people of a small world, what happens to them, and whether it can have happened so."""

from collections import Counter
from random import Random

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.document import Document, World
from unmask.pair.worlds.fact_agreement import belongings, ending, people, remainder, sentences, surroundings, things
from unmask.pair.worlds.grammar import Grammar, Plot
from unmask.pair.worlds.kinds import bare
from unmask.pair.worlds.plots import counting, giving, going, losing
from unmask.pair.worlds.scene import scene
from unmask.run.judge import Verdict

GRAMMAR = Grammar("\n".join(part.TEXT for part in (losing, giving, counting, going)))
PLOTS = tuple(plot for plot in GRAMMAR.plots.values() if not plot.held_out)  # the others are for examination


def write(rng: Random, new: bool = False) -> Document:
    return tell(GRAMMAR.draw(rng, new and rng.random() < 0.3), rng, new)


def tell(plot: Plot, rng: Random, new: bool = False) -> Document:
    world = scene(rng, new and rng.random() < 0.15)
    lines = GRAMMAR.tell(plot, world, rng, new and rng.random() < 0.5)
    return Document("Story: " + " ".join(lines), "Story: " + lines[0], "story", plot.name)


def read(question: str, answer: str) -> Verdict:
    text = f"{question}{answer}".strip()
    facts = [*people(text), *surroundings(text), *things(text), *belongings(text), *remainder(text), ending(text)]
    lines = sentences(text)
    given = sentences(question)
    # a question may stop in the middle of a sentence, which is then the answer's to end
    sure = len(given) if not given or given[-1].endswith((".", "!", "?", '"')) else len(given) - 1
    account = follow(GRAMMAR, lines, sure)
    return Verdict(tuple(facts), account.reasons, account.plot)


def nearest(text: str) -> str:
    """The plot to which most sentences of a text belong, whether or not it is well told; none if no sentence does."""
    votes = Counter(
        name
        for sentence in sentences(text.removeprefix("Story:"))
        for name in {plot for one in GRAMMAR.index.get(bare(sentence)[0], ()) for plot in GRAMMAR.telling[one.beat]}
    )
    return max(sorted(votes), key=votes.__getitem__, default="")


WORLD = World("story", "Story", write, read)
