"""A clock that a scripted rival shares with the client that measures it."""

import pytest

from tests.features.race.providers.scripted import Clock
from unmask.features.race.providers import client, transport


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (client, transport):
        monkeypatch.setattr(module, "time", made)
    return made
