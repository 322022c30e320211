"""Which words of a draft are opened: those that the model doubts most, or random ones.

A visible word vouches for itself, so the model is asked for each word's probability where it cannot see that word
(`Needs.shadow`): one forward for the whole text."""

from __future__ import annotations

import numpy as np

from unmask.belief import REOPEN, random_draws
from unmask.canvas import Floats
from unmask.errors import InvalidRequest
from unmask.inference.infer import infer
from unmask.models import Denoiser
from unmask.run.command import Edit, Erase
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.stats import text_cells

WAYS = ("doubt", "random")
KEEP = 0.6  # share of the words that stay


def opening(denoiser: Denoiser, state: State, keep: float = KEEP, way: str = "doubt") -> Erase | None:
    """The edit that opens a draft, but for so great a share of its words; None if all stay."""
    if not 0 <= keep <= 1:
        raise InvalidRequest(f"keep must be a share from 0 to 1, not {keep!r}", "keep")
    if way not in WAYS:
        raise InvalidRequest(f"words are opened by {' or '.join(WAYS)}, not {way!r}", "open")
    words = draft_words(denoiser, state)
    many = len(words) - round(keep * len(words))
    scores = doubts(denoiser, state) if way == "doubt" else _random(state)
    least = sorted(words, key=lambda cells: float(np.min(scores[cells])))[:many]
    cells = sorted(cell for word in least for cell in word)
    return Erase(tuple(cells)) if cells else None


def draft_words(denoiser: Denoiser, state: State) -> list[list[int]]:
    """The cells of each word that the model may write again."""
    words: list[list[int]] = []
    last = -2
    for cell in np.flatnonzero(text_cells(state.canvas, denoiser.card) & state.canvas.free).tolist():
        piece = denoiser.tokenizer.piece(int(state.canvas.tokens[cell]))
        if words and cell == last + 1 and piece[:1].isalnum():
            words[-1].append(cell)
        else:
            words.append([cell])
        last = cell
    return words


def doubts(denoiser: Denoiser, state: State) -> Floats:
    """The probability of each written token where the model cannot see its cell; one where that is not known."""
    changes = {"policy": "revoke", "options": {}, "block": 0, "sight": "all", "constraint": {}, "temperature": 0.0}
    query = State(state.canvas, state.settings.with_changes(changes))
    try:
        belief = infer(denoiser, [query], [False])[0]
    except InvalidRequest as refused:
        why = f"this model cannot say which words it doubts ({refused}): open random words, or mark them"
        raise InvalidRequest(why, "open") from refused
    return np.nan_to_num(belief.doubt, nan=1.0)


def _random(state: State) -> Floats:
    return random_draws(state.settings.seed, state.step, state.canvas.ids, REOPEN)


def draft_edits(denoiser: Denoiser, spec: RunSpec, keep: float = KEEP, way: str = "doubt") -> list[tuple[int, Edit]]:
    """The edits that a run of this spec begins with: its draft is opened at moment 1."""
    if spec.draft is None:
        return []
    edit = opening(denoiser, spec.start(denoiser.card, denoiser.tokenizer), keep, way)
    return [(1, edit)] if edit is not None else []
