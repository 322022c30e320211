"""Another decoder on the page, and the first one again: the same run; the other side does not notice."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.contract.recorder import needs_node
from unmask.canvas import Card
from unmask.models import load
from unmask.run.command import Tune
from unmask.run.edit import apply, resolve_preset
from unmask.run.presets import presets
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.serve.doors.requests import Open
from unmask.ui.page import page

SCRIPT = Path(__file__).with_name("decoders.js")
SET = {"temperature": 0.4, "end": "forbid", "end_after": 40, "proofread.tau": 0.5, "block": 16}  # by a person


@cache
def stage() -> dict[str, Any]:
    """What the page gives to its stage."""
    templates = [part["props"].get("html_template") or "" for part in page().config["components"]]
    (tag,) = (text for text in templates if text.startswith("<unmask-stage"))
    return {name: json.loads(unescape(value)) for name, value in re.findall(r' data-(\w+)="([^"]*)"', tag)}


@cache
def card(model: str) -> Card:
    return load(model).card


def sent(folder: Path, by_a_person: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The page's requests, by the decoder that was chosen meanwhile."""
    (folder / "page.json").write_text(json.dumps(stage() | {"set": by_a_person}))
    done = subprocess.run(["node", SCRIPT, folder / "page.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


def settings(request: dict[str, Any], side: int) -> Settings:
    """What the engine makes of one side of a request."""
    row = {name: value for name, value in request.items() if name not in ("do", "id")}
    message: Open = TypeAdapter(Open).validate_python(row)
    spec = message.spec(message.sides[side])
    return spec.settings(card(spec.model), spec.length)


@needs_node
@pytest.mark.parametrize("by_a_person", [{}, SET], ids=["as the page opens", "with numbers of one's own"])
def test_another_decoder_and_back_is_the_first_run_and_never_another_twin(
    tmp_path: Path, by_a_person: dict[str, Any]
) -> None:
    """One step of the dial and back took 19 looks instead of 11, and the twin 112 instead of 72: the decoder's bare
    values lost that a text may end. Dream's temperature went to the twin as well."""
    found = sent(tmp_path, by_a_person)
    assert found.keys() == presets().keys()
    for name, row in found.items():
        assert row["back"] == row["first"], name
        assert settings(row["there"], 1) == settings(row["first"], 1), name
        assert row["there"]["sides"][1] == row["first"]["sides"][1], name
        assert row["tunes"][1] == {"changes": {}}, name  # while a run goes
        kept = {key: by_a_person[key] for key in ("temperature", "end", "end_after") if key in by_a_person}
        if row["there"]["sides"][0]["preset"] != row["first"]["sides"][0]["preset"]:
            alone = RunSpec(length=112, preset=name, changes=kept)
            assert settings(row["there"], 0) == alone.settings(card("denoiser"), 112), name


@needs_node
def test_a_switch_between_any_two_decoders_is_exactly_the_other_one(tmp_path: Path) -> None:
    found, model = sent(tmp_path, {}), load("denoiser")
    opened = {name: settings(row["there"], 0) for name, row in found.items()}
    state = RunSpec("Story: ", "denoiser", 112).start(model.card, model.tokenizer)
    for name, row in found.items():
        assert row["onward"].keys() == found.keys() - {name}
        for other, tune in row["onward"].items():
            before = replace(state, settings=opened[name])
            after = apply(before, resolve_preset(before, Tune(**tune), model.card), model.card.words)
            assert after.settings == replace(opened[other], noise=after.settings.noise), (name, other)


@needs_node
def test_a_control_sends_its_value_alone(tmp_path: Path) -> None:
    """The page sent every control's value, and with it what only fits the slider."""
    row = sent(tmp_path, {"temperature": 0.4})["llada"]
    assert row["first"]["sides"][1]["settings"].get("temperature") == 0.4
    assert "passes" not in row["there"]["sides"][0]["settings"]
