"""Answers requests for previews: one at a time for each connection."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from starlette.websockets import WebSocketDisconnect

from unmask.errors import InvalidRequest, ModelError, OutOfMemory
from unmask.features.previews.requests import PREVIEWS, Preview
from unmask.live.permissions import Permission
from unmask.live.preview import Preview as Run
from unmask.live.scheduled_edits import scheduled_edits
from unmask.run.codec import canvas_to_dict
from unmask.run.command import EDITS
from unmask.run.timeline import Node, new_timeline
from unmask.serve.doors.messages import numbers
from unmask.serve.doors.requests import REQUESTS, Open
from unmask.serve.doors.text_edits import scheduled_in_tokens
from unmask.serve.features import Answers, Visit
from unmask.serve.model_list import resolve_model
from unmask.serve.sessions import FULL

log = logging.getLogger(__name__)
OTHER = "the recording was made by other weights than this server has"
FAILED = "nothing could be computed ahead; the log of this server says more"


class PreviewAnswers(Answers):
    """The preview that a connection waits for; its next one ends it."""

    kinds = frozenset(PREVIEWS.kinds)

    def __init__(self, visit: Visit) -> None:
        super().__init__(visit)
        self._task: asyncio.Task[None] | None = None

    async def answer(self, row: Mapping[str, Any]) -> None:
        self.gone()
        wanted = PREVIEWS.read(row)
        if wanted.edits:
            self._task = asyncio.ensure_future(self._answer(wanted, numbers(row)))

    def gone(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _answer(self, wanted: Preview, echo: Mapping[str, Any]) -> None:
        """Send what is foreseen after each pass, or why nothing is."""
        with suppress(WebSocketDisconnect, RuntimeError):
            try:
                await self._foresee(wanted, echo)
            except (InvalidRequest, ModelError, OutOfMemory) as refused:
                await self._refuse(str(refused), echo)
            except (TypeError, ValueError, KeyError) as error:
                await self._refuse(f"invalid message: {type(error).__name__}", echo)
            except Exception:  # of a model's or policy's code
                log.exception("a preview failed")
                await self._refuse(FAILED, echo)

    async def _refuse(self, why: str, echo: Mapping[str, Any]) -> None:
        await self.visit.send({"did": "refused", "why": why, "do": "preview"} | dict(echo))

    async def _foresee(self, wanted: Preview, echo: Mapping[str, Any]) -> None:
        if reason := self.visit.runtime.not_ready_reason:
            self.visit.runtime.device.foreseen.clear()
            raise InvalidRequest(FULL if reason != "stopping" else reason)
        edits = tuple(EDITS.read(row) for row in wanted.edits)
        if wanted.open:
            run, head = await self._recorded(wanted)
        else:
            session = self.visit.follower(wanted.session, Permission.STEER).session
            run = Run(session.denoiser, session.device, session.client.visitor, session.client.group, session.watched)
            head = session.head
        try:
            node = head if wanted.at == -1 else head.ancestor(wanted.at)
            node = await run.edited(node, edits, head if wanted.keep else node)
            passes = 0
            while nodes := await run.next(node):
                passes, node = passes + 1, nodes[-1]
                await self.visit.send(previewed(run, nodes) | {"passes": passes} | dict(echo))
            if not passes:
                await self.visit.send(previewed(run, [node]) | {"passes": 0} | dict(echo))
        finally:
            run.close()

    async def _recorded(self, wanted: Preview) -> tuple[Run, Node]:
        """A run that is not here, at the moment of the edits or of its own last edit: its passes are made again."""
        runtime, visitor = self.visit.runtime, self.visit.visitor or f"preview {id(self)}"
        opened = REQUESTS.read({"do": "open"} | dict(wanted.open))
        assert isinstance(opened, Open)
        side = opened.sides[0]
        denoiser = await runtime.model(resolve_model(side.model, self.visit.at_home))
        if wanted.weights and denoiser.card.weights != wanted.weights:
            raise InvalidRequest(OTHER, "weights")
        state = await runtime.prepared(denoiser, opened.spec(side), visitor=visitor)
        edits = scheduled_edits(scheduled_in_tokens(side.edits, state.canvas, denoiser.tokenizer))
        last = max([wanted.at, *(moment for moment, _ in side.edits if wanted.keep)])
        run = Run(denoiser, runtime.device_for(denoiser), visitor)
        try:
            return run, await run.reach(new_timeline(denoiser.card, state).head, last, edits)
        except BaseException:
            run.close()
            raise


def previewed(run: Run, nodes: list[Node]) -> dict[str, Any]:
    """What is foreseen after a pass: the canvas, and the guess of each open cell."""
    node, frame = nodes[-1], nodes[0].frame
    canvas, guess = node.canvas, np.full(len(node.canvas), -1)
    if frame is not None:
        assert nodes[0].parent is not None
        before = nodes[0].parent.canvas.ids  # a frame is about the cells before its pass
        _, here, there = np.intersect1d(canvas.ids, before, return_indices=True)
        guess[here] = np.where(canvas.open[here], frame.guess[there], -1)
    shown = {*canvas.tokens.tolist(), *guess.tolist()} - {-1}
    display = run.denoiser.tokenizer.display_piece
    pieces = {str(token): display(token) for token in sorted(shown)}
    row = {"did": "previewed", "canvas": canvas_to_dict(canvas), "guess": guess.tolist(), "done": node.state.done}
    return row | {"open": int(canvas.open.sum()), "pieces": pieces}
