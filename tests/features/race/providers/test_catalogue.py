"""Prices are refreshed from a gateway's list when it can be reached, and stay as they were when not."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.features.race.providers.scripted import head, rival
from unmask.features.race.providers import cards as cards_file
from unmask.features.race.providers import catalogue
from unmask.features.race.providers.cards import cards, shipped

LIST = {
    "data": [
        {"id": "inception/mercury-2", "pricing": {"prompt": "0.0000003", "completion": "0.0000009"}},
        {"id": "openai/gpt-5-mini", "pricing": {"prompt": "free", "completion": None}},
        {"id": 7},
        "nonsense",
    ]
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for module in (catalogue, cards_file):
        monkeypatch.setattr(module, "lists_file", lambda: tmp_path / "catalogue.json")
    cards.cache_clear()
    yield tmp_path / "catalogue.json"
    cards.cache_clear()


async def test_a_list_brings_new_prices_with_their_date_and_source(place: Path) -> None:
    async with rival([(0, head("application/json")), (0, json.dumps(LIST).encode())]) as to:
        report = await catalogue.refresh(frozenset({to.origin}), {"openrouter": f"{to.origin}/models"})
    assert report == {"openrouter": "3 models"} or report == {"openrouter": "2 models"}
    fresh, before = cards()["mercury-2 openrouter"], shipped()["mercury-2 openrouter"]
    assert fresh.price and (fresh.price.input, fresh.price.output) == (0.3, 0.9) and before.price != fresh.price
    assert fresh.price.source == catalogue.LISTS["openrouter"] and len(fresh.price.date) == 10
    assert cards()["gpt-5-mini openrouter"].price == shipped()["gpt-5-mini openrouter"].price  # no usable price
    assert not cards()["mercury openrouter"].confirmed  # the list does not have it
    assert cards()["mercury-2 vercel"] == shipped()["mercury-2 vercel"]  # another list


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": 7}', b""])
async def test_a_list_that_is_none_changes_nothing(place: Path, body: bytes) -> None:
    async with rival([(0, head("application/json")), (0, body)]) as to:
        await catalogue.refresh(frozenset({to.origin}), {"openrouter": f"{to.origin}/models"})
    assert all(cards()[n].price == shipped()[n].price for n in shipped())


async def test_out_of_reach_is_said_and_nothing_is_lost(place: Path) -> None:
    report = await catalogue.refresh(frozenset(), {"openrouter": "https://no-such-name.invalid/models"})
    assert "is kept" in report["openrouter"] and not place.exists() and cards() == shipped()
