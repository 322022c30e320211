"""The routes of /v1, for clients of OpenAI, Mercury and Anthropic."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unmask.canvas import Card
from unmask.config import config, version
from unmask.errors import InvalidRequest, about_field
from unmask.inference import ood
from unmask.inference.prompt_logprobs import Scored, prompt_logprobs, scores_prompts
from unmask.inference.rule_doubt import note_before
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.constraint_check import compile_constraint
from unmask.run.settings import Settings
from unmask.run.spec import LENGTH, RunSpec, with_length
from unmask.run.state import start
from unmask.serve.admission import visitor
from unmask.serve.answer import AnswerLimits, AnswerProgress
from unmask.serve.api_error import ApiError, unsupported
from unmask.serve.runtime import LEAVING, Runtime
from unmask.serve.served_models import ServedModels, served_models
from unmask.serve.v1 import anthropic, canvas, edit, infill_length, responses
from unmask.serve.v1.api_format import ApiFormat
from unmask.serve.v1.chat import ChatFormat
from unmask.serve.v1.completion import CompletionFormat
from unmask.serve.v1.conversation import encode_conversation
from unmask.serve.v1.conversation import prompt as conversation
from unmask.serve.v1.generation import ConcurrencyLimit, Generation, Task, json_response
from unmask.serve.v1.parse import first_error, json_body, parse
from unmask.serve.v1.prediction import check_prediction, predicted_text
from unmask.serve.v1.request import Body, Chat, Completion
from unmask.serve.v1.response import model
from unmask.serve.v1.run_spec import fit, refused_parameter, run_spec
from unmask.serve.v1.schema import document_json
from unmask.serve.v1.structure import Structure, guided_structure, structure
from unmask.serve.v1.tokens import ROOT_PATHS, Tokens

SEEDS = 2**53  # every JSON reader can hold these
BLOCK = 32  # cells that a full canvas grows by, if its decoder has no block size

Make = Callable[..., ApiFormat]


def routes(runtime: Runtime, models: Sequence[str] = ()) -> list[BaseRoute]:
    """The mounted API; all errors have OpenAI's format, or Anthropic's below /v1/messages."""
    app = Starlette(
        routes=Api(runtime, ServedModels(runtime, served_models(models))).routes,
        exception_handlers=dict.fromkeys(
            (ApiError, InvalidRequest, ValidationError, HTTPException, Exception), _error_response
        ),
    )
    app.router.redirect_slashes = False
    mount = Mount("/v1", app=with_request_id(app))
    # DOTALL, so that an address with a newline gets this API's 404 too
    mount.path_regex = re.compile(r"^/v1/(?P<path>.*)$", re.DOTALL)
    aliases = [Route(path, Alias(app), methods=["GET", "POST"]) for path in (*ROOT_PATHS, "/version")]
    return [mount, *aliases]


def with_request_id(app: ASGIApp) -> ASGIApp:
    """The app, with an id for each request in the headers of its answer: the client's own, or a new one."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        own = Headers(scope=scope).get("x-request-id", "") if scope["type"] == "http" else ""
        name = own if re.fullmatch(r"[!-~]{1,128}", own) else f"req_{secrets.token_urlsafe(18)}"

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                ids = [(header, name.encode()) for header in (b"x-request-id", b"request-id")]
                message = {**message, "headers": [*message.get("headers", []), *ids]}
            await send(message)

        await app(scope, receive, sending)

    return run


class Alias:
    """A path of the API that is found outside of /v1 as well."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


class Api:
    """The handlers of the API's routes."""

    def __init__(self, runtime: Runtime, registry: ServedModels) -> None:
        self.runtime, self.registry, self.places = runtime, registry, ConcurrencyLimit(config().answers)
        self.created = int(time.time())
        self.routes: list[BaseRoute] = [
            Route("/models", self.models, methods=["GET"]),
            Route("/models/{name:path}", self.model, methods=["GET"]),
            Route("/chat/completions", self.chat, methods=["POST"]),
            Route("/completions", self.completion, methods=["POST"]),
            Route("/fim/completions", self.completion, methods=["POST"]),
            Route("/edit/completions", self.edit, methods=["POST"]),
            Route("/responses", self.respond, methods=["POST"]),
            Route("/responses/input_tokens", self.input_tokens, methods=["POST"]),
            Route("/messages", self.message, methods=["POST"]),
            Route("/messages/count_tokens", self.count, methods=["POST"]),
            *Tokens(runtime, registry, self._json_body).routes,
            Route("/version", self.version, methods=["GET"]),
            Route("/embeddings", self.embeddings, methods=["POST"]),
            Route("/health", self.health, methods=["GET"]),
            Route("/openapi.json", self.openapi, methods=["GET"]),
        ]

    async def openapi(self, _: Request) -> Response:
        cards = [card for name in self.registry.names if (card := self._card(name)) is not None]
        made = document_json(tuple(self.registry.names), max((card.words for card in cards), default=None))
        return Response(made, media_type="application/json")

    async def health(self, _: Request) -> Response:
        why = self.runtime.not_ready_reason
        return json_response({"status": why or "ok"}, 503 if why else 200)

    async def version(self, _: Request) -> Response:
        return json_response({"version": version()})

    async def embeddings(self, _: Request) -> Response:
        raise ApiError(404, "there are no embeddings here: these models write text", code="unsupported_endpoint")

    async def models(self, request: Request) -> Response:
        if anthropic.is_client(request):
            page = [anthropic.model_info(name, self.created, self._card(name)) for name in self.registry.names]
            return json_response(anthropic.models_page(page))
        rows = [model(name, self.created, self._card(name)) for name in self.registry.names]
        return json_response({"object": "list", "data": rows})

    async def model(self, request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in self.registry.names:
            raise ApiError(404, "there is no model of this name", "model", "model_not_found")
        as_row = anthropic.model_info if anthropic.is_client(request) else model
        return json_response(dict(as_row(name, self.created, self._card(name))))

    def _card(self, name: str) -> Card | None:
        opened = self.runtime.loader.loaded.get(self.registry.names[name])
        return None if opened is None else opened.card

    async def _canvas(
        self, request: Request, body: Body, denoiser: Denoiser, encode: Callable[[], Sequence[int]]
    ) -> Response:
        """A canvas that is given and read from outside."""
        self.places.check(1)
        return json_response(
            await canvas.respond(self.runtime, denoiser, body, encode, _seed(body), self.created, _who(request))
        )

    async def chat(self, request: Request) -> ASGIApp:
        body = parse(Chat, await self._json_body(request))
        check_prediction(body)
        if body.reads_canvas:
            denoiser = await self.registry.find(body.model)
            encode = partial(encode_conversation, denoiser, body.messages, Structure(), False, body.template)
            return await self._canvas(request, body, denoiser, encode)
        return await self._converse(request, body, lambda *rest: ChatFormat(body, *rest))

    async def respond(self, request: Request) -> ASGIApp:
        body = parse(responses.CreateResponse, await self._json_body(request), responses.REFUSED)
        return await self._converse(request, body.chat(), lambda *rest: responses.ResponsesFormat(body, *rest))

    async def message(self, request: Request) -> ASGIApp:
        body = parse(anthropic.Create, await self._json_body(request), {})
        return await self._converse(request, body.chat(), lambda *rest: anthropic.MessagesFormat(body, *rest))

    async def count(self, request: Request) -> Response:
        body = parse(anthropic.CountTokens, await self._json_body(request), {}).chat()
        return json_response({"input_tokens": await self._counted(request, body)})

    async def input_tokens(self, request: Request) -> Response:
        body = parse(responses.CreateResponse, await self._json_body(request), responses.REFUSED).chat()
        return json_response({"object": "response.input_tokens", "input_tokens": await self._counted(request, body)})

    async def _counted(self, request: Request, body: Chat) -> int:
        denoiser = await self.registry.find(body.model)
        wanted = structure(body, denoiser.card)
        # even more than the model can read
        tokens = await self.runtime.work.run(
            _who(request), lambda: encode_conversation(denoiser, body.messages, wanted, False, body.template)
        )
        return len(tokens)

    async def edit(self, request: Request) -> ASGIApp:
        body = parse(Chat, await self._json_body(request))
        if body.prediction is not None:
            raise unsupported("prediction", "the text that is edited is in the message")
        part = edit.parse_edit(body)
        denoiser = await self.registry.find(body.model)
        if denoiser.card.causal:
            raise ApiError(
                400,
                "this model writes from left to right and cannot edit: choose a diffusion model",
                "model",
                "unsupported",
            )
        stood = len(denoiser.tokenizer.encode(part.part)) if part.part else 0
        tried = infill_length.lengths(body.limit, body.min_tokens or 0, stood)
        context = await self.runtime.work.run(_who(request), lambda: edit.context(denoiser, part, tried[-1]))
        spec = run_spec(body, denoiser, context + part.before, Structure(), part.after)
        task = await self._filled(body, denoiser, spec, tried, _who(request))
        seed = _seed(body)
        return await self._work(
            request, [_seeded(task, seed)], edit.EditFormat(body, denoiser, Structure(), _prompt_tokens(task), seed)
        )

    async def completion(self, request: Request) -> ASGIApp:
        body = parse(Completion, await self._json_body(request))
        denoiser = await self.registry.find(body.model)
        if body.reads_canvas:
            return await self._canvas(request, body, denoiser, partial(canvas.one_prompt, body, denoiser))
        many, scored = _texts(body), _scored(body, denoiser)
        seed, wanted = _seed(body), guided_structure(body)
        self.places.check(len(body.prompts) * many)
        tasks = [await self._completed(body, denoiser, prompt, wanted, _who(request)) for prompt in body.prompts]
        given, cached = sum(map(_prompt_tokens, tasks)), sum(_cached(denoiser, task) for task in tasks)
        tasks = [_seeded(task, seed + i) for task in tasks for i in range(many)]
        echoed = [t.state.canvas.tokens[: t.state.canvas.origin].tolist() for t in tasks] if body.echo else []
        scores = await self._scores(request, body, denoiser, echoed) if scored else []
        about = (denoiser, wanted, given, seed, 0, cached)
        api_format = CompletionFormat(body, *about, prompts=echoed, keep=body.n or 1, scores=scores)
        if body.max_tokens == 0:
            return json_response(api_format.whole([AnswerProgress(0, "", (), (), "length")] * len(tasks)))
        return await self._work(request, tasks, api_format, body.stream)

    async def _completed(
        self, body: Completion, denoiser: Denoiser, prompt: str | list[int], wanted: Structure, who: str
    ) -> Task:
        """The task of one prompt: to go on, or to fill the gap before its suffix."""
        spec = run_spec(body, denoiser, prompt, wanted, body.suffix or "")
        if not body.suffix:
            return await self._sized(body, denoiser, spec, wanted, body.stops, "prompt", who)
        tried = infill_length.lengths(body.limit, body.min_tokens or 0)
        return await self._filled(body, denoiser, spec, tried, who)

    async def _scores(
        self, request: Request, body: Completion, denoiser: Denoiser, echoed: Sequence[Sequence[int]]
    ) -> list[Sequence[Scored]]:
        """Log probabilities of the echoed prompts."""
        known: dict[tuple[int, ...], Sequence[Scored]] = {}
        for prompt in map(tuple, echoed):
            if prompt not in known:
                work = partial(prompt_logprobs, denoiser, prompt, max(body.candidates or 0, 1))
                known[prompt] = await self.runtime.device_for(denoiser).run(
                    work, Client("questions", visitor=_who(request))
                )
        return [known[tuple(prompt)] for prompt in echoed]

    async def _converse(self, request: Request, body: Chat, make: Make) -> ASGIApp:
        """Answer a conversation in the format that `make` creates."""
        denoiser = await self.registry.find(body.model)
        many, seed, wanted, who = body.n or 1, _seed(body), structure(body, denoiser.card), _who(request)
        self.places.check(many)
        continues = bool(body.continue_final_message)
        prompt = await self.runtime.work.run(
            who, partial(conversation, denoiser, body.messages, wanted, continues=continues, template=body.template)
        )
        spec = run_spec(body, denoiser, list(prompt.tokens), wanted)
        predicted = await self.runtime.work.run(
            who, partial(predicted_text, denoiser, body, len(prompt.tokens), wanted)
        )
        spec = replace(spec, draft=predicted.draft if predicted is not None else None)
        task = await self._sized(body, denoiser, spec, wanted, (*body.stops, *prompt.stops), "messages", who)
        tasks = [_seeded(task, seed + i) for i in range(many)]
        if predicted is not None:
            model_of_passes, state = await predicted.begun(self.runtime, tasks[0].state, who)
            tasks = [replace(tasks[0], model=model_of_passes, state=state)]
        api_format = make(denoiser, wanted, _prompt_tokens(task), seed, prompt.dropped, _cached(denoiser, task))
        api_format.predicted = predicted
        return await self._work(request, tasks, api_format, body.stream)

    async def _work(
        self, request: Request, tasks: Sequence[Task], api_format: ApiFormat, stream: bool | None = False
    ) -> ASGIApp:
        denoiser, cells = api_format.denoiser, tasks[0].state.canvas
        if ood.ood_threshold(denoiser.card) is not None:
            prompt = denoiser.tokenizer.decode(cells.tokens[: cells.origin].tolist())
            api_format.note = await self.runtime.device.run(
                partial(note_before, denoiser, prompt, tasks[0].state.settings.constraint),
                Client("questions", visitor=_who(request)),
            )
        return Generation(self.runtime, self.places, tasks, api_format, _who(request), bool(stream))

    async def _json_body(self, request: Request) -> dict[str, Any]:
        if self.runtime.draining:
            raise ApiError(503, LEAVING, code="stopping", headers={"Retry-After": "30"})
        body = await json_body(request)
        if not body.get("model"):
            body["model"] = next(iter(self.registry.names))
        return body

    async def _sized(
        self,
        body: Body,
        denoiser: Denoiser,
        spec: RunSpec,
        wanted: Structure,
        stops: tuple[str, ...],
        name: str,
        who: str,
    ) -> Task:
        """The task for an answer after a prompt."""
        try:
            parts = await self.runtime.tokenized(denoiser, spec, who)
            given = sum(len(part) for part in parts if not isinstance(part, int))
            work = self.runtime.work
            least = await work.run(who, lambda: _shortest(denoiser, wanted)) if wanted.constraint else None
            length, limit = fit(given, denoiser.card.longest, body.limit or LENGTH, least, "passes" in body.numbers)
            spec = replace(spec, length=length)
            state = await self.runtime.prepared(denoiser, spec, with_length(parts, length), visitor=who)
        except InvalidRequest as refused:
            raise refused_parameter(wanted, refused, name) from None
        grow = 0 if not wanted.free else state.settings.block or BLOCK
        ends = tuple(body.stop_token_ids or ())
        return Task(spec, state, AnswerLimits(limit, grow, stops, not wanted.free, wanted.closed, ends))

    async def _filled(self, body: Body, denoiser: Denoiser, spec: RunSpec, tried: Sequence[int], who: str) -> Task:
        """The task for an infill, of the length in which the model has the highest confidence."""
        if denoiser.card.expand is not None:  # the model resizes the gap itself
            spec = replace(spec, changes=dict(spec.changes) | {"room": tried[-1]})
            tried = [min(infill_length.FIRST, tried[-1]) if len(tried) > 1 else tried[0]]
        try:
            parts = await self.runtime.tokenized(denoiser, spec, who)
            spec, state = await infill_length.choose_length(self.runtime, denoiser, spec, parts, tried, who)
        except InvalidRequest as refused:
            raise refused_parameter(Structure(), refused, "prompt") from None
        return Task(spec, state, AnswerLimits(body.limit, 0, body.stops, whole=True))


def _who(request: Request) -> str:
    return visitor(request.headers, request.client.host if request.client else "")


def _shortest(denoiser: Denoiser, wanted: Structure) -> int:
    """Tokens of the shortest text that meets the constraint; with tools, of the shortest call."""
    row = {name: value for name, value in wanted.constraint.items() if name != "otherwise"}
    with about_field("constraint"):
        found = compile_constraint(denoiser.card, denoiser.tokenizer, Settings().with_changes({"constraint": row}))
    return found.language.shortest() if found is not None else 0


def _texts(body: Completion) -> int:
    """How many texts are written for each prompt."""
    keep, many = body.n or 1, max(body.n or 1, body.best_of or 1)
    if (body.best_of or keep) < keep:
        raise ApiError(400, "best_of must be at least n, which are chosen from it", "best_of", "invalid_value")
    if many > keep and body.stream:
        raise ApiError(400, "best_of cannot be streamed: set stream to false", "best_of")
    if body.max_tokens == 0 and (not body.echo or body.stream or body.suffix):
        why = "max_tokens of 0 asks for the prompt alone: set echo to true, without stream and suffix"
        raise ApiError(400, why, "max_tokens", "invalid_value")
    return many


def _scored(body: Completion, denoiser: Denoiser) -> bool:
    """Whether the tokens of an echoed prompt get their probabilities."""
    if not body.echo or body.candidates is None:
        return False
    scored = scores_prompts(denoiser)
    if not scored and denoiser.card.trained:
        why = "this model reads a prompt as a whole, so its tokens have no probabilities one by one"
        raise unsupported("echo", f"{why}: leave out echo or logprobs, or choose a model that writes in order")
    return scored


def _seed(body: Body) -> int:
    return secrets.randbelow(SEEDS) if body.seed is None else body.seed % SEEDS


def _seeded(task: Task, seed: int) -> Task:
    seed %= SEEDS
    state = start(task.state.canvas, replace(task.state.settings, seed=seed))
    return replace(task, spec=replace(task.spec, seed=seed), state=state)


def _prompt_tokens(task: Task) -> int:
    return int(task.state.canvas.given.sum())


def _cached(denoiser: Denoiser, task: Task) -> int:
    """Tokens of the prompt that are in the model's prefix cache."""
    canvas = task.state.canvas
    return min(denoiser.cached_tokens(canvas.tokens[: canvas.origin]), canvas.origin)


async def _error_response(request: Request, error: Exception) -> Response:
    """The response for an error; details of internal errors go to the log only."""
    match error:
        case ApiError():
            found = error
        case InvalidRequest():
            found = ApiError(400, str(error), code="invalid_value")
        case ValidationError():  # from converting a request of another API, such as an invalid tool name
            found = first_error(error)
        case HTTPException(status_code=404):
            found = ApiError(404, "not found: there is no such address here", code="unknown_url")
        case HTTPException(status_code=405):
            why = f"the method {request.method[:16]} is not allowed here"
            found = ApiError(405, why, code="method_not_allowed", headers=error.headers)
        case HTTPException():
            found = ApiError(error.status_code, str(error.detail))
        case _:
            found = ApiError(500, "internal error; see the server log", code="internal_error")
    body = dict(anthropic.error_body(found)) if anthropic.is_client(request) else found.plain()
    response = json_response(body, found.status)
    response.headers.update(found.headers)
    return response
