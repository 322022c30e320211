"""A timeline: a run as an immutable tree of moments, with a named head for each branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypedDict

import numpy as np

from unmask.canvas import BaseTokenizer, Canvas, Card
from unmask.errors import InvalidRequest
from unmask.run.codec import width_for
from unmask.run.command import Edit, Find, Stretch
from unmask.run.fed_tokens import Work, work_of_passes
from unmask.run.frame import Frame
from unmask.run.modelled_time import Clock, RunTime, measured_time, modelled_time
from unmask.run.settings import Settings
from unmask.run.state import State
from unmask.run.stats import text_cells


def with_pieces(timeline: Timeline, tokenizer: BaseTokenizer) -> Timeline:
    """The timeline with the text of every token on its canvases or among its candidates."""
    used: set[int] = set()
    for node in timeline.nodes():
        used.update(node.canvas.tokens.tolist())
        if node.frame is not None:
            used.update(node.frame.top_ids.ravel().tolist())
    return replace(timeline, pieces={t: tokenizer.display_piece(t) for t in used if t >= 0})


FIRST = "1"  # the name of a run's first branch
LONGEST_NAME = 40
Times = tuple[float, float, float]  # milliseconds: on the device, everything else, device time of the run so far


@dataclass(frozen=True, eq=False)
class Node:
    """A moment: the state of the run, and the pass or edit that led to it."""

    state: State  # without `carry`, which a session keeps for the newest moment only
    parent: Node | None = None
    frame: Frame | None = None
    edit: Edit | None = None
    times: Times = (0.0, 0.0, 0.0)
    at: int = 0  # moments since the beginning

    def __repr__(self) -> str:
        what = repr(self.frame or self.edit) if self.parent else "the beginning"
        return f"Node({self.at}: {what})"

    @property
    def canvas(self) -> Canvas:
        return self.state.canvas

    @property
    def by_model(self) -> bool:
        """Whether the run itself made this edit: the model changed the length, or a check found something."""
        return isinstance(self.edit, Stretch | Find) and self.edit.own

    @property
    def settings(self) -> Settings:
        return self.state.settings

    def child(
        self, state: State, frame: Frame | None = None, edit: Edit | None = None, times: Times = (0.0, 0.0, 0.0)
    ) -> Node:
        """The moment after this one."""
        if state.carry is not None:
            state = replace(state, carry=None)
        return Node(state, self, frame, edit, times, self.at + 1)

    def ancestor(self, at: int) -> Node:
        """An earlier moment of the same path, or this one."""
        if not 0 <= at <= self.at:
            raise InvalidRequest(f"there is no moment {at}: the timeline goes from 0 to {self.at}")
        node = self
        while node.at > at:
            assert node.parent is not None  # only moment 0 has none
            node = node.parent
        return node

    def path(self, after: int = -1) -> list[Node]:
        """The moments from the beginning (or those after moment `after`) to this one, in order."""
        nodes: list[Node] = []
        node: Node | None = self
        while node is not None and node.at > after:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def common_ancestor(self, other: Node) -> Node:
        """The last moment that two paths share."""
        one, two = self.ancestor(min(self.at, other.at)), other.ancestor(min(self.at, other.at))
        while one is not two:
            if one.parent is None or two.parent is None:
                raise InvalidRequest("these are branches of two runs, which share nothing")
            one, two = one.parent, two.parent
        return one


class Head(TypedDict, total=False):
    """What is known of a run before its first pass: everything that is needed to run it again."""

    model: Mapping[str, Any]  # its card
    settings: Mapping[str, Any]
    seed: int
    prompt: str
    words: int  # size of the vocabulary
    width: int  # bytes of a packed token
    causal: bool
    noise: bool
    ends: list[int]
    session: str
    own_from: int
    talk: list[tuple[str, str]]  # the questions and answers before the prompt
    turns: list[list[int]]  # the cells of each question and answer; the rest of the prompt is the chat template's
    made: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Timeline:
    """All branches of one run, and which one is current."""

    about: Mapping[str, Any]  # everything needed to run it again: model, settings, prompt, seed
    heads: Mapping[str, Node]  # the newest moment of each branch
    on: str = FIRST  # the name of the current branch
    pieces: Mapping[int, str] = field(default_factory=dict)  # the text of its tokens, where known

    def __repr__(self) -> str:
        branches = "" if len(self.heads) == 1 else f", branch {self.on!r} of {', '.join(map(repr, self.heads))}"
        return f"Timeline({self.about.get('prompt', '')!r}, {self.head.at} moments{branches})"

    @property
    def head(self) -> Node:
        """The newest moment of the current branch."""
        return self.heads[self.on]

    def get_head(self, name: str) -> Node:
        if name not in self.heads:
            raise InvalidRequest(f"there is no branch '{name[:LONGEST_NAME]}'; there are {', '.join(self.heads)}")
        return self.heads[name]

    def card(self) -> Card:
        """The card of its model, as it was when the run began."""
        known = {f.name for f in fields(Card)}
        row: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in self.about.get("model", {}).items() if k in known
        }
        least = {"name": "", "family": "", "words": self.about["words"], "longest": len(self.head.canvas)}
        return Card(**least | row)

    def works(self) -> list[Work]:
        """What each pass of the current branch computed."""
        passes = [(n.parent.state, n.frame) for n in self.head.path() if n.parent and n.frame]
        return list(work_of_passes(self.card(), passes))

    def tokens(self) -> int:
        """How many tokens of the current text the model wrote."""
        canvas = self.head.canvas
        return int(np.count_nonzero(text_cells(canvas, self.card()) & ~canvas.pinned))

    def measured(self) -> RunTime:
        """The time of the current branch on this machine."""
        return measured_time((n.times[0] / 1000 for n in self.head.path() if n.frame), self.tokens())

    def mean_forward(self) -> tuple[float, float]:
        """Tokens fed and seconds of the mean forward of the current branch, to measure this machine."""
        works = self.works()
        count = max(sum(w.forwards for w in works), 1)
        return sum(w.forwards * w.tokens for w in works) / count, self.measured().seconds / count

    def modelled(self, clock: Clock) -> RunTime:
        """The time of the current branch on another machine, with as many passes as here."""
        return modelled_time(clock, self.works(), self.tokens())

    def append(self, head: Node) -> Timeline:
        """The timeline with a new newest moment on the current branch."""
        return replace(self, heads={**self.heads, self.on: head})

    def fork(self, at: int, name: str = "") -> Timeline:
        """The timeline with a new branch, made current, that begins at a moment of the current one."""
        node = self.head.ancestor(at)
        name = _unused_name(name or self._next_name(), self.heads)
        return replace(self, heads={**self.heads, name: node}, on=name)

    def switch(self, name: str) -> Timeline:
        self.get_head(name)
        return replace(self, on=name)

    def rename_head(self, old: str, new: str) -> Timeline:
        self.get_head(old)
        if old == new:
            return self
        new = _unused_name(new, self.heads)
        heads = {new if name == old else name: node for name, node in self.heads.items()}
        return replace(self, heads=heads, on=new if self.on == old else self.on)

    def drop(self, name: str) -> Timeline:
        """The timeline without a branch; moments shared with other branches stay."""
        self.get_head(name)
        if name == self.on:
            raise InvalidRequest("this branch is being written: go to another one first")
        return replace(self, heads={k: v for k, v in self.heads.items() if k != name})

    def nodes(self) -> Iterator[Node]:
        """Every moment of every branch once, each after its parent."""
        seen: set[int] = set()
        for head in self.heads.values():
            new: list[Node] = []
            node: Node | None = head
            while node is not None and id(node) not in seen:
                new.append(node)
                seen.add(id(node))
                node = node.parent
            yield from reversed(new)

    def _next_name(self) -> str:
        numbers = [int(name) for name in self.heads if name.isdigit()]
        return str(max(numbers, default=0) + 1)


def new_timeline(card: Card, state: State, prompt: str = "", **more: Any) -> Timeline:
    """A timeline of one moment, with everything that is needed to run it again."""
    model = {
        k: list(v) if isinstance(v, tuple) else dict(v) if isinstance(v, Mapping) else v
        for k, v in asdict(card).items()
    }
    about = {
        "model": model,
        "settings": state.settings.to_dict(),
        "seed": state.settings.seed,
        "prompt": prompt,
        "words": card.words,
        "width": width_for(card.words),
        "causal": card.causal,
        "noise": card.noise,
        "ends": list(card.ends),
    }
    return Timeline(about | more, {FIRST: Node(state)})


def _unused_name(name: str, taken: Mapping[str, Node]) -> str:
    name = name.strip()
    if not name or len(name) > LONGEST_NAME:
        raise InvalidRequest(f"a branch's name has 1 to {LONGEST_NAME} letters")
    if name in taken:
        raise InvalidRequest(f"there is a branch '{name}' already")
    return name
