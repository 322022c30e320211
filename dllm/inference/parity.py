"""Does the engine decide what published decoders decided? Cases of a file against our runs, pass by pass."""

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
    """How one case went."""

    rule: str
    name: str
    differs: str = ""  # empty when equal in tokens, in what was seen at each pass, and in passes


# a case's rule: the preset that stands for it, and how its parameters are called here
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
    """A verdict for every case of a file."""
    try:
        cases = json.loads(Path(path).read_text())
        return [_check(case) for case in cases]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(f"cannot read parity cases from {path}: {type(error).__name__}: {error}") from error


def _check(case: Mapping[str, Any]) -> CaseResult:
    rule, name, params = case["rule"], case["name"], case["params"]
    toy = Toy(case["toy"]["vocab"], case["toy"]["seed"], case["toy"]["mask"], params.get("background"))
    state = start(blank([case["prompt"], params["length"]]), _settings(name, params))
    (seen, tokens), expected = _run(toy, state), _unpacked(case["seen"])
    for i, (mine, theirs) in enumerate(zip(seen, expected, strict=False)):
        if not np.array_equal(mine, theirs):
            return CaseResult(rule, name, f"pass {i} sees other cells: {_difference(mine, theirs)}")
    if not len(seen) == len(expected) == case["passes"]:
        return CaseResult(rule, name, f"{len(seen)} passes, published {case['passes']}")
    if tokens != case["tokens"]:
        return CaseResult(rule, name, f"ends in other tokens: {_difference(tokens, case['tokens'])}")
    return CaseResult(rule, name)


def _run(toy: Toy, state: State) -> tuple[list[Ints], list[int]]:
    """What the model saw at each pass, and the tokens at the end."""
    seen = [_shown(toy, state)]
    last = state
    for last, _ in decode(toy, state):
        seen.append(_shown(toy, last))
    return seen[:-1], last.canvas.tokens.tolist()


def _shown(toy: Toy, state: State) -> Ints:
    return np.where(state.canvas.open, toy.mask, state.canvas.tokens)[: state.visible_cells]


def _settings(name: str, params: Mapping[str, Any]) -> Settings:
    if name not in _RULES:
        raise InvalidRequest(f"no rule '{name}' here; there are {', '.join(_RULES)}")
    known_as, words = _RULES[name]
    changes: dict[str, Any] = dict(preset(known_as).settings) | {"precision": "single" if name == "p2" else "double"}
    changes |= {"temperature": 0.0, "top_p": 1.0}  # cases are greedy
    if name in _ORDERS:
        changes |= {"policy": _ORDERS[name], "options": {}}
    changes |= {k: params[k] for k in ("passes", "block") if k in params}
    changes["options"] = dict(changes["options"])
    for theirs, ours in words.items():
        if theirs in params:
            if ours.startswith("options."):
                changes["options"][ours.removeprefix("options.")] = params[theirs]
            else:
                changes[ours] = params[theirs]
    return Settings().with_changes(changes)


def _unpacked(seen: list[Any]) -> list[Ints]:
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
    apart = [f"cell {i} is {a}, published {b}" for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
    return "; ".join(apart[:4])
