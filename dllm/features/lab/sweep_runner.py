"""Runs a sweep in the background, with lower priority than live runs; it can be stopped and resumed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from functools import partial
from math import nan
from typing import TypeVar

import numpy as np

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.features.lab.scoring import Scoring
from unmask.features.lab.sweep import Outcome, Sweep
from unmask.inference import infer
from unmask.inference.infer import nats
from unmask.live.device import Client, Device
from unmask.models import Denoiser
from unmask.models.oracle import Oracle
from unmask.run.frame import Frame
from unmask.run.judge import judge
from unmask.run.presets import Decoder
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.stats import answer_text, repetition, text_cells
from unmask.run.step import draws, step

log = logging.getLogger(__name__)
K = TypeVar("K")
V = TypeVar("V")
WEIGHT = 4.0  # a second of device time counts as four, so runs that are watched go first


def background_client(visitor: str) -> Client:
    """A client with its own share of the device beside that of the visitor's watched runs, which go first."""
    return Client("unwatched", visitor=f"the Lab of {visitor}", weight=WEIGHT)


async def run_in_background(
    device: Device, denoiser: Denoiser, state: State, visitor: str, drew: Callable[[], None] | None = None
) -> AsyncIterator[tuple[State, Frame]]:
    """Run to the end, pass by pass; `drew` is called when a pass depends on the seed, until it has been called once.

    Only the rows that the policy reads are computed."""
    client = background_client(visitor)
    while not state.done:
        belief, _ = await device.infer(client, denoiser, state, False)
        if drew is not None and draws(state, belief):
            drew()
            drew = None
        state, frame = step(state, belief)
        yield state, frame


PARALLEL_RUNS = 8  # enough to share forwards, few enough that a live run waits for no more than one batch


class SweepRunner:
    """One sweep of one visitor."""

    def __init__(
        self,
        sweep: Sweep,
        denoisers: Mapping[str, Denoiser],
        device: Device,
        visitor: str,
        twin: Denoiser | None = None,
        *,
        scoring: Scoring | None = None,
        agreement: bool = True,  # compare with runs of one word a pass, which take as long as all others
        is_open: Callable[[Denoiser], bool] = lambda _: True,
        keep: Callable[[int, Outcome], None] = lambda *_: None,  # called with each run that is done
    ) -> None:
        self.sweep, self.denoisers, self.device, self.visitor, self.twin = sweep, denoisers, device, visitor, twin
        self.scoring, self.agreement, self.is_open, self.keep = scoring, agreement, is_open, keep
        self._client = background_client(visitor)  # of measurements and judgements
        self.outcomes: dict[int, Outcome] = {}
        self.failure = ""
        self.spent = 0.0  # seconds that it ran, pauses left out
        self._began = 0.0
        self._before = 0  # runs that came from a file
        self._task: asyncio.Task[None] | None = None
        self._references: dict[tuple[str, int], asyncio.Task[Canvas]] = {}
        # seconds of one pass alone, by model and cells
        self._pass_seconds: dict[tuple[int, int], asyncio.Task[float]] = {}

    @property
    def state(self) -> str:
        """running, done, failed or stopped."""
        if self._task is not None and not self._task.done():
            return "running"
        return "failed" if self.failure else "done" if len(self.outcomes) == self.count else "stopped"

    @property
    def count(self) -> int:
        """The number of runs: a decoder that draws nothing on a prompt runs there once, whatever the seeds."""
        finished = self.outcomes.copy()  # another thread adds to it while it is read
        repeated = sum(not one.draws for one in finished.values())
        return self.sweep.count - repeated * (len(self.sweep.seeds) - 1)

    @property
    def results(self) -> list[Outcome]:
        """The finished runs, in the order of the sweep."""
        finished = self.outcomes.copy()
        return [finished[number] for number in sorted(finished)]

    @property
    def seconds(self) -> float:
        """Seconds that it has run, pauses left out."""
        return self.spent + (time.monotonic() - self._began if self.state == "running" else 0.0)

    @property
    def seconds_left(self) -> float | None:
        """Seconds left, at the speed so far; None before the first outcome."""
        done = len(self.outcomes) - self._before
        return self.seconds / done * (self.count - len(self.outcomes)) if done else None

    def start(self) -> None:
        """Start, or resume with the runs that are not finished."""
        if self.state != "running":
            if not self.spent:
                self._before = len(self.outcomes)
            self.failure, self._began = "", time.monotonic()
            self._task = asyncio.ensure_future(self._run())

    async def wait(self) -> None:
        """Wait until it no longer runs."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """Stop; finished runs are kept."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        places = asyncio.Semaphore(PARALLEL_RUNS)
        decoders, seeds = len(self.sweep.decoders), len(self.sweep.seeds)
        repeats: dict[tuple[int, int], list[tuple[int, Decoder, RunSpec]]] = {}  # the seeds of one prompt and decoder
        for one in self.sweep.specs():
            repeats.setdefault((one[0] // (decoders * seeds), one[0] % decoders), []).append(one)

        async def run_spec(number: int, decoder: Decoder, spec: RunSpec) -> None:
            if number not in self.outcomes:
                async with places:
                    outcome = await self._run_one(decoder, spec)
                    self.keep(number, outcome)
                    self.outcomes[number] = outcome

        async def run_seeds(first: tuple[int, Decoder, RunSpec], *others: tuple[int, Decoder, RunSpec]) -> None:
            await run_spec(*first)
            if self.outcomes[first[0]].draws:
                for one in others:
                    group.create_task(run_spec(*one))

        try:
            async with asyncio.TaskGroup() as group:
                for some in repeats.values():
                    group.create_task(run_seeds(*some))
        except* (InvalidRequest, ModelError, OutOfMemory) as refused:
            self.failure = str(_first(refused))
        except* Exception as error:
            log.warning("a sweep ended", exc_info=error)
            self.failure = f"the sweep ended with a fault of the program: {_first(error)!r}"[:300]
        finally:
            if self.scoring is not None:
                self.scoring.close()
            self._references = _finished(self._references)
            self._pass_seconds = _finished(self._pass_seconds)
            self.spent += time.monotonic() - self._began

    async def _run_one(self, decoder: Decoder, spec: RunSpec) -> Outcome:
        denoiser = self.denoisers[spec.model]
        if not self.is_open(denoiser):
            raise InvalidRequest(f"the model '{spec.model}' was closed meanwhile: go on, and it is opened again")
        state = await self._first(denoiser, spec)
        drew: list[bool] = []
        last, passes = await self._run_to_end(denoiser, state, lambda: drew.append(True))
        reference = await self._reference(spec) if self.agreement and not decoder.model else None
        outcome = await self._outcome(decoder, spec, denoiser, last.canvas, passes, reference)
        return replace(outcome, draws=bool(drew))

    async def _first(self, denoiser: Denoiser, spec: RunSpec) -> State:
        return await self.device.work.run(self._client.visitor, lambda: spec.start(denoiser.card, denoiser.tokenizer))

    async def _run_to_end(
        self, denoiser: Denoiser, state: State, drew: Callable[[], None] | None = None
    ) -> tuple[State, int]:
        """The last state of a run, and the number of its forwards."""
        forwards = 0
        async for after, frame in run_in_background(self.device, denoiser, state, self.visitor, drew):
            state, forwards = after, forwards + frame.cost
        return state, forwards

    async def _reference(self, spec: RunSpec) -> Canvas:
        """The canvas of a run that writes one word a pass; computed once for each prompt and seed."""
        key = (spec.prompt, spec.seed)
        if key not in self._references:
            self._references[key] = asyncio.ensure_future(self._run_one_word_a_pass(spec))
        return await asyncio.shield(self._references[key])

    async def _run_one_word_a_pass(self, spec: RunSpec) -> Canvas:
        denoiser = self.denoisers[spec.model]
        slow = replace(spec, preset="llada", changes={})
        state = await self._first(denoiser, slow)
        cells = int(state.canvas.open.sum())
        state = await self._first(denoiser, replace(slow, changes={"passes": cells}))
        return (await self._run_to_end(denoiser, state))[0].canvas

    async def _pass_alone(self, denoiser: Denoiser, spec: RunSpec) -> float:
        """Seconds of one pass alone, measured once for each length."""
        state = await self._first(denoiser, spec)
        key = (id(denoiser), len(state.canvas))
        if key not in self._pass_seconds:  # runs that ask meanwhile wait for the same measurement
            measuring = self.device.run(partial(_min_pass_seconds, denoiser, state), self._client)
            self._pass_seconds[key] = asyncio.ensure_future(measuring)
        return await asyncio.shield(self._pass_seconds[key])

    async def _outcome(
        self, decoder: Decoder, spec: RunSpec, denoiser: Denoiser, canvas: Canvas, passes: int, reference: Canvas | None
    ) -> Outcome:
        cells = text_cells(canvas, denoiser.card)
        text = denoiser.tokenizer.decode(canvas.tokens[~canvas.answer | cells].tolist())
        right, facts = await self.device.work.run(
            self._client.visitor, lambda: _judge(denoiser, spec.prompt, text, canvas)
        )
        alike = None if reference is None else (canvas.tokens == reference.tokens)[canvas.answer]
        agrees = np.nan if alike is None else float(alike.mean())
        reply, twin = answer_text(denoiser, canvas), self.twin
        reads = twin is not None and twin.tokenizer.digest == denoiser.tokenizer.digest
        return Outcome(
            decoder=decoder.label,
            prompt=spec.prompt,
            seed=spec.seed,
            text=reply,
            tokens=int(cells.sum()),
            passes=passes,
            seconds=passes * await self._pass_alone(denoiser, spec),
            right=right,
            facts=facts,
            surprise=await self.device.run(partial(nats, twin, text), self._client)
            if twin is not None and reads
            else np.nan,
            repeated=repetition(reply),
            agrees=agrees,
            same=float(agrees == 1) if reference is not None else np.nan,
            spec=spec.to_dict(),
            score=nan if self.scoring is None else await self.scoring.score(spec.prompt, reply),
            task="" if self.scoring is None else self.scoring.task(spec.prompt),
        )


def _finished(tasks: dict[K, asyncio.Task[V]]) -> dict[K, asyncio.Task[V]]:
    """The tasks with a result; the others are cancelled, and computed again when they are needed."""
    for task in tasks.values():
        task.cancel()  # does nothing to one that is done
    return {key: task for key, task in tasks.items() if task.done() and not task.cancelled() and not task.exception()}


def _first(group: BaseExceptionGroup[Exception]) -> BaseException:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found


def _min_pass_seconds(denoiser: Denoiser, state: State) -> float:
    """Seconds of a pass: the minimum of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        infer(denoiser, [state])
        times.append(time.perf_counter() - began)
    return min(times)


def _judge(denoiser: Denoiser, prompt: str, text: str, canvas: Canvas) -> tuple[float, float]:
    """Whether a text is right, and the share of its facts that hold; NaN if no judge can read the text."""
    if isinstance(denoiser, Oracle):
        cells = denoiser.texts.shape[1]
        if len(canvas) < cells:
            return np.nan, np.nan
        return float((denoiser.texts == canvas.tokens[:cells]).all(1).any()), np.nan
    verdict = judge().strict(prompt, text)
    if not verdict.known:
        return np.nan, np.nan
    return float(verdict.strict), float(np.mean([f.holds for f in verdict.facts])) if verdict.facts else np.nan
