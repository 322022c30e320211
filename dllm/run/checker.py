"""Between two passes, the checks of a run read its text; what they find is reopened, or stays and is marked.

Everything that this depends on is in the state, so that it is the same after an undo, on a branch and in a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.canvas import NOTHING, BaseTokenizer, Canvas, Card, Ints
from unmask.errors import InvalidRequest
from unmask.run.check import OPEN, Call, CheckFailed, CheckFunction, TextCheck, get_check
from unmask.run.command import Find
from unmask.run.edit import apply
from unmask.run.state import State
from unmask.run.timeline import Node

OFTEN = 3  # what is found so many times stays


@dataclass(frozen=True)
class Checker:
    """The checks of one model's runs; `own` are functions, beside those that the settings name."""

    card: Card
    tokenizer: BaseTokenizer
    own: tuple[TextCheck, ...] = ()
    call: Call | None = None  # calls a function that may never end

    def is_due(self, node: Node) -> bool:
        """Whether the checks read the text of this moment: after a pass, or after a person's edit of a whole text."""
        state, settings = node.state, node.settings
        if not (settings.checks or self.own) or state.inferred is not state or state.another_pass:
            return False
        if any(outcome == "left" for *_, outcome in state.findings):
            return False
        if node.parent is None or (node.edit is not None and not node.by_model):
            return state.done
        return not isinstance(node.edit, Find) and (state.done or settings.check_when == "pass")

    def after(self, node: Node) -> list[Node]:
        """The moments after this one, one for each place that a check found; none where nothing is wrong."""
        new: list[Node] = []
        if self.is_due(node):
            for find in self.findings(node.state):
                last = new[-1] if new else node
                new.append(last.child(apply(last.state, find), edit=find))
        return new

    def findings(self, state: State) -> list[Find]:
        """What the checks find in a text, as edits, from left to right, without what is marked already."""
        text, begins, cells = self.text(state.canvas)
        found: list[Find] = []
        for check in self._checks(state):
            try:
                options: Mapping[str, object] = state.settings.check_options.get(check.name, {})
                places = check.findings(text, begins, options, self.call)
            except CheckFailed as failed:
                found.append(Find(check.name, str(failed), outcome="failed"))
                continue
            for start, end, why in places:
                covered = np.unique(cells[start:end])
                find = self._find(state, check.name, why, covered[covered >= 0])
                if find is not None:
                    found.append(find)
        return sorted(_narrowest(found), key=lambda one: one.cells[:1])

    def text(self, canvas: Canvas) -> tuple[str, int, Ints]:
        """The text as a check reads it, where the answer begins, and the cell of each character (-1: of none)."""
        tokens, length = canvas.tokens, len(canvas)
        ended = np.flatnonzero(canvas.answer & ~canvas.open & np.isin(tokens, self.card.ends))
        last = int(ended[0]) if ended.size else length
        silent = np.isin(tokens, (*self.card.skips, *self.card.ends, *self.tokenizer.specials()))
        parts: list[bytes] = []
        cells: list[Ints] = []
        begins = 0
        for cell in range(last):
            if cell == canvas.origin:
                begins = sum(len(part) for part in parts)
            if canvas.open[cell]:
                part = OPEN.encode()
            elif silent[cell] or tokens[cell] == NOTHING:
                continue
            else:
                part = self.tokenizer.token_bytes(int(tokens[cell]))
            parts.append(part)
            cells.append(np.full(len(part), cell))
        raw = b"".join(parts)
        places = np.concatenate([*cells, np.empty(0, np.int64)]).astype(np.int64)
        if canvas.origin >= last:
            begins = len(raw)
        if raw.isascii():
            return raw.decode(), begins, places
        letters = raw.decode("utf-8", errors="surrogateescape")  # a byte of an incomplete character is one letter
        sizes = [len(letter.encode("utf-8", errors="surrogateescape")) for letter in letters]
        starts = np.cumsum([0, *sizes])[:-1].astype(np.int64)
        text = "".join("\ufffd" if "\udc80" <= letter <= "\udcff" else letter for letter in letters)
        return text, int(np.searchsorted(starts, begins)), places[starts]

    def _checks(self, state: State) -> list[TextCheck]:
        """The checks that read, without those that have failed."""
        failed = {check for _, check, _, outcome in state.findings if outcome == "failed"}
        named = []
        for name in state.settings.checks:
            try:
                named.append(get_check(name))
            except InvalidRequest as missing:  # a trace of another machine
                named.append(TextCheck(name, _raising(str(missing)), bundled=True))
        return [check for check in (*named, *self.own) if check.name not in failed]

    def _find(self, state: State, check: str, why: str, cells: Ints) -> Find | None:
        """What becomes of a place that a check named; None: nothing, since it is the prompt, unfinished or marked."""
        canvas, before = state.canvas, [row for row in state.findings if row[1:3] == (check, why)]
        if canvas.prompt[cells].all() or canvas.open[cells].any() or any(row[3] == "stands" for row in before):
            return None
        free, places = cells[canvas.free[cells]], tuple(cells[~canvas.prompt[cells]].tolist())
        rounds = {row[0] for row in state.findings if row[3] == "reopened"}
        if self.card.causal or not free.size or len({row[0] for row in before}) >= OFTEN - 1:
            return Find(check, why, places, "stands")
        if len(rounds) >= state.settings.check_rounds:
            return Find(check, why, places, "left")
        return Find(check, why, tuple(free.tolist()), differently=bool(before))


def _narrowest(found: Sequence[Find]) -> list[Find]:
    """Without places to reopen that hold a smaller one: if that is mended, they may be right."""
    opened = [set(one.cells) for one in found if one.outcome == "reopened"]
    return [
        one
        for i, one in enumerate(found)
        if one.outcome != "reopened"
        or (
            not any(set(one.cells) > other for other in opened)
            and not any(set(one.cells) == set(before.cells) and before.outcome == "reopened" for before in found[:i])
        )
    ]


def _raising(why: str) -> CheckFunction:
    def check(text: str) -> Iterable[tuple[int, int, str]]:
        raise InvalidRequest(why)

    return check
