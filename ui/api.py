"""The app's tools for `gradio_client` and for agents over MCP: decode, compare, why and judge; all answer in JSON."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import gradio as gr
import numpy as np

from unmask.canvas import BaseTokenizer, Canvas
from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.live.session import Session
from unmask.run.command import Play
from unmask.run.event import Done, Stepped
from unmask.run.judge import judge
from unmask.run.peek import peek
from unmask.run.spec import RunSpec
from unmask.run.stats import text_cells
from unmask.serve.admission import Keys, visitor
from unmask.serve.api_error import ApiError
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import Runtime

MOST_PRESETS = 8
T = TypeVar("T")


class Tools:
    """The tools, on the server's models and device. They open only models of the menu."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.keys = runtime, Keys(config().api_keys)

    @property
    def all(self) -> dict[str, Callable[..., Any]]:
        """The tools by name."""
        return {"decode": self.decode, "compare": self.compare, "why": self.why, "judge": self.judge}

    async def decode(
        self,
        prompt: str,
        model: str = "denoiser",
        preset: str = "fast-dllm",
        length: int = 96,
        seed: int = 0,
        settings: dict[str, Any] | None = None,
        request: gr.Request = None,  # Gradio fills it in
    ) -> AsyncIterator[dict[str, Any]]:
        """Continue a prompt, or fill its blanks, by denoising. Every pass is reported; the last result is complete.

        Returns JSON: text (the answer), blanks (one entry for each blank, in order), whole (the prompt with its blanks
        filled), pass, open (cells still open), done, and at the end measures.

        Args:
            prompt: the text to continue; ___ is a blank of three cells, [MASK:6] one of six.
            model: a model of the menu, such as denoiser or twin.
            preset: a published decoder by name, such as fast-dllm or llada.
            length: how many cells the answer has, if the prompt has no blanks.
            seed: the same seed gives the same text.
            settings: any further settings by name, such as {"passes": 16}.
        """
        row = {"prompt": prompt, "model": model, "length": length, "preset": preset, "seed": seed}
        async with self._session(row | {"changes": settings or {}}, request) as session:
            async for event in played(session):
                about = filled(session)
                if isinstance(event, Stepped):
                    frame = event.frame
                    yield as_json(about | {"pass": frame.step + 1, "open": frame.open, "done": False}, request)
                elif isinstance(event, Done):
                    last = {"pass": None, "open": 0, "done": True, "measures": dict(event.measures)}
                    yield as_json(about | last, request)

    async def compare(
        self,
        prompt: str,
        presets: list[str],
        model: str = "denoiser",
        length: int = 96,
        seed: int = 0,
        request: gr.Request = None,
    ) -> list[dict[str, Any]]:
        """Write the same prompt with several decoders, one after the other, to see what quality and speed each gives.

        Returns JSON: for each decoder its preset, text, blanks, passes, tokens_per_pass and seconds on the device.

        Args:
            prompt: the text to continue, or with blanks (___ or [MASK:6]) to fill.
            presets: one to eight published decoders by name, such as ["fast-dllm", "llada"].
            model: a model of the menu, such as denoiser or twin.
            length: how many cells the answer has, if the prompt has no blanks.
            seed: the same seed gives the same text.
        """
        if not 1 <= len(presets) <= MOST_PRESETS:
            raise gr.Error(f"name 1 to {MOST_PRESETS} presets", print_exception=False)
        rows = []
        for preset in presets:
            row = {"prompt": prompt, "model": model, "length": length, "preset": preset, "seed": seed}
            async with self._session(row, request) as session:
                measures = await self._play(session)
                names = ("passes", "tokens_per_pass", "tokens", "finished")
                about = {name: measures[name] for name in names}
                rows.append({"preset": preset, **filled(session), **about, "seconds": about.pop("finished")})
        return as_json(rows, request)

    async def why(
        self,
        prompt: str,
        word: int = 0,
        model: str = "denoiser",
        preset: str = "fast-dllm",
        length: int = 96,
        seed: int = 0,
        request: gr.Request = None,
    ) -> dict[str, Any]:
        """Write a prompt and explain one cell of the answer: what was guessed there at each pass, why it was written.

        Returns JSON: token, wrote (the pass and the decoder's reason), guesses (at each pass the guess and its
        probability), candidates (the likeliest words at the end), entropy in nats, margin.

        Args:
            prompt: the text to continue, or with blanks (___ or [MASK:6]) to fill.
            word: which cell of the answer, counted from 0.
            model: a model of the menu, such as denoiser or twin.
            preset: a published decoder by name.
            length: how many cells the answer has, if the prompt has no blanks.
            seed: the same seed gives the same text.
        """
        row = {"prompt": prompt, "model": model, "length": length, "preset": preset, "seed": seed}
        async with self._session(row, request) as session:
            await self._play(session)
            canvas, piece = session.state.canvas, session.denoiser.tokenizer.piece
            cells = np.flatnonzero(canvas.answer)
            if not 0 <= word < len(cells):
                raise gr.Error(f"the answer has {len(cells)} cells, counted from 0", print_exception=False)
            cell = int(cells[word])
            about = peek(session.head.path(), cell, piece)
            about["guesses"] = [{"pass": at, "guess": piece(t), "probability": p} for at, t, p in about["guesses"]]
            about["candidates"] = [{"word": text, "probability": p} for _, text, p in about["candidates"]]
            return as_json({"word": word, "token": piece(int(canvas.tokens[cell]))} | about, request)

    async def judge(self, text: str, prompt: str = "", request: gr.Request = None) -> dict[str, Any]:
        """Check a text of the embedded model's small worlds: which facts agree with each other and with the prompt.

        Returns JSON: facts (each with what it is about and whether it holds), hold, strict (nothing is wrong), reasons.

        Args:
            text: the whole text, beginning with its prompt and the name of its kind, such as "Story: ...".
            prompt: the beginning of the text, which is not judged.
        """
        self._admit(request)
        verdict = judge().strict(prompt, text)
        about = {
            "facts": [{"what": fact.what, "holds": fact.holds, "why": fact.why} for fact in verdict.facts],
            "hold": sum(fact.holds for fact in verdict.facts),
            "strict": verdict.strict,
            "reasons": [*verdict.reasons],
        }
        return as_json(about, request)

    def _admit(self, request: gr.Request) -> str:
        """Check the key as /v1 does; returns the visitor."""
        client = request.client.host if request.client else ""
        try:
            self.keys.admit(request.headers, client)
        except ApiError as refused:
            raise gr.Error(str(refused), print_exception=False) from None
        return visitor(request.headers, client)

    @asynccontextmanager
    async def _session(self, row: dict[str, Any], request: gr.Request) -> AsyncIterator[Session]:
        """A session for one call, closed at its end or when the client leaves."""
        who = self._admit(request)
        try:
            spec = RunSpec.from_dict(row)
            denoiser = await self.runtime.model(resolve_model(spec.model, at_home=False))
            session = await self.runtime.open(denoiser, spec, who)
        except InvalidRequest as refused:
            raise gr.Error(str(refused), print_exception=False) from None
        try:
            yield session
        finally:
            self.runtime.sessions.close(session)

    async def _play(self, session: Session) -> dict[str, Any]:
        """Play a run to its end; returns its measures."""
        measures: dict[str, Any] = {}
        async for event in played(session):
            if isinstance(event, Done):
                measures = dict(event.measures)
        return measures


def as_json(value: T, request: gr.Request) -> T:
    """The value itself, or its JSON text for an MCP client, to which Gradio would send Python's `repr`."""
    agent = "mcp-protocol-version" in request.headers
    return cast(T, json.dumps(value, ensure_ascii=False)) if agent else value


async def played(session: Session) -> AsyncIterator[Stepped | Done]:
    """Play a run; yields every pass and the end."""
    reader = session.subscribe(0)
    session.send(Play())
    try:
        while True:
            event = (await reader.get()).event
            if isinstance(event, Stepped):
                yield event
            elif isinstance(event, Done):
                if event.failed:
                    raise gr.Error(event.failed, print_exception=False)
                yield event
                return
    finally:
        session.unsubscribe(reader)


def filled(session: Session) -> dict[str, Any]:
    """The answer's text: all of it, by blank, and together with the prompt."""
    canvas, tokenizer = session.state.canvas, session.denoiser.tokenizer
    card = session.denoiser.card
    texts = blanks(canvas, tokenizer, card.ends)
    keep = canvas.given | text_cells(canvas, card)
    return {"text": session.text, "blanks": texts, "whole": tokenizer.decode(canvas.tokens[keep].tolist())}


def blanks(canvas: Canvas, tokenizer: BaseTokenizer, ends: Sequence[int]) -> list[str]:
    """The text of each blank: a run of cells between cells of the prompt."""
    answer = np.flatnonzero(canvas.answer)
    runs = np.split(answer, np.flatnonzero(np.diff(answer) > 1) + 1) if answer.size else []
    return [tokenizer.decode([t for t in canvas.tokens[run].tolist() if t >= 0 and t not in ends]) for run in runs]
