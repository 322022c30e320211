"""The WebSocket `/ws` for live sessions: JSON messages in both directions."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, assert_never

from pydantic import TypeAdapter
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.live.device import Client
from unmask.live.permissions import Permission, required_permission
from unmask.live.scheduled_edits import scheduled_edits
from unmask.live.session import Session
from unmask.models import Denoiser
from unmask.run.command import Pause, Play, parse_command
from unmask.run.compare import comparison
from unmask.run.message import read
from unmask.run.plan import plan_run
from unmask.run.spec import RunSpec
from unmask.run.talk import newest_turns
from unmask.serve.admission import is_local, visitor
from unmask.serve.doors.event_encoder import EventEncoder
from unmask.serve.doors.messages import Connection, encode_message, messages, numbers
from unmask.serve.doors.requests import (
    REQUESTS,
    TEXT_EDITS,
    Address,
    Close,
    Compare,
    Followers,
    Give,
    History,
    Judge,
    Nonsense,
    OodCheck,
    Open,
    Plan,
    Request,
    Resume,
    RuleDoubt,
)
from unmask.serve.doors.subscription import Subscription
from unmask.serve.doors.text_edits import edits_in_tokens, scheduled_in_tokens
from unmask.serve.doors.text_questions import TextQuestions
from unmask.serve.features import features
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import CHARS_PER_CELL, Runtime

BEAT = 15.0  # seconds between heartbeats
HISTORIES = 2  # encoded histories that are kept for others who ask for the same
PACE = 32 << 20  # bytes of large answers that one visitor gets in a second
LOADING = 0.5  # seconds between progress messages while a model is opened


ADDRESS = TypeAdapter(Address)
Echo = Mapping[str, Any]  # the numbers of a request, returned with its answer


def routes(runtime: Runtime) -> list[BaseRoute]:
    """The route of the socket."""

    async def connect(socket: WebSocket) -> None:
        await socket.accept()
        client = socket.client.host if socket.client else ""
        await Visit(runtime, socket, visitor(socket.headers, client), is_local(socket.headers, client)).run()

    return [WebSocketRoute("/ws", connect)]


class PendingLook(NamedTuple):
    """A question that is being answered while later messages are handled."""

    row: Mapping[str, Any]
    task: asyncio.Task[None]


class Visit:
    """One connection, and the sessions that it started or resumed."""

    def __init__(
        self, runtime: Runtime, socket: WebSocket | Connection, visitor: str = "", at_home: bool = False
    ) -> None:
        self.at_home = at_home  # on this machine, so that any folder or id may be opened
        self.runtime, self.socket, self.visitor = runtime, socket, visitor
        self._texts = TextQuestions(runtime, Client("questions", visitor=visitor))  # its turns on the device
        self.followers: dict[str, Subscription] = {}
        self._fastest = float(config().messages)
        self._bucket, self._filled = self._fastest, time.monotonic()
        self._sending = asyncio.Lock()
        self._looks: dict[tuple[str, str], PendingLook] = {}
        self.answers = [one.messages(self) for one in features() if one.messages]
        self._latest = frozenset[str]().union(*(one.latest for one in self.answers))

    async def run(self) -> None:
        """Handle messages until the client leaves or sends something invalid."""
        beat = asyncio.ensure_future(self._heartbeat())
        try:
            async for row in messages(self.socket, self._in_time):
                await self._take(row)
        except (WebSocketDisconnect, RuntimeError):
            return  # the client left while something was sent
        finally:
            beat.cancel()
            for one in self.answers:
                one.gone()
            for look in self._looks.values():
                look.task.cancel()
            for follower in list(self.followers.values()):
                self._leave(follower)

    async def _take(self, row: Mapping[str, Any]) -> None:
        """Handle a message. Slow questions are answered in the background, so that a pause need not wait."""
        key = (str(row.get("session")), str(row["do"]))
        if key[1] not in self._latest or key[0] not in self.followers:
            return await self._answer(row)
        if earlier := self._looks.pop(key, None):  # a pointer that moves over cells needs only the last answer
            earlier.task.cancel()
            why = "a later question of this kind has replaced this one"
            await self.send({"did": "refused", "why": why, "do": key[1]} | numbers(earlier.row))
        look = self._looks[key] = PendingLook(row, asyncio.ensure_future(self._answer(row)))
        look.task.add_done_callback(lambda _: self._looks.pop(key) if self._looks.get(key) is look else None)

    async def _answer(self, row: Mapping[str, Any]) -> None:
        with self.runtime.answering():
            await self._dispatch(row)

    async def _dispatch(self, row: Mapping[str, Any]) -> None:
        try:
            if answers := next((one for one in self.answers if one.takes(row)), None):
                await answers.answer(row)
            elif row["do"] in REQUESTS.kinds:
                await self._request(REQUESTS.read(row), numbers(row))
            else:
                self._command(row)
        except InvalidRequest as refused:
            about = {name: value for name, value in (("field", refused.field), ("code", refused.code)) if value}
            await self.send({"did": "refused", "why": str(refused), "do": row["do"]} | about | numbers(row))
        except (TypeError, ValueError, KeyError, OverflowError, RecursionError) as error:
            why = f"invalid message: {type(error).__name__}"
            await self.send({"did": "refused", "why": why, "do": row["do"]} | numbers(row))

    async def _request(self, request: Request, echo: Echo) -> None:
        match request:
            case Open():
                await self._open(request, echo)
            case Resume():
                await self._resume(request, echo)
            case Close(session):
                self._leave(self.follower(session, Permission.OWN), for_good=True)
            case Followers(session):
                await self._followers(session)
            case Give(session, to, right):
                followed = self.follower(session, Permission.OWN).session
                followed.rights.give(to, Permission.parse(right))
                if self.runtime.keeper is not None:
                    self.runtime.keeper.rekey(followed)
            case Plan():
                await self._plan(request, echo)
            case History(session):
                await self._history(self.follower(session).session)
            case Compare():
                await self._compare(request, echo)
            case OodCheck(models, prompt):
                await self._tell(self._texts.ood_check(await self._first(models, echo), prompt), echo)
            case RuleDoubt(models, prompt, constraint):
                await self._tell(self._texts.doubt_of_rule(await self._first(models, echo), prompt, constraint), echo)
            case Nonsense(session):
                await self._tell(self._texts.nonsense(self.follower(session).session), echo)
            case Judge(prompt, text):
                await self._tell(self._texts.verdict(prompt, text), echo)
            case _:
                assert_never(request)

    async def _open(self, request: Open, echo: Echo) -> None:
        self.runtime.sessions.check(self.visitor, len(request.sides))
        if request.if_familiar:
            first = await self._first([side.model for side in request.sides], echo)
            found = await self._texts.ood_check(first, request.prompt)
            if not found["known"]:
                await self.send(found | {"id": echo.get("id")})
                return
        ready = []
        denoisers = [await self._model(side.model, echo) for side in request.sides]
        changed = {}
        if request.fit:
            given, request = request, await self._fitted(request, denoisers)
            both = ((name, getattr(request, name), getattr(given, name)) for name in ("prompt", "length"))
            changed = {name: now for name, now, before in both if now != before}
        for side, denoiser in zip(request.sides, denoisers, strict=True):
            spec = request.spec(side)
            state = await self.runtime.prepared(denoiser, spec, visitor=self.visitor)
            edits = scheduled_edits(scheduled_in_tokens(side.edits, state.canvas, denoiser.tokenizer))
            turns = await self.runtime.turn_cells(denoiser, spec, state, self.visitor)
            ready.append((denoiser, spec, state, edits, turns))
        group = secrets.token_urlsafe(6)
        for i, (denoiser, spec, state, edits, turns) in enumerate(ready):
            session = self.runtime.begin(denoiser, spec, state, self.visitor, group, kept=True, turns=turns)
            session.scheduled = edits
            extra = {"side": i, "id": echo.get("id")} | ({"fitted": changed} if changed else {})
            self._follow(session, Permission.OWN, extra, entropy=request.entropy)
            if request.play:
                session.send(Play(request.slow, request.pace))

    async def _fitted(self, request: Open, denoisers: Sequence[Denoiser]) -> Open:
        """The request with a prompt and a length for which the models have room; a prompt that is far too long is not
        even tokenized."""
        if len(request.prompt) > CHARS_PER_CELL * denoisers[0].card.longest:
            if not request.prompt_optional:
                return request  # it is refused where it is tokenized
            request = replace(request, prompt="", own_from=None)
        sizes = (CHARS_PER_CELL * denoiser.card.longest - len(request.prompt) for denoiser in denoisers)
        talks = zip(request.sides, sizes, strict=True)
        request = replace(request, sides=tuple(replace(s, talk=newest_turns(s.talk, most)) for s, most in talks))
        return await self.runtime.work.run(self.visitor, lambda: request.fitted(denoisers))

    async def _plan(self, spec: RunSpec, echo: Echo) -> None:
        """The settings and the plan of passes of a spec, before it runs."""
        denoiser = await self._model(spec.model, echo)
        state = await self.runtime.prepared(denoiser, spec, visitor=self.visitor)
        plan = await self.runtime.work.run(self.visitor, lambda: plan_run(state).to_dict())
        await self.send({"did": "planned", "id": echo.get("id"), "plan": plan, "settings": state.settings.to_dict()})

    async def _first(self, models: Iterable[str], echo: Echo) -> Denoiser:
        """The first of these models: what was measured of another says nothing about it."""
        return await self._model(next(iter(models)), echo)

    async def _tell(self, answer: Awaitable[dict[str, Any]], echo: Echo) -> None:
        await self.send(await answer | {"id": echo.get("id")})

    async def _compare(self, request: Compare, echo: Echo) -> None:
        """The tree of branches, and the differences of two of them if they are named."""
        timeline = (session := self.follower(request.session).session).timeline
        message = {"did": "compare", "session": session.id, "on": timeline.on} | dict(echo)

        def compare() -> str:
            return encode_message(message | comparison(timeline, request.one, request.two))

        await self.send_large(await self.runtime.work.run(self.visitor, compare))

    async def _history(self, session: Session) -> None:
        encode, recent = EventEncoder(session).history(), self.runtime.histories
        if (key := (session.id, session.number)) not in recent:
            working = self.runtime.work.run(self.visitor, lambda: encode_message(encode()))
            recent[key] = asyncio.ensure_future(working)
            for old in [*recent][:-HISTORIES]:
                del recent[old]
        try:
            await self.send_large(await asyncio.shield(recent[key]))
        except InvalidRequest:  # it is computed again for those who ask later
            recent.pop(key, None)
            raise

    async def _model(self, name: str, echo: Echo) -> Denoiser:
        """An open model; sends progress messages while it is opened."""
        what = resolve_model(name, self.at_home)
        opening = asyncio.ensure_future(self.runtime.model(what))
        while not (await asyncio.wait([opening], timeout=LOADING))[0]:
            message = {"did": "loading", "model": name, "id": echo.get("id")}
            if progress := self.runtime.loader.progress(what):
                message |= {"done": progress.done, "total": progress.total, "seconds_left": progress.seconds_left}
                message |= {"stage": progress.stage} if progress.stage else {}
            await self.send(message)
        return await opening

    async def _resume(self, request: Resume, echo: Echo) -> None:
        name, key, after = request.session, request.key, request.after
        session = self.runtime.sessions.alive.get(name)
        if session is None:  # closed without viewers, or by a restart
            kept = await self.runtime.kept(name, key)
            session = await self.runtime.resume(kept, await self._model(kept.model, echo), self.visitor, after)
        right = session.rights.opened_by(key)
        if old := self.followers.get(session.id):
            old.stop()
        follower = self._follow(session, right, {}, after, request.entropy)
        await self.send(follower.allowed())
        if session.interrupted and right >= Permission.STEER:
            session.interrupted = False
            session.send(Play())

    def _follow(
        self, session: Session, right: Permission, extra: Mapping[str, Any], after: int = 0, entropy: bool = False
    ) -> Subscription:
        follower = Subscription(self, session, right, extra).listen(after, entropy)
        self.followers[session.id] = follower
        return follower

    def follower(self, session: str, right: Permission = Permission.WATCH) -> Subscription:
        """This connection's subscription to a session, if it has this right."""
        follower = self.followers.get(session) or next(
            filter(None, (one.follower(session) for one in self.answers)), None
        )
        if follower is None:
            raise InvalidRequest("this connection has no such session", "session")
        follower.session.rights.check(follower.name, right)
        return follower

    async def _followers(self, name: str) -> None:
        """Send the viewers of a session and their permissions, to its owner."""
        session = self.follower(name, Permission.OWN).session
        rights = {name: str(viewer.right) for name, viewer in session.rights.viewers.items()}
        await self.send({"did": "followers", "session": session.id, "rights": rights})

    def _command(self, row: Mapping[str, Any]) -> None:
        address = read(ADDRESS, row, str(row["do"]))
        follower = self.follower(address.session)
        session = follower.session
        one = edits_in_tokens(TEXT_EDITS.read(row), session) if "text" in row else parse_command(row)
        for each in one if isinstance(one, tuple) else (one,):
            session.rights.check(follower.name, required_permission(each))
        ref = row.get("ref")
        session.send(one, ref if isinstance(ref, int) else None, address.at_moment, address.keep)

    def _leave(self, follower: Subscription, for_good: bool = False) -> None:
        """Stop following a session. Without viewers it pauses, and is kept for a while in case one returns."""
        follower.stop()
        self.followers.pop(follower.session.id, None)
        if for_good:
            self.runtime.sessions.close(follower.session)
            if self.runtime.keeper is not None:
                self.runtime.keeper.forget(follower.session.id)
        elif not follower.session.subscribers:
            follower.session.interrupted = follower.session.playing
            with suppress(InvalidRequest):
                follower.session.send(Pause())

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            await self.send({"did": "beat"})

    async def send_large(self, text: str) -> None:
        """Send a text that may be large, when no other such text is being sent to this visitor."""
        async with self.runtime.sending(self.visitor):
            await self.send_text(text)
            await asyncio.sleep(len(text) / PACE)

    async def send(self, row: Mapping[str, Any]) -> None:
        await self.send_text(encode_message(row))

    async def send_text(self, text: str) -> None:
        async with self._sending:
            await self.socket.send_text(text)

    def _in_time(self) -> bool:
        now = time.monotonic()
        self._bucket = min(self._fastest, self._bucket + (now - self._filled) * self._fastest) - 1
        self._filled = now
        return self._bucket >= 0
