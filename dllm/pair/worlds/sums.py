"""Adding and taking away, worked out line by line; nothing in a line can be copied."""

import re
from random import Random

from unmask.pair.worlds.document import Document, World, fact, first_line
from unmask.pair.worlds.words import FOODS, NUMBERS, THINGS, number, plural
from unmask.run.judge import Fact, Verdict

COUNTED = (*FOODS.values(), *map(plural, THINGS))
QUESTION = re.compile(r"(?:, answer first)? (\d{1,6})((?: [a-z]+)?) ([+-]) (\d{1,6})((?: [a-z]+)?)\s*$")
LINE = re.compile(r"(\d{1,6}) ([+-]) (\d{1,6}) = (\d{1,6})$")
SPELLED = re.compile(r"([a-z]+) (and|less) ([a-z]+) is ([a-z]+)$")


def workings(left: int, right: int, minus: bool) -> list[str]:
    """The lines by which a sum is worked out, the tens before the ones."""
    if minus:
        between = left - right // 10 * 10
        return [f"{left} - {right // 10 * 10} = {between}", f"{between} - {right % 10} = {left - right}"]
    tens, ones = left // 10 * 10 + right // 10 * 10, left % 10 + right % 10
    return [
        f"{left // 10 * 10} + {right // 10 * 10} = {tens}",
        f"{left % 10} + {right % 10} = {ones}",
        f"{tens} + {ones} = {left + right}",
    ]


def total(rng: Random, minus: bool) -> Document:
    left, right = rng.randint(10, 99), rng.randint(10, 99)
    if minus:
        left, right = max(left, right), min(left, right)
    # most sums count something, so that ten thousand of them differ
    of = f" {rng.choice(COUNTED)}" if rng.random() < 0.85 else ""
    first = rng.random() < 0.2
    title, sign, result = ("Less", "-", left - right) if minus else ("Sum", "+", left + right)
    lines = workings(left, right, minus)
    lines.insert(0 if first else len(lines), f"Answer: {result}{of}")
    ask = f"{title}: {left}{of} {sign} {right}{of}\n"
    if first:
        ask = f"{title}, answer first: {left}{of} {sign} {right}{of}\n"
    return Document(ask + "\n".join(lines), ask, title.lower(), key=f"{left} {sign} {right}")


def read_total(question: str, answer: str) -> Verdict:
    question, answer = first_line(question, answer)
    match = QUESTION.match(question)
    if not match:
        return Verdict((Fact("sum", False, "there is no sum to do"),))
    left, of, right, minus = int(match[1]), match[2], int(match[4]), match[3] == "-"
    result = left - right if minus else left + right
    lines = answer.strip().split("\n")
    facts = [fact("unit", match[5] == of, f"{of} and {match[5]} are counted together")] if of else []
    facts += [one for line in lines for one in worked(line)]
    stated = re.search(r"^Answer: (\d{1,6})(.*)$", answer, re.M)
    right_answer = stated is not None and int(stated[1]) == result
    facts.append(fact("sum", right_answer, f"{left} {match[3]} {right} is not {stated[1] if stated else 'answered'}"))
    if stated and of:
        facts.append(fact("unit", stated[2] == of, f"{of} became {stated[2][:20]}"))
    # the answer may stand first or last, and the lines in any order, but all of them and nothing else
    wanted = sorted([*workings(left, right, minus), f"Answer: {result}{of}"])
    reasons = () if sorted(lines) == wanted else ("its lines are not the working and the answer",)
    return Verdict(tuple(facts), reasons)


def adding(rng: Random, new: bool = False) -> Document:
    """The small sums that larger ones are worked out by, many to a document, and the same in words."""
    lines = []
    for _ in range(rng.randint(5, 8)):
        kind = rng.random()
        if kind < 0.3:
            left, right = rng.randint(0, 9), rng.randint(0, 9)
        elif kind < 0.45:
            left, right = rng.randint(1, 9) * 10, rng.randint(1, 9) * 10
        elif kind < 0.6:
            left, right = rng.randint(2, 18) * 10, rng.randint(0, 18)
        else:
            left = rng.randint(3, 20)
            right = rng.randint(2, left - 1) if kind < 0.85 else rng.randint(2, max(2, 20 - left))
            word = "less" if kind < 0.85 or left + right > 20 else "and"
            right = min(right, left) if word == "less" else right
            result = left - right if word == "less" else left + right
            lines.append(f"{NUMBERS[left]} {word} {NUMBERS[right]} is {NUMBERS[result]}")
            continue
        minus = left >= right and rng.random() < 0.4
        lines.append(f"{left} {'-' if minus else '+'} {right} = {left - right if minus else left + right}")
    text = "\n".join(lines)
    return Document(f"Adding:\n{text}", "Adding:\n", "adding", key=text)


def worked(line: str) -> list[Fact]:
    """The fact of one line, if it is a sum."""
    if found := LINE.match(line):
        left, right, result = int(found[1]), int(found[3]), int(found[4])
        holds = (left - right if found[2] == "-" else left + right) == result
    elif spelled := SPELLED.match(line):
        numbers = [number(spelled[at]) for at in (1, 3, 4)]
        one, other, result = (-1 if it is None else it for it in numbers)
        if min(one, other, result) < 0:
            return [Fact("working", False, f"no numbers: {line[:40]}")]
        holds = (one - other if spelled[2] == "less" else one + other) == result
    else:
        return []
    return [fact("working", holds, f"it is not so: {line}")]


def read_adding(question: str, answer: str) -> Verdict:
    lines = answer.strip().split("\n")
    facts = [one for line in lines for one in worked(line)]
    reasons = [f"not a sum: {line[:40]}" for line in lines if not worked(line)]
    if len(lines) < 3:
        reasons.append("fewer than three sums")
    if len(set(lines)) < min(len(lines), 3):
        reasons.append("the same sum again and again")
    return Verdict(tuple(facts) or (Fact("working", False, "nothing was added"),), tuple(reasons))


WORLDS = (
    World("sum", "Sum", lambda rng, new: total(rng, False), read_total),
    World("less", "Less", lambda rng, new: total(rng, True), read_total),
    World("adding", "Adding", adding, read_adding),
)
