"""A clock that a scripted rival shares with the client that measures it."""

import pytest

from dllm.rivals import client, transport
from tests.rivals.scripted import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (client, transport):
        monkeypatch.setattr(module, "time", made)
    return made
