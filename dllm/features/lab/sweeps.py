"""The sweeps of a server: begun, looked at, stopped and resumed over HTTP. Only its author knows a sweep's id."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unmask.config import version
from unmask.errors import InvalidRequest
from unmask.features.lab.export import FILE, to_csv, to_json
from unmask.features.lab.paragraph import paragraph
from unmask.features.lab.plan_runner import check_starts
from unmask.features.lab.points import Results
from unmask.features.lab.requests import SavedRequest, SweepAction, SweepRequest
from unmask.features.lab.scoring import Scoring, get_scorer, scorers
from unmask.features.lab.sweep import MEASURES, Sweep, settings
from unmask.features.lab.sweep_file import SavedSweep, read_saved
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.features.lab.tasks import read_task
from unmask.features.lab.two_sweeps import compare_sweeps
from unmask.inference.schedule_game import best
from unmask.models import Denoiser
from unmask.models.oracle import Oracle
from unmask.run.judge import judge
from unmask.run.presets import Decoder, preset, presets
from unmask.serve.json_routes import answer, body, is_local, refused, visitor
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import LEAVING, Runtime

KEPT, EACH = 16, 2  # sweeps kept, and those of one visitor that run at once
SHAPES = ("story", "dialogue", "recipe", "letter", "record", "sum", "sort", "sudoku")
USUAL = ("fast-dllm", "llada", "dream", "eb-sampler", "klass", "local-leap", "dus", "wino")
PROMPTS = 500  # of a task that a visitor sends
GONE = "this sweep is no longer on the server: start it again"

FILES: dict[str, tuple[str, str, Callable[[SavedSweep], str]]] = {
    "table": ("sweep.csv", "text/csv", to_csv),
    "json": ("sweep.json", "application/json", lambda saved: json.dumps(to_json(saved), ensure_ascii=False)),
    "file": (FILE, "application/x-ndjson", lambda saved: "".join(f"{line}\n" for line in saved.lines())),
}


@dataclass
class Kept:
    """A sweep that the server keeps: its plan, and what runs it."""

    plan: SavedSweep
    runner: SweepRunner

    @property
    def saved(self) -> SavedSweep:
        """The plan with the runs that are done."""
        return replace(self.plan, outcomes=dict(self.runner.outcomes))


class Sweeps:
    """The sweeps that a server keeps, and the handlers of their routes."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._kept: dict[str, Kept] = {}

    async def offer(self, request: Request) -> Response:
        """What a sweep can be made of."""
        rows = {name: {"title": p.title, "says": p.says, "usual": name in USUAL} for name, p in presets().items()}
        prompts = await self.runtime.work.run(visitor(request), lambda: judge().prompts(24, SHAPES))
        names = {name: one.says for name, one in scorers().items() if not one.runs_code}
        return answer({"decoders": rows, "prompts": prompts, "measures": MEASURES, "scorers": names})

    async def begin(self, request: Request) -> Response:
        """Start a sweep."""
        if (busy := self._busy(request)) is not None:
            return busy
        wanted = await body(SweepRequest, request)
        denoiser = await self._model(wanted.model, request)
        twin = "" if isinstance(denoiser, Oracle) else wanted.twin
        who = visitor(request)
        plan = await self.runtime.work.run(who, lambda: plan_of(wanted, denoiser, twin))
        key, kept = await self._keep(plan, denoiser, twin, request)
        kept.runner.start()
        return answer({"id": key, "count": plan.sweep.count}, 201)

    async def open(self, request: Request) -> Response:
        """Read the file of a sweep: it can be looked at, and resumed."""
        if (busy := self._busy(request)) is not None:
            return busy
        text, who = (await body(SavedRequest, request)).file, visitor(request)
        plan = await self.runtime.work.run(who, lambda: read_saved(text, "this file"))
        denoiser = await self._model(plan.sweep.model, request)
        await self.runtime.work.run(who, lambda: check_plan(plan, denoiser))
        twin = next((one.model for one in plan.sweep.decoders if one.model), "")
        key, kept = await self._keep(plan, denoiser, twin, request)
        kept.runner.outcomes.update(plan.outcomes)
        return answer({"id": key, "count": plan.sweep.count}, 201)

    async def look(self, request: Request) -> Response:
        """The progress and results of a sweep."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        measure = request.query_params.get("measure", found.plan.measure)
        check_measure(measure)
        return await self.runtime.work.run(visitor(request), lambda: answer(_progress(found, measure)))

    async def act(self, request: Request) -> Response:
        """Stop or resume a sweep, or ask for advice."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        action = await body(SweepAction, request)
        match action.do:
            case "stop":
                await found.runner.stop()
            case "resume":
                await self._resume(found, request)
            case "advise":
                results = found.saved.results
                return answer(await self.runtime.work.run(visitor(request), lambda: _advised(results, action)))
            case _:
                raise InvalidRequest("'do' must be stop, resume or advise")
        return await self.look(request)

    async def beside(self, request: Request) -> Response:
        """Compare a sweep with the file of another."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        text, measure = (
            (await body(SavedRequest, request)).file,
            request.query_params.get("measure", found.plan.measure),
        )
        check_measure(measure)

        def compared() -> Response:
            rows = compare_sweeps(found.saved, read_saved(text, "this file"), measure)
            return answer({"measure": measure, "rows": [row.to_dict() for row in rows]})

        return await self.runtime.work.run(visitor(request), compared)

    def taker(self, kind: str) -> Callable[[Request], Awaitable[Response]]:
        """The handler that answers with a sweep as a file of this kind."""
        name, media, write = FILES[kind]
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}

        async def take(request: Request) -> Response:
            if (found := self._found(request)) is None:
                return refused(GONE, 404)
            text = await self.runtime.work.run(visitor(request), lambda: write(found.saved))
            return Response(text, media_type=media, headers=headers)

        return take

    async def _resume(self, kept: Kept, request: Request) -> None:
        """Go on with what is left, with models that are opened again if they were closed."""
        plan, runner = kept.plan, kept.runner
        runner.denoisers = {name: await self._model(name, request) for name in runner.denoisers}
        now = replace(plan, made_by=version(), weights=runner.denoisers[plan.sweep.model].card.weights)
        if plan.scorer:
            now = replace(now, scorer_digest=get_scorer(plan.scorer, visiting=True).digest)
        plan.check_same(now, "this file")
        runner.start()

    async def _keep(self, plan: SavedSweep, denoiser: Denoiser, twin: str, request: Request) -> tuple[str, Kept]:
        """A sweep under a new id, not yet running."""
        reader = await self._model(twin, request) if twin else None
        self._make_room()
        loaded = self.runtime.loader
        runner = SweepRunner(
            plan.sweep,
            {plan.sweep.model: denoiser} | ({} if reader is None else {twin: reader}),
            self.runtime.device_for(denoiser),
            visitor(request),
            reader,
            scoring=Scoring(get_scorer(plan.scorer, visiting=True), plan.items) if plan.scorer else None,
            is_open=lambda one: any(one is other for other in loaded.loaded.values()),
        )
        key = secrets.token_urlsafe(18)
        self._kept[key] = Kept(plan, runner)
        return key, self._kept[key]

    def _busy(self, request: Request) -> Response | None:
        """Why no sweep can be added now."""
        if self.runtime.draining:
            return refused(LEAVING, 503)
        running = [one.runner for one in self._kept.values() if one.runner.state == "running"]
        if sum(one.visitor == visitor(request) for one in running) >= EACH:
            return refused(f"{EACH} sweeps run already: stop one first", 429)
        return refused("too many sweeps at once: try again in a few minutes", 429) if len(running) >= KEPT else None

    async def _model(self, name: str, request: Request) -> Denoiser:
        return await self.runtime.model(resolve_model(name, is_local(request)))

    def _found(self, request: Request) -> Kept | None:
        return self._kept.get(request.path_params["id"])

    def _make_room(self) -> None:
        """Forget the oldest sweeps that do not run, until one more may be kept."""
        idle = [key for key, one in self._kept.items() if one.runner.state != "running"]
        for key in idle[: max(0, len(self._kept) + 1 - KEPT)]:
            del self._kept[key]


def _advised(results: Results, action: SweepAction) -> dict[str, Any]:
    """For JSON: the decoder to take within limits, and the run that it would make."""
    advice = results.advice(action.measure, action.passes or inf, action.seconds or inf)
    spec = next(o.spec for o in results.outcomes if o.decoder == advice.point.decoder)
    return advice.to_dict() | {"order": spec}


def plan_of(body: SweepRequest, denoiser: Denoiser, twin: str) -> SavedSweep:
    """The plan of a request, if its texts can be judged and its runs can start. In a world that can be counted all
    decoders draw at temperature 1, if not told otherwise: the one text of a greedy decoder says nothing of how often it
    would be right."""
    counted = isinstance(denoiser, Oracle)
    usual = {"temperature": 1.0} if counted else {}
    made: list[Decoder] = []
    for one in body.decoders:
        preset(one.preset)
        every = settings(one.preset, body.length) if one.changes is None else [one.changes]
        made += [Decoder(one.preset, usual | changes) for changes in every]
    if twin:
        made.append(Decoder("autoregressive", {}, twin))
    scorer = get_scorer(body.scorer, visiting=True) if body.scorer else None
    items = read_task(body.task, body.task_name, PROMPTS) if body.task else ()
    prompts = tuple(i.prompt for i in items) or tuple(dict.fromkeys(text.rstrip() for text in body.prompts))
    sweep = Sweep(body.model, tuple(made), prompts, tuple(range(body.seeds)), body.length)
    plan = SavedSweep(sweep, body.measure, weights=denoiser.card.weights, counted=counted)
    if scorer and items:
        plan = replace(plan, scorer=scorer.name, scorer_digest=scorer.digest, items=items)
    check_plan(plan, denoiser)
    return plan


def check_measure(measure: str) -> None:
    """Refuse a measure that there is not."""
    if measure not in MEASURES:
        raise InvalidRequest(f"no measure '{measure[:40]}'; there are {', '.join(MEASURES)}")


def check_plan(plan: SavedSweep, denoiser: Denoiser) -> None:
    """Refuse a sweep whose texts cannot be judged or whose runs cannot start, before any run."""
    check_measure(plan.measure)
    if plan.measure == "score" and not plan.items:
        raise InvalidRequest("to measure by score, give prompts with references as JSONL, and a scorer")
    if plan.measure in ("right", "facts") and not isinstance(denoiser, Oracle):
        for prompt in plan.sweep.prompts:
            if not judge().strict(prompt, prompt).known:
                titles = ", ".join(judge().titles)
                raise InvalidRequest(
                    f"no judge knows a text that begins '{prompt[:40]}': begin with {titles} and a colon, "
                    "or measure by " + ", ".join(m for m in MEASURES if m not in ("right", "facts"))
                )
    check_starts(plan.sweep, denoiser)


def _progress(kept: Kept, measure: str) -> dict[str, Any]:
    """For JSON: the progress of a sweep and its results so far."""
    runner = kept.runner
    state = runner.state  # read first: what is said to be done has every outcome
    outcomes, left = runner.results, runner.seconds_left
    results = kept.saved.results
    rows = results.points([measure])
    card = next(iter(runner.denoisers.values())).card
    machine = f"{card.device}, {card.number}, {card.threads} thread{'s' * (card.threads != 1)}"
    return {
        "state": state,
        "why": runner.failure,
        "done": len(outcomes),
        "count": runner.count,
        "seconds": round(runner.seconds, 1),
        "left": None if left is None else round(left, 1),
        "measure": measure,
        "scorer": kept.plan.scorer,
        "counted": results.counted,
        "alone": results.one_prompt,
        "points": [point.to_dict() for point in rows],
        "ceiling": _ceiling(runner),
        "runs": [
            {
                "decoder": o.decoder,
                "prompt": o.prompt,
                "seed": o.seed,
                "text": o.text,
                "passes": o.passes,
                "order": o.spec,
                "right": None if o.right != o.right else o.right,
                "score": None if o.score != o.score else o.score,
            }
            for o in outcomes[-400:]
        ],
        "paragraph": paragraph(runner.sweep, rows, measure, machine, date.today().isoformat()),
    }


def _ceiling(runner: SweepRunner) -> list[float] | None:
    """For an oracle world: how often the best schedule of 1, 2, … passes is right; None elsewhere."""
    denoiser = next(iter(runner.denoisers.values()))
    whole = runner.sweep.prompts == ("",) and isinstance(denoiser, Oracle)
    if not whole or not isinstance(denoiser, Oracle) or runner.sweep.length != denoiser.texts.shape[1]:
        return None
    return best(denoiser)
