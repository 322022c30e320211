"""What is kept from training: a hundred free prompts with the rules that judge their answers, and two hundred
ordinary questions, half of them to choose a threshold by and half to test it."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from unmask.pair.worlds.account import follow
from unmask.pair.worlds.chat.asking import plain
from unmask.pair.worlds.fact_agreement import ending, sentences
from unmask.pair.worlds.story import GRAMMAR

_LISTS = files("unmask.pair.worlds.chat") / "lists"
LONGEST = 30  # words of an answer that is not a story
KNOWS = re.compile(r"\b(story|stories|recipes?|lists?|puzzles?|sums?)\b")


@dataclass(frozen=True)
class Free:
    """A prompt in somebody's own words, of one of four classes, and what its answer needs."""

    kind: str  # greeting, wish, question or ordinary
    prompt: str  # the whole talk up to where the helper speaks
    needs: tuple[str, ...] = ()


def ordinary_questions(which: str) -> tuple[str, ...]:
    """A hundred questions no world answers; `choose` a threshold by some, `test` it by others."""
    return tuple((_LISTS / f"ordinary_{which}.txt").read_text(encoding="utf-8").strip().split("\n"))


@cache
def _lists() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_LISTS / "free.json").read_text(encoding="utf-8"))
    return found


def free_prompts() -> list[Free]:
    """All hundred: 20 greetings, 30 wishes for a story, 20 questions about one, 30 that no world answers."""
    lists = _lists()
    made = [Free("greeting", talk(ask)) for ask in lists["greeting"]]
    made += [Free("wish", talk(one["ask"]), tuple(one["needs"])) for one in lists["wish"]]
    for one in lists["question"]:
        before = f"User: Tell me a story.\nAssistant: {lists['stories'][one['story']]}\n"
        made.append(Free("question", before + talk(one["ask"]), tuple(one["answers"])))
    return made + [Free("ordinary", talk(ask)) for ask in lists["ordinary"]]


def talk(ask: str) -> str:
    """How a page or a program puts what somebody asks."""
    return f"User: {ask}\nAssistant:"


def sensible(prompt: Free, answer: str) -> bool:
    """By written rules: whether a person would call this an answer to that.

    A wish gets a whole story of the worlds with everybody and everything it names. A question about a story gets a
    sentence with the right word, and no other of its kind. A greeting gets a friendly sentence that says what one
    can have, or asks; what no world answers gets an honest sentence that says what there is instead.
    """
    answer = answer.split("\nUser:")[0].strip()
    if not answer or "\n" in answer or not ending(answer).holds:
        return False
    words = re.findall(r"[\w']+", answer)
    if prompt.kind == "wish":
        story = sentences(answer)
        there = {word.lower() for word in words}
        return (
            len(story) >= 4
            and all(need.lower() in there or f"{need.lower()}s" in there for need in prompt.needs)
            and not follow(GRAMMAR, story).reasons
        )
    if len(words) > LONGEST or len(set(sentences(answer))) < len(sentences(answer)):
        return False
    if prompt.kind == "question":
        return len(words) <= 15 and any(re.search(rf"\b{need}\b", answer) for need in prompt.needs)
    offered = KNOWS.search(answer.lower()) is not None
    if prompt.kind == "greeting":
        return offered or answer.endswith("?")
    return offered and re.search(r"\b(only|cannot|not|never|sorry|beyond|too big)\b", answer.lower()) is not None


# in small letters and without marks: no training document asks one of these
RESERVED = frozenset(
    plain(ask)
    for ask in (
        *ordinary_questions("choose"),
        *ordinary_questions("test"),
        *_lists()["greeting"],
        *_lists()["ordinary"],
        *(one["ask"] for one in (*_lists()["wish"], *_lists()["question"])),
    )
)
