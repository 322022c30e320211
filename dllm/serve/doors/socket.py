"""The WebSocket `/ws` for live sessions: JSON messages in both directions."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.inference import ood
from unmask.live.permissions import Permission, required_permission
from unmask.live.scheduled_edits import scheduled_edits
from unmask.live.session import Session
from unmask.models import Denoiser
from unmask.run import command
from unmask.run.command import Pause, Play
from unmask.run.compare import compare_branches, list_branches
from unmask.run.fields import check_field
from unmask.run.judge import judge
from unmask.run.plan import plan_run
from unmask.run.spec import RunSpec
from unmask.serve.admission import is_local, visitor
from unmask.serve.doors.event_encoder import EventEncoder
from unmask.serve.doors.messages import Connection, encode_message, messages, numbers
from unmask.serve.doors.subscription import Subscription
from unmask.serve.doors.text_edits import edits_in_tokens
from unmask.serve.features import features
from unmask.serve.model_list import resolve_model
from unmask.serve.runtime import Runtime

BEAT = 15.0  # seconds between heartbeats
LOADING = 0.5  # seconds between progress messages while a model is opened
SIDES = 4  # most sides of one `open`
OOD_CHARS = 2000  # characters of a prompt that are checked


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
        self.runtime.answering += 1
        try:
            match row["do"]:
                case "plan":
                    await self._plan(row)
                case "history":
                    await self._history(row)
                case "familiar":
                    await self._ood_check(row)
                case "judge":
                    await self._judge(row)
                case "open":
                    await self._open(row)
                case "compare":
                    await self._compare(row)
                case "resume":
                    await self._resume(row)
                case "followers":
                    await self._followers(row)
                case "give":
                    follower = self.follower(row, Permission.OWN)
                    follower.session.rights.give(
                        check_field("str", "to", row.get("to")), Permission.parse(row.get("right"))
                    )
                    if self.runtime.keeper is not None:
                        self.runtime.keeper.rekey(follower.session)
                case "close":
                    self._leave(self.follower(row, Permission.OWN), for_good=True)
                case _ if answers := next((one for one in self.answers if one.takes(row)), None):
                    await answers.answer(row)
                case _:
                    self._command(row)
        except InvalidRequest as refused:
            await self.send({"did": "refused", "why": str(refused), "do": row["do"]} | numbers(row))
        except (TypeError, ValueError, KeyError, OverflowError) as error:
            why = f"invalid message: {type(error).__name__}"
            await self.send({"did": "refused", "why": why, "do": row["do"], "ref": row.get("ref")})
        finally:
            self.runtime.answering -= 1

    async def _open(self, row: Mapping[str, Any]) -> None:
        sides, prompt = row.get("sides") or [{"model": "denoiser"}], row.get("prompt", "")
        length = row.get("length", 96)
        if not isinstance(sides, list) or not 1 <= len(sides) <= SIDES or not all(isinstance(x, dict) for x in sides):
            raise InvalidRequest(f"open needs 1 to {SIDES} sides, each an object with a model")
        if not isinstance(prompt, str) or isinstance(length, bool) or not isinstance(length, int):
            raise InvalidRequest("prompt must be text, and length a whole number of cells")
        self.runtime.sessions.check(self.visitor, len(sides))
        pace = {k: check_field("float", k, row[k]) for k in ("slow", "pace") if k in row}
        group, ready = secrets.token_urlsafe(6), []
        for side in sides:
            spec = RunSpec.from_dict(
                {"prompt": prompt, "length": side.get("length", length), "seed": row.get("seed", 0)}
                | {"model": side.get("model", "denoiser")}
                | {"preset": side.get("preset") or "", "changes": side.get("settings") or {}}
                | {"own_from": row.get("own_from")}
            )
            denoiser = await self._model(spec.model, row)
            ready.append(
                (denoiser, spec, await self.runtime.prepared(denoiser, spec), scheduled_edits(side.get("edits", [])))
            )
        for i, (denoiser, spec, state, edits) in enumerate(ready):
            session = self.runtime.begin(denoiser, spec, state, self.visitor, group, kept=True)
            session.scheduled = edits
            extra = {"side": i, "id": row.get("id")}
            self._follow(session, Permission.OWN, extra, entropy=row.get("entropy") is True)
            if row.get("play"):
                session.send(Play(**pace))

    async def _plan(self, row: Mapping[str, Any]) -> None:
        """The settings and the plan of passes of a spec, before it runs."""
        spec = RunSpec.from_dict(row)
        denoiser = await self._model(spec.model, row)
        state = await self.runtime.prepared(denoiser, spec)
        answer = {"plan": plan_run(state).to_dict(), "settings": state.settings.to_dict()}
        await self.send({"did": "planned", "id": row.get("id")} | answer)

    async def _ood_check(self, row: Mapping[str, Any]) -> None:
        """Whether a prompt is in distribution, by one forward of the first model that has a threshold."""
        text, names = check_field("str", "prompt", row.get("prompt", "")), row.get("models")
        if not isinstance(names, list) or not 1 <= len(names) <= SIDES:
            raise InvalidRequest(f"familiar needs 1 to {SIDES} models, by name")
        answer: dict[str, Any] = {"did": "familiar", "id": row.get("id"), "prompt": text, "known": True}
        for name in names:
            denoiser = await self._model(str(name), row)
            most = ood.ood_threshold(denoiser.card)
            if most is None:
                continue
            unusual = await self.runtime.device.run(partial(ood.prompt_surprisal, denoiser, text[:OOD_CHARS]))
            if unusual is not None:
                answer |= {"known": unusual <= most, "strange": round(unusual, 2), "limit": most}
            break
        await self.send(answer)

    async def _judge(self, row: Mapping[str, Any]) -> None:
        """The strict judge's verdict on a text that continues a prompt; no facts if it is of no known kind."""
        prompt, text = (check_field("str", name, row.get(name, "")) for name in ("prompt", "text"))
        verdict = await asyncio.to_thread(judge().strict, prompt, text)
        facts = {"facts": len(verdict.facts), "hold": sum(fact.holds for fact in verdict.facts)}
        found = {"strict": verdict.strict, "faults": len(verdict.reasons), "reasons": [*verdict.reasons][:4]}
        await self.send({"did": "judged", "id": row.get("id")} | facts | found)

    async def _compare(self, row: Mapping[str, Any]) -> None:
        """The tree of branches, and the differences of two of them if they are named."""
        timeline = (session := self.follower(row).session).timeline
        message = {"did": "compare", "session": session.id, "on": timeline.on} | numbers(row)
        message["branches"] = [asdict(branch) for branch in list_branches(timeline)]
        if "one" in row or "two" in row:
            names = [check_field("str", name, row.get(name)) for name in ("one", "two")]
            found = compare_branches(*(timeline.get_head(name) for name in names))
            message |= {"one": names[0], "two": names[1], "since": found.since, "edits": found.edits}
            message |= {"changed": [[cell, since] for cell, since in found.changed.items()]}
            message |= {"only_one": found.only_first, "only_two": found.only_second}
        await self.send(message)

    async def _history(self, row: Mapping[str, Any]) -> None:
        """Send all events of the present branch; later events have higher numbers."""
        await self.send(EventEncoder(self.follower(row).session).history())

    async def _model(self, name: str, row: Mapping[str, Any]) -> Denoiser:
        """An open model; sends progress messages while it is opened."""
        what = resolve_model(name, self.at_home)
        opening = asyncio.ensure_future(self.runtime.model(what))
        while not (await asyncio.wait([opening], timeout=LOADING))[0]:
            message = {"did": "loading", "model": name, "id": row.get("id")}
            if progress := self.runtime.loader.progress(what):
                message |= {"done": progress.done, "total": progress.total, "seconds_left": progress.seconds_left}
            await self.send(message)
        return await opening

    async def _resume(self, row: Mapping[str, Any]) -> None:
        name, key = str(row.get("session")), str(row.get("key", ""))
        after = check_field("int", "after", row.get("after", 0))
        session = self.runtime.sessions.alive.get(name)
        if session is None:  # closed without viewers, or by a restart
            kept = await self.runtime.kept(name, key)
            session = await self.runtime.resume(kept, await self._model(kept.model, row), self.visitor, after)
        right = session.rights.opened_by(key)
        if old := self.followers.get(session.id):
            old.stop()
        follower = self._follow(session, right, {}, after, row.get("entropy") is True)
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

    def follower(self, row: Mapping[str, Any], right: Permission = Permission.WATCH) -> Subscription:
        name = str(row.get("session"))
        follower = self.followers.get(name) or next(filter(None, (one.follower(name) for one in self.answers)), None)
        if follower is None:
            raise InvalidRequest("this connection has no such session")
        follower.session.rights.check(follower.name, right)
        return follower

    async def _followers(self, row: Mapping[str, Any]) -> None:
        """Send the viewers of a session and their permissions, to its owner."""
        session = self.follower(row, Permission.OWN).session
        rights = {name: str(viewer.right) for name, viewer in session.rights.viewers.items()}
        await self.send({"did": "followers", "session": session.id, "rights": rights})

    def _command(self, row: Mapping[str, Any]) -> None:
        follower = self.follower(row)
        session = follower.session
        ref, at = row.get("ref"), row.get("at_moment")
        if at is not None and not isinstance(at, int):
            raise InvalidRequest("at_moment must be a whole number")
        one = command.parse_command(row) if "text" not in row else edits_in_tokens(row, session)
        for each in one if isinstance(one, tuple) else (one,):
            session.rights.check(follower.name, required_permission(each))
        session.send(one, ref if isinstance(ref, int) else None, at)

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
