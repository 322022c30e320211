"""Whether a text follows a hand: words pinned early and late, an ending that is given, a gap that is too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.canvas import blank
from unmask.inference.decode import decode
from unmask.models import Denoiser
from unmask.pair.eval.generate import OWN, held_out
from unmask.pair.worlds import Document, strict
from unmask.pair.worlds.fact_agreement import sentences
from unmask.pair.worlds.story import GRAMMAR
from unmask.pair.worlds.words import ANIMALS, COLOURS, PLACES, THINGS
from unmask.run.state import State, start
from unmask.run.stats import answer_text

TRACKED = (THINGS, COLOURS, ANIMALS, PLACES)  # a story has one of each, so a pinned one must be the only one
STANDING = 0.6  # share of the cells that stand before a late pin
REPLANNED = 32  # passes for a text that is thought over again


@dataclass(frozen=True)
class Followed:
    """What became of a pin: whether the text took it up, and whether it is a good text."""

    followed: bool
    clean: bool


def stories(count: int) -> list[Document]:
    """Held-out stories that begin with a sentence."""
    return [d for d in held_out(2 * count, ("story",)) if not d.prompt.startswith("Words")][:count]


def met(task: Document) -> bool:
    """Whether its plot was trained on. The sentences of the others stand in no document, so nobody who has read only
    documents can put them between a given beginning and a given end."""
    return not GRAMMAR.plots[task.plot].held_out


def swap(denoiser: Denoiser, text: str, prompt: str) -> tuple[str, str] | None:
    """A word of this text that is not in the question, and another of its kind; both one token."""
    one_token = [w for w in re.findall(r"[a-z]+", text) if len(denoiser.tokenizer.encode(f" {w}")) == 1]
    for word in one_token:
        for kind in TRACKED:
            if word in kind and not re.search(rf"\b{word}\b", prompt):
                others = [w for w in kind if w not in text and len(denoiser.tokenizer.encode(f" {w}")) == 1]
                same = [w for w in others if (w[0] in "aeiou") == (word[0] in "aeiou")]  # its article stays right
                if same:
                    return word, same[0]
    return None


def late(denoiser: Denoiser, task: Document, policy: str = "") -> Followed | None:
    """Change a word when most of the text stands; go on with another policy if one is named."""
    state = begun(denoiser, task)
    cells = int(state.canvas.open.sum())
    for state, _ in decode(denoiser, begun(denoiser, task)):
        if state.canvas.open.sum() < (1 - STANDING) * cells or state.done:
            break
    found = swap(denoiser, answer_text(denoiser, state.canvas), task.prompt)
    if not found:
        return None
    old, new = found
    (was,), (token,) = denoiser.tokenizer.encode(f" {old}"), denoiser.tokenizer.encode(f" {new}")
    where = np.flatnonzero((state.canvas.tokens == was) & state.canvas.answer)
    if not where.size:
        return None
    state = replace(state, canvas=state.canvas.pin([int(where[0])], [token]), memory=None)
    if policy:
        plan = {"policy": policy, "passes": state.step + REPLANNED, "block": 0, "options": {}}
        state = replace(state, settings=state.settings.with_changes(plan), block=0, block_began=state.step)
    text = answer_text(denoiser, ended(denoiser, state).canvas)
    return Followed(
        bool(re.search(rf"\b{new}\b", text)) and not re.search(rf"\b{old}\b", text),
        strict(task.prompt, task.prompt + text).strict,
    )


def early(denoiser: Denoiser, task: Document) -> Followed | None:
    """Fix a word before anything is written, where the held-out text has another of its kind."""
    found = swap(denoiser, task.text[len(task.prompt) :], task.prompt)
    if not found:
        return None
    old, new = found
    (was,), (token,) = denoiser.tokenizer.encode(f" {old}"), denoiser.tokenizer.encode(f" {new}")
    whole = denoiser.tokenizer.encode(task.text)
    state = begun(denoiser, task)
    places = [at for at, one in enumerate(whole) if one == was and at < len(state.canvas) and state.canvas.open[at]]
    if not places:
        return None
    state = replace(state, canvas=state.canvas.pin(places[:1], [token]))
    text = answer_text(denoiser, ended(denoiser, state).canvas)
    return Followed(bool(re.search(rf"\b{new}\b", text)), strict(task.prompt, task.prompt + text).strict)


def ending(denoiser: Denoiser, task: Document) -> bool:
    """Whether a text that must end with a given sentence is a good one."""
    lines = sentences(task.text)
    return between(denoiser, task, task.prompt, " " + lines[-1], 0)


def gap(denoiser: Denoiser, task: Document, over: int) -> bool:
    """Whether a hidden sentence is filled well when the gap has `over` cells too many."""
    lines = sentences(task.text)
    at = len(lines) // 2
    return between(denoiser, task, " ".join(lines[:at]), " " + " ".join(lines[at + 1 :]), over)


def between(denoiser: Denoiser, task: Document, before: str, after: str, over: int) -> bool:
    first, last = denoiser.tokenizer.encode(before), denoiser.tokenizer.encode(after)
    room = len(denoiser.tokenizer.encode(task.text)) - len(first) - len(last) + over
    if room < 1 or len(first) + room + len(last) > denoiser.card.longest:
        return False
    settings = OWN.settings(denoiser.card, task.shape, room).with_changes({"end": "forbid", "block": 0})
    state = ended(denoiser, start(blank([first, room, last]), settings))
    text = before + answer_text(denoiser, state.canvas) + after
    return strict(task.prompt if text.startswith(task.prompt) else "", text).strict


def ended(denoiser: Denoiser, state: State) -> State:
    """A run from here to its end."""
    while not state.done:
        state, _ = list(decode(denoiser, state))[-1]
    return state


def begun(denoiser: Denoiser, task: Document) -> State:
    prompt = denoiser.tokenizer.encode(task.prompt)
    room = min(len(denoiser.tokenizer.encode(task.text)) - len(prompt) + 16, denoiser.card.longest - len(prompt))
    return start(blank([prompt, room]), OWN.settings(denoiser.card, task.shape, room))


def tried(found: Sequence[Followed | None]) -> tuple[list[bool], list[bool]]:
    """Followed and clean, of those texts in which a word could be pinned."""
    there = [one for one in found if one]
    return [one.followed for one in there], [one.clean for one in there]
