"""A person and a helper who knows the worlds: greetings, wishes, questions, small sums, and what it does not know."""

import json
import re
from random import Random

from unmask.pair.worlds import record
from unmask.pair.worlds.chat import talk
from unmask.pair.worlds.chat.asking import chosen, plain, rough
from unmask.pair.worlds.chat.free import RESERVED
from unmask.pair.worlds.chat.ordinary import ordinary
from unmask.pair.worlds.chat.reply import judged
from unmask.pair.worlds.chat.story_request import articled, story_request
from unmask.pair.worlds.document import Document, World
from unmask.run.judge import Verdict

Turn = tuple[str, str]
# how many of a hundred talks begin so
KINDS = {"greeting": 8, "able": 6, "story": 44, "sum": 10, "record": 8, "sort": 4, "ordinary": 20}


def begun(kind: str, rng: Random, new: bool) -> list[Turn]:
    match kind:
        case "greeting":
            turns = [(rough(chosen(rng.choice(talk.GREETINGS), rng) + rng.choice((".", "!", "?", "")), rng, False), "")]
            turns = [(turns[0][0], chosen(rng.choice(talk.GREETED), rng))]
            return turns if rng.random() < 0.6 else turns + begun("story", rng, new)[:1]
        case "able":
            return [(rough(rng.choice(talk.ABLE), rng, False), chosen(rng.choice(talk.ABILITIES), rng))]
        case "story":
            ask, story, world = story_request(rng, new)
            text = " ".join(story)
            turns = [(ask, text)]
            fitting = questions(text, world)
            for _ in range(rng.choice((0, 0, 1, 1, 2))):
                if fitting:
                    question, answer = rng.choice(fitting)
                    turns.append((rough(question, rng, False), answer))
            if rng.random() < 0.08:
                turns.append(thanks(rng))
            return turns
        case "sum":
            minus = rng.random() < 0.4
            left, right = rng.choice(((20, 20), (50, 20), (99, 9)))
            left, right = rng.randint(2, left), rng.randint(1, right)
            left, right = (max(left, right), min(left, right)) if minus else (left, right)
            ask = rng.choice(talk.SUMS[minus].split("|")).format(left=left, right=right)
            result = left - right if minus else left + right
            return [(rough(ask, rng, False), f"{left} {'-' if minus else '+'} {right} = {result}")]
        case "record":
            text, fields, _ = record.draft(rng, new)
            return [(f"{rng.choice(talk.RECORDS)} {text}", json.dumps(fields))]
        case "sort":
            row = rng.sample(range(1, 100), rng.randint(4, 6))
            ask = rng.choice(talk.SORTS).format(row=" ".join(map(str, row)))
            return [(rough(ask, rng, False), " ".join(map(str, sorted(row))))]
    return [(rough(ordinary(rng), rng), chosen(rng.choice(talk.REFUSALS), rng))]


def thanks(rng: Random) -> Turn:
    at = rng.randrange(len(talk.THANKS))
    return rough(chosen(talk.THANKS[at], rng) + rng.choice("!."), rng, False), chosen(talk.THANKED[at], rng)


def questions(text: str, world: dict[str, str]) -> list[Turn]:
    """What can be asked about a story, and the answers."""
    found = []
    for line in talk.QUESTIONS:
        ask, needs, answer = line.split("|")
        if all(says(text, need) for need in articled(needs.format_map(world)).split("&")):
            found.append((articled(ask.format_map(world)), articled(answer.format_map(world))))
    return found


def says(text: str, need: str) -> bool:
    return need in text and re.search(rf"\b{re.escape(need)}\b", text) is not None


def write(rng: Random, new: bool = False, kinds: dict[str, int] = KINDS) -> Document:
    while True:
        kind = rng.choices(tuple(kinds), tuple(kinds.values()))[0]
        turns = begun(kind, rng, new)
        if not any(plain(ask) in RESERVED for ask, _ in turns):
            break
    # any turn may be the one that is asked for; what follows it is left out
    last = rng.randrange(len(turns)) if rng.random() < 0.5 else len(turns) - 1
    lines = [f"User: {ask}\nAssistant: {answer}" for ask, answer in turns[: last + 1]]
    text = "\n".join(lines)
    return Document(text, text[: len(text) - len(turns[last][1]) - 1], "chat", kind)


def read(question: str, answer: str) -> Verdict:
    return judged(f"User:{question}{answer}", len("User:") + len(question))


WORLD = World("chat", "User", write, read)
