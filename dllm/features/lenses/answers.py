"""Answers the lenses' messages on a WebSocket connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.features.lenses.lenses import LENSES
from unmask.live.permissions import Permission
from unmask.serve.doors.messages import numbers
from unmask.serve.features import Answers


class LensAnswers(Answers):
    """Answers only the last question of each kind: a pointer that moves over the cells asks about each."""

    kinds = latest = frozenset(LENSES)

    async def answer(self, row: Mapping[str, Any]) -> None:
        """A lens uses the device, so it needs the right to steer."""
        session = self.visit.follower(row, Permission.STEER).session
        found = await LENSES[row["do"]](session, row)
        await self.visit.send(found | {"session": session.id} | numbers(row))
