"""What ships fits together: the weights, their card, and the traces recorded with them."""

import json
from pathlib import Path

import pytest

from unmask.run.trace import load

ASSETS = Path(__file__).parents[1] / "assets"
MODELS = ASSETS / "models"


@pytest.mark.parametrize("file", sorted((ASSETS / "traces").glob("*.trace.jsonl")), ids=lambda f: f.name)
def test_a_recorded_view_was_made_with_the_weights_that_ship(file: Path) -> None:
    trace = load(file)
    kind = "twin" if trace.first.about["causal"] else "denoiser"
    shipped = json.loads((MODELS / kind / "config.json").read_text())["sha256"]
    assert trace.first.about["model"]["weights"] == shipped, "make traces"


def test_the_page_opens_with_a_pair_of_one_prompt() -> None:
    heads = [load(f).first.about for f in (ASSETS / "traces").glob("*.trace.jsonl")]
    prompts = [{h["prompt"] for h in heads if h["causal"] is kind} for kind in (False, True)]
    assert prompts[0] & prompts[1]


def test_weights_are_few_and_small() -> None:
    shards = [f for f in MODELS.rglob("*") if f.is_file()]
    assert all(f.stat().st_size < 10_000_000 for f in shards)
    assert sum(f.stat().st_size for f in shards) < 70_000_000


@pytest.mark.parametrize("kind", ["denoiser", "twin"])
def test_the_card_names_the_weights_it_speaks_of(kind: str) -> None:
    digest = json.loads((MODELS / kind / "config.json").read_text())["sha256"]
    assert digest[:16] in (MODELS / "card.md").read_text()


def test_attributions_stand_beside_the_weights() -> None:
    notice = (MODELS / "NOTICE").read_text()
    assert "TinyStories" in notice and "CDLA-Sharing-1.0" in notice
