"""Recorded passes as timelines, with the text of their tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unmask.canvas import NOTHING, Bools, Canvas, Card, Ints
from unmask.features.record.passes import Beliefs, Change, Pass
from unmask.inference.provenance import provenance
from unmask.run.codec import replay_frame
from unmask.run.frame import CANDIDATES, Frame
from unmask.run.settings import Settings
from unmask.run.state import State
from unmask.run.timeline import Timeline, new_timeline

SOURCE = "unmask.record"


@dataclass
class Pieces:
    """The text of tokens, by a tokenizer of which only `decode(ids)` is needed."""

    tokenizer: Any
    _known: dict[int, str] = field(default_factory=dict)

    def display_piece(self, token: int) -> str:
        """The text of one token, with the space before it."""
        if token not in self._known:
            self._known[token] = f" {token}" if self.tokenizer is None else self._decoded(token)
        return self._known[token]

    def text(self, tokens: Sequence[int]) -> str:
        if self.tokenizer is None:
            return "".join(map(self.display_piece, tokens))
        return str(self.tokenizer.decode(list(tokens)))

    @property
    def ends(self) -> tuple[int, ...]:
        end = getattr(self.tokenizer, "eos_token_id", None)
        return (end,) if isinstance(end, int) else ()

    def _decoded(self, token: int) -> str:
        one, two = str(self.tokenizer.decode([token])), str(self.tokenizer.decode([token, token]))
        return two[len(one) :] if two.startswith(one) else one  # some decoders drop the space before the first word


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording before it becomes timelines."""

    first: Ints  # [B, L0] the canvas of the first forward
    given: Bools  # [B, L]
    passes: Sequence[Pass]
    mask: int | None
    shift: bool
    words: int
    name: str
    length: int


def timelines(recorded: Recorded, pieces: Pieces) -> Iterator[Timeline]:
    """A timeline for each row of the batch."""
    for row in range(len(recorded.first)):
        run = beginning(recorded, pieces, row)
        used = set(run.head.canvas.tokens.tolist())
        for number in range(len(recorded.passes)):
            run = extended(run, recorded, row, last=number == len(recorded.passes) - 1)
            frame = run.head.frame
            assert frame is not None
            used.update(frame.tokens.tolist(), np.unique(frame.top_ids).tolist())
        yield Timeline(run.about, run.heads, run.on, {t: pieces.display_piece(t) for t in sorted(used) if t >= 0})


def beginning(recorded: Recorded, pieces: Pieces, row: int) -> Timeline:
    """The run of a row before its first pass."""
    card = Card(
        recorded.name, "recorded", recorded.words, recorded.length, noise=recorded.mask is None, ends=pieces.ends,
        trained=True,
    )  # fmt: skip
    canvas = _first_canvas(recorded, row)
    prompt = pieces.text(canvas.tokens[: canvas.origin].tolist()) if canvas.origin else ""
    more = {"source": SOURCE, "settings": {}, "seed": None, "made": provenance()}
    return new_timeline(card, State(canvas, Settings()), prompt, **more)


def extended(run: Timeline, recorded: Recorded, row: int, last: bool = False) -> Timeline:
    """The run of a row with its next pass."""
    head = run.head
    done = recorded.passes[head.at]
    frame = _frame(done, done.changes[row], head.canvas, head.at, last, recorded)
    state = State(replay_frame(head.canvas, frame), head.settings, head.at + 1)
    thinking, other = 1000 * done.thinking, 1000 * done.other
    return run.append(head.child(state, frame, times=(thinking, other, head.times[2] + thinking)))


def _first_canvas(recorded: Recorded, row: int) -> Canvas:
    tokens = np.full(recorded.length, NOTHING, np.int64)
    first = recorded.first[row]
    tokens[: len(first)] = np.where(first == recorded.mask, NOTHING, first)
    tokens[tokens < 0] = NOTHING
    given = np.zeros(recorded.length, bool)
    given[: recorded.given.shape[1]] = recorded.given[row]
    return Canvas(tokens, ~given, np.zeros(len(tokens), bool), given, np.arange(len(tokens)))


def _frame(done: Pass, change: Change, canvas: Canvas, number: int, last: bool, recorded: Recorded) -> Frame:
    length = len(canvas)
    cells, tokens = change.cells, change.tokens
    chances = change.shifted if recorded.shift else change.chances
    if last and recorded.mask is None:  # noise that the loop kept to the end is its answer
        kept = np.setdiff1d(np.flatnonzero(canvas.open), cells)
        cells, tokens = np.append(cells, kept), np.append(tokens, canvas.tokens[kept])
        chances = np.append(chances, np.full(len(kept), np.nan))
    ids, shares, entropy = _spread(change.beliefs, length, recorded.shift)
    # nothing is expected of the prompt
    ids[canvas.given], shares[canvas.given], entropy[canvas.given] = NOTHING, 0, 0
    still_open = (
        int(np.count_nonzero(canvas.open)) - int(canvas.open[cells].sum()) + int((~canvas.open[change.erased]).sum())
    )
    why = ((done.note, tuple(cells.tolist()), ()),) if done.note and len(cells) else ()
    return Frame(
        step=number, block=0, turn=number, quota=len(cells), cost=done.cost, open=still_open,
        done=last and not still_open, cells=cells.astype(np.int32), tokens=tokens.astype(np.int32),
        was=np.where(canvas.open[cells], NOTHING, canvas.tokens[cells]).astype(np.int32),
        confidence=np.minimum(chances, 1).astype(np.float32), why=why, erased=change.erased.astype(np.int32),
        noise=np.empty(0, np.int32), guess=ids[:, 0].copy(), sure=shares[:, 0].copy(), entropy=entropy,
        margin=(shares[:, 0] - np.minimum(shares[:, 1], shares[:, 0])), top_ids=ids, top_probs=shares,
        stale=np.empty(0, np.uint8),
    )  # fmt: skip


def _spread(beliefs: Beliefs | None, length: int, shift: bool) -> tuple[Any, Any, Any]:
    """Beliefs over all cells, each at the cell that it is about."""
    ids = np.full((length, CANDIDATES), NOTHING, np.int32)
    shares, entropy = np.zeros((length, CANDIDATES), np.uint8), np.zeros(length, np.uint8)
    if beliefs is not None:
        by = int(shift)
        count = min(len(beliefs.ids), length - by)
        ids[by : by + count], shares[by : by + count] = beliefs.ids[:count], beliefs.shares[:count]
        entropy[by : by + count] = beliefs.entropy[:count]
    return ids, shares, entropy
