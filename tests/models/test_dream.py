"""DreamOn: its words of length do what its authors' loop does with them, token for token on the same weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from tests.models.forge import Forged
from unmask.canvas import Bools, Ints, blank
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput, load
from unmask.run.settings import Settings
from unmask.run.state import start

EXPAND, DELETE, PASSES = 50, 51, 40


def load_dream(forged: Callable[[str], Forged], tmp_path: Path) -> Denoiser:
    """Dream's network under DreamOn's name, with its two words."""
    folder = Path(shutil.copytree(forged("Dream-v0").folder, tmp_path / "DreamOn-v0"))
    config = json.loads((folder / "config.json").read_text())
    config |= {"expand_token_id": EXPAND, "delete_token_id": DELETE}
    (folder / "config.json").write_text(json.dumps(config))
    return load(f"dream:{folder}")


def published(denoiser: Denoiser, row: Ints, still_open: Bools, room: int, favour: float) -> list[int]:
    """`_sample` of DreamOn's generation_utils.py, written down once more: the surest cell is written; a cell that was
    open and holds `delete` goes; one that holds `expand` becomes two masks; without room `expand` cannot be said."""
    row, still_open = row.copy(), still_open.copy()
    budget = room - int(still_open.sum())
    for _ in range(PASSES):
        if not still_open.any():
            break
        cells = np.flatnonzero(still_open)
        places = np.arange(len(row))
        (logits,) = denoiser.logits([ModelInput(row, still_open, cells, places, None, int(still_open.argmax()))])
        logits = torch.from_numpy(np.array(logits))
        logits[:, list(denoiser.card.never)] = -torch.inf
        logits[:, [EXPAND, DELETE]] += favour
        if budget <= 0:
            logits[:, EXPAND] = -torch.inf
        share, token = logits.softmax(-1).max(-1)
        at = int(share.argmax())
        cell, word = int(cells[at]), int(token[at])
        if word == DELETE:
            row, still_open = np.delete(row, cell), np.delete(still_open, cell)
            budget += 1
        elif word == EXPAND:
            row, still_open = np.insert(row, cell + 1, -1), np.insert(still_open, cell + 1, True)
            budget -= 1
        else:
            row[cell], still_open[cell] = word, False
    return row.tolist()


def test_a_gap_of_a_forged_checkpoint_grows_and_shrinks_as_its_authors_loop_does(
    forged: Callable[[str], Forged], tmp_path: Path
) -> None:
    denoiser = load_dream(forged, tmp_path)
    assert denoiser.card.expand == EXPAND and denoiser.card.skips == (DELETE,)
    lengths = set()
    for favour in (0.0, 1.5, 2.5):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            canvas = blank([rng.integers(0, 40, 6).tolist(), 5, rng.integers(0, 40, 4).tolist()])
            settings = {"policy": "threshold", "options": {"tau": 1.0}, "passes": PASSES, "room": 9}
            boosts = {EXPAND: favour, DELETE: favour} if favour else {}
            state = start(canvas, Settings().with_changes(settings | {"boosts": boosts}))
            after, _ = list(decode(denoiser, state))[-1]
            assert after.canvas.tokens.tolist() == published(denoiser, canvas.tokens, canvas.open, 9, favour)
            lengths.add(int(after.canvas.answer.sum()))
    assert min(lengths) < 5 < max(lengths) <= 9
