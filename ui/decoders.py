"""The page's list of decoders: grouped by how they choose, each with the order in which it fills sixteen cells.

The order is computed: the policy runs on synthetic beliefs, whose confidence grows as neighbours are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ui.elements import ASSETS
from unmask.belief import Belief
from unmask.canvas import Canvas, blank
from unmask.decide import get_policy
from unmask.errors import InvalidRequest
from unmask.run.presets import Preset, preset, presets
from unmask.run.state import State, start
from unmask.run.step import step

CELLS, BLOCK, MOST = 16, 4, 48  # cells, block size and most passes of a picture
ORDERS = ASSETS / "orders.json"  # precomputed pictures, written by `python -m ui.decoders`
WARNINGS = ASSETS / "models" / "decoders.json"
BROKEN = 0.5  # a decoder gets a warning if a smaller share of its texts is complete
# synthetic confidence of each cell while its neighbours are open: some words are easy, some depend on others
ALONE = (0.97, 0.55, 0.3, 0.92, 0.4, 0.75, 0.35, 0.96, 0.6, 0.25, 0.9, 0.45, 0.7, 0.3, 0.94, 0.5)
GROUPS = (
    ("Surest first", "A fixed number of words each pass, the surest ones."),
    ("Only when sure", "As many words as the model is sure of."),
    ("In blocks", "A stretch of the text at a time, from left to right."),
    ("Changes its mind", "What is written may be taken back."),
    ("All over, or one by one", "The order has nothing to do with how sure the model is."),
)
GROUP_OF = {
    "confidence": 0, "entropy": 0, "margin": 0, "position": 0,
    "threshold": 1, "entropy_bound": 1, "factor": 1, "stable": 1, "near_entropy": 1, "local_leap": 1,
    "block_threshold": 2, "leading_threshold": 2,
    "random": 4, "ancestral": 4, "left_to_right": 4, "dilated": 4, "self_speculate": 4,
}  # fmt: skip


# descriptions for the page; a preset's own description is written for researchers
SAYS = {
    "dream": "One word a pass, anywhere in the text: where the model wavers least.",
    "dream-margin": "One word a pass: where its first guess leads its second by most.",
    "llada": "One word a pass, the surest, in blocks of 32.",
    "pc-sampler": "One word a pass: rather at the front, and rare words before common ones.",
    "eb-sampler": "As many words as stay within a small budget of uncertainty.",
    "fast-dllm": "Every word it is sure enough of, in blocks of 32.",
    "fast-dllm-factor": "Several words a pass: the surer they are, the more of them.",
    "klass": "Words that are sure and whose guess has stopped changing; otherwise one.",
    "wedlm": "Within 16 cells, every word it hardly wavers about; near ones sooner.",
    "local-leap": "Every word it is 90 % sure of, and beside those also words it is 75 % sure of.",
    "llada2": "Blocks of 32, as if nothing came after; in each, every word it is 95 % sure of.",
    "fast-dllm-v2": "Blocks of 32, eight cells at a time: the first word alone, then all that are sure.",
    "diffusion-gemma": "Begins with random words, keeps what is certain, and draws the rest again.",
    "llada2.1": "Writes what it is 70 % sure of, and goes on correcting what it wrote.",
    "llada2.1-speed": "Writes what it is 50 % sure of, and corrects each word that it would now write otherwise.",
    "p2": "Looks at the whole text in every pass and takes the least sure words back.",
    "remdm": "Fills cells at random and takes some of them back at random.",
    "saber": "Writes what is surer than usual so far, and takes back what has become doubtful.",
    "wino": "Writes boldly; a second look that cannot see a word decides whether it stays.",
    "autoregressive": "One word a pass, from left to right, as most language models do.",
    "dus": "Cells far apart first, then those half way between.",
    "draft-and-proofread": "Drafts boldly; then its twin reads from the left, and what is wrong is mended.",
    "draft-and-verify": "Drafts twelve words at once and keeps those that reading from the left confirms.",
    "llada-random": "One word a pass, anywhere, in blocks of 32.",
    "mdlm": "Cells are filled at random, and words are drawn by chance.",
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


def group(chosen: Preset) -> int:
    """The index of a preset's group in the list."""
    policy = get_policy(str(chosen.settings["policy"]))
    if policy.revises and policy.name != "self_speculate":
        return 3
    if (
        policy.name in ("confidence", "threshold")
        and chosen.settings.get("block")
        and chosen.settings.get("sight") == "block"
    ):
        return 2
    return GROUP_OF.get(policy.name, 1)


@cache
def warnings() -> Mapping[str, str]:
    """A warning for each decoder that often breaks off with the bundled weights, as measured by `make decoders`."""
    if not WARNINGS.exists():
        return {}
    found = json.loads(WARNINGS.read_text(encoding="utf-8"))
    rows: Mapping[str, Mapping[str, int]] = found["decoders"]
    config = WARNINGS.parent / "denoiser" / "config.json"
    if not config.exists() or json.loads(config.read_text())["sha256"] != found["weights"]:
        return {}  # measured with other weights
    return {
        name: f"With this model {row['texts'] - row['whole']} of {row['texts']} texts broke off in the middle."
        for name, row in rows.items()
        if row["whole"] < BROKEN * row["texts"]
    }


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
    rows: list[dict[str, Any]] = [{"name": name, "says": says, "items": []} for name, says in GROUPS]
    for chosen in presets().values():
        says = SAYS.get(chosen.name, chosen.says)
        item = {"name": chosen.name, "title": chosen.title, "says": says, "origin": chosen.origin}
        item |= {"warning": warnings().get(chosen.name, "")} | cached_picture(chosen.name)
        rows[group(chosen)]["items"].append(item)
    return [row for row in rows if row["items"]]


if __name__ == "__main__":
    pictures = {name: picture_of(chosen) for name, chosen in presets().items()}
    ORDERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pictures.items()) + "\n}\n")
