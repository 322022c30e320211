"""Self-test of a loaded model: finite logits, reproducible tokens, and rows aligned with the right cells."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models.array_ops import astype, equal, inference_mode, is_finite, logsumexp, softmax, to_numpy
from unmask.models.hub.adapter import Masked, OneByOne
from unmask.models.interface import Denoiser, ModelInput

CLEAR = 0.02  # nats between the best alignment and the next
OWN_CELLS, OWN_AT_ONCE = 24, 6  # of a text that the model writes by itself
TEXT = "The sun rises in the east and sets in the west. " * 3


def report(denoiser: Denoiser, variant: str = "") -> str:
    """The self-test's report, a few sentences for the card: four forwards of a short canvas at most; never raises."""
    with inference_mode(denoiser):
        model_input = _low_ids_input(denoiser)
        first, again = denoiser.logits([model_input])[0], denoiser.logits([model_input])[0]
        if not is_finite(first):
            return "Some logits are NaN or infinite."
        greedy = to_numpy(first.argmax(-1))
        found = [
            "Greedy tokens are the same twice."
            if _same_argmax(first, again)
            else "Greedy tokens differ from run to run."
        ]
        found.append(_compare_with_first(denoiser, variant, greedy))
        found.append(_alignment(denoiser))
    return " ".join(s for s in found if s)


def batches_exactly(denoiser: Masked, cells: int = 16, companies: tuple[int, ...] = (2, 5)) -> bool:
    """Whether inputs that share a forward get the same bits as alone; only then is sharing allowed.

    Kernels may sum in another order when there are more rows, above all in 16 bits."""
    if isinstance(denoiser, OneByOne) or denoiser.blockwise:
        return False
    card = denoiser.card
    cells = min(cells, card.longest)
    rng = np.random.default_rng(0)
    known = np.array([t for t in range(min(card.words, 4096)) if t not in card.never])
    place = np.arange(cells)
    model_inputs = []
    for i in range(max(companies)):
        still_open = place >= min(i + 1, cells - 1)  # each input has other rows
        model_inputs.append(ModelInput(rng.choice(known, cells), still_open, np.flatnonzero(still_open), place))
    with inference_mode(denoiser):
        rows = [denoiser.answering_rows(t.rows) for t in model_inputs]
        alone = [denoiser.row_logits([t], [r])[0] for t, r in zip(model_inputs, rows, strict=True)]
        for n in companies:
            together = denoiser.row_logits(model_inputs[:n], rows[:n])
            if not all(equal(a, b) for a, b in zip(alone, together, strict=False)):
                return False
    return True


def _low_ids_input(denoiser: Denoiser) -> ModelInput:
    """A small canvas of low token ids, its second half open."""
    card = denoiser.card
    n = min(16, card.longest)
    tokens = np.array([t for t in range(3, 3 + 2 * n) if t not in card.never][:n]) % card.words
    return _half_open(denoiser, tokens)


def _half_open(denoiser: Denoiser, tokens: Ints) -> ModelInput:
    n = len(tokens)
    still_open = np.arange(n) >= n // 2
    rows = np.flatnonzero(still_open)[: 1 if denoiser.card.causal else None]
    return ModelInput(tokens, still_open, rows, np.arange(n), origin=n // 2, block=(n // 2, n))


def _own_text(denoiser: Denoiser) -> Ints:
    """A short text that the model writes by itself, the surest cells first."""
    cells = np.arange(min(OWN_CELLS, denoiser.card.longest))
    tokens, still_open = np.zeros(len(cells), np.int64), np.ones(len(cells), bool)
    while still_open.any():
        rows = np.flatnonzero(still_open)
        logits = denoiser.logits([ModelInput(tokens, still_open, rows, cells, block=(0, len(cells)))])[0]
        logits = to_numpy(astype(logits, "float32"))
        logits[:, list(denoiser.card.never)] = -np.inf
        surest = np.argsort(-softmax(logits).max(-1))[:OWN_AT_ONCE]
        tokens[rows[surest]] = logits.argmax(-1)[surest]
        still_open[rows[surest]] = False
    return tokens


def _same_argmax(one: Any, other: Any) -> bool:
    return bool((one.argmax(-1) == other.argmax(-1)).all())


def _compare_with_first(denoiser: Denoiser, variant: str, greedy: Ints) -> str:
    """Compares the tokens with those of the first load on this machine, noted in the cache folder.

    A note is one line, which is added at once, so that several processes lose none of each other's."""
    card = denoiser.card
    key = "-".join((card.weights[:32], card.number, card.device.partition(":")[0], card.family, variant))
    digest = hashlib.sha256(greedy.astype(np.int64).tobytes()).hexdigest()[:16]
    file = config().cache / "selftests.json"
    try:
        before = _noted(file, key)
        if before is None:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("ab", buffering=0) as end:
                end.write(f"\n{json.dumps({key: digest})}".encode())  # a line of its own, even after half a one
            return "Opened here for the first time."
    except OSError:
        return ""  # a read-only folder: nothing to compare with
    return "As at its first opening." if before == digest else "Its tokens are not those of its first opening here."


def _noted(file: Path, key: str) -> Any:
    """The first note of a key; older versions wrote all notes in one line."""
    for line in file.read_text(errors="replace").splitlines() if file.exists() else []:
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict) and key in found:
                return found[key]
    return None


def _alignment(denoiser: Denoiser) -> str:
    """Checks whether rows predict their own cell or a neighbour: on a repetitive English text or, where the vocabulary
    cannot spell it, on a text that the model wrote itself."""
    card = denoiser.card
    if card.causal or card.noise or not card.tokenizer:
        return ""
    try:
        tokens = np.array(denoiser.tokenizer.encode(TEXT)[: card.longest])
    except InvalidRequest:
        tokens = _own_text(denoiser)
    if len(tokens) < 12:
        return ""
    model_input = _half_open(denoiser, tokens)
    logits = to_numpy(astype(denoiser.logits([model_input])[0], "float32"))
    logp = logits - logsumexp(logits)
    scores = {}
    for offset in (-1, 0, 1):
        cells = model_input.rows + offset
        inside = cells < len(tokens)
        scores[offset] = float(logp[inside, tokens[cells[inside]]].mean())
    best = max(scores, key=lambda k: scores[k])
    if scores[best] < -0.7 * float(np.log(card.words)):
        return "It does not know an easy text, so its alignment cannot be judged."
    if scores[best] - max(value for offset, value in scores.items() if offset != best) < CLEAR:
        return "Neighbouring cells are too alike to judge its alignment."
    return "Each row speaks of its own cell." if best == 0 else f"Rows seem to speak of the cell {best:+d} from theirs!"
