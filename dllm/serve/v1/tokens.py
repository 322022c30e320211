"""Tokens of a text and text of tokens, as vLLM serves them: other tools count and cut with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from unmask.serve.admission import visitor
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import Runtime
from unmask.serve.served_models import ServedModels
from unmask.serve.v1.conversation import encode_conversation
from unmask.serve.v1.generation import json_response
from unmask.serve.v1.parse import parse
from unmask.serve.v1.request import Loose, Message, TemplateValues, Token
from unmask.serve.v1.structure import Structure

ROOT_PATHS = ("/tokenize", "/detokenize", "/tokenizer_info")  # where vLLM has them


class Tokenize(Loose):
    """POST /v1/tokenize, as vLLM has it"""

    model: Annotated[str, Field(min_length=1, max_length=256)]
    prompt: Annotated[str, Field(max_length=1_000_000)] | None = None
    messages: Annotated[list[Message], Field(min_length=1, max_length=1024)] | None = None
    add_special_tokens: Annotated[bool, Field(description="Whether a text begins as a prompt does.")] | None = False
    chat_template_kwargs: TemplateValues | None = None
    return_token_strs: bool | None = False


class Detokenize(Loose):
    """POST /v1/detokenize"""

    model: Annotated[str, Field(min_length=1, max_length=256)]
    tokens: Annotated[list[Token], Field(max_length=65_536)]


class Tokens:
    """The handlers of the tokenizer's routes."""

    def __init__(
        self, runtime: Runtime, registry: ServedModels, body: Callable[[Request], Awaitable[dict[str, Any]]]
    ) -> None:
        self.runtime, self.registry, self.body = runtime, registry, body
        self.routes: list[BaseRoute] = [
            Route("/tokenize", self.tokenize, methods=["POST"]),
            Route("/detokenize", self.detokenize, methods=["POST"]),
            Route("/tokenizer_info", self.info, methods=["GET"]),
        ]

    async def tokenize(self, request: Request) -> Response:
        body = parse(Tokenize, await self.body(request), {})
        denoiser = await self.registry.find(body.model)
        if body.messages is not None:
            template = body.chat_template_kwargs or {}
            work = partial(encode_conversation, denoiser, body.messages, Structure(), False, template)
        elif body.add_special_tokens and not denoiser.card.chat:
            work = partial(denoiser.tokenizer.encode_prompt, body.prompt or "")
        else:
            work = partial(denoiser.tokenizer.encode, body.prompt or "")
        who = visitor(request.headers, request.client.host if request.client else "")
        tokens = await self.runtime.work.run(who, work)
        strings = [denoiser.tokenizer.piece(t) for t in tokens] if body.return_token_strs else None
        row = {"count": len(tokens), "max_model_len": denoiser.card.longest, "tokens": tokens, "token_strs": strings}
        return json_response(row)

    async def detokenize(self, request: Request) -> Response:
        body = parse(Detokenize, await self.body(request), {})
        denoiser = await self.registry.find(body.model)
        if wrong := [token for token in body.tokens if token >= denoiser.card.words]:
            why = f"{wrong[0]} is not a token: they go from 0 to {denoiser.card.words - 1}"
            raise ApiError(400, why, "tokens", "invalid_value")
        return json_response({"prompt": denoiser.tokenizer.decode(body.tokens)})

    async def info(self, request: Request) -> Response:
        """The tokenizer of `model`, or of the first model: what lm-eval asks before it counts."""
        denoiser = await self.registry.find(request.query_params.get("model") or next(iter(self.registry.names)))
        ends = denoiser.card.ends
        row = {
            "tokenizer_class": type(denoiser.tokenizer).__name__,
            "vocab_size": denoiser.card.words,
            "model_max_length": denoiser.card.longest,
            "eos_token": denoiser.tokenizer.piece(ends[0]) if ends else None,
            "bos_token": None,
            "pad_token": None,
        }
        return json_response(row)
