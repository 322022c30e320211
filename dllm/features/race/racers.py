"""The racers: a local model on this server's device, or a remote one; both give the same updates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, Protocol

from unmask.errors import InvalidRequest
from unmask.features.race.providers.cards import RemoteModel, Secret
from unmask.features.race.providers.draft_analysis import analyse_drafts
from unmask.features.race.providers.meter import Caps, Meter
from unmask.inference import infer
from unmask.run.spec import RunSpec
from unmask.serve.answer import Answer
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import Runtime
from unmask.serve.served_models import ServedModels


@dataclass(frozen=True)
class Update:
    """The answer so far. Its first `settled` characters will not change; for remote models this is inferred."""

    text: str
    settled: int
    meter: Meter
    done: bool = False


class Racer(Protocol):
    """One racer of a race. It never raises: its meter says what failed."""

    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def where(self) -> str:
        """`here`, or the way in which a remote model is reached."""
        ...

    def fields(self) -> dict[str, Any]:
        """Its fields in tables and files; never a key."""
        ...

    async def warm(self, length: int) -> None:
        """Prepare once, before anything is timed."""
        ...

    def run(self, prompt: str, length: int) -> AsyncIterator[Update]: ...


@dataclass(frozen=True)
class Local:
    """A model on this server."""

    runtime: Runtime
    registry: ServedModels
    spec: RunSpec  # prompt and length are replaced by the race's
    visitor: str = ""
    where: str = "here"

    @property
    def title(self) -> str:
        return self.spec.model

    @property
    def kind(self) -> str:
        opened = self.runtime.loader.loaded.get(self.registry.names.get(self.spec.model, ""))
        return "unknown" if opened is None else "autoregressive" if opened.card.causal else "diffusion"

    def fields(self) -> dict[str, Any]:
        own = {k: v for k, v in self.spec.to_dict().items() if k in ("preset", "changes", "seed")}
        return {"title": self.title, "kind": self.kind, "where": self.where, "model": self.spec.model, **own}

    async def warm(self, length: int) -> None:
        """Open the model and run one forward, so that neither is timed."""
        with suppress(InvalidRequest, ApiError):
            denoiser = await self.registry.find(self.spec.model)
            state = replace(self.spec, length=min(length, denoiser.card.longest)).start(
                denoiser.card, denoiser.tokenizer
            )
            await self.runtime.device.run(partial(infer, denoiser, [state]))

    async def run(self, prompt: str, length: int) -> AsyncIterator[Update]:
        """Run the passes; the time includes waiting for the device, as a remote caller would see it."""
        meter, began = Meter(), time.perf_counter()
        answer: Answer | None = None
        drafts: list[tuple[float, str]] = []
        try:
            denoiser = await self.registry.find(self.spec.model)
            began = time.perf_counter()  # opening a model is not part of an answer
            spec = replace(self.spec, prompt=prompt, suffix="", length=1)
            given = int((await self.runtime.prepared(denoiser, spec, visitor=self.visitor)).canvas.given.sum())
            spec = replace(spec, length=min(length, denoiser.card.longest - given))
            answer = Answer(await self.runtime.open(denoiser, spec, self.visitor))
            async for progress in answer.passes():
                at = time.perf_counter() - began
                meter.first = at if meter.first is None else meter.first
                if progress.text and meter.first_settled is None:
                    meter.first_settled = at
                meter.passes, meter.drafts, meter.end = progress.passes, progress.passes, at
                meter.arrive(at, len(progress.text))
                drafts.append((at, draft := answer.draft(progress)))
                yield Update(draft, len(progress.text), meter)
            meter.closed, meter.seen = (
                meter.end,
                await self.runtime.work.run(self.visitor, lambda: analyse_drafts(drafts).to_dict()),
            )
            meter.given, meter.tokens, meter.reasoning = given, len(answer.last.tokens), 0
            meter.cost, meter.cost_from = 0.0, "ours"
            yield Update(answer.last.text, len(answer.last.text), meter, done=True)
        except (InvalidRequest, ApiError) as refusal:
            meter.failed, meter.why, meter.end = "refused", str(refusal), time.perf_counter() - began
        finally:
            if answer is not None:
                answer.close()
                self.runtime.sessions.alive.pop(answer.session.id, None)
        if meter.failed:
            yield Update(answer.last.text if answer else "", 0, meter, done=True)


@dataclass(frozen=True)
class Remote:
    """A remote model."""

    card: RemoteModel
    key: Secret
    diffusing: bool = False
    effort: str = ""
    caps: Caps = field(default_factory=Caps)

    @property
    def title(self) -> str:
        return self.card.title

    @property
    def kind(self) -> str:
        return self.card.kind

    @property
    def where(self) -> str:
        return self.card.way

    def fields(self) -> dict[str, Any]:
        more = {"diffusing": self.diffusing} | ({"effort": self.effort} if self.effort else {})
        return {"title": self.title, "kind": self.kind, "where": self.where, "model": self.card.model} | more

    async def warm(self, length: int) -> None:
        """Import the client and build its types, before anything is timed."""
        # slow to import, so on a thread
        client = await asyncio.to_thread(import_module, "unmask.features.race.providers.client")
        await client.warm()

    async def run(self, prompt: str, length: int) -> AsyncIterator[Update]:
        """Send the request and give its chunks as they arrive."""
        from unmask.features.race.providers.client import (
            RemoteRequest,  # imported late: the official client is slow to import, and few visits need it
        )

        caps = Caps(min(length, self.caps.tokens), self.caps.dollars, whole=self.caps.whole)
        effort = self.effort if self.effort in self.card.efforts else ""
        call = RemoteRequest(self.card, self.key, prompt, caps, self.diffusing and self.card.diffusing, effort)
        async for piece in call.run():
            if not piece.done:
                yield Update(piece.text, piece.settled, call.meter)
        yield Update(call.text, len(call.text), call.meter, done=True)
