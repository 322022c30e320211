"""The page's routes for decisions.

`POST /decisions` answers questions together and each alone, and says which answers turn when another is written.
`POST /decisions/curve` reads a file of answered questions; `GET /decisions` has an example and
the curve that was measured here."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.errors import InvalidRequest
from unmask.features.decisions.answered import Outcome, commonest, curve, outcomes, read_answered
from unmask.features.decisions.question import Question, certainty, read_questions
from unmask.features.decisions.reading import Reading, check_reads, read, read_given
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.serve.json_routes import answer, body, is_local, refusing, visitor
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import Runtime

MEASURED = Path(__file__).with_name("measured.json")  # `make figures` writes it
MOST = 8  # questions of one request


EXAMPLE = {
    "state": "Story: Mia had a red kite. Tom had a blue ball. Mia gives the kite to Tom. Tom was happy.",
    "questions": [
        {"asks": "Who has the kite?", "options": "Mia, Tom"},
        {"asks": "Who has the ball?", "options": "Mia, Tom"},
        {"asks": "What colour was the kite?", "options": "red, blue"},
        {"asks": "Is Tom happy?", "options": "yes, no"},
    ],
}


class AskRequest(BaseModel):
    """The body of `POST /decisions`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    state: str = Field(max_length=8000)
    questions: dict[str, dict[str, Any]] = Field(max_length=MOST)


class CurveRequest(BaseModel):
    """The body of `POST /decisions/curve`."""

    model_config = ConfigDict(extra="forbid")
    model: str = Field(default="denoiser", max_length=300)
    file: str = Field(max_length=512 << 10)


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The routes below `/decisions`."""

    async def opened(name: str, request: Request) -> Denoiser:
        denoiser = await runtime.model(resolve_model(name, is_local(request)))
        check_reads(denoiser)
        return denoiser

    async def measured(_: Request) -> Response:
        return answer(_measured() | {"example": EXAMPLE})

    async def ask(request: Request) -> Response:
        wanted = await body(AskRequest, request)
        questions = read_questions(wanted.questions)
        if not wanted.state.strip():
            raise InvalidRequest("write a text that the questions are about")
        denoiser, client = await opened(wanted.model, request), Client("questions", visitor=visitor(request))
        device = runtime.device_for(denoiser)
        together = await device.run(partial(read, denoiser, wanted.state, questions, True, False), client)
        alone = await device.run(partial(read, denoiser, wanted.state, questions, False, False), client)
        turned = []
        for one in questions if len(questions) > 1 else ():
            given = {one.name: _best(together.shares[one.name])}
            conditional = await device.run(partial(read_given, denoiser, wanted.state, questions, given), client)
            turned += _turns(one, questions, together, conditional)
        rows = [_row(one, together, alone) for one in questions]
        forwards = {"together": together.forwards, "alone": alone.forwards}
        return answer({"answers": rows, "turned": turned, "forwards": forwards, "model": denoiser.card.name})

    async def own_curve(request: Request) -> Response:
        wanted, who = await body(CurveRequest, request), visitor(request)
        rows = await runtime.work.run(who, lambda: read_answered(wanted.file))
        denoiser, found = await opened(wanted.model, request), list[Outcome]()
        device, client = runtime.device_for(denoiser), Client("questions", visitor=who)
        for number, one in enumerate(rows, 1):
            try:
                reading = await device.run(partial(read, denoiser, one.state, one.questions, True, False), client)
            except InvalidRequest as wrong:
                raise InvalidRequest(f"question {number} of the file: {wrong}") from None
            found += outcomes(one, reading)
        return answer(curve(found) | {"commonest": commonest(rows), "model": denoiser.card.name})

    return [
        Route("/decisions", refusing(measured), methods=["GET"]),
        Route("/decisions", refusing(ask), methods=["POST"]),
        Route("/decisions/curve", refusing(own_curve), methods=["POST"]),
    ]


@cache
def _measured() -> dict[str, Any]:
    row: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    return row


def _best(shares: list[float]) -> int:
    return max(range(len(shares)), key=shares.__getitem__)


def _row(question: Question, together: Reading, alone: Reading) -> dict[str, Any]:
    """For JSON: a question, and the probability of each option asked either way."""
    shares = together.shares[question.name]
    return {
        "name": question.name,
        "options": question.options,
        "together": shares,
        "alone": alone.shares[question.name],
        "certainty": certainty(shares),
        "certainty_alone": certainty(alone.shares[question.name]),
    }


def _turns(one: Question, questions: list[Question], together: Reading, given: Reading) -> list[dict[str, Any]]:
    """The answers that become another option when the answer to `one` is written."""
    found = []
    for other in questions:
        if other is not one and (to := _best(given.shares[other.name])) != (at := _best(together.shares[other.name])):
            found.append(
                {
                    "written": one.name,
                    "option": one.options[_best(together.shares[one.name])],
                    "question": other.name,
                    "before": other.options[at],
                    "after": other.options[to],
                    "share": given.shares[other.name][to],
                }
            )
    return found
