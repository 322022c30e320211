"""The sweeps of a server: begun, looked at, stopped and resumed over HTTP. Only its author knows a sweep's id."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Sequence
from datetime import date
from math import inf
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unmask.errors import InvalidRequest
from unmask.features.lab.paragraph import paragraph
from unmask.features.lab.points import Results
from unmask.features.lab.requests import SweepAction, SweepRequest
from unmask.features.lab.sweep import MEASURES, Outcome, Sweep, settings, table
from unmask.features.lab.sweep_runner import SweepRunner
from unmask.inference.schedule_game import best
from unmask.models import Denoiser
from unmask.models.oracle import Oracle
from unmask.run.judge import judge
from unmask.run.presets import Decoder, preset, presets
from unmask.run.spec import RunSpec
from unmask.serve.json_routes import answer, body, is_local, refused, visitor
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import LEAVING, Runtime

KEPT, EACH = 16, 2  # sweeps kept, and those of one visitor that run at once
SHAPES = ("story", "dialogue", "recipe", "letter", "record", "sum", "sort", "sudoku")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
USUAL = ("fast-dllm", "llada", "dream", "eb-sampler", "klass", "local-leap", "dus", "wino")
GONE = "this sweep is no longer on the server: start it again"


class Sweeps:
    """The sweeps that a server keeps, each with the measure that it was begun for, and the handlers of their routes."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._kept: dict[str, tuple[SweepRunner, str]] = {}

    async def offer(self, request: Request) -> Response:
        """What a sweep can be made of."""
        rows = {name: {"title": p.title, "says": p.says, "usual": name in USUAL} for name, p in presets().items()}
        prompts = await self.runtime.work.run(visitor(request), lambda: judge().prompts(24, SHAPES))
        return answer({"decoders": rows, "prompts": prompts, "measures": MEASURES})

    async def begin(self, request: Request) -> Response:
        """Start a sweep."""
        who = visitor(request)
        if self.runtime.draining:
            return refused(LEAVING, 503)
        if sum(one.visitor == who and one.state == "running" for one, _ in self._kept.values()) >= EACH:
            return refused(f"{EACH} sweeps run already: stop one first", 429)
        wanted = await body(SweepRequest, request)
        denoiser = await self._model(wanted.model, request)
        twin = None if isinstance(denoiser, Oracle) or not wanted.twin else await self._model(wanted.twin, request)
        sweep = await self.runtime.work.run(who, lambda: checked_sweep(wanted, denoiser, twin is not None))
        if not self._make_room():
            return refused("too many sweeps at once: try again in a few minutes", 429)
        denoisers = {wanted.model: denoiser} | ({} if twin is None else {wanted.twin: twin})
        runner = SweepRunner(sweep, denoisers, self.runtime.device_for(denoiser), who, twin)
        key = secrets.token_urlsafe(18)
        self._kept[key] = runner, wanted.measure
        runner.start()
        return answer({"id": key, "count": sweep.count}, 201)

    async def look(self, request: Request) -> Response:
        """The progress and results of a sweep."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        runner, chosen = found
        measure = request.query_params.get("measure", chosen)
        check_measure(measure)
        return await self.runtime.work.run(visitor(request), lambda: answer(_progress(runner, measure)))

    async def act(self, request: Request) -> Response:
        """Stop or resume a sweep, or ask for advice."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        runner, action = found[0], await body(SweepAction, request)
        match action.do:
            case "stop":
                await runner.stop()
            case "resume":
                runner.start()
            case "advise":
                results = _results(runner)
                return answer(await self.runtime.work.run(visitor(request), lambda: _advised(results, action)))
            case _:
                raise InvalidRequest("'do' must be stop, resume or advise")
        return await self.look(request)

    async def sheet(self, request: Request) -> Response:
        """Every run of a sweep as CSV."""
        if (found := self._found(request)) is None:
            return refused(GONE, 404)
        outcomes = found[0].results
        text = await self.runtime.work.run(visitor(request), lambda: _csv(outcomes))
        name = {"Content-Disposition": 'attachment; filename="sweep.csv"', "Cache-Control": "no-store"}
        return Response(text, media_type="text/csv", headers=name)

    async def _model(self, name: str, request: Request) -> Denoiser:
        return await self.runtime.model(resolve_model(name, is_local(request)))

    def _found(self, request: Request) -> tuple[SweepRunner, str] | None:
        return self._kept.get(request.path_params["id"])

    def _make_room(self) -> bool:
        """Forget the oldest sweeps that do not run, until one more may be kept; False if all of them run."""
        idle = [key for key, (one, _) in self._kept.items() if one.state != "running"]
        for key in idle[: max(0, len(self._kept) + 1 - KEPT)]:
            del self._kept[key]
        return len(self._kept) < KEPT


def _results(runner: SweepRunner) -> Results:
    denoiser = runner.denoisers[runner.sweep.model]
    return Results.of(runner.sweep, runner.results, isinstance(denoiser, Oracle))


def _advised(results: Results, action: SweepAction) -> dict[str, Any]:
    """For JSON: the decoder to take within limits, and the run that it would make."""
    advice = results.advice(action.measure, action.passes or inf, action.seconds or inf)
    spec = next(o.spec for o in results.outcomes if o.decoder == advice.point.decoder)
    return advice.to_dict() | {"order": spec}


def _csv(outcomes: Sequence[Outcome]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(_escape_formulas(row) for row in table(outcomes))
    return text.getvalue()


def checked_sweep(body: SweepRequest, denoiser: Denoiser, twin: bool) -> Sweep:
    """The sweep of a request, if its texts can be judged and its runs can start."""
    sweep = _sweep(body, twin, isinstance(denoiser, Oracle))
    check_sweep(sweep, body, denoiser)
    return sweep


def _sweep(body: SweepRequest, twin: bool, counted: bool) -> Sweep:
    """The sweep of a request. In a world that can be counted all decoders draw at temperature 1, if not told otherwise:
    the one text of a greedy decoder says nothing of how often it would be right."""
    usual = {"temperature": 1.0} if counted else {}
    made: list[Decoder] = []
    for one in body.decoders:
        preset(one.preset)
        every = settings(one.preset, body.length) if one.changes is None else [one.changes]
        made += [Decoder(one.preset, usual | changes) for changes in every]
    if twin:
        made.append(Decoder("autoregressive", {}, body.twin))
    prompts = tuple(dict.fromkeys(text.rstrip() for text in body.prompts))
    return Sweep(body.model, tuple(made), prompts, tuple(range(body.seeds)), body.length)


def check_measure(measure: str) -> None:
    """Refuse a measure that there is not."""
    if measure not in MEASURES:
        raise InvalidRequest(f"no measure '{measure[:40]}'; there are {', '.join(MEASURES)}")


def check_sweep(sweep: Sweep, body: SweepRequest, denoiser: Any) -> None:
    """Refuse a sweep whose texts cannot be judged or whose runs cannot start, before any run."""
    check_measure(body.measure)
    if body.measure in ("right", "facts") and not isinstance(denoiser, Oracle):
        for prompt in sweep.prompts:
            if not judge().strict(prompt, prompt).known:
                titles = ", ".join(judge().titles)
                raise InvalidRequest(
                    f"no judge knows a text that begins '{prompt[:40]}': begin with {titles} and a colon, "
                    "or measure by " + ", ".join(m for m in MEASURES if m not in ("right", "facts"))
                )
    for decoder in sweep.decoders:
        if not decoder.model:
            prompt = sweep.prompts[0]
            RunSpec(prompt, sweep.model, sweep.length, decoder.preset, decoder.changes).start(
                denoiser.card, denoiser.tokenizer
            )


def _progress(runner: SweepRunner, measure: str) -> dict[str, Any]:
    """For JSON: the progress of a sweep and its results so far."""
    state = runner.state  # read first: what is said to be done has every outcome
    outcomes, left = runner.results, runner.seconds_left
    rows = _results(runner).points([measure])
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


def _escape_formulas(row: list[str]) -> list[str]:
    """Escape cells that a spreadsheet would read as a formula."""
    return [f"'{cell}" if cell[:1] in FORMULA and not _number(cell) else cell for cell in row]


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
