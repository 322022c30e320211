"""Tries what is offered instead of a declined prompt: a hundred prompts of each kind, as people type them, strictly
judged. `python -m pair.evaluation.offers` writes the counts beside the weights; the page offers no kind that is
right less than nine times of ten. Run again whenever the weights change; ten minutes on one core."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from random import Random
from typing import Any

from unmask.inference.decode import decode
from unmask.inference.offers import FILE
from unmask.models import Denoiser, load
from unmask.pair.judge import JUDGE
from unmask.pair.offers import SHAPE, offers
from unmask.pair.worlds import strict
from unmask.pair.worlds.chat.free import Free, free_prompts, sensible
from unmask.pair.worlds.words import ANIMALS, BOYS, COLOURS, DISHES, ELDERS, FRUITS, GIRLS, PLANTS, THINGS
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

EACH = 100  # prompts of a kind
SENTENCES = files("pair.evaluation") / "lists" / "sentences.txt"
# as people ask for them, with words in braces to be drawn; what the worlds do not know is in them too
ASKS: Mapping[str, tuple[str, ...]] = {
    "story": (
        "Tell me a story about {topic}",
        "write a story about {topic}",
        "Write a short story about {topic}.",
        "A story about {topic}",
        "Can you tell me a bedtime story about {topic}?",
        "story about {topic} please",
        "I want a story with {topic}",
        "Once upon a time there was {topic}",
        "tell me about {topic}",
    ),
    "sum": (
        "What is {left} + {right}?",
        "what's {left} plus {right}",
        "add {left} and {right}",
        "{left}+{right}=",
        "{left} + {right}",
        "How much is {left} and {right}?",
        "Please calculate {left} + {right}.",
        "I have {left} apples and buy {right} more. How many apples do I have?",
    ),
    "less": (
        "What is {more} - {right}?",
        "what's {more} minus {right}",
        "subtract {right} from {more}",
        "{more}-{right}=",
        "{more} - {right}",
        "Please calculate {more} minus {right}.",
        "I have {more} apples and eat {right}. How many are left?",
    ),
    "sort": (
        "Sort these numbers: {numbers}",
        "sort {numbers}",
        "Put {numbers} in order",
        "Order these from smallest to largest: {numbers}",
        "Can you sort {commas}?",
    ),
    "recipe": (
        "Recipe for {fruit} {dish}",
        "How do I make {fruit} {dish}?",
        "Give me a recipe for {dish} please",
        "how to bake a {fruit} {dish}",
        "I want to cook {fruit} {dish} for five people, how do I make it?",
        "Write a recipe for pancakes",
        "What can I make for dinner?",
        "A recipe with {fruit}s",
    ),
    "steps": (
        "How do I plant a {plant}?",
        "how to grow {plant}s",
        "How do I build a snowman?",
        "how to make a paper boat",
        "How can I make a {colour} paper star?",
        "how do you make a {colour} mask",
        "How to build a tree house",
        "How do I make a {animal} puppet?",
        "how to feed birds",
        "How do I send a letter?",
    ),
    "letter": (
        "Write a letter to {elder}",
        "write a letter from {girl} to {elder}",
        "Please write an email to my boss",
        "Write a postcard to {elder} from {boy}",
        "A letter to my {elder}",
    ),
    "dialogue": (
        "A conversation between {girl} and {boy}",
        "Write a dialogue between {boy} and {girl}.",
        "dialogue: two people talk about a {colour} {thing}",
        "Write a conversation between {girl} and {boy} about a {thing}",
    ),
    "talk": (
        "Hello!",
        "hi",
        "Hello, how are you?",
        "Who are you?",
        "what can you do?",
        "Hey there",
        "Good morning",
        "Good night!",
        "Thank you",
        "bye",
    ),
}
TOPICS = (
    *("a fox and a rabbit", "a brave knight", "two sisters and a boat", "my cat Luna", "a lost umbrella", "dragons"),
    *("the sea", "a lonely robot", "a girl called Mia who loves pancakes", "friendship", "Christmas", "a small owl"),
    *("a boy who could not swim", "a pirate and a parrot", "my grandmother", "a magic key", "a dog and a cat"),
    *("a bear who is afraid of the dark", "Tom and his red kite", "a wolf", "a princess", "space", "a snowman"),
    *("a mouse and a lion", "a farmer with a donkey", "Anna and Ben at the beach", "a witch who lost her broom"),
    *("a broken guitar", "a race between a turtle and a hare", "a birthday party", "an old man and his violin"),
    *("a hen with a hat", "a baker", "a treasure", "three friends in the forest", "a squirrel in autumn", "rain"),
    *(
        "a ghost in a castle",
        "a bear who cannot sleep",
        "a stormy night",
        "a train",
        "the boy next door",
        "a haunted house",
    ),
    *("a dog", "a baby duck", "a cat that sleeps all day", "a hedgehog with a secret", "an owl and Tom"),
)


def drawn(rng: Random) -> dict[str, str]:
    """What stands in the braces."""
    left, right = sorted((rng.randint(1, 99), rng.randint(1, 99)))
    numbers = list(map(str, rng.sample(range(10, 100), rng.randint(4, 6))))
    return {
        "topic": rng.choice(TOPICS),
        "left": str(left),
        "right": str(left if rng.random() < 0.5 else rng.randint(1, left)),
        "more": str(right),
        "numbers": " ".join(numbers),
        "commas": ", ".join(numbers),
        "fruit": rng.choice(tuple(FRUITS)),
        "dish": rng.choice(DISHES),
        "plant": rng.choice(PLANTS),
        "colour": rng.choice(COLOURS),
        "animal": rng.choice(ANIMALS),
        "thing": rng.choice(THINGS),
        "elder": rng.choice(ELDERS),
        "girl": rng.choice(GIRLS),
        "boy": rng.choice(BOYS),
    }


def asks(kind: str) -> list[str]:
    """A hundred prompts of a kind, as people type them."""
    rng = Random(f"offers {kind}")
    own: list[str] = []
    if kind == "story":
        own = SENTENCES.read_text(encoding="utf-8").strip().split("\n")[::4]
    if kind == "talk":
        own = [one.prompt[len("User: ") : -len("\nAssistant:")] for one in free_prompts() if one.kind == "greeting"]
    made = [ASKS[kind][at % len(ASKS[kind])].format_map(drawn(rng)) for at in range(EACH)]
    return [*own, *made][:EACH]


def answer(denoiser: Denoiser, prompt: str, length: int) -> str:
    """The answer, as the page's own decoder writes it."""
    denoiser.clear_caches()
    *_, (end, _) = decode(denoiser, RunSpec(prompt, length=length).start(denoiser.card, denoiser.tokenizer))
    return answer_text(denoiser, end.canvas)


def right(kind: str, prompt: str, text: str) -> bool:
    """By the strict judge; greetings have more answers than it knows, so they are judged by written rules."""
    return sensible(Free("greeting", prompt), text) if kind == "talk" else strict(prompt, prompt + text).strict


def tried(denoiser: Denoiser, kind: str, report: Callable[[str, str], None]) -> dict[str, int]:
    """How many of a kind's offers come out right; a prompt for which nothing is offered counts for none."""
    known: dict[str, bool] = {}
    found = []
    for ask in asks(kind):
        if not (prompt := offers(ask).get(kind, "")):
            report("NONE", ask)
            continue
        if prompt not in known:
            text = answer(denoiser, prompt, JUDGE.cells(SHAPE.get(kind, kind)))
            known[prompt] = right(kind, prompt, text)
            if not known[prompt]:
                report(f"{ask} => {prompt}", text)
        found.append(known[prompt])
    return {"right": sum(found), "of": len(found), "different": len(known)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(ASKS))
    parser.add_argument("--denoiser", default="denoiser", help="a name as `load` understands it")
    parser.add_argument("--verbose", action="store_true", help="print what went wrong")
    chosen = parser.parse_args()
    denoiser = load(chosen.denoiser)
    weights = [denoiser.card.weights, load("twin").card.weights]
    before: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    row: dict[str, Any] = before["kinds"] if before.get("weights") == weights else {}
    for kind in chosen.kinds:
        row[kind] = tried(denoiser, kind, print if chosen.verbose else lambda *_: None)
        print(kind, row[kind], flush=True)
    if set(ASKS) <= set(row):
        row = {kind: row[kind] for kind in ASKS}
        FILE.write_text(json.dumps({"weights": weights, "kinds": row}, indent=1) + "\n")


if __name__ == "__main__":
    main()
