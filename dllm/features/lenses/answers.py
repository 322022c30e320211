"""Answers the lenses' messages on a WebSocket connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.features.lenses.lenses import answer
from unmask.features.lenses.requests import QUESTIONS
from unmask.live.permissions import Permission
from unmask.serve.doors.messages import numbers
from unmask.serve.features import Answers


class LensAnswers(Answers):
    """Answers only the last question of each kind: a pointer that moves over the cells asks about each."""

    kinds = latest = frozenset(QUESTIONS.kinds)

    async def answer(self, row: Mapping[str, Any]) -> None:
        """A lens uses the device, so it needs the right to steer."""
        question = QUESTIONS.read(row)
        session = self.visit.follower(question.session, Permission.STEER).session
        await self.visit.send(await answer(session, question) | {"session": session.id} | numbers(row))
