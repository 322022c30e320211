"""The shelf's door: what small models there are, for whom, and what is said where one cannot come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from unmask import config
from unmask.features.downloads import routes as door
from unmask.models.hub import known_checkpoints, layer_timing
from unmask.serve.runtime import Runtime

NAME = "dllm-hub/Qwen3-0.6B-diffusion-mdlm-v0.1"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """At this machine itself, without a network and with an empty cache."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(layer_timing, "forward_seconds", lambda *_: 0.5)
    runtime = Runtime()
    with TestClient(Starlette(routes=door.routes(runtime)), client=("127.0.0.1", 1)) as made:
        made.runtime = runtime  # type: ignore[attr-defined]
        yield made
        made.portal.call(runtime.close)


def book(row: dict[str, Any], name: str = NAME) -> dict[str, Any]:
    return next(item for item in row["items"] if item["name"] == name)


def test_the_shelf_says_what_a_press_costs_and_brings(client: Any) -> None:
    row = client.get("/shelf?all=1").json()
    assert row["owner"] and len(row["items"]) == len(known_checkpoints.small_checkpoints()) >= 7
    assert row["machine"]["cores"] and row["machine"]["disk"] > 0
    for _ in range(2_000):
        if all(item["seconds"] == 0.5 for item in row["items"]):
            break
        row = client.get("/shelf?all=1").json()
    assert [item["wanted"] for item in row["items"] if item["wanted"]] == ["code", "smallest", "best"]
    for item in row["items"]:
        assert item["good"] and item["asks"] and item["licence"] and item["seconds"] == 0.5
        assert item["state"] == "closed" and item["disk"] > item["download"] and item["stored"] == 0
        assert 0.1e9 < item["download"] < 4e9 and item["need"] > item["download"] / 2
    assert not book(row)["here"] and book(row)["billions"] == 0.6
    twin = book(row)["twin"]
    assert twin["name"] == "causal:Qwen/Qwen3-0.6B" and not twin["here"] and twin["state"] == "closed"


def test_without_a_network_it_says_so_in_a_sentence(client: Any) -> None:
    row = book(client.post("/shelf", json={"model": NAME, "do": "open"}).json())
    for _ in range(2_000):
        if row["state"] != "coming":
            break
        row = book(client.get("/shelf").json())
    assert row["state"] == "failed"
    assert row["why"] == f"no network, and '{NAME}' is not in the cache; it holds nothing"


@pytest.mark.parametrize("option", [{}, {"model": NAME}, {"model": NAME, "do": "sell"}, {"model": "no", "do": "open"}])
def test_an_option_that_is_none_is_a_sentence(client: Any, option: dict[str, str]) -> None:
    answer = client.post("/shelf", json=option)
    assert answer.status_code == 400 and answer.json()["why"]


def test_what_has_come_of_a_model_is_counted_and_deleted(client: Any, tmp_path: Path) -> None:
    part = tmp_path / "models--dllm-hub--Qwen3-0.6B-diffusion-mdlm-v0.1" / "blobs" / "aa.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"0" * 1000)
    assert book(client.get("/shelf").json())["stored"] == 1000
    assert book(client.post("/shelf", json={"model": NAME, "do": "delete"}).json())["stored"] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_a_run_uses_is_not_deleted(client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from unmask.live.loader import Loader
    from unmask.models.toy import Toy

    (tmp_path / "models--dllm-hub--Qwen3-0.6B-diffusion-mdlm-v0.1").mkdir()
    monkeypatch.setattr(Loader, "loaded", {NAME: Toy()})
    monkeypatch.setattr(client.runtime.loader, "used", lambda _: True)
    answer = client.post("/shelf", json={"model": NAME, "do": "delete"})
    assert answer.status_code == 409 and "a run uses it" in answer.json()["why"]
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_not_open_cannot_be_closed(client: Any) -> None:
    answer = client.post("/shelf", json={"model": NAME, "do": "close"})
    assert answer.status_code == 409 and "is not open" in answer.json()["why"]


def test_a_visitor_has_what_the_owner_offers_and_ends_nothing(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from unmask.serve import model_list, served_models

    away = {"x-forwarded-for": "203.0.113.5"}
    assert client.get("/shelf", headers=away).json() == {"items": [], "owner": False}
    assert client.post("/shelf", json={"model": NAME, "do": "open"}, headers=away).status_code == 400
    offered = config.parse_environment({"UNMASK_MODELS": f"toy {NAME}"})
    monkeypatch.setattr(served_models, "config", lambda: offered)
    monkeypatch.setattr(model_list, "config", lambda: offered)
    row = client.get("/shelf", headers=away).json()
    assert [item["name"] for item in row["items"]] == [NAME] and not row["owner"]
    assert client.post("/shelf", json={"model": NAME, "do": "cancel"}, headers=away).status_code == 403
    assert client.post("/shelf", json={"model": NAME, "do": "close"}, headers=away).status_code == 403
    assert client.post("/shelf", json={"model": NAME, "do": "delete"}, headers=away).status_code == 403
