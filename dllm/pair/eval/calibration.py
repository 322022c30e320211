"""Whether a belief that says 90 in 100 is right 90 times in 100, by how much of a text is hidden."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unmask.belief import NOISE, random_draws
from unmask.canvas import blank
from unmask.inference import DistributionCache, infer
from unmask.models import Denoiser
from unmask.pair.eval.generate import OWN
from unmask.pair.worlds import Document
from unmask.run.state import start

BINS = 15
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def beliefs(denoiser: Denoiser, documents: Sequence[Document], hidden: float) -> tuple[NDArray[np.float64], ...]:
    """How sure each first guess is, and whether it is the word of the text; answers hidden to this share."""
    sure, right = [], []
    for at, one in enumerate(documents):
        whole = np.array(denoiser.tokenizer.encode(one.text)[: denoiser.card.longest], np.int64)
        given = min(len(denoiser.tokenizer.encode(one.prompt)), len(whole) - 1)
        cells = np.arange(given, len(whole))
        canvas = blank([whole[:given].tolist(), len(cells)])
        shown = cells[random_draws(at, 0, cells, NOISE) >= hidden]
        row = whole.copy()
        canvas = canvas.write(canvas.mask(shown.tolist()), row)
        if not canvas.open.any():
            continue
        settings = OWN.settings(denoiser.card, one.shape, len(cells)).with_changes({"temperature": 0, "block": 0})
        (belief,) = infer(denoiser, [start(canvas, settings)], [False], [DistributionCache()])
        judged = canvas.open & belief.known
        sure.append(belief.confidence[judged])
        right.append(belief.token[judged] == whole[judged])
    return np.concatenate(sure), np.concatenate(right).astype(float)


def error(sure: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Expected calibration error: the mean distance of confidence and success, bin by bin (Guo et al. 2017)."""
    places = np.minimum((sure * BINS).astype(int), BINS - 1)
    return float(
        sum(
            (places == at).mean() * abs(sure[places == at].mean() - right[places == at].mean())
            for at in range(BINS)
            if (places == at).any()
        )
    )
