"""Speed on a GPU: three architectures with random weights, one session and sixteen, over the bare forward. Ten minutes.

    PYTHONPATH=. .venv/bin/python bench/gpu.py            # one GPU of 80 GB or more; small without one

Random weights give no confident predictions, so a threshold decoder would write one cell a pass. Each architecture
writes a fixed number of cells a pass instead: as many as its authors' decoder does. Rows for bench/RESULTS.md are
printed, with the device's name."""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import transformers

from bench.loop import published
from bench.row import Row
from bench.shapes import GEMMA, LLADA, LLADA2, shrunk
from unmask.canvas import Card, blank
from unmask.errors import InvalidRequest
from unmask.inference import DistributionCache, infer
from unmask.inference.canvas_read import read_canvas
from unmask.inference.decode import decode
from unmask.inference.query import build_query
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import get_family
from unmask.models.hub.adapter import AdapterParts, Masked
from unmask.models.hub.approximate import Approximate
from unmask.models.hub.blocks import BlockCausal
from unmask.models.hub.checkpoint_spec import with_attention_mask
from unmask.models.hub.native import Native
from unmask.models.toy import NumberTokenizer
from unmask.run.command import Play
from unmask.run.event import Done, Stepped
from unmask.run.settings import Settings
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.run.timeline import new_timeline as timeline

MANY = 16  # sessions
CANDIDATES = 20  # of each cell, as clients ask for
TOTAL = 540.0  # seconds for all; rows that are not measured by then are left out
LONGEST = 600.0  # seconds that bench/table.py waits for this benchmark


@dataclass(frozen=True)
class Way:
    """An architecture and a way to decode it."""

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
    Way("LLaDA2-mini, the same, graphs", "llada2", LLADA2, 256, 4, ">= 1,000 tok/s on an H200", graphs=True),
    Way("DiffusionGemma at 16 cells a pass", "diffusion_gemma", GEMMA, 256, 16, ">= 1,000 tok/s", block=256, heat=0.6),
)


def network(way: Way, device: str, small: bool) -> tuple[Any, Any]:
    """A network of this family with random weights, made on the device, and its checkpoint spec."""
    config = shrunk(way.config) if small else way.config
    made = get_family(way.kind)
    assert made.checkpoint_spec is not None
    spec = with_attention_mask(made.checkpoint_spec(config, "bench"))
    kind = getattr(transformers, spec.native)
    with torch.device(device):
        number = torch.float32 if small else torch.bfloat16
        model = kind._from_config(kind.config_class(**spec.config), dtype=number, attn_implementation="sdpa")
    return model.eval().requires_grad_(False), spec


def adapter(way: Way, model: Any, spec: Any) -> Masked:
    """The adapter that the Hub's loader would make for this network."""
    native = Native(model, masked=False)
    made = get_family(way.kind).adapter or (BlockCausal if spec.block else Masked)
    kind = Approximate if way.cache == "dual" else made
    mask = min(spec.mask or 0, native.words - 1)
    card = Card(
        "bench",
        way.kind,
        native.words,
        spec.longest,
        noise=kind.noise,
        never=() if kind.noise else (mask,),
        blockwise=kind.blockwise,
    )
    approximate = way.cache if way.cache == "dual" else ""
    return kind(AdapterParts(native, spec, card, NumberTokenizer(native.words), mask, True, approximate, way.graphs))


def begun(way: Way, denoiser: Masked, seed: int = 0, cells: int = 0) -> State:
    """A state with a prompt of fifty tokens and an open answer, with passes for `way.quota` cells each."""
    cells = cells or way.cells
    block = min(way.block, cells)
    noise = denoiser.card.words if denoiser.card.noise else 0
    rule = Settings("confidence", passes=max(1, cells // way.quota), block=block, seed=seed, temperature=way.heat)
    rule = replace(rule, noise=noise)
    if isinstance(denoiser, BlockCausal):  # as its authors do: blocks are counted from the start of the prompt
        rule = replace(rule, block_from="sequence", sight="block")
    prompt = np.random.default_rng(seed).integers(3, min(denoiser.card.words, 400), 50).tolist()
    return start(blank([prompt, cells]), rule)


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def passes(denoiser: Masked, states: list[State], limit: float) -> Iterator[float]:
    """Seconds of each round: a pass of every state that is not done."""
    distribution_caches, device = [DistributionCache() for _ in states], denoiser.network.device.type
    began = time.perf_counter()
    while not all(s.done for s in states) and time.perf_counter() - began < limit:
        one = time.perf_counter()
        open_ones = [i for i, s in enumerate(states) if not s.done]
        beliefs = infer(
            denoiser, [states[i] for i in open_ones], distribution_caches=[distribution_caches[i] for i in open_ones]
        )
        for i, belief in zip(open_ones, beliefs, strict=True):
            states[i] = step(states[i], belief)[0]
        synchronize(device)
        yield time.perf_counter() - one


def bare(denoiser: Masked, state: State) -> Callable[[], object]:
    """The forward alone, for the rows that a pass of this state reads."""
    model_input = build_query(denoiser.card, state, False, DistributionCache()).model_input

    def work() -> None:
        with torch.inference_mode():
            denoiser.logits([model_input])
        synchronize(denoiser.network.device.type)

    return work


def busy(work: Callable[[], object], device: str) -> float:
    """The share of wall time in which the GPU is busy: its kernels' own times, by a profiler, over the time of the same
    work without one; 1 on a CPU."""
    if device != "cuda":
        return 1.0
    from torch.profiler import ProfilerActivity, profile

    synchronize(device)
    began = time.perf_counter()
    work()
    synchronize(device)
    wall = time.perf_counter() - began
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        work()
        synchronize(device)
    return sum(e.self_device_time_total for e in seen.key_averages()) / 1e6 / wall


def whats(way: Way) -> dict[str, tuple[str, str]]:
    """The rows of a way: label and target of each."""
    found = {
        "speed": (f"{way.title}: one session", way.wanted),
        "over": (f"{way.title}: a pass over its bare forward, GPU idle", "<= 1.10 x, <= 10 %"),
    }
    if way.graphs:
        found["same"] = (f"{way.title}: tokens as without", "all")
        found["live"] = (f"{way.title}: a live session's pass over the plain loop's", "<= 1.05 x")
    if way.quota == 1:
        found["many"] = (f"{way.title}: {MANY} sessions, of what the bare batched forward gains", ">= 80 %")
        found["read"] = ("LLaDA-8B: a canvas that is read for a client, over a pass", "<= 1.2 x")
        found["greedy"] = ("LLaDA-8B: the authors' procedure over our loop, same weights, greedy", ">= 1.6 x")
        found["sampled"] = ("LLaDA-8B: the authors' procedure over our loop, same weights, sampled", ">= 3 x")
    return found


def measured(way: Way, denoiser: Masked, device: str, small: bool, limit: float) -> Iterator[tuple[str, str]]:
    """The speed of a run in the plain loop, and a pass in its middle over its forward."""
    cells = 64 if small else way.cells
    list(passes(denoiser, [begun(way, denoiser, 1, min(cells, 32))], limit / 5))  # warm-up: kernels and memory
    states = [begun(way, denoiser, 2, cells)]
    opened = int(states[0].canvas.open.sum())
    middle: list[State] = []
    times = []
    for spent in passes(denoiser, states, limit):
        times.append(spent)
        if len(times) == max(1, opened // way.quota // 2):
            middle = [states[0]]
    decided = opened - int(states[0].canvas.open.sum())
    speed = f"{decided / sum(times):.0f} tok/s, {1000 * statistics.median(times):.1f} ms a pass"
    yield "speed", f"{speed}, {decided / len(times):.1f} cells a pass"
    if not middle or middle[0].done:
        return
    work = bare(denoiser, middle[0])
    work()
    alone = []
    for _ in range(7):
        began = time.perf_counter()
        work()
        alone.append(time.perf_counter() - began)

    def five() -> None:
        rounds = passes(denoiser, [middle[0]], 5)
        for _ in range(5):
            next(rounds, 0)

    idle = 1 - busy(five, device)
    yield "over", f"{statistics.median(times) / statistics.median(alone):.2f} x, {100 * idle:.0f} %"


def with_graphs(way: Way, denoiser: Masked, plain: Masked, limit: float) -> Iterator[tuple[str, str]]:
    """Whether a run with CUDA graphs writes the same tokens as one without."""
    ends = []
    for one in (denoiser, plain):
        states = [begun(way, one, 3, 64)]
        list(passes(one, states, limit / 5))
        ends.append(states[0].canvas.tokens)
    yield "same", f"{int((ends[0] == ends[1]).sum())} of {len(ends[0])}"


def live_session(way: Way, denoiser: Masked, small: bool, limit: float) -> Iterator[tuple[str, str]]:
    """A live session's pass over the plain loop's; the session prefetches the next pass while events are sent."""
    cells = 64 if small else way.cells
    alone = list(passes(denoiser, [begun(way, denoiser, 4, cells)], limit))

    async def watched() -> list[float]:
        device = Device()
        session = Session(denoiser, device, timeline(denoiser.card, begun(way, denoiser, 4, cells)), watched=False)
        acting, reader, times = asyncio.ensure_future(session.run()), session.subscribe(), list[float]()
        session.send(Play())
        began = time.perf_counter()
        while not isinstance(event := (await reader.get()).event, Done) and sum(times) < limit:
            if isinstance(event, Stepped):
                times.append(time.perf_counter() - began)
                began += times[-1]
        session.close()
        await acting
        device.close()
        return times

    times = asyncio.run(watched())
    yield "live", f"{statistics.median(times) / statistics.median(alone):.2f} x"


def together(way: Way, denoiser: Masked, device: str, small: bool, limit: float) -> Iterator[tuple[str, str]]:
    """Sixteen sessions of one shape against one, and against what the bare batched forward gains."""
    denoiser.shares = True
    model, few = denoiser.network.model, 8  # type: ignore[attr-defined]
    speeds = []
    for n in (1, MANY):
        states = [begun(way, denoiser, seed, 32 if small else way.cells) for seed in range(n)]
        times = [t for t, _ in zip(passes(denoiser, states, limit / 3), range(few), strict=False)]
        speeds.append(n / statistics.median(times))
    ids = torch.randint(3, 400, (MANY, len(states[0].canvas)), device=device)
    gains = []
    with torch.inference_mode():
        for n in (1, MANY):
            times = []
            for _ in range(5):
                began = time.perf_counter()
                model(input_ids=ids[:n], use_cache=False, logits_to_keep=32)
                synchronize(device)
                times.append(time.perf_counter() - began)
            gains.append(n / statistics.median(times))
    yield "many", f"{100 * (speeds[1] / speeds[0]) / (gains[1] / gains[0]):.0f} %"


def read_for_client(way: Way, denoiser: Masked, device: str, small: bool) -> Iterator[tuple[str, str]]:
    """What `/v1` does for a model that is attached elsewhere, against a pass of a run here; both read every cell."""
    state = begun(replace(way, block=way.cells), denoiser, 5, 64 if small else way.cells)
    both = (lambda: infer(denoiser, [state], [True]), lambda: read_canvas(denoiser, state, CANDIDATES))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(8):
        for work, spent in zip(both, times, strict=True):
            began = time.perf_counter()
            work()
            synchronize(device)
            spent.append(time.perf_counter() - began)
    ours, read = (statistics.median(spent[1:]) for spent in times)
    yield "read", f"{read / ours:.2f} x, {1000 * read:.1f} ms for {way.cells} cells"


def authors(way: Way, denoiser: Masked, device: str, small: bool) -> Iterator[tuple[str, str]]:
    """LLaDA's own generate.py alternating with our loop: same weights, passes and cells a pass."""
    cells, rounds, turns = (32, 8, 1) if small else (way.cells, 32, 3)
    model: Any = denoiser.network.model  # type: ignore[attr-defined]
    prompt, never = list(range(3, 53)), list(denoiser.card.never)

    def forward(x: Any) -> Any:
        logits = model(input_ids=x, use_cache=False).logits
        logits[..., never] = -torch.inf  # or the mask token might be written, and its cell counted as open
        return logits

    for name, heat in (("greedy", 0.0), ("sampled", 1.0)):
        ours, theirs = list[float](), list[float]()
        rule = Settings(passes=rounds, temperature=heat, precision="model")  # confidence in the logits' own dtype
        for turn in range(turns + 1):
            state = start(blank([prompt, cells]), rule)
            began = time.perf_counter()
            *_, (ended, _) = decode(denoiser, state)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            with torch.device(device):
                wrote = published(forward, denoiser.mask, prompt, cells, heat, rounds).tolist()
            theirs.append(time.perf_counter() - began)
            if not turn:
                ours, theirs = [], []  # warm-up: kernels and memory
        ratio = statistics.median(a / b for a, b in zip(theirs, ours, strict=True))
        alike = sum(a == b for a, b in zip(wrote, ended.canvas.tokens.tolist(), strict=True))
        yield name, f"{ratio:.2f} x" + (f", {alike} of {len(wrote)} tokens the same" if not heat else "")


def figures(way: Way, made: tuple[Any, Any], device: str, small: bool, limit: float) -> Iterator[tuple[str, str]]:
    """All of one way."""
    denoiser = adapter(way, *made)
    yield from measured(way, denoiser, device, small, limit)
    if way.graphs:
        yield from with_graphs(way, denoiser, adapter(replace(way, graphs=False), *made), limit)
        yield from live_session(way, denoiser, small, limit)
    if way.quota == 1:
        yield from together(way, denoiser, device, small, limit)
        yield from read_for_client(way, denoiser, device, small)
        yield from authors(way, denoiser, device, small)


def answered(small: bool = False) -> Iterator[Row]:
    """Every row, in the order of the ways; where one cannot be taken, why not."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    small = small or device == "cpu"  # without a GPU it only shows that it runs
    ends, made, last = time.monotonic() + TOTAL, (None, None), ""
    for left, way in zip(range(len(WAYS), 0, -1), WAYS, strict=True):
        found, why = dict[str, str](), "not reached in time"
        try:
            if way.kind != last:
                made, last = (None, None), way.kind
                gc.collect()
                if device == "cuda":
                    torch.cuda.empty_cache()
                made = network(way, device, small)
            for name, figure in figures(way, made, device, small, (ends - time.monotonic()) / left / 3):
                found[name] = figure
        except (RuntimeError, InvalidRequest) as error:  # one way that cannot be run must not hide the others
            why = f"failed: {str(error).strip().splitlines()[0][:80]}"
        for name, (what, wanted) in whats(way).items():
            yield Row(what, found.get(name, why), wanted)


def rows(tiny: bool = False) -> Iterator[Row]:
    """For the table of all: as measured here, or as what is still to be measured."""
    if torch.cuda.is_available():
        yield from answered(tiny)
        return
    for way in WAYS:
        for what, wanted in whats(way).values():
            yield Row(what, "not measured: no GPU here", wanted)


def main(small: bool = False) -> list[Row]:
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "processor"
    small = small or not torch.cuda.is_available()
    found = []
    for row in answered(small):
        shown = replace(row, what=f"`bench/gpu.py` on {name}{' (small)' * small}, {row.what}")
        found.append(row)
        print(f"| {time.strftime('%Y-%m-%d')} {shown}", flush=True)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="small shapes, on any machine: to see that it runs")
    main(parser.parse_args().small)
