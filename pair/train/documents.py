"""Which texts are trained on: documents of the worlds, some as people might begin them, tales, and a teacher's own."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from pair.train import openings
from pair.train.names import among_friends, befriended, furnished, renamed
from unmask.pair.worlds import DRILLS, PROSE, SHAPES, Document, chat, document, story
from unmask.pair.worlds.asking import with_words

NAMING = ("story", "chat", "dialogue", "letter", "record", "sum", "less")  # shapes with children in them
BEFRIENDED = ("story", "chat", "dialogue", "letter")  # shapes in which somebody may have to be thought of
TITLED = ("story", "dialogue", "letter", "recipe")  # shapes that a title asks for
TALES = 0.05  # share of documents; the rest are worlds
TAUGHT = 0.45  # share of the rest that a teacher wrote, where there are such texts
WORD_REQUESTS = 0.3  # share of stories and letters that get a line that asks for words, beside those that have one
# how many of a hundred documents of the worlds are, beside their mix: stories under a line that asks for words; stories
# under their title alone, each plot as often, so that none is the likeliest; and, beside a teacher's texts, sums that
# somebody asks for, of which a talk has few, and what a teacher does not write, since the twin forgot it
OFTEN = {"words": 35, "title": 8, "sums": 5, "practice": 25, "mix": 27}
RARE = 0.7  # of lines that ask for words, how many ask for words that few stories have
MANY = 0.3  # and how many for up to five: each says something about what is told where
UNTAUGHT = tuple(shape for shape in SHAPES if shape not in (*PROSE, *DRILLS))  # what a teacher writes seldom or never
BARE = 0.15  # share of stories and the like whose prompt is their title alone
FRIENDLY = 0.8  # share of documents in which those whom nobody asked for have a friend's name, and things are usual
AMONG_FRIENDS = 0.12  # share of documents whose prompt names such a friend first
INVENTED = 0.35  # share of documents that ask about a person with an unseen name


class TrainingText(NamedTuple):
    """A text to learn, and how much of it a person would have given."""

    whole: str
    prompt: str


@cache
def spread() -> Counter[str]:
    """How many of two thousand stories have each word."""
    stories = (document(seed, "train", "story").text for seed in range(2000))
    return Counter(word for text in stories for word in {*re.findall(r"\b[A-Za-z]{3,}\b", text)})


def rarity(word: str) -> float:
    """How much a word says about the story that has it: one that few have is a wish that few can grant."""
    return float((1 + spread()[word]) ** -0.5)


def trainable(write: Callable[[], Document]) -> Document:
    """The next that is not kept for examination."""
    while (made := write()).held_out:
        pass
    return made


def asking(made: Document, rng: Random) -> Document:
    """The same under a line that asks for some of its words, unless it has one: none that is kept for examination."""
    if made.prompt.startswith("Words"):
        return made
    worth = rarity if rng.random() < RARE else None
    most = 5 if rng.random() < MANY else 3
    return trainable(lambda: with_words(made, rng, worth, most))


def worldly(at: int, rng: Random, taught: bool) -> Document:
    """A document of the worlds to learn from, of their mix or of what has to be practised more."""
    what = rng.choices(tuple(OFTEN), tuple(OFTEN.values()))[0]
    if what == "words":
        return asking(document(at, "train", "story"), rng)
    if what == "title":
        return replace(trainable(lambda: story.tell(rng.choice(story.PLOTS), rng)), prompt="Story:")
    if taught and what == "sums":
        return trainable(lambda: chat.write(rng, kinds={"sum": 1}))
    if taught and what == "practice":
        return document(at, "train", rng.choice(UNTAUGHT))
    return document(at, "train")


def with_beginning(made: Document, rng: Random, tales: Sequence[str]) -> TrainingText:
    """A document of the worlds, or the same as a person might begin it."""
    draw = rng.random()
    if made.prompt.startswith("Words") or made.prompt == "Story:":
        return TrainingText(made.text, made.prompt)
    if made.shape == "story" and draw < openings.SHARE:
        return TrainingText(*openings.with_opening(made.text, made.prompt, rng, tales))
    if made.shape in openings.UNLIKE and draw < openings.UNLIKE[made.shape]:
        return TrainingText(*openings.unlike(made.shape, made.text, rng))
    if made.shape in ("story", "letter") and draw > 1 - WORD_REQUESTS:
        made = asking(made, rng)
    elif made.shape in TITLED and BARE > draw - openings.SHARE > 0:
        return TrainingText(made.text, made.prompt.partition(":")[0] + ":")
    return TrainingText(made.text, made.prompt)


def named(shape: str, text: TrainingText, rng: Random) -> TrainingText:
    """With the names of friends and of strangers, where there are names."""
    if shape in BEFRIENDED and rng.random() < AMONG_FRIENDS:
        text = TrainingText(*among_friends(*text, rng))
    if shape in BEFRIENDED and rng.random() < FRIENDLY:
        text = TrainingText(*furnished(*befriended(*text, rng), rng))
    # a shape whose words are sorted or shuffled would not be true any more
    if shape in NAMING and rng.random() < INVENTED:
        text = TrainingText(*renamed(*text, rng))
    return text


def documents(
    split: str, seed: int, tales: Sequence[str], share: float = TALES, taught: Sequence[TrainingText] = ()
) -> Iterator[TrainingText]:
    """Texts without end; those kept for examination are as the worlds tell them."""
    rng = Random(f"pieces {split} {seed}")
    at = seed * 1_000_000_000
    while True:
        at += 1
        if tales and rng.random() < share:
            tale = rng.choice(tales)
            yield TrainingText(tale, openings.first_sentence(tale))
        elif taught and rng.random() < TAUGHT:
            text = rng.choice(taught)
            yield TrainingText(*renamed(*text, rng)) if rng.random() < INVENTED else text
        else:
            made = worldly(at, rng, bool(taught)) if split == "train" else document(at, split)
            text = TrainingText(made.text, made.prompt)
            yield named(made.shape, with_beginning(made, rng, tales), rng) if split == "train" else text


def stories_with_words(seed: int, taught: Sequence[TrainingText] = ()) -> Iterator[TrainingText]:
    """Stories under a line that asks for words, without end, a teacher's own among them."""
    rng = Random(f"stories with words {seed}")
    own = [text for text in taught if text.prompt.startswith("Words")]
    at = seed * 1_000_000_000 + 500_000_000  # beyond those of `documents`
    while True:
        at += 1
        if own and rng.random() < TAUGHT / 2:
            yield rng.choice(own)
        else:
            made = asking(document(at, "train", "story"), rng)
            yield named("story", TrainingText(made.text, made.prompt), rng)


def keep(texts: Sequence[TrainingText], path: Path) -> None:
    """Texts, a line each; what stands in the file already stays there."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(text) + "\n" for text in texts)


def kept(path: Path) -> list[TrainingText]:
    with path.open(encoding="utf-8") as file:
        return [TrainingText(*json.loads(line)) for line in file]
