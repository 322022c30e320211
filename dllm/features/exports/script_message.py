"""Answers the message `script` with the current branch of a run as a Python script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unmask.features.exports.python_script import script
from unmask.run.message import Messages, Text
from unmask.serve.doors.messages import encode_message, numbers
from unmask.serve.features import Answers


@dataclass(frozen=True)
class Script:
    """The current branch as a Python script that repeats it; answered by `script`."""

    session: Text


SCRIPTS: Messages[Script] = Messages((Script,), noun="request")


class ScriptAnswers(Answers):
    """The script of a run that the connection follows."""

    kinds = frozenset(SCRIPTS.kinds)

    async def answer(self, row: Mapping[str, Any]) -> None:
        session = self.visit.follower(SCRIPTS.read(row).session).session
        opened = self.visit.runtime.loader.loaded.items()
        name = next((n for n, one in opened if one is session.denoiser), session.denoiser.card.name)
        timeline, visit = session.timeline, self.visit
        text = await visit.runtime.work.run(visit.visitor, lambda: script(timeline, name))
        message = {"did": "script", "session": session.id, "text": text} | numbers(row)
        await visit.send_large(encode_message(message))
