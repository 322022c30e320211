"""Brackets that were opened, and the ones that close them."""

from random import Random

from unmask.pair.worlds.document import Document, World, fact, first_line
from unmask.run.judge import Fact, Verdict

CLOSING = {"(": ")", "[": "]", "{": "}"}


def write(rng: Random, new: bool = False) -> Document:
    """A beginning with some brackets still open, and what closes them, the last one first."""
    begun: list[str] = []
    stack: list[str] = []
    for _ in range(rng.randint(4, 9)):
        if stack and rng.random() < 0.35:
            begun.append(CLOSING[stack.pop()])
        else:
            stack.append(rng.choice("([{"))
            begun.append(stack[-1])
    if not stack:
        begun.append("(")
        stack.append("(")
    ask = f"Brackets: {' '.join(begun)}\n"
    return Document(f"{ask}Closed: {' '.join(CLOSING[one] for one in reversed(stack))}", ask, "brackets")


def read(question: str, answer: str) -> Verdict:
    question, answer = first_line(question, answer)
    stack: list[str] = []
    for one in question.split():
        if one in CLOSING:
            stack.append(one)
        elif not stack or CLOSING[stack.pop()] != one:
            return Verdict((Fact("brackets", False, "the question itself does not balance"),))
    wanted = [CLOSING[one] for one in reversed(stack)]
    done, _, body = answer.strip().partition(":")
    marks = body.split()
    if done != "Closed" or not wanted:
        return Verdict((Fact("brackets", False, "nothing is closed"),))
    facts = [fact("length", len(marks) == len(wanted), f"{len(marks)} brackets for {len(wanted)} open ones")]
    facts += [fact("bracket", a == b, f"{b} closes what {a} should") for a, b in zip(wanted, marks, strict=False)]
    return Verdict(tuple(facts), () if body == " " + " ".join(marks) else ("they are not one space apart",))


WORLD = World("brackets", "Brackets", write, read)
