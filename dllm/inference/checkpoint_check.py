"""Checks a checkpoint: it loads, passes its self-test, decodes, and matches its reference logits where a file of
them (`expected.json`) lies in its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.models import Denoiser, ModelInput, load
from unmask.models.array_ops import astype, to_numpy
from unmask.models.hub import MaskNotFound
from unmask.models.hub.adapter import Masked
from unmask.models.hub.blocks import BlockCausal
from unmask.run.settings import Settings
from unmask.run.state import start

CELLS, PROMPT = 16, 8
LOGITS_KEPT = 8  # leading logits of each row that an expected.json holds


@dataclass(frozen=True)
class CheckLine:
    """One line of the report."""

    text: str
    wrong: bool = False


def check(source: str, mask_id: int | None = None, **options: Any) -> Iterator[CheckLine]:
    """Loads the checkpoint, compares it with its reference and decodes; yields one line for each check."""
    expected = _read_expected(source)
    if expected:
        options = {"number": "fp32", "device": "cpu"} | options  # as the reference logits were computed
    if mask_id is not None:
        options["mask_id"] = mask_id
    try:
        denoiser = load(source, **options)
    except MaskNotFound:
        if expected.get("mask_id") is None:
            raise
        options["mask_id"] = expected["mask_id"]
        denoiser = load(source, **options)
    card = denoiser.card
    kind = "causal" if card.causal else "noise" if card.noise else f"mask {card.never[0]}"
    yield CheckLine(f"{card.name}: {card.family}, {kind}, {card.words} words, {card.longest} cells")
    yield CheckLine(f"    {card.size / 1e6:.2f} MB in {card.number} on {card.device}; weights {card.weights[:16]}")
    yield CheckLine(f"    {card.tested}", wrong="NaN" in card.tested or "differ from run" in card.tested)
    for number, case in enumerate(expected.get("cases", ()), 1):
        yield _compare_case(number, case, expected, _model_for_case(denoiser, case, source, options))
    for policy in (
        ("uniform", "threshold", "confidence") if card.noise else ("confidence", "threshold", "left_to_right")
    ):
        yield _decode_sample(denoiser, policy)


def _read_expected(source: str) -> dict[str, Any]:
    file = Path(source).expanduser() / "expected.json"
    if not file.is_file():
        return {}
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise InvalidRequest(f"{file.name} cannot be read: {error}") from error


def _model_for_case(denoiser: Denoiser, case: Mapping[str, Any], source: str, options: dict[str, Any]) -> Denoiser:
    """The model with the attention pattern that a case was computed with."""
    kind, _, size = str(case["attention"]).partition(" ")
    if kind == "block-causal" and not (isinstance(denoiser, BlockCausal) and denoiser.block == int(size)):
        return load(source, **(options | {"block": int(size)}))
    return denoiser


def _compare_case(number: int, case: Mapping[str, Any], expected: Mapping[str, Any], denoiser: Denoiser) -> CheckLine:
    """Compares logits, argmax and aligned argmax of one case with the reference."""
    raw, aligned = _logits(case, expected.get("mask_id"), denoiser)
    raw, aligned = (to_numpy(astype(table, "float32")) for table in (raw, aligned))
    first = raw[case["rows"], :LOGITS_KEPT]
    error = float(np.abs(first - np.array(case["logits_first"])).max())
    error = max(error, abs(float(np.abs(raw).max()) - float(case["max_abs"])))
    tolerance = float(expected["tolerance"])
    same = raw.argmax(-1).tolist() == case["argmax"]
    same_aligned = aligned.argmax(-1).tolist() == case["aligned_argmax"]
    agreement = f"argmax {'equal' if same else 'DIFFERS'}, aligned {'equal' if same_aligned else 'DIFFERS'}"
    text = f"    case {number}, {case['attention']}: logits within {error:.1e} of {tolerance:.0e}, {agreement}"
    return CheckLine(text, wrong=not (error <= tolerance and same and same_aligned))


def _logits(case: Mapping[str, Any], mask: int | None, denoiser: Denoiser) -> tuple[Any, Any]:
    """Logits in the network's row order, and the same aligned with the cells."""
    assert isinstance(denoiser, Masked)  # only models loaded from a folder have an expected.json
    prompt, ids = np.array(case.get("prompt", []), np.int64), np.array(case["ids"])
    n, m = len(prompt), len(ids)
    if "position" in case and not n:  # the file is in reading order; a canvas is in cell order
        ids = ids[np.argsort(case["position"])]
    tokens = np.append(prompt, ids)
    still_open = np.arange(n + m) >= n if mask is None else tokens == mask
    model_input = ModelInput(tokens, still_open, np.arange(n, n + m), np.arange(n + m), origin=n, block=(n, n + m))
    if case.get("self_conditioning"):
        model_input = replace(model_input, carry=denoiser.make_carry(model_input, denoiser.logits([model_input])[0]))
    return denoiser.row_logits([model_input], [np.arange(m)])[0], denoiser.logits([model_input])[0]


def _decode_sample(denoiser: Denoiser, policy: str) -> CheckLine:
    """Decodes a short answer and checks that no mask was written and the prompt was kept."""
    card = denoiser.card
    prompt = [t for t in range(3, card.words) if t not in (*card.never, *card.ends)][:PROMPT]
    first = start(blank([prompt, CELLS]), _settings(denoiser, policy))
    states = [state for state, _ in decode(denoiser, first)]
    passes, last = len(states), states[-1]
    answer = last.canvas.tokens[len(prompt) :].tolist()
    broken = [t for t in answer if t in card.never or not 0 <= t < card.words]
    kept = last.canvas.tokens[: len(prompt)].tolist() == prompt
    text = f"    {policy}: {CELLS} cells in {passes} passes: {' '.join(map(str, answer))}"
    wrong = "; a mask was written" * bool(broken) + "; the prompt was changed" * (not kept)
    return CheckLine(text + wrong, wrong=bool(wrong))


def _settings(denoiser: Denoiser, policy: str) -> Settings:
    changes: dict[str, Any] = {"policy": policy, "passes": CELLS}
    if denoiser.card.blockwise:
        changes |= {"block": CELLS}
    if policy == "uniform":
        changes |= {"temperature": 0.8, "temperature_end": 0.4, "confidence": "shaped"}
    settings = Settings().with_changes(changes)
    return replace(settings, noise=denoiser.card.words) if denoiser.card.noise else settings
