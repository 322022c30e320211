"""Published decoders by name: the policy, its knobs, and the authors' own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dllm.canvas import Refused
from dllm.run.settings import Settings


@dataclass(frozen=True)
class Preset:
    """A decoder as its authors run it."""

    name: str
    title: str
    says: str
    origin: str
    settings: Mapping[str, Any]
    per_cell: bool = False  # as many passes as answer cells

    def over(self, length: int, **changes: Any) -> Settings:
        """The settings for an answer of `length` cells."""
        told: dict[str, Any] = dict(self.settings)
        if self.per_cell:
            told["passes"] = max(1, min(length, 4096))
        return Settings().changed(told | changes)


def _of(policy: str, options: Mapping[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
    return {"policy": policy, "options": dict(options or {}), **settings}


# blocks counted from the sequence's start, each seen without what is behind it, with passes of its own
_BLOCKWISE = {"block": 32, "block_from": "sequence", "sight": "block", "passes": 32, "passes_for": "block"}

PRESETS: dict[str, Preset] = {
    p.name: p
    for p in (
        Preset(
            "llada",
            "LLaDA",
            "The surest cells first, in blocks of 32, one a pass.",
            "Nie et al. 2025, arXiv:2502.09992",
            _of("confidence", block=32, precision="model"),  # confidence in the model's own number type, as published
            per_cell=True,
        ),
        Preset(
            "dream",
            "Dream",
            "The least uncertain cells first, over the whole canvas, with a little temperature.",
            "Ye et al. 2025, arXiv:2508.15487",
            _of("entropy", schedule="timesteps", temperature=0.2, top_p=0.95, confidence="shaped", precision="model"),
            per_cell=True,
        ),
        Preset(
            "fast-dllm",
            "Fast-dLLM",
            "Every cell surer than 0.9, in blocks of 32.",
            "Wu et al. 2025, arXiv:2505.22618",
            _of("threshold", {"tau": 0.9}, block=32, precision="double"),
            per_cell=True,
        ),
        Preset(
            "fast-dllm-factor",
            "Fast-dLLM, factor",
            "As many of the surest cells as their ranks allow.",
            "Wu et al. 2025, arXiv:2505.22618",
            _of("factor", {"f": 1.0}, block=32, precision="double"),
            per_cell=True,
        ),
        Preset(
            "eb-sampler",
            "EB-sampler",
            "As many cells as stay within a budget of joint entropy.",
            "Ben-Hamu et al. 2025, arXiv:2505.24857",
            _of("entropy_bound", {"gamma": 0.1}),
            per_cell=True,
        ),
        Preset(
            "klass",
            "KLASS",
            "Cells that are sure and whose belief stands still; otherwise one.",
            "Kim et al. 2025, arXiv:2511.05664",
            _of("stable", {"tau": 0.9, "kl": 0.01, "history": 2}, block=64, precision="double"),
            per_cell=True,
        ),
        Preset(
            "pc-sampler",
            "PC-sampler",
            "The front of the text and rare words first.",
            "Huang et al. 2025, arXiv:2508.13021",
            _of("position", {"decay": 0.25, "alpha": 10.0}),
            per_cell=True,
        ),
        Preset(
            "p2",
            "P2",
            "Ranks everything at every pass and reopens the least sure.",
            "Peng et al. 2025, arXiv:2502.03540",
            _of("replan"),
            per_cell=True,
        ),
        Preset(
            "saber",
            "Saber",
            "Writes what is surer than the average so far, takes back what lost confidence.",
            "Dong et al. 2025, arXiv:2510.18165",
            _of("backtrack", {"n": 2}, precision="double"),
            per_cell=True,
        ),
        Preset(
            "llada2",
            "LLaDA2.0",
            "Blocks of 32 that see nothing behind them; all cells surer than 0.95, or the quota.",
            "Bie et al. 2025, arXiv:2512.15745",
            _of(
                "block_threshold",
                {"tau": 0.95},
                **_BLOCKWISE,
            ),
        ),
        Preset(
            "llada2.1",
            "LLaDA2.1, quality",
            "Writes above 0.7 and goes on correcting what it wrote.",
            "LLaDA2.1, inclusionAI 2026",
            _of(
                "edit",
                {"tau": 0.7, "tau_edit": 0.5},
                **_BLOCKWISE,
            ),
        ),
        Preset(
            "llada2.1-speed",
            "LLaDA2.1, speed",
            "Writes above 0.5 and corrects whatever it would now say otherwise.",
            "LLaDA2.1, inclusionAI 2026",
            _of(
                "edit",
                {"tau": 0.5, "tau_edit": 0.0},
                **_BLOCKWISE,
            ),
        ),
        Preset(
            "mdlm",
            "MDLM",
            "The reverse process as derived: cells close by chance, words are drawn.",
            "Sahoo et al. 2024, arXiv:2406.07524",
            _of("ancestral", temperature=1.0),
            per_cell=True,
        ),
        Preset(
            "remdm",
            "ReMDM",
            "The reverse process that may take back what it wrote.",
            "Wang et al. 2025, arXiv:2503.00307",
            _of("remask", {"way": "cap", "rate": 0.02}, temperature=1.0, top_p=0.9),
            per_cell=True,
        ),
        Preset(
            "wino",
            "WINO",
            "Writes boldly; a shadow that cannot see a word decides whether it stays.",
            "Hong et al. 2025, arXiv:2507.18578",
            _of("revoke", {"tau": 0.6, "tau_back": 0.9}, block=128),
            per_cell=True,
        ),
        Preset(
            "diffusion-gemma",
            "DiffusionGemma",
            "Starts from random words; keeps what is certain together, throws the rest anew.",
            "Google DeepMind 2026; arXiv:2505.24857",
            _of(
                "uniform",
                {"gamma": 0.1, "settled": 0.005, "still": 1},
                passes=48,
                passes_for="block",
                temperature=0.8,
                temperature_end=0.4,
                confidence="shaped",
            ),
        ),
        Preset(
            "autoregressive",
            "Autoregressive",
            "One word a pass, from left to right.",
            "the usual way",
            _of("left_to_right"),
            per_cell=True,
        ),
    )
}


def preset(name: str) -> Preset:
    """The preset of this name, or a sentence about what there is."""
    if name not in PRESETS:
        raise Refused(f"no preset '{name}'; there are {', '.join(PRESETS)}")
    return PRESETS[name]
