"""The Lab's HTTP routes, in JSON.

`POST /lab/compare` runs decoders side by side; `POST /lab/game` scores a game of choosing cells. `POST /lab` starts a
sweep of decoders over prompts; `GET /lab/{id}` has its progress and results; `POST /lab/{id}` with `{"do": …}` stops or
resumes it, or asks for advice; `GET /lab/{id}/table` has every run as CSV. Only its author knows its id.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Sequence
from datetime import date
from math import inf
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.features.lab.compare import DecoderRun, describe_differences
from unmask.features.lab.sweep import MEASURES, Outcome, Sweep, advice, paragraph, points, settings, table
from unmask.features.lab.sweep_runner import SweepRunner, run_in_background
from unmask.inference.schedule_game import best, play_game
from unmask.models import Denoiser, load
from unmask.models.oracle import WORLDS, Oracle
from unmask.run.judge import judge
from unmask.run.presets import Decoder, preset, presets
from unmask.run.spec import RunSpec
from unmask.serve.admission import is_local, visitor
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import LEAVING, Runtime

KEPT, EACH = 16, 2  # sweeps kept, and those of one visitor that run at once
SHAPES = ("story", "dialogue", "recipe", "letter", "record", "sum", "sort", "sudoku")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
USUAL = ("fast-dllm", "llada", "dream", "eb-sampler", "klass", "local-leap", "dus", "wino")


class DecoderChoice(BaseModel):
    """A decoder and changes of its settings."""

    model_config = ConfigDict(extra="forbid")
    preset: str = Field(max_length=80)
    changes: dict[str, Any] | None = None  # None: up to five settings, chosen by `settings`


class SweepRequest(BaseModel):
    """The body of `POST /lab`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    twin: str = Field(default="twin", max_length=300)
    decoders: list[DecoderChoice] = Field(max_length=40)
    prompts: list[str] = Field(max_length=500)
    seeds: int = Field(default=1, ge=1, le=20)
    length: int = Field(default=64, ge=1, le=512)
    measure: str = Field(default="right", max_length=40)


class CompareRequest(BaseModel):
    """The body of `POST /lab/compare`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    prompt: str = Field(max_length=8000)
    length: int = Field(default=64, ge=1, le=512)
    seed: int = Field(default=0, ge=0, lt=2**53)
    decoders: list[DecoderChoice] = Field(min_length=2, max_length=4)


class GameRequest(BaseModel):
    """The body of `POST /lab/game`: the cells chosen so far, turn by turn."""

    model_config = ConfigDict(extra="forbid")
    world: str = Field(default="permutations", max_length=40)
    seed: int = Field(default=0, ge=0, lt=2**53)
    turns: list[list[int]] = Field(max_length=64)


class SweepAction(BaseModel):
    """The body of `POST /lab/{id}`."""

    model_config = ConfigDict(extra="forbid")
    do: str
    measure: str = "right"
    passes: float | None = None
    seconds: float | None = None


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes below `/lab`."""
    kept: dict[str, tuple[SweepRunner, str]] = {}

    async def offer(request: Request) -> Response:
        rows = {name: {"title": p.title, "says": p.says, "usual": name in USUAL} for name, p in presets().items()}
        prompts = await runtime.work.run(_who(request), lambda: judge().prompts(24, SHAPES))
        return json_no_store({"decoders": rows, "prompts": prompts, "measures": MEASURES})

    async def begin(request: Request) -> Response:
        client = request.client.host if request.client else ""
        who = visitor(request.headers, client)
        if runtime.draining:
            return error_response(LEAVING, 503)
        mine = [s for s, _ in kept.values() if s.visitor == who and s.state == "running"]
        if len(mine) >= EACH:
            return error_response(f"{EACH} sweeps run already: stop one first", 429)
        body = SweepRequest.model_validate_json(await request.body())
        denoiser = await runtime.model(resolve_model(body.model, is_local(request.headers, client)))
        twin = (
            None
            if isinstance(denoiser, Oracle) or not body.twin
            else await runtime.model(resolve_model(body.twin, is_local(request.headers, client)))
        )
        sweep = await runtime.work.run(who, lambda: checked_sweep(body, denoiser, twin is not None))
        while len(kept) >= KEPT:
            old = next((key for key, (s, _) in kept.items() if s.state != "running"), None)
            if old is None:
                return error_response("too many sweeps at once: try again in a few minutes", 429)
            del kept[old]
        denoisers = {body.model: denoiser} | ({} if twin is None else {body.twin: twin})
        key = secrets.token_urlsafe(18)
        kept[key] = (SweepRunner(sweep, denoisers, runtime.device_for(denoiser), who, twin), body.measure)
        kept[key][0].start()
        return json_no_store({"id": key, "count": sweep.count}, 201)

    async def look(request: Request) -> Response:
        if (found := kept.get(request.path_params["id"])) is None:
            return not_found()
        return await progress(request, *found)

    async def do(request: Request) -> Response:
        if (found := kept.get(request.path_params["id"])) is None:
            return not_found()
        runner, action = found[0], SweepAction.model_validate_json(await request.body())
        match action.do:
            case "stop":
                await runner.stop()
            case "resume":
                runner.start()
            case "advise":
                outcomes = runner.results
                return json_no_store(await runtime.work.run(_who(request), lambda: _advised(outcomes, action)))
            case _:
                raise InvalidRequest("'do' must be stop, resume or advise")
        return await progress(request, *found)

    async def progress(request: Request, runner: SweepRunner, measure: str) -> Response:
        return await runtime.work.run(_who(request), lambda: json_no_store(_progress(runner, measure)))

    async def sheet(request: Request) -> Response:
        if (found := kept.get(request.path_params["id"])) is None:
            return not_found()
        outcomes = found[0].results
        text = await runtime.work.run(_who(request), lambda: _csv(outcomes))
        name = {"Content-Disposition": 'attachment; filename="sweep.csv"', "Cache-Control": "no-store"}
        return Response(text, media_type="text/csv", headers=name)

    async def compare(request: Request) -> Response:
        client, who = request.client.host if request.client else "", _who(request)
        body = CompareRequest.model_validate_json(await request.body())
        denoiser = await runtime.model(resolve_model(body.model, is_local(request.headers, client)))
        runs = []
        for one in body.decoders:
            decoder = Decoder(one.preset, one.changes or {})
            spec = RunSpec(body.prompt, body.model, body.length, one.preset, decoder.changes, body.seed)
            first = await runtime.prepared(denoiser, spec, visitor=who)
            turns = run_in_background(runtime.device_for(denoiser), denoiser, first, who)
            runs.append(DecoderRun.of(decoder.label, first, [one async for one in turns]))
        return await runtime.work.run(who, lambda: json_no_store(_compared(runs, denoiser)))

    async def game(request: Request) -> Response:
        body = GameRequest.model_validate_json(await request.body())
        if body.world.partition(":")[0] not in WORLDS:
            raise InvalidRequest(f"no such world: there are {', '.join(WORLDS)}")
        return json_no_store(await runtime.work.run(_who(request), lambda: _played(body)))

    def with_errors(handler: Any) -> Any:
        async def answer(request: Request) -> Response:
            try:
                return await handler(request)  # type: ignore[no-any-return]
            except InvalidRequest as reason:
                return error_response(str(reason), 400)
            except ValidationError as reason:
                first = reason.errors()[0]
                return error_response(f"{'.'.join(map(str, first['loc'])) or 'the message'}: {first['msg']}", 400)

        return answer

    return [
        Route("/lab", with_errors(offer), methods=["GET"]),
        Route("/lab", with_errors(begin), methods=["POST"]),
        Route("/lab/compare", with_errors(compare), methods=["POST"]),
        Route("/lab/game", with_errors(game), methods=["POST"]),
        Route("/lab/{id}", with_errors(look), methods=["GET"]),
        Route("/lab/{id}", with_errors(do), methods=["POST"]),
        Route("/lab/{id}/table", with_errors(sheet), methods=["GET"]),
    ]


def _who(request: Request) -> str:
    return visitor(request.headers, request.client.host if request.client else "")


def _played(body: GameRequest) -> dict[str, Any]:
    """For JSON: a game after its choices."""
    oracle = load(body.world)
    assert isinstance(oracle, Oracle)
    return play_game(oracle, body.seed, body.turns).to_dict()


def _compared(runs: Sequence[DecoderRun], denoiser: Denoiser) -> dict[str, Any]:
    """For JSON: finished runs side by side."""
    rows = [run.to_dict(denoiser.tokenizer) for run in runs]
    ends = [denoiser.tokenizer.piece(token) for token in denoiser.card.ends]
    return {"lanes": rows, "ends": ends, "parting": describe_differences(runs, denoiser.tokenizer)}


def _advised(outcomes: Sequence[Outcome], action: SweepAction) -> dict[str, Any]:
    """For JSON: the best decoder within limits, and the run that it would make."""
    chosen = advice(points(outcomes), action.measure, action.passes or inf, action.seconds or inf)
    spec = next(o.spec for o in outcomes if o.decoder == chosen.decoder)
    return {"point": chosen.to_dict(), "order": spec}


def _csv(outcomes: Sequence[Outcome]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(_escape_formulas(row) for row in table(outcomes))
    return text.getvalue()


def checked_sweep(body: SweepRequest, denoiser: Denoiser, twin: bool) -> Sweep:
    """The sweep of a request, if its texts can be judged and its runs can start."""
    sweep = _sweep(body, twin)
    check_sweep(sweep, body, denoiser)
    return sweep


def _sweep(body: SweepRequest, twin: bool) -> Sweep:
    made: list[Decoder] = []
    for one in body.decoders:
        preset(one.preset)
        every = settings(one.preset, body.length) if one.changes is None else [one.changes]
        made += [Decoder(one.preset, changes) for changes in every]
    if twin:
        made.append(Decoder("autoregressive", {}, body.twin))
    prompts = tuple(dict.fromkeys(text.rstrip() for text in body.prompts))
    return Sweep(body.model, tuple(made), prompts, tuple(range(body.seeds)), body.length)


def check_sweep(sweep: Sweep, body: SweepRequest, denoiser: Any) -> None:
    """Refuse a sweep whose texts cannot be judged or whose runs cannot start, before any run."""
    if body.measure not in MEASURES:
        raise InvalidRequest(f"no measure '{body.measure}'; there are {', '.join(MEASURES)}")
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
    rows = points(outcomes)
    card = next(iter(runner.denoisers.values())).card
    machine = f"{card.device}, {card.number}, {card.threads} thread{'s' * (card.threads != 1)}"
    return {
        "state": state,
        "why": runner.failure,
        "done": len(outcomes),
        "count": runner.sweep.count,
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


def json_no_store(row: dict[str, Any], status: int = 200) -> Response:
    """A JSON response that must not be cached."""
    return Response(orjson.dumps(row), status, {"Cache-Control": "no-store"}, "application/json")


def error_response(why: str, status: int) -> Response:
    """A JSON response with the reason of a refusal."""
    return json_no_store({"why": why}, status)


def not_found() -> Response:
    """The response to an unknown or deleted id."""
    return error_response("this sweep is no longer on the server: start it again", 404)
