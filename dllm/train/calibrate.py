"""How warm a denoiser's confidence must be read to be true: one temperature for each share of cells that is hidden.

Training that makes right answers sure makes wrong ones sure too, most where nothing is written yet. Fitted on texts
that are neither trained on nor examined; `python -m dllm.train.calibrate FOLDER ROWS` writes it into config.json.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dllm.models.transformer import Transformer
from dllm.train.data import Rows, load
from dllm.train.ship import unpacked

SHARES = tuple(step / 5 for step in range(1, 6))  # equal steps, as the card counts them
BINS = 15


@dataclass(frozen=True)
class Calibration:
    share: float  # of the answer's cells that is hidden
    temperature: float
    before: float  # expected calibration error without it
    after: float


def calibrated(network: Transformer, rows: Rows, mask: int, seed: int = 0) -> list[Calibration]:
    """A temperature for each share, and what it does to the calibration error on the other half of the rows."""
    found = []
    for share in SHARES:
        logits, target = _guessed(network, rows, mask, share, seed)
        half = len(target) // 2
        heat = fitted(logits[:half], target[:half])
        before, after = (error(logits[half:] / t, target[half:]) for t in (1.0, heat))
        found.append(Calibration(share, round(heat, 3), round(before, 4), round(after, 4)))
    return found


def fitted(logits: Tensor, target: Tensor) -> float:
    """The temperature under which these answers are likeliest, by golden section."""
    low, high, golden = 0.25, 4.0, 0.618
    for _ in range(24):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if F.cross_entropy(logits / a, target) < F.cross_entropy(logits / b, target):
            high = b
        else:
            low = a
    return (low + high) / 2


def error(logits: Tensor, target: Tensor) -> float:
    """How far confidence lies from being right, over bins of confidence (expected calibration error)."""
    sure, guess = logits.softmax(-1).max(-1)
    right = (guess == target).float()
    place = (sure * BINS).long().clamp(max=BINS - 1)
    gaps = torch.zeros(BINS).index_add(0, place, right - sure)
    return float(gaps.abs().sum() / len(target))


@torch.inference_mode()
def _guessed(network: Transformer, rows: Rows, mask: int, share: float, seed: int) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng([seed, int(1000 * share)])
    truth = rows.ids.astype(np.int64)
    hidden = (rng.random(truth.shape) < share) & ~rows.prompt
    logits, wanted = [], []
    for row, open_cells in zip(truth, hidden, strict=True):
        if open_cells.any():
            ids = torch.from_numpy(np.where(open_cells, mask, row))[None]
            cells = network.read(ids)[0][0][torch.from_numpy(open_cells)]
            logits.append(network.speak(cells).float())
            wanted.append(torch.from_numpy(row[open_cells]))
    return torch.cat(logits), torch.cat(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m dllm.train.calibrate", description=__doc__)
    parser.add_argument("model", type=Path, help="a folder with weights and config.json")
    parser.add_argument("rows", type=Path, help="rows neither trained on nor examined, as training writes them")
    args = parser.parse_args()
    config = json.loads((args.model / "config.json").read_text())
    rows = load(args.rows)
    found = calibrated(unpacked(args.model), rows[min(rows)], config["mask_id"])
    for one in found:
        print(f"hidden {one.share:.0%}: temperature {one.temperature}, error {one.before:.3f} -> {one.after:.3f}")
    # with nothing hidden nothing is asked: the card's first step is the next one's
    config["calibration"] = [one.temperature for one in (found[0], *found)]
    (args.model / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    main()
