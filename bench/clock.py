"""The modelled time of a pass against published and measured ones: both, and the efficiency that would make them equal.

Published figures are from the sources named in `docs/clock.md`; measured ones are from one H100 80 GB and one H200."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.row import Row
from unmask.run.modelled_time import BAND, Clock
from unmask.run.pass_time import CHIPS, SIZES, Size, most_passes

LLADA, QWEN = SIZES["llada-8b"], Size(8.2e9, 8.2e9)
IDLE = "outside: the GPU is idle {} % of the pass, between launches of 11 µs"


@dataclass(frozen=True)
class Case:
    """A pass whose time is known, in milliseconds. `reason` says why its efficiency is outside the band."""

    what: str
    size: Size
    chip: str
    tokens: int
    milliseconds: float
    cached: int = 0
    reason: str = ""
    users: int = 1

    @property
    def modelled(self) -> float:
        """Milliseconds at full efficiency."""
        clock = Clock(CHIPS[self.chip], self.size, self.users, efficiency=1)
        return 1000 * clock.forward_seconds(self.tokens, self.cached)

    @property
    def inside(self) -> bool:
        return BAND[0] <= self.modelled / self.milliseconds <= BAND[1]


D3LLM, TWIN = "d3LLM-LLaDA 8B, 384 tokens fed", "Qwen3-8B, one step"
PUBLISHED = (
    Case("DiffusionGemma fp8 in vLLM, canvas of 256, H100", SIZES["diffusion-gemma"], "h100", 256, 145.7 / 17),
    Case(f"{D3LLM}, A100", LLADA, "a100", 384, 9910 / 251.6),
    Case(f"{D3LLM}, H100", LLADA, "h100", 384, 9910 / 545.3),
    Case(f"{D3LLM}, B200", LLADA, "b200", 384, 9910 / 1241),
    Case(f"{TWIN}, A100", QWEN, "a100", 1, 1000 / 90),
    Case(f"{TWIN}, H100", QWEN, "h100", 1, 1000 / 98),
    Case(f"{TWIN}, B200", QWEN, "b200", 1, 1000 / 234),
)
WHOLE, WINDOW = "LLaDA-8B, whole canvas of 306, H100", "LLaDA-8B, window of 32 of 306, H100"
MEASURED = (
    Case(f"{WHOLE}: transformers", LLADA, "h100", 306, 38.2, reason=IDLE.format(78)),
    Case(
        f"{WHOLE}: lean, launched",
        LLADA,
        "h100",
        306,
        16.9,
        reason="outside: launches, since a graph of the same kernels takes 11.60",
    ),
    Case(f"{WHOLE}: lean, graph", LLADA, "h100", 306, 11.6),
    Case(f"{WHOLE}: lean, compiled, graph", LLADA, "h100", 306, 9.45),
    Case(f"{WINDOW}: transformers", LLADA, "h100", 32, 59.6, 274, IDLE.format(91)),
    Case(f"{WINDOW}: transformers, graph", LLADA, "h100", 32, 14.8, 274),
    Case(f"{WINDOW}: lean, launched", LLADA, "h100", 32, 10.0, 274),
    Case(f"{WINDOW}: lean, graph", LLADA, "h100", 32, 8.2, 274),
    Case(f"{WINDOW}: lean, compiled, graph", LLADA, "h100", 32, 7.34, 274),
    Case(
        "LLaDA2.0-mini, block of 32, H100",
        SIZES["llada2-mini"],
        "h100",
        32,
        86.8,
        274,
        IDLE.format(94),
    ),
    Case("LLaDA2.0-mini, block of 32, H100: graph", SIZES["llada2-mini"], "h100", 32, 10.9, 274),
)
# milliseconds at 1, 4, 16 and 64 users: `bench/users.py`, the shape of LLaDA-8B, a length of 306 tokens
SHARED = {
    ("h100", "one step", 1): (7.48, 7.84, 8.70, 11.41),
    ("h100", "window of 32", 32): (8.18, 8.92, 17.38, 63.72),
    ("h100", "whole canvas", 306): (11.39, 34.19, 136.96, 551.67),
    ("h200", "one step", 1): (5.83, 6.12, 6.71, 8.80),
    ("h200", "window of 32", 32): (6.46, 7.30, 16.73, 61.04),
    ("h200", "whole canvas", 306): (10.56, 33.04, 134.72, 543.39),
}
MEASURED += tuple(
    Case(f"LLaDA-8B, {what} of 306, {users} at once, {chip.upper()}", LLADA, chip, fed, taken, 306 - fed, users=users)
    for (chip, what, fed), figures in SHARED.items()
    for users, taken in zip((1, 4, 16, 64), figures, strict=True)
)
# diffusion over autoregression at so many users at once, of a 69M toy; neither GPU nor canvas is named
COLLAPSE = {1: 14.4, 2: 10.6, 4: 10.0, 8: 6.2, 16: 1.4}


def rows(tiny: bool = False) -> Iterator[Row]:
    for origin, cases in (("published", PUBLISHED), ("measured", MEASURED)):
        for case in cases:
            share = case.modelled / case.milliseconds
            figure = (
                f"{case.milliseconds:.2f} ms {origin}, {case.modelled:.2f} modelled at full speed: ratio {share:.2f}"
            )
            wanted = f"{BAND[0]} to {BAND[1]}" if not case.reason else case.reason
            yield Row(case.what, figure, wanted, case.inside if not case.reason else None)
    canvas, ratios = collapse()
    for users, published in COLLAPSE.items():
        figure = f"{published} x published, {ratios[users]:.1f} x modelled: ratio {published / ratios[users]:.2f}"
        yield Row(f"A toy of 69M at {users} users at once", figure, f"shape only: canvas of {canvas:.2f} ridges fitted")
    for billions in (1, 8, 30):
        size = Size(billions * 1e9, billions * 1e9)
        chip = CHIPS["b200"]
        low, high = (
            most_passes(size, chip, canvas=256, tokens=256, tokens_per_second=1000, efficiency=e) for e in BAND
        )
        figure = f"at most {low:.0f} to {high:.0f} passes for 256 tokens"
        yield Row(f"Mercury 2, 1,000 tokens a second on a B200, if it had {billions} billion", figure, "an inequality")


def collapse() -> tuple[float, dict[int, float]]:
    """The canvas, in ridges, that fits the published collapse best, and the ratios that follow.

    Below the ridge both sides wait for the weights, so the ratio is that of one user; above it a pass takes longer."""

    def ratios(canvas: float) -> dict[int, float]:
        return {users: COLLAPSE[1] / max(1.0, users * canvas) for users in COLLAPSE}

    def misfit(canvas: float) -> float:
        found = ratios(canvas)
        return sum(max(found[u] / p, p / found[u]) for u, p in COLLAPSE.items())

    best = min((i / 100 for i in range(1, 200)), key=misfit)
    return best, ratios(best)
