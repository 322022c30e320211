"""Does a checkpoint open, think and decode as it should, and as its authors' code does where that is known?"""

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
from unmask.models.hub import MaskNotFound
from unmask.models.hub.adapter import Masked
from unmask.models.hub.blocks import BlockCausal
from unmask.run.settings import Settings
from unmask.run.state import start

CELLS, PROMPT = 16, 8
SHOWN = 8  # logits of each row that an expected.json holds


@dataclass(frozen=True)
class CheckLine:
    """One line of the report."""

    text: str
    wrong: bool = False


def check(what: str, mask_id: int | None = None, **options: Any) -> Iterator[CheckLine]:
    """Open, compare, decode; a line for each thing that was looked at."""
    expected = _expected(what)
    if expected:
        options = {"number": "fp32", "device": "cpu"} | options  # what it holds was computed so
    if mask_id is not None:
        options["mask_id"] = mask_id
    try:
        denoiser = load(what, **options)
    except MaskNotFound:
        if expected.get("mask_id") is None:
            raise
        options["mask_id"] = expected["mask_id"]
        denoiser = load(what, **options)
    card = denoiser.card
    kind = "causal" if card.causal else "noise" if card.noise else f"mask {card.never[0]}"
    yield CheckLine(f"{card.name}: {card.family}, {kind}, {card.words} words, {card.longest} cells")
    yield CheckLine(f"    {card.size / 1e6:.2f} MB in {card.number} on {card.device}; weights {card.weights[:16]}")
    yield CheckLine(f"    {card.tested}", wrong="NaN" in card.tested or "differ from run" in card.tested)
    for number, case in enumerate(expected.get("cases", ()), 1):
        yield _compared(number, case, expected, _fitting(denoiser, case, what, options))
    for policy in (
        ("uniform", "threshold", "confidence") if card.noise else ("confidence", "threshold", "left_to_right")
    ):
        yield _decoded(denoiser, policy)


def _expected(what: str) -> dict[str, Any]:
    file = Path(what).expanduser() / "expected.json"
    if not file.is_file():
        return {}
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise InvalidRequest(f"{file.name} cannot be read: {error}") from error


def _fitting(denoiser: Denoiser, case: Mapping[str, Any], what: str, options: dict[str, Any]) -> Denoiser:
    """The model with the sight that a case asks for."""
    kind, _, size = str(case["attention"]).partition(" ")
    if kind == "block-causal" and not (isinstance(denoiser, BlockCausal) and denoiser.block == int(size)):
        return load(what, **(options | {"block": int(size)}))
    return denoiser


def _compared(number: int, case: Mapping[str, Any], expected: Mapping[str, Any], denoiser: Denoiser) -> CheckLine:
    """Logits, argmax and aligned argmax of one case."""
    raw, aligned = _logits(case, expected.get("mask_id"), denoiser)
    apart = float(np.abs(raw[case["rows"], :SHOWN].float().cpu().numpy() - np.array(case["logits_first"])).max())
    most = abs(float(raw.abs().max()) - float(case["max_abs"]))
    tolerance = float(expected["tolerance"])
    same = raw.argmax(-1).tolist() == case["argmax"]
    together = aligned.argmax(-1).tolist() == case["aligned_argmax"]
    agreement = f"argmax {'equal' if same else 'DIFFERS'}, aligned {'equal' if together else 'DIFFERS'}"
    text = (
        f"    case {number}, {case['attention']}: logits within {max(apart, most):.1e} of {tolerance:.0e}, {agreement}"
    )
    return CheckLine(text, wrong=not (max(apart, most) <= tolerance and same and together))


def _logits(case: Mapping[str, Any], mask: int | None, denoiser: Denoiser) -> tuple[Any, Any]:
    """The network's own rows, and those aligned with the cells."""
    assert isinstance(denoiser, Masked)  # a model with an expected.json came from a folder
    prompt, ids = np.array(case.get("prompt", []), np.int64), np.array(case["ids"])
    n, m = len(prompt), len(ids)
    if "position" in case and not n:  # listed in reading order; a canvas is in the order of its cells
        ids = ids[np.argsort(case["position"])]
    tokens = np.append(prompt, ids)
    still_open = np.arange(n + m) >= n if mask is None else tokens == mask
    model_input = ModelInput(tokens, still_open, np.arange(n, n + m), np.arange(n + m), origin=n, block=(n, n + m))
    if case.get("self_conditioning"):
        model_input = replace(model_input, carry=denoiser.make_carry(model_input, denoiser.logits([model_input])[0]))
    return denoiser.row_logits([model_input], [np.arange(m)])[0], denoiser.logits([model_input])[0]


def _decoded(denoiser: Denoiser, policy: str) -> CheckLine:
    """A short answer, and whether it kept the laws."""
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
