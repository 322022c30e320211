"""Answers the questions of the lenses on a connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.features.lenses.lenses import LENSES
from unmask.live.permissions import Permission
from unmask.serve.doors.messages import numbers
from unmask.serve.features import Answers


class LensAnswers(Answers):
    """Of each kind of question the last one is answered: a person points at one cell after another."""

    kinds = latest = frozenset(LENSES)

    async def answer(self, row: Mapping[str, Any]) -> None:
        """A lens takes time of the device, so it is for those who may steer."""
        session = self.visit.follower(row, Permission.STEER).session
        found = await LENSES[row["do"]](session, row)
        await self.visit.send(found | {"session": session.id} | numbers(row))
