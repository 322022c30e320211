"""Who races: a model of ours on the device of this host, or a rival; both are heard as the same news."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from dllm.canvas import Refused, blank
from dllm.rivals.caps import Caps
from dllm.rivals.cards import Card
from dllm.rivals.meter import Meter
from dllm.rivals.secret import Secret
from dllm.run.state import start
from dllm.serve.host import Host, chosen
from dllm.serve.served import Served
from dllm.serve.writing import Writing
from dllm.serve.wrong import Wrong
from dllm.think.decode import decode


@dataclass(frozen=True)
class Heard:
    """Where an answer stands. `settled` letters at its front will not be taken back; of rivals that is inferred."""

    text: str
    settled: int
    meter: Meter
    done: bool = False


class Entrant(Protocol):
    """One lane of a race. It never raises: its meter says what failed."""

    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def where(self) -> str:
        """`here`, or the way a rival is reached."""
        ...

    def told(self) -> dict[str, Any]:
        """What a table and a file say of it; never a key."""
        ...

    def run(self, prompt: str, length: int) -> AsyncIterator[Heard]: ...


@dataclass(frozen=True)
class Ours:
    """A model of this host."""

    host: Host
    served: Served
    model: str
    settings: dict[str, Any] = field(default_factory=dict)  # a preset and changes, as the socket understands them
    where: str = "here"

    @property
    def title(self) -> str:
        return self.model

    @property
    def kind(self) -> str:
        opened = self.host.opened.get(self.served.names.get(self.model, ""))
        return "unknown" if opened is None else "autoregressive" if opened.card.causal else "diffusion"

    def told(self) -> dict[str, Any]:
        return {"title": self.title, "kind": self.kind, "where": self.where, "model": self.model, **self.settings}

    async def warm(self, length: int) -> None:
        """Open the model and think once, so that neither is counted."""
        with suppress(Refused, Wrong):
            denoiser = await self.served.find(self.model)
            cells = blank([min(length, denoiser.card.longest)])
            settings = chosen(self.settings, denoiser, len(cells), 0)
            await self.host.device.run(lambda: next(decode(denoiser, start(cells, settings)), None))

    async def run(self, prompt: str, length: int) -> AsyncIterator[Heard]:
        """Passes on the device, with the wait for it: that is what a caller from elsewhere would see."""
        meter, began = Meter(), time.perf_counter()
        writing: Writing | None = None
        try:
            denoiser = await self.served.find(self.model)
            began = time.perf_counter()  # opening a model is not part of an answer
            given = getattr(denoiser.speller, "ask", denoiser.speller.encode)(prompt)
            room = denoiser.card.longest - len(given)
            if room < 1:
                raise Refused(f"the prompt has {len(given)} tokens and this model sees {denoiser.card.longest} cells")
            canvas = blank([part for part in (given, min(length, room)) if part != []])
            settings = chosen(self.settings, denoiser, int(canvas.open.sum()), int(self.settings.get("seed", 0)))
            writing = Writing(self.host.open(denoiser, canvas, settings, prompt, watched=False))
            async for written in writing.passes():
                at = time.perf_counter() - began
                meter.first = at if meter.first is None else meter.first
                if written.text and meter.first_settled is None:
                    meter.first_settled = at
                meter.passes, meter.drafts, meter.end = written.passes, written.passes, at
                yield Heard(writing.draft(written), len(written.text), meter)
            meter.given, meter.tokens, meter.reasoning = len(given), len(writing.last.tokens), 0
            meter.cost, meter.cost_from = 0.0, "ours"
            yield Heard(writing.last.text, len(writing.last.text), meter, done=True)
        except (Refused, Wrong) as refused:
            meter.failed, meter.why, meter.end = "refused", str(refused), time.perf_counter() - began
        finally:
            if writing is not None:
                writing.close()
                self.host.sessions.alive.pop(writing.session.id, None)
        if meter.failed:
            yield Heard(writing.last.text if writing else "", 0, meter, done=True)


@dataclass(frozen=True)
class Theirs:
    """A rival."""

    card: Card
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

    def told(self) -> dict[str, Any]:
        more = {"diffusing": self.diffusing} | ({"effort": self.effort} if self.effort else {})
        return {"title": self.title, "kind": self.kind, "where": self.where, "model": self.card.model} | more

    async def run(self, prompt: str, length: int) -> AsyncIterator[Heard]:
        """Its bytes as they come."""
        from dllm.rivals.ask import Asking  # late: the official client is slow to import, and few visits need it

        caps = Caps(min(length, self.caps.tokens), self.caps.dollars, whole=self.caps.whole)
        effort = self.effort if self.effort in self.card.efforts else ""
        asking = Asking(self.card, self.key, prompt, caps, self.diffusing and self.card.diffusing, effort)
        async for heard in asking.run():
            if not heard.done:
                yield Heard(heard.text, heard.settled, asking.meter)
        yield Heard(asking.text, len(asking.text), asking.meter, done=True)
