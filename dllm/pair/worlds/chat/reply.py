"""Whether a reply fits what was asked: a story with whom it was to be about, the right number, an honest refusal."""

import re
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from unmask.pair.worlds import record
from unmask.pair.worlds.account import follow
from unmask.pair.worlds.chat import talk
from unmask.pair.worlds.chat.asking import every, plain
from unmask.pair.worlds.chat.story_request import articled, mentions, words
from unmask.pair.worlds.document import fact
from unmask.pair.worlds.fact_agreement import belongings, ending, people, remainder, sentences, surroundings, things
from unmask.pair.worlds.scene import pronouns
from unmask.pair.worlds.story import GRAMMAR
from unmask.run.judge import Fact, Verdict

SUM = re.compile(r"(\d{1,4})\s*(\+|-|plus|minus|and|less|from)\s*(\d{1,4})")
REQUESTED = re.compile(r"\b(story|stories|tale)\b|^(please )?tell( me| us)?( something| more)? about\b")
STORY = 3  # sentences, at least


@cache
def spoken(which: str) -> frozenset[str]:
    """Every way in which one of the lists of talk can be said."""
    return frozenset(plain(phrase) for line in getattr(talk, which) for phrase in every(line))


def turns(text: str) -> list[tuple[str, str]]:
    """Asks and replies in turn; what is behind the last reply is not looked at."""
    parts = re.split(r"(?:^|\n)User: ?", text)[1:]
    return [(ask, reply) for part in parts for ask, _, reply in [part.partition("\nAssistant:")]]


def kind(ask: str, story: str) -> str:
    """What was asked for, by the words that ask for it."""
    words = plain(ask).removesuffix(" please")
    if re.search(r"\bjson\b|\brecord\b", words):
        return "record"
    if len(re.findall(r"\b\d+\b", ask)) >= 4:
        return "sort"
    if SUM.search(ask.lower()) and "times" not in words:
        return "sum"
    if story and question(ask, story) is not None:
        return "question"
    if words in spoken("THANKS"):
        return "thanks"
    if REQUESTED.search(words):
        return "story"
    for name, which in (("greeting", "GREETINGS"), ("able", "ABLE")):
        known = spoken(which)
        if words in known:
            return name
    return "ordinary"


def question(ask: str, story: str) -> str | None:
    """The answer to a question about a story; None if it is no question about it."""
    roles: dict[str, Any] = dict(follow(GRAMMAR, sentences(story)).roles)
    if "a" in roles:
        roles |= pronouns(roles["a"])
    words = plain(ask).removesuffix(" please")
    best: tuple[float, str] = (0.82, "")
    for line in talk.QUESTIONS:
        query, needs, answer = line.split("|")
        try:
            needed = articled(needs.format_map(roles)).split("&")
            query, answer = articled(query.format_map(roles)), articled(answer.format_map(roles))
        except KeyError:
            continue
        if all(re.search(rf"\b{re.escape(need)}\b", story) for need in needed):
            best = max(best, (SequenceMatcher(None, plain(query), words).ratio(), answer))
    return best[1] or None


def judged(text: str, given: int) -> Verdict:
    """The verdict on the reply that begins where the question ends."""
    before, replied = text[:given], text[given:].split("\nUser:")[0]
    talked = turns(before)
    if not talked or "\nAssistant:" not in before:
        talked = turns(text)
        if not talked or not talked[-1][1]:
            return Verdict((), ("nobody replies",))
        replied = talked[-1][1]
        talked[-1] = (talked[-1][0], "")
    else:
        replied = talked[-1][1] + replied
    ask, reply = talked[-1][0].strip(), replied.strip()
    story = next((one.strip() for _, one in reversed(talked[:-1]) if len(sentences(one)) >= STORY), "")
    if not reply or "\n" in reply:
        return Verdict((Fact("reply", bool(reply), "nothing is said"),), ("it is not one paragraph",))
    if replied != f" {reply}" and replied != reply:
        return Verdict((), ("there are blanks where none belong",))
    what = kind(ask, story)
    facts, reasons = _reply(what, ask, reply, story)
    return Verdict(tuple(facts), tuple(reasons), what)


def _reply(what: str, ask: str, reply: str, story: str) -> tuple[list[Fact], list[str]]:
    match what:
        case "story":
            account = follow(GRAMMAR, sentences(reply))
            facts = [*people(reply), *surroundings(reply), *things(reply), *belongings(reply), *remainder(reply)]
            facts += [fact("wish", mentions(reply, [word]), f"there is no {word} in it") for word in words(ask)]
            return [*facts, ending(reply)], list(account.reasons)
        case "question":
            answer = question(ask, story)
            return [fact("answer", reply == answer, f"{reply[:40]!r} instead of {answer!r}")], []
        case "sum":
            return [fact("sum", reply.rstrip(".") == total(ask), f"{reply[:30]!r} is not {total(ask)}")], []
        case "sort":
            row = sorted(map(int, re.findall(r"\d+", ask)))
            return [fact("order", reply == " ".join(map(str, row)), f"{reply[:40]!r} is not in order")], []
        case "record":
            verdict = record.judged(re.split(r"[:?] ", ask, maxsplit=1)[-1], reply)
            return list(verdict.facts), list(verdict.reasons)
    which = {"greeting": "GREETED", "able": "ABILITIES", "thanks": "THANKED"}.get(what, "REFUSALS")
    return [fact("manners", plain(reply) in spoken(which), f"no reply to {what}: {reply[:40]!r}")], []


def total(ask: str) -> str:
    """The sum that was asked for, worked out."""
    found = SUM.search(ask.lower())
    if not found:
        return ""
    left, how, right = int(found[1]), found[2], int(found[3])
    if how == "from":
        left, right = right, left
    minus = how in ("-", "minus", "less", "from")
    return f"{left} {'-' if minus else '+'} {right} = {left - right if minus else left + right}"
