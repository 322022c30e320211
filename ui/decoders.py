"""The page's list of decoders: grouped by how they choose, each with the order in which it fills sixteen cells.

The order is computed: the policy runs on synthetic beliefs, whose confidence grows as neighbours are written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from unmask.belief import Belief
from unmask.canvas import Canvas, blank
from unmask.decide import get_policy
from unmask.errors import InvalidRequest
from unmask.paths import ASSETS
from unmask.run.presets import Preset, preset, presets
from unmask.run.state import State, start
from unmask.run.step import step

DIAL = (
    ("careful", "llada"),
    ("weighed", "fast-dllm"),
    ("proofread", "draft-and-proofread"),
    ("bold", "llada2.1-speed"),
)
CELLS, BLOCK, MOST = 16, 4, 48  # cells, block size and most passes of a picture
ORDERS = ASSETS / "orders.json"  # precomputed pictures, written by `python -m unmask.ui.decoders`
MEASURED = ASSETS / "models" / "decoders.json"
BROKEN = 0.5  # a decoder gets a warning if a smaller share of its texts is complete
# synthetic confidence of each cell while its neighbours are open: some words are easy, some depend on others
ALONE = (0.97, 0.55, 0.3, 0.92, 0.4, 0.75, 0.35, 0.96, 0.6, 0.25, 0.9, 0.45, 0.7, 0.3, 0.94, 0.5)
# titles and sentences of `policy_metadata.GROUPS`
GROUPS = {
    "surest": ("Surest first", "A fixed number of words each look, the surest ones."),
    "sure": ("Only when sure", "As many words as the model is sure of."),
    "blocks": ("In blocks", "A stretch of the text at a time, from left to right."),
    "revises": ("Changes its mind", "What is written may be taken back."),
    "order": ("All over, or one by one", "The order has nothing to do with how sure the model is."),
    "": ("Your own", "Decoders from the folders in UNMASK_POLICIES."),
}


@dataclass(frozen=True)
class FillOrder:
    """The pass that wrote each of sixteen cells for the last time, and how often its token was changed before."""

    passes: int
    when: tuple[int, ...]  # from 1
    changes: tuple[int, ...]


def synthetic_belief(canvas: Canvas) -> Belief:
    """A synthetic belief: more confident the more neighbours are written, and wrong where the confidence is low."""
    length, origin = len(canvas), canvas.origin
    filled = (~canvas.open).astype(float)
    filled[:origin] = 0
    neighbours = np.convolve(filled, [0.5, 1, 0, 1, 0.5], "same")
    sure = np.ones(length)
    sure[origin:] = 1 - (1 - np.array(ALONE)) * 0.5 ** neighbours[origin:]
    places = np.arange(length)
    token = np.where(sure > 0.6, places, places + length)
    kept = np.where(canvas.open, 0.0, np.where(canvas.tokens == token, sure, 0.1))
    top = np.stack([token, (token + 1) % (3 * length), *[np.full(length, k) for k in (0, 1, 2)]], axis=1)
    probs = np.stack([sure, (1 - sure) / 2, *[np.zeros(length)] * 3], axis=1)
    return Belief(
        known=canvas.answer.copy(),
        token=token,
        confidence=sure,
        margin=sure - (1 - sure) / 2,
        entropy=-2 * np.log(sure),
        top_ids=top,
        top_probs=probs,
        kept=kept,
        moved=np.where(sure > 0.8, 1e-4, 0.2),
        doubt=kept,
        background=(1 + places % 5) / 50,
    )


def fill_order(chosen: Preset, **changes: Any) -> FillOrder | None:
    """The order in which a decoder fills sixteen cells; None if its policy needs more than a synthetic belief."""
    settings = chosen.over(CELLS, **changes)
    if settings.block:
        # as many blocks as in an answer of 128 cells
        settings = settings.with_changes({"block": BLOCK if settings.block <= 32 else 0})
    state: State = start(blank([[0], CELLS]), settings)
    when, changes_of, passes = np.zeros(CELLS, int), np.zeros(CELLS, int), 0
    try:
        while not state.done and passes < MOST:
            state, frame = step(state, synthetic_belief(state.canvas))
            passes += 1
            cells = frame.cells - 1
            changes_of[cells[frame.was >= 0]] += 1
            changes_of[frame.erased - 1] += 1
            when[cells] = passes
    except (InvalidRequest, IndexError, ValueError):
        return None
    return FillOrder(passes, tuple(when.tolist()), tuple(changes_of.tolist()))


def uses_schedule(name: str) -> bool:
    """Whether a drawn schedule changes what this decoder does."""
    few, many = ([1.0, 1, 1, 9], [9.0, 1, 1, 1])
    rows = [fill_order(preset(name), schedule="drawn", shares=shares, passes=8) for shares in (few, many)]
    return rows[0] != rows[1]


def uses_passes(chosen: Preset) -> bool:
    """Whether the requested number of passes changes what this decoder does."""
    return fill_order(chosen, passes=2) != fill_order(chosen, passes=CELLS)


@cache
def measured() -> Mapping[str, Mapping[str, Any]]:
    """What each decoder makes of the bundled weights, as measured by `make decoders`; empty for other weights."""
    if not MEASURED.exists():
        return {}
    found = json.loads(MEASURED.read_text(encoding="utf-8"))
    config = MEASURED.parent / "denoiser" / "config.json"
    if not config.exists() or json.loads(config.read_text())["sha256"] != found["weights"]:
        return {}
    rows: Mapping[str, Mapping[str, Any]] = found["decoders"]
    return rows


def warning(row: Mapping[str, Any]) -> str:
    """A sentence where a decoder often breaks off with the bundled weights."""
    if not row or row["whole"] >= BROKEN * row["texts"]:
        return ""
    return f"With this model {row['texts'] - row['whole']} of {row['texts']} texts broke off in the middle."


def picture_of(chosen: Preset) -> dict[str, Any]:
    """A preset's fill order as JSON values, and whether a schedule and the number of passes affect it."""
    order = fill_order(chosen)
    row = {"when": [*order.when], "changes": [*order.changes], "passes": order.passes} if order else {}
    return {"governed": uses_schedule(chosen.name), "counted": uses_passes(chosen)} | row


@cache
def cached_picture(name: str) -> dict[str, Any]:
    """The picture of a preset, precomputed or computed now."""
    rows = json.loads(ORDERS.read_text(encoding="utf-8")) if ORDERS.exists() else {}
    found: dict[str, Any] = rows.get(name) or picture_of(preset(name))
    return found


def decoders() -> list[dict[str, Any]]:
    """The groups of decoders, as JSON values for the page."""
    rows: dict[str, dict[str, Any]] = {
        key: {"group": key, "name": name, "says": says, "items": []} for key, (name, says) in GROUPS.items()
    }
    for chosen in presets().values():
        row = measured().get(chosen.name, {})
        item = {name: getattr(chosen, name) for name in ("name", "title", "plain", "origin")}
        item |= {"says": chosen.short, "warning": warning(row), "governed": cached_picture(chosen.name)["governed"]}
        item["counted"] = cached_picture(chosen.name)["counted"]
        needs = get_policy(chosen.settings["policy"]).needs
        item["needs"] = [name for name in ("verify", "shadow") if getattr(needs, name)]
        item |= {name: row[name] for name in ("looks", "right", "prompts", "low", "high", "behind") if name in row}
        if run := row.get("run") or _synthetic_run(chosen.name):
            item["run"] = run
        rows[chosen.group]["items"].append(item)
    return [row for row in rows.values() if row["items"]]


def dial() -> list[tuple[str, str]]:
    """The decoders between careful and bold, each with its word for it."""
    return [(word, name) for word, name in DIAL if name in presets()]


def _synthetic_run(name: str) -> dict[str, Any] | None:
    """A run on sixteen cells, for a decoder that was not measured."""
    picture = cached_picture(name)
    return {"looks": picture["passes"], "when": picture["when"], "back": []} if "when" in picture else None


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    pictures = {name: picture_of(chosen) for name, chosen in presets().items()}
    ORDERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pictures.items()) + "\n}\n")
