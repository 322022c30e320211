"""Whether sentences tell one plot in its order, with the same people, things, places and numbers all along."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unmask.pair.worlds.grammar import Grammar, Parse, Plot
from unmask.pair.worlds.kinds import bare
from unmask.pair.worlds.words import HE, SHE, number

APART = (("a", "b"), ("thing", "other"), ("colour", "tint"))  # pairs that are never the same
LESS = {"rest": ("many", "some"), "last": ("many", "some", "few")}  # what is left of the first


@dataclass(frozen=True)
class Account:
    """The plot, who and what is in it, and what is wrong; nothing is, if the sentences follow the plot."""

    plot: str
    roles: Mapping[str, str]
    reasons: tuple[str, ...]


def bound(reading: Parse, found: Sequence[str], roles: Mapping[str, str]) -> dict[str, str] | None:
    """The roles with this sentence's words in them; None if one is somebody else's already."""
    known = dict(roles)
    for slot, word in zip(reading.slots, found, strict=True):
        if slot[0] == "=":
            if word != slot[1:]:
                return None
        elif known.setdefault(slot, word) != word:
            return None
    for owner, sex in reading.sexes:
        if known.setdefault(f"{owner} is", sex) != sex:
            return None
    return known


NUMERIC = frozenset("many some few rest last more hour guests count price total".split())


def impossible(roles: Mapping[str, str]) -> str | None:
    """What cannot be in this world: somebody who is two, a she who is a he, a remainder that does not remain."""
    for one, other in APART:
        if one in roles and roles[one] == roles.get(other):
            return f"{roles[one]} is both {one} and {other}"
    for owner in ("a", "b", "elder"):
        sex, name = roles.get(f"{owner} is"), roles.get(owner)
        if sex and name and name not in (SHE if sex == "she" else HE):
            return f"{name} is not a {sex}"
        if sex and not name:
            return f"nobody is there who could be {sex}"
    values = {slot: number(roles[slot]) or 0 for slot in NUMERIC if slot in roles}
    for slot, (start, *went) in LESS.items():
        if slot in values:
            if not {start, *went} <= set(values):
                return f"{roles[slot]} are left of nothing"
            if values[start] - sum(values[one] for one in went) != values[slot]:
                return f"{roles[start]} less {' and '.join(roles[one] for one in went)} is not {roles[slot]}"
    if "more" in values and values["more"] != values.get("many", 0) + values.get("some", 0):
        return f"{roles['more']} is not what there was and what came"
    if "total" in values and values["total"] != values.get("count", 0) * values.get("price", 0):
        return f"{roles['total']} is not the price"
    return None


def follow(
    grammar: Grammar, sentences: Sequence[str], given: int = 0, start: Mapping[str, str] | None = None
) -> Account:
    """Read sentences back. The first `given` were asked for: they may be of another plot, or of none."""
    looked = [bare(sentence) for sentence in sentences]
    readings = [grammar.index.get(key, ()) for key, _ in looked]
    lost = [f"not a sentence of this world: {sentences[at]}" for at in range(given, len(sentences)) if not readings[at]]
    if lost:
        return Account("", {}, tuple(lost))
    if len(sentences) <= given:
        return Account("", {}, ("nothing is told",))
    start = dict(start or {})
    whole = [[grammar.telling[one.beat] for one in found] for found in readings]
    plots = _common(whole) if all(readings) else frozenset()
    best: tuple[int, str] = (-1, "the sentences are of different plots")
    for name in sorted(plots):
        depth, why, roles = _through(grammar.plots[name], looked, readings, 0, -1, start)
        if why is None:
            return Account(name, roles, ())
        best = max(best, (depth, why))
    # what was asked for is of another plot: its words count, its plot does not
    begun = dict(start)
    for at in range(given):
        fit = (known for one in readings[at] if (known := bound(one, looked[at][1], begun)) is not None)
        begun = next(fit, begun)
    if given:
        for name in sorted(_common(whole[given:])):
            depth, why, roles = _through(grammar.plots[name], looked[given:], readings[given:], 0, None, begun)
            if why is None:
                return Account(name, roles, ())
            best = max(best, (depth + given, why))
    return Account("", begun, (best[1],))


def _common(choices: Sequence[Sequence[frozenset[str]]]) -> frozenset[str]:
    """The plots that every sentence can belong to."""
    each = [frozenset().union(*one) for one in choices]
    return frozenset.intersection(*each) if each else frozenset()


def _through(
    plot: Plot,
    looked: Sequence[tuple[str, tuple[str, ...]]],
    readings: Sequence[Sequence[Parse]],
    at: int,
    last: int | None,
    roles: Mapping[str, str],
) -> tuple[int, str | None, Mapping[str, str]]:
    """How far the sentences from `at` on follow a plot behind beat `last` (None: it may begin at any)."""
    if at == len(looked):
        open_beats = [beat for beat in plot.beats[(last or 0) + 1 :] if not beat.optional]
        why = "it ends before its end" if open_beats else impossible(roles)
        return at, why, roles
    best: tuple[int, str, Mapping[str, str]] = (at, f"out of order: {plot.name}", roles)
    for reading in readings[at]:
        place = plot.places.get(reading.beat)
        if place is None or (last is not None and place <= last):
            continue
        if last is not None and any(not beat.optional for beat in plot.beats[last + 1 : place]):
            best = max((at, f"something is left out: {plot.name}", roles), best, key=lambda one: one[0])
            continue
        known = bound(reading, looked[at][1], roles)
        if known is None:
            best = max((at, "somebody or something has become another", roles), best, key=lambda one: one[0])
            continue
        depth, why, whole = _through(plot, looked, readings, at + 1, place, known)
        if why is None:
            return depth, None, whole
        best = max(best, (depth, why, whole), key=lambda one: one[0])
    return best
