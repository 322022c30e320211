"""The Lab's HTTP routes, in JSON.

`POST /lab/compare` runs decoders side by side; `POST /lab/game` scores a game of choosing cells. `POST /lab` starts a
sweep of decoders over prompts; `GET /lab/{id}` has its progress and results; `POST /lab/{id}` with `{"do": …}` stops or
resumes it, or asks for advice; `GET /lab/{id}/table` has every run as CSV, `…/json` points and runs as JSON, and
`…/file` the file that `POST /lab/open` reads again; `POST /lab/{id}/beside` compares it with the file of another sweep.
Only its author knows its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.features.lab.compare import DecoderRun, describe_differences
from unmask.features.lab.requests import CompareRequest, GameRequest
from unmask.features.lab.sweep_runner import run_in_background
from unmask.features.lab.sweeps import FILES, Sweeps
from unmask.inference.schedule_game import play_game
from unmask.models import Denoiser, load
from unmask.models.oracle import WORLDS, Oracle
from unmask.run.presets import Decoder
from unmask.run.spec import RunSpec
from unmask.serve.json_routes import answer, body, is_local, refusing, visitor
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import Runtime


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes below `/lab`."""
    sweeps = Sweeps(runtime)

    async def compare(request: Request) -> Response:
        who, wanted = visitor(request), await body(CompareRequest, request)
        denoiser = await runtime.model(resolve_model(wanted.model, is_local(request)))
        runs = []
        for one in wanted.decoders:
            decoder = Decoder(one.preset, one.changes or {})
            spec = RunSpec(wanted.prompt, wanted.model, wanted.length, one.preset, decoder.changes, wanted.seed)
            first = await runtime.prepared(denoiser, spec, visitor=who)
            turns = run_in_background(runtime.device_for(denoiser), denoiser, first, who)
            runs.append(DecoderRun.of(decoder.label, first, [one async for one in turns]))
        return await runtime.work.run(who, lambda: answer(_compared(runs, denoiser)))

    async def game(request: Request) -> Response:
        wanted = await body(GameRequest, request)
        if wanted.world.partition(":")[0] not in WORLDS:
            raise InvalidRequest(f"no such world: there are {', '.join(WORLDS)}")
        return answer(await runtime.work.run(visitor(request), lambda: _played(wanted)))

    return [
        Route("/lab", refusing(sweeps.offer), methods=["GET"]),
        Route("/lab", refusing(sweeps.begin), methods=["POST"]),
        Route("/lab/open", refusing(sweeps.open), methods=["POST"]),
        Route("/lab/compare", refusing(compare), methods=["POST"]),
        Route("/lab/game", refusing(game), methods=["POST"]),
        Route("/lab/{id}", refusing(sweeps.look), methods=["GET"]),
        Route("/lab/{id}", refusing(sweeps.act), methods=["POST"]),
        Route("/lab/{id}/beside", refusing(sweeps.beside), methods=["POST"]),
        *(Route(f"/lab/{{id}}/{kind}", refusing(sweeps.taker(kind)), methods=["GET"]) for kind in FILES),
    ]


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
