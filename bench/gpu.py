"""What a GPU gives: three shapes with random weights, one session and sixteen, ours over the bare forward. Ten minutes.

    PYTHONPATH=. .venv/bin/python bench/gpu.py            # one GPU of 80 GB or more; small without one

Random weights are never sure, so decoders that wait for sureness would write a cell a pass: each shape writes, by plan,
as many cells a pass as its authors' decoder does. Rows for bench/RESULTS.md are printed, with the device's name."""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import transformers

from dllm.canvas import Card, blank
from dllm.models import family
from dllm.models.hub.adapter import Fitting, Masked
from dllm.models.hub.approximate import Approximate
from dllm.models.hub.blocks import BlockCausal
from dllm.models.hub.native import Native
from dllm.models.toy import Numbers
from dllm.run.settings import Settings
from dllm.run.state import State, start
from dllm.run.step import step
from dllm.think import Recall, think
from dllm.think.questions import ask

LLADA = {"d_model": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 32, "mlp_hidden_size": 12_288}
LLADA |= {"embedding_size": 126_464, "vocab_size": 126_464, "max_sequence_length": 4096, "rms_norm_eps": 1e-5}
LLADA |= {"rope_theta": 5e5, "weight_tying": False, "include_bias": False, "eos_token_id": 126_081}
LLADA2 = {"hidden_size": 2048, "num_hidden_layers": 20, "num_attention_heads": 16, "num_key_value_heads": 4}
LLADA2 |= {"head_dim": 128, "intermediate_size": 5120, "moe_intermediate_size": 512, "num_experts": 256}
LLADA2 |= {"num_experts_per_tok": 8, "num_shared_experts": 1, "n_group": 8, "topk_group": 4, "use_qk_norm": True}
LLADA2 |= {"vocab_size": 157_184, "max_position_embeddings": 32_768, "rope_theta": 6e5, "first_k_dense_replace": 1}
TEXT = {"hidden_size": 2816, "num_hidden_layers": 30, "num_attention_heads": 16, "num_key_value_heads": 8}
TEXT |= {"head_dim": 256, "intermediate_size": 2112, "moe_intermediate_size": 704, "num_experts": 128}
TEXT |= {"top_k_experts": 8, "vocab_size": 262_144, "max_position_embeddings": 32_768, "sliding_window": 1024}
TEXT |= {"layer_types": (["sliding_attention"] * 5 + ["full_attention"]) * 5, "use_bidirectional_attention": None}
VISION = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
VISION |= {"num_key_value_heads": 1, "head_dim": 8, "position_embedding_size": 64}
GEMMA = {"text_config": TEXT, "vision_config": VISION, "canvas_length": 256, "image_token_id": 3}

# each field, where it is too large to try elsewhere
SMALL = {"d_model": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 4, "mlp_hidden_size": 128, "embedding_size": 512}
SMALL |= {"vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 16}
SMALL |= {"num_key_value_heads": 2, "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 4}
SMALL |= {"num_experts_per_tok": 2, "top_k_experts": 2, "n_group": 2, "topk_group": 1, "eos_token_id": 2}
SMALL |= {"layer_types": ["sliding_attention", "full_attention"], "canvas_length": 32, "sliding_window": 16}
LIMIT = 150  # seconds for one way of one shape: what is not done by then is left out


@dataclass(frozen=True)
class Way:
    """One way to decode a shape."""

    title: str
    kind: str  # the family
    config: dict[str, Any]
    cells: int
    quota: int  # cells a pass
    wanted: str = ""
    cache: str = "exact"
    block: int = 32
    heat: float = 0.0
    graphs: bool = False


WAYS = (
    Way("LLaDA-8B, one cell a pass, whole canvas", "llada", LLADA, 256, 1),
    Way("LLaDA-8B, fast-dllm at 3 cells a pass, exact", "llada", LLADA, 256, 3),
    Way("LLaDA-8B, the same, dual cache", "llada", LLADA, 256, 3, ">= 550 tok/s", "dual"),
    Way("LLaDA-8B, the same, dual cache and graphs", "llada", LLADA, 256, 3, ">= 550 tok/s", "dual", graphs=True),
    Way("LLaDA-8B, the same, sampled", "llada", LLADA, 256, 3, "", "dual", heat=0.7),
    Way("LLaDA2-mini at 4 cells a pass", "llada2", LLADA2, 256, 4, ">= 1,000 tok/s on an H200"),
    Way("DiffusionGemma at 16 cells a pass", "diffusion_gemma", GEMMA, 256, 16, ">= 1,000 tok/s", block=256, heat=0.6),
)


def shrunk(config: dict[str, Any]) -> dict[str, Any]:
    """The same shape, small enough for any machine."""
    return {k: shrunk(v) if isinstance(v, dict) and k == "text_config" else SMALL.get(k, v) for k, v in config.items()}


def network(way: Way, device: str, small: bool) -> tuple[Any, Any]:
    """The family's own recipe around random numbers, made where they are needed."""
    config = shrunk(way.config) if small else way.config
    made = family(way.kind)
    assert made.recipe is not None
    recipe = made.recipe(config, "bench")
    kind = getattr(transformers, recipe.native)
    with torch.device(device):
        number = torch.float32 if small else torch.bfloat16
        model = kind._from_config(kind.config_class(**recipe.config), dtype=number, attn_implementation="sdpa")
    return model.eval().requires_grad_(False), recipe


def adapter(way: Way, model: Any, recipe: Any) -> Masked:
    """As the hub's door fits it."""
    native = Native(model, masked=False)
    made = family(way.kind).adapter or (BlockCausal if recipe.block else Masked)
    kind = Approximate if way.cache == "dual" else made
    mask = min(recipe.mask or 0, native.words - 1)
    card = Card("bench", way.kind, native.words, recipe.longest, noise=kind.noise, blockwise=kind.blockwise)
    approximate = way.cache if way.cache == "dual" else ""
    return kind(Fitting(native, recipe, card, Numbers(native.words), mask, True, approximate, way.graphs))


def begun(way: Way, denoiser: Masked, seed: int = 0, cells: int = 0) -> State:
    """A prompt of fifty words and an open answer; so many passes that as many cells as planned fall to each."""
    cells = cells or way.cells
    block = min(way.block, cells)
    noise = denoiser.card.words if denoiser.card.noise else 0
    rule = Settings(
        "confidence", passes=max(1, cells // way.quota), block=block, seed=seed, temperature=way.heat, noise=noise
    )
    prompt = np.random.default_rng(seed).integers(3, min(denoiser.card.words, 400), 50).tolist()
    return start(blank([prompt, cells]), rule)


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def passes(denoiser: Masked, states: list[State], limit: float) -> Iterator[float]:
    """Seconds of each round: a pass of every state that is not done."""
    recalls, device = [Recall() for _ in states], denoiser.network.device.type
    began = time.perf_counter()
    while not all(s.done for s in states) and time.perf_counter() - began < limit:
        one = time.perf_counter()
        open_ones = [i for i, s in enumerate(states) if not s.done]
        beliefs = think(denoiser, [states[i] for i in open_ones], recalls=[recalls[i] for i in open_ones])
        for i, belief in zip(open_ones, beliefs, strict=True):
            states[i] = step(states[i], belief)[0]
        synchronize(device)
        yield time.perf_counter() - one


def bare(denoiser: Masked, state: State) -> Callable[[], object]:
    """The forward alone, of the window that a pass of this state reads."""
    thought = ask(denoiser.card, state, False, Recall()).thought

    def work() -> None:
        with torch.inference_mode():
            denoiser.logits([thought])
        synchronize(denoiser.network.device.type)

    return work


def busy(work: Callable[[], object], device: str) -> float:
    """The share of the time in which the GPU works, by its own clock; on a processor it always does."""
    if device != "cuda":
        return 1.0
    from torch.profiler import ProfilerActivity, profile

    synchronize(device)
    began = time.perf_counter()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        work()
        synchronize(device)
    wall = time.perf_counter() - began
    return sum(e.self_device_time_total for e in seen.key_averages()) / 1e6 / wall


def measured(way: Way, device: str, small: bool, model: Any, recipe: Any) -> list[str]:
    """Rows for the table."""
    denoiser = adapter(way, model, recipe)
    cells = 64 if small else way.cells
    list(passes(denoiser, [begun(way, denoiser, 1, min(cells, 32))], LIMIT / 5))  # kernels are chosen, memory is taken
    states = [begun(way, denoiser, 2, cells)]
    opened = int(states[0].canvas.open.sum())
    middle: list[State] = []
    times = []
    for spent in passes(denoiser, states, LIMIT):
        times.append(spent)
        if len(times) == max(1, opened // way.quota // 2):
            middle = [states[0]]
    decided = opened - int(states[0].canvas.open.sum())
    rows = [
        f"{way.title}: one session | {decided / sum(times):.0f} tok/s, {1000 * statistics.median(times):.1f} ms a pass"
    ]
    rows[0] += f", {decided / len(times):.1f} cells a pass | {way.wanted}"
    if middle and not middle[0].done:
        work = bare(denoiser, middle[0])
        work()
        alone = []
        for _ in range(7):
            began = time.perf_counter()
            work()
            alone.append(time.perf_counter() - began)
        share = statistics.median(times) / statistics.median(alone)
        again = [middle[0]]
        idle = 1 - busy(lambda: [next(rounds, 0) for rounds in [passes(denoiser, again, 5)] for _ in range(5)], device)
        rows.append(
            f"{way.title}: a pass over its bare forward, GPU idle | {share:.2f} x, {100 * idle:.0f} % | <= 1.10, 10 %"
        )
    return rows


def recorded(way: Way, device: str, small: bool, model: Any, recipe: Any) -> list[str]:
    """Whether a window whose kernels are recorded writes what it writes without: the recording was made without a GPU
    at hand, so this row is the first to see it."""
    if not way.graphs:
        return []
    ends = []
    for one in (way, replace(way, graphs=False)):
        states = [begun(one, adapter(one, model, recipe), 3, 64)]
        list(passes(adapter(one, model, recipe), states, LIMIT / 5))
        ends.append(states[0].canvas.tokens)
    return [f"{way.title}: tokens as without | {int((ends[0] == ends[1]).sum())} of {len(ends[0])} | all"]


def together(way: Way, device: str, small: bool, model: Any, recipe: Any) -> list[str]:
    """Sixteen sessions of one shape against one, and against what the bare batched forward gains."""
    if recipe.block or family(way.kind).adapter or way.cache == "dual":
        return []  # they read each thought by itself
    denoiser, many = adapter(way, model, recipe), 16
    denoiser.shares = True
    few = 8
    speeds = []
    for n in (1, many):
        states = [begun(way, denoiser, seed, 32 if small else way.cells) for seed in range(n)]
        times = [t for t, _ in zip(passes(denoiser, states, LIMIT), range(few), strict=False)]
        speeds.append(n / statistics.median(times))
    ids = torch.randint(3, 400, (many, len(states[0].canvas)), device=device)
    gains = []
    with torch.inference_mode():
        for n in (1, many):
            times = []
            for _ in range(5):
                began = time.perf_counter()
                model(input_ids=ids[:n], use_cache=False, logits_to_keep=32)
                synchronize(device)
                times.append(time.perf_counter() - began)
            gains.append(n / statistics.median(times))
    share = (speeds[1] / speeds[0]) / (gains[1] / gains[0])
    return [f"{way.title}: {many} sessions, of what the bare batched forward gains | {100 * share:.0f} % | >= 80 %"]


def main(small: bool = False) -> list[str]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else "processor"
    small = small or device == "cpu"  # without a GPU it only shows that it runs
    rows, model, recipe, last = list[str](), None, None, ""
    for way in WAYS:
        if way.kind != last:
            model = None
            gc.collect()
            if device == "cuda":
                torch.cuda.empty_cache()
            model, recipe = network(way, device, small)
            last = way.kind
        fresh = measured(way, device, small, model, recipe)
        fresh += recorded(way, device, small, model, recipe)
        if way.quota == 1:
            fresh += together(way, device, small, model, recipe)
        for row in fresh:
            rows.append(f"| {time.strftime('%Y-%m-%d')} | `bench/gpu.py` on {name}{' (small)' * small}, {row} |")
            print(rows[-1], flush=True)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small shapes, on any machine: to see that it runs")
    main(parser.parse_args().small)
