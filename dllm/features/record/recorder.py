"""A recorder: it is shown the canvas and the logits of every forward, and makes a trace of them."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Bools, Ints
from unmask.errors import InvalidRequest
from unmask.features.record.arrays import to_ids
from unmask.features.record.logits import Logits, reduce
from unmask.features.record.passes import (
    Looking,
    Pass,
    first_given,
    likeliest_shift,
    merged,
    without_growth,
)
from unmask.features.record.placement import ABSENT, Placed, conditional_rows, place
from unmask.features.record.timelines import Pieces, Recorded, beginning, extended, timelines
from unmask.run.timeline import Timeline
from unmask.run.trace import MOST_RUNS, MOST_TOGETHER, Trace, save

NOT_SEEN = "the last write was not seen: give the finished ids to run.finish(ids)"


class Recorder:
    """Records canvases and logits, one pass at a time.

        recorder = unmask.Recorder(tokenizer, mask=126336)
        recorder.step(ids, logits)      # once for each forward: its input and what it returned
        recorder.finish(ids)            # the finished canvas
        recorder.save("mine.trace.jsonl")

    `mask` is the id of the mask token, or None where open cells hold random tokens; then `prompt` says how many cells
    are given. `shift` is True where the model answers for a cell at the cell before (Dream); None finds it out."""

    def __init__(
        self,
        tokenizer: Any = None,
        mask: int | None = None,
        *,
        shift: bool | None = None,
        prompt: int | None = None,
        name: str = "",
    ) -> None:
        self.pieces, self.mask, self.shift, self.prompt, self.name = Pieces(tokenizer), mask, shift, prompt, name
        self.passes: list[Pass] = []
        self.notes: list[str] = []  # what could not be recorded, in sentences
        self.stopped = False
        self.ended = False  # nothing more will be recorded
        self.on_pass: Callable[[], object] = lambda: None  # called after each pass, in the loop's thread
        self._growing: Timeline | None = None
        self._growing_shift = False
        self._lock = threading.RLock()
        self._first: Ints | None = None  # [B, L] the canvas of the first forward
        self._known: Ints | None = None  # [B, L] the newest canvas
        self._given: Bools | None = None
        self._looking: Looking | None = None
        self._placed: Placed | None = None
        self._words = self._cells = 0
        self._ended = time.perf_counter()

    # ── What a loop shows ────────────────────────────────────────────────────────────────────────────────────────────

    def step(self, ids: Any, logits: Any = None, note: str = "") -> None:
        """One forward: the canvas that went in, and the logits that came out or what was made of them."""
        with self._guarded():
            self.observe(ids, {}, 0, logits, 0.0)
            if self._looking is not None and note:
                self._looking.note = note

    def finish(self, ids: Any) -> None:
        """The canvas after the last write: whole, or the answer alone."""
        with self._guarded():
            if self._known is None or self._given is None:
                raise InvalidRequest("no forward was recorded")
            last = to_ids(ids)
            if len(last) != len(self._known):
                raise InvalidRequest(f"{len(last)} rows were given, and {len(self._known)} were recorded")
            known = self._known
            before = int(self._given[0].sum())
            if last.shape[1] == known.shape[1] - before and (self._given == self._given[0]).all():
                last = np.concatenate([known[:, :before], last], 1)
            elif last.shape[1] < known.shape[1] and (last == known[:, : last.shape[1]]).mean() < 0.5:
                raise InvalidRequest(f"{last.shape[1]} cells were given, and {known.shape[1]} were recorded")
            last = merged(known, last)
            if self._looking is None and (last != known).any():
                self._note(f"the finished ids differ from the loop's own in {(last != known).sum()} cells")
            self._end_pass(last)
        self.ended = True

    def callback_on_step_end(
        self, pipeline: Any, step: int, timestep: Any, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The callback of a diffusers pipeline: `canvas` is what a step left, `logits` what it decided by."""
        del pipeline, timestep
        with self._guarded():
            canvas = next((values[name] for name in ("canvas", "input_ids", "x") if values.get(name) is not None), None)
            if canvas is None:
                raise InvalidRequest("a step has no canvas: ask for it by callback_on_step_end_tensor_inputs")
            if self._known is None and self.mask is not None:  # before the first step all but the prompt was masked
                start = to_ids(canvas)
                start[:, self.prompt or 0 :] = self.mask
                self.observe(start, {}, 0, values.get("logits"), 0.0)
            elif self._known is not None:
                self.observe(self._known, {}, 0, values.get("logits"), 0.0)
            if self._looking is None:  # noise: what stood before the first step was not seen
                self._start(to_ids(canvas))
            else:
                self._end_pass(to_ids(canvas))
        return {}

    def observe(self, ids: Any, named: Mapping[str, Any], past: int, logits: Any, seconds: float) -> None:
        """A forward that was made: its ids and named arguments, the cells in its cache, and what it returned."""
        if self.stopped:
            return
        now = time.perf_counter()
        other = max(now - self._ended - seconds, 0.0) if self._looking is not None else 0.0
        rows = slice(None)
        batch = 0 if self._known is None else len(self._known)
        copied = to_ids(ids)
        if len(copied) != batch and (half := conditional_rows(copied, batch, self.mask)) is not None:
            rows, ids = half, copied[half]
        elif batch and len(copied) != batch:
            raise InvalidRequest(f"a batch had {batch} rows and has {len(copied)}")
        if len(ids.shape) == 1:
            ids = ids[None]
        placed = place(ids, named, past, self._known, self.mask)
        reduced = self._reduced(logits, rows, placed.cells)
        if self._known is None:
            self._start(placed.canvas)
        unguided = self._without_prompt(placed.canvas)
        if unguided is not None:  # a forward without the prompt (guidance), of this canvas or of the next one
            placed = Placed(unguided, placed.cells, None, placed.cells)
            reduced = None
        self._advance(placed.canvas)
        assert self._looking is not None
        self._looking.add(seconds, reduced, other)
        if unguided is None:
            self._placed = placed
        self._ended = time.perf_counter()

    # ── From canvases to passes ──────────────────────────────────────────────────────────────────────────────────────

    def _start(self, canvas: Ints) -> None:
        self._first = self._known = canvas
        self._given = first_given(canvas, self.mask, self.prompt)
        self._looking = Looking(canvas)

    def _reduced(self, logits: Any, rows: slice, cells: Ints) -> Logits | None:
        if logits is None:
            return None
        if len(logits.shape) == 2:
            logits = logits[None]
        self._words = max(self._words, int(logits.shape[-1]))
        answered = int(logits.shape[1])
        if answered > len(cells):
            raise InvalidRequest(f"a call fed {len(cells)} cells and returned logits of {answered}")
        cells = cells[len(cells) - answered :]  # a model may answer for the last cells only
        first = 0
        if self._given is not None:  # beliefs about the prompt are not needed
            shared: Bools = np.logical_and.reduce(self._given)
            prompt = len(shared) if shared.all() else int(np.argmin(shared))
            first = int(np.searchsorted(cells, prompt - 1))  # a shifted model answers one cell before
        if first >= len(cells):
            return None
        return reduce(logits[rows, first:], cells[first:])

    def _without_prompt(self, canvas: Ints) -> Ints | None:
        """The canvas with its prompt, where a call hid the prompt behind masks; None where it did not."""
        assert self._given is not None and self._known is not None
        if self.mask is None:
            return None
        shared = min(canvas.shape[1], self._given.shape[1])
        given = self._given[:, :shared]
        hidden = given & (canvas[:, :shared] == self.mask) & (self._known[:, :shared] != self.mask)
        if not hidden.any():
            return None
        whole = canvas.copy()
        whole[:, :shared][hidden] = self._known[:, :shared][hidden]
        return whole

    def _advance(self, canvas: Ints) -> None:
        """The canvas of a new forward: what differs was written by the pass before."""
        assert self._known is not None and self._given is not None
        differs = without_growth(self._known, canvas, self.mask)
        shared = self._given.shape[1]
        if (differs[:, :shared] & self._given[:, : canvas.shape[1]]).any():
            raise InvalidRequest("the prompt has changed: another text began, which needs a recording of its own")
        canvas = merged(self._known, canvas)
        if differs.any():
            self._end_pass(canvas)
        self._known = canvas
        self._given = np.pad(self._given, ((0, 0), (0, canvas.shape[1] - shared)))
        self._look(canvas)

    def _look(self, canvas: Ints) -> None:
        """The canvas of the pass under way; a new pass where none is."""
        if self._looking is None:
            self._looking = Looking(canvas)
        self._looking.canvas = canvas

    def _end_pass(self, canvas: Ints) -> None:
        """The pass that is under way led to this canvas."""
        if self._looking is None:
            return
        canvas = merged(self._looking.canvas, canvas)
        assert self._given is not None
        given = np.pad(self._given, ((0, 0), (0, canvas.shape[1] - self._given.shape[1])))
        self.passes.append(self._looking.closed(canvas, self.mask, given))
        self._known, self._given, self._looking = canvas, given, None
        self._cells += canvas.size
        if self._cells > MOST_TOGETHER:
            raise InvalidRequest(f"a trace has at most {MOST_TOGETHER:,} cells in all its passes together")
        self.on_pass()

    def _last_canvas(self) -> Ints:
        """The newest canvas: the loop's own array, if it kept one, has what was written after the last forward."""
        assert self._known is not None and self._given is not None
        if self._placed is None or self._placed.kept is None:
            return self._known
        now = self._known.copy()
        now[:, self._placed.kept_cells] = to_ids(self._placed.kept)
        now = np.where(self._known == ABSENT, ABSENT, now)
        reused = ((now != self._known) & self._given).any()  # for another text: this is no canvas any more
        return self._known if reused else now

    def _read_last_write(self) -> None:
        """The loop is over: end the pass under way, if what it wrote can be seen."""
        if self._looking is None or self._known is None:
            return
        last = self._last_canvas()
        if (last != self._known).any():
            self._end_pass(last)
        elif self.mask is None or (last == self.mask).any():
            self._note(NOT_SEEN)

    # ── What came of it ──────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def timelines(self) -> tuple[Timeline, ...]:
        """The recording, a run for each row of the batch."""
        with self._lock:
            passes = self.passes
            if self._looking is not None and self._known is not None and self._given is not None:
                passes = [*passes, self._looking.closed(self._last_canvas(), self.mask, self._given)]
            return tuple(timelines(self._recorded(passes), self.pieces))

    @property
    def so_far(self) -> Timeline:
        """The first row's run up to its newest pass, without the text of its tokens; cheap after each pass."""
        with self._lock:
            recorded = self._recorded(self.passes, enough=64)
            run = self._growing
            alike = (
                run is not None and len(run.head.canvas) == recorded.length and recorded.shift == self._growing_shift
            )
            if run is None or not alike:  # the canvas has grown, or the model turned out to be shifted
                run, self._growing_shift = beginning(recorded, self.pieces, 0), recorded.shift
            while run.head.at < len(self.passes):
                run = extended(run, recorded, 0)
            self._growing = run
            return run

    def _recorded(self, passes: list[Pass], enough: int | None = None) -> Recorded:
        """The recording; the first passes are enough to tell whether the model is shifted."""
        if self._first is None or self._known is None or self._given is None:
            raise InvalidRequest("nothing was recorded: the model was not called")
        found, certain = likeliest_shift(passes[:enough])
        shift = self.shift if self.shift is not None else found and certain
        words = max(self._words, int(self._known.max()) + 1)
        name, length = self.name or "a recorded model", self._known.shape[1]
        return Recorded(self._first, self._given, passes, self.mask, shift, words, name, length)

    @property
    def text(self) -> str:
        """The answer of the first row."""
        canvas = self.timelines[0].head.canvas
        return self.pieces.text(canvas.tokens[canvas.answer & ~canvas.open].tolist())

    def save(self, path: str | Path) -> None:
        """Write a trace, which the page, `unmask replay` and `unmask check` read."""
        runs = self.timelines
        if len(runs) > MOST_RUNS:
            warnings.warn(f"a trace holds {MOST_RUNS} runs: {len(runs) - MOST_RUNS} are left out", stacklevel=2)
        save(Trace(runs[:MOST_RUNS]), path)

    def _repr_html_(self) -> str:
        from unmask.run.html import run_html

        run = self.timelines[0]
        return run_html(run.head, run.card(), self.pieces.display_piece)

    def __repr__(self) -> str:
        cost = sum(done.cost for done in self.passes)
        return f"{type(self).__name__}({len(self.passes)} passes, {cost} forwards)"

    def _note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)
            warnings.warn(f"unmask.record: {sentence}", stacklevel=3)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """An error of recording ends the recording, never the loop."""
        with self._lock:
            try:
                yield
            except Exception as error:  # an error of the recorder must not end the loop
                why = str(error) if isinstance(error, InvalidRequest) else f"{type(error).__name__}: {error}"
                self.stopped = True
                self._note(f"{why}; recording ended after {len(self.passes)} passes")
