"""Parity with published decoders: replays recorded cases and compares every pass with the original's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Ints, blank
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.state import State, start


@dataclass(frozen=True)
class CaseResult:
    rule: str
    name: str
    differs: str = ""  # empty if the tokens, the canvas at each pass and the number of passes are equal


# published rule: our preset, and the setting for each of its parameters
_RULES: dict[str, tuple[str, Mapping[str, str]]] = {
    "llada-low-confidence": ("llada", {}),
    "fast-dllm-threshold": ("fast-dllm", {"threshold": "options.tau"}),
    "fast-dllm-factor": ("fast-dllm-factor", {"factor": "options.f"}),
    "dream-maskgit_plus": ("dream", {}),
    "dream-topk_margin": ("dream", {}),
    "dream-entropy": ("dream", {}),
    "entropy-bound": ("eb-sampler", {"gamma": "options.gamma"}),
    "pc-sampler": ("pc-sampler", {"decay": "options.decay", "alpha": "options.alpha"}),
    "klass": ("klass", {"confidence": "options.tau", "kl": "options.kl", "history": "options.history"}),
    "p2": ("p2", {}),
    "saber": ("saber", {"n": "options.n"}),
    "llada2-block": ("llada2", {"threshold": "options.tau", "passes_per_block": "passes"}),
    "llada2.1-edit": (
        "llada2.1",
        {"threshold": "options.tau", "edit_threshold": "options.tau_edit", "max_post_passes": "options.post"},
    ),
}
_ORDERS = {"dream-maskgit_plus": "confidence", "dream-topk_margin": "margin", "dream-entropy": "entropy"}


def check(path: str | Path) -> list[CaseResult]:
    """Replays every case of a file."""
    try:
        cases = json.loads(Path(path).read_text())
        return [_check(case) for case in cases]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(f"cannot read parity cases from {path}: {type(error).__name__}: {error}") from error


def _check(case: Mapping[str, Any]) -> CaseResult:
    rule, name, params = case["rule"], case["name"], case["params"]
    toy = Toy(case["toy"]["vocab"], case["toy"]["seed"], case["toy"]["mask"], params.get("background"))
    state = start(blank([case["prompt"], params["length"]]), _settings(name, params))
    (seen, tokens), expected = _run(toy, state), _decode_rows(case["seen"])
    for i, (mine, theirs) in enumerate(zip(seen, expected, strict=False)):
        if not np.array_equal(mine, theirs):
            return CaseResult(rule, name, f"pass {i} sees other cells: {_difference(mine, theirs)}")
    if not len(seen) == len(expected) == case["passes"]:
        return CaseResult(rule, name, f"{len(seen)} passes, published {case['passes']}")
    if tokens != case["tokens"]:
        return CaseResult(rule, name, f"ends in other tokens: {_difference(tokens, case['tokens'])}")
    return CaseResult(rule, name)


def _run(toy: Toy, state: State) -> tuple[list[Ints], list[int]]:
    """The canvas that the model was given at each pass, and the tokens at the end."""
    seen = [_visible_ids(toy, state)]
    last = state
    for last, _ in decode(toy, state):
        seen.append(_visible_ids(toy, last))
    return seen[:-1], last.canvas.tokens.tolist()


def _visible_ids(toy: Toy, state: State) -> Ints:
    return np.where(state.canvas.open, toy.mask, state.canvas.tokens)[: state.visible_cells]


def _settings(name: str, params: Mapping[str, Any]) -> Settings:
    if name not in _RULES:
        raise InvalidRequest(f"no rule '{name}'; there are {', '.join(_RULES)}")
    preset_name, parameters = _RULES[name]
    changes: dict[str, Any] = dict(preset(preset_name).settings) | {"precision": "single" if name == "p2" else "double"}
    changes |= {"temperature": 0.0, "top_p": 1.0}  # cases are greedy
    if name in _ORDERS:
        changes |= {"policy": _ORDERS[name], "options": {}}
    changes |= {k: params[k] for k in ("passes", "block") if k in params}
    changes["options"] = dict(changes["options"])
    for theirs, ours in parameters.items():
        if theirs in params:
            if ours.startswith("options."):
                changes["options"][ours.removeprefix("options.")] = params[theirs]
            else:
                changes[ours] = params[theirs]
    return Settings().with_changes(changes)


def _decode_rows(seen: list[Any]) -> list[Ints]:
    """Canvases from a case file: a list is a whole canvas, a dict holds the cells that changed."""
    rows: list[Ints] = []
    for entry in seen:
        row = np.array(entry) if isinstance(entry, list) else rows[-1].copy()
        if isinstance(entry, dict):
            for cell, token in entry.items():
                row[int(cell)] = token
        rows.append(row)
    return rows


def _difference(mine: Any, theirs: Any) -> str:
    if len(mine) != len(theirs):
        return f"{len(mine)} cells, published {len(theirs)}"
    differences = [
        f"cell {i} is {a}, published {b}" for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b
    ]
    return "; ".join(differences[:4])
