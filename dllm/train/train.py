"""The training loop: one for both kinds, ends on time, goes on where it stopped."""

import csv
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from dllm.models.transformer import Shape, Transformer
from dllm.train.data import Rows
from dllm.train.noise import Lesson, following, masked
from dllm.train.optimiser import Optimiser


@dataclass(frozen=True)
class Recipe:
    """Everything that decides a run, beside its data."""

    kind: str  # denoiser or twin
    shape: Shape
    mask_id: int
    separator_id: int
    seed: int = 0
    minutes: float | None = None  # the clock to end by; or
    steps: int | None = None  # the steps to end by, when the run must be repeatable
    batch: int = 4096  # tokens
    matrix_rate: float = 0.02
    other_rate: float = 0.003
    recall: tuple[float, float] = (1.0, 0.2)  # share of rows about words that return: at first; after, falling to none
    recalling: float = 0.05  # the share of the run that is "at first"
    stable: float = 0.5  # the share of the run after which the rate falls, in a line, to nothing
    compiled: bool = True
    keep_every: float = 180.0  # seconds between checkpoints
    look_every: int = 100  # steps between looks at held-out rows


def rate(done: float, step: int, stable: float) -> float:
    """Warm up over forty steps, stay, fall to zero."""
    return min(1.0, (step + 1) / 40) * min(1.0, max(0.0, (1 - done) / (1 - stable)))


def lesson(
    recipe: Recipe,
    rows: Rows,
    chosen: np.ndarray,
    rng: np.random.Generator,
    room: float | None = None,
    recall: float = 0.0,
) -> Lesson:
    if recipe.kind == "twin":
        return following(rows, chosen, recipe.separator_id, recall)
    return masked(rows, chosen, recipe.mask_id, rng, room, recall)


def loss_of(network: Transformer, ids: Tensor, where: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    hidden, _ = network.read(ids)
    # only the cells that are judged reach the head: it is the widest matrix
    logits = network.speak(hidden.reshape(-1, hidden.shape[-1])[where])
    return (F.cross_entropy(logits.float(), target, reduction="none") * weight).sum()


def chosen_at(step: int, seed: int, data: dict[int, Rows], batch: int) -> tuple[int, np.ndarray]:
    """Which rows a step learns from: a function of seed and step, so that a resumed run sees what it would have."""
    lengths = sorted(data)
    length = lengths[step % len(lengths)]
    count, total = max(1, batch // length), len(data[length].ids)
    turn, at = divmod(step // len(lengths) * count, total)
    order = np.random.default_rng([seed, length, turn]).permutation(total)
    return length, np.take(order, range(at, at + count), mode="wrap")


@torch.no_grad()
def held_loss(recipe: Recipe, network: Transformer, held: dict[str, Rows]) -> dict[str, float]:
    """Nats a token on rows never trained on (for a denoiser the ELBO, masked with the same luck every time)."""
    found = {}
    for name, rows in held.items():
        rng = np.random.default_rng(7)
        one = lesson(recipe, rows, np.arange(len(rows.ids)), rng)
        found[name] = float(loss_of(network, one.ids, one.where, one.target, one.weight)) / one.scale
    return found


def train(
    recipe: Recipe,
    data: dict[int, Rows],
    held: dict[str, Rows],
    folder: Path,
    start: dict[str, Tensor] | None = None,
    quiet: bool = False,
) -> tuple[Transformer, list[dict[str, float]]]:
    """A network, and what was measured along the way; `folder` keeps checkpoint.pt and log.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(recipe.seed)
    network = Transformer(recipe.shape)
    if start is not None:
        network.load_state_dict(start)
    # the masters are copied first: they keep the digits that bf16 loses
    optimiser = Optimiser(network.named_parameters(), recipe.matrix_rate, recipe.other_rate)
    network.bfloat16()
    step, spent, seen = 0, 0.0, 0
    log: list[dict[str, float]] = []
    kept = folder / "checkpoint.pt"
    if kept.exists():
        was: dict[str, Any] = torch.load(kept, weights_only=False)
        if was["shape"] != asdict(recipe.shape):
            raise ValueError(f"{kept} is of another shape: {was['shape']}; remove it or train that shape")
        optimiser.restore(was["optimiser"])
        step, spent, seen, log = was["step"], was["spent"], was["seen"], was["log"]

    judged = torch.compile(loss_of, dynamic=False) if recipe.compiled else loss_of
    bar = tqdm(disable=quiet, initial=seen, unit="tok", unit_scale=True, dynamic_ncols=True, mininterval=5)
    began, saved, smooth = time.monotonic() - spent, time.monotonic(), 0.0
    while True:
        spent = time.monotonic() - began
        done = step / recipe.steps if recipe.steps else spent / 60 / (recipe.minutes or 1)
        over = done >= 1
        if (over or step % recipe.look_every == 0) and (not log or log[-1]["step"] != step):
            row = {"step": step, "tokens": seen, "seconds": round(spent, 1), "loss": round(smooth, 4)}
            log.append(row | {name: round(value, 4) for name, value in held_loss(recipe, network, held).items()})
            write_log(log, folder / "log.csv")
            bar.set_postfix_str(" ".join(f"{name} {value}" for name, value in log[-1].items()))
        if over or time.monotonic() - saved > recipe.keep_every:
            state = {"optimiser": optimiser.state(), "step": step, "spent": spent, "seen": seen, "log": log}
            torch.save(state | {"shape": asdict(recipe.shape)}, kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)  # whole or not at all
            saved = time.monotonic()
        if over:
            break
        length, chosen = chosen_at(step, recipe.seed, data, recipe.batch)
        recall = recipe.recall[0] if done < recipe.recalling else recipe.recall[1] * (1 - done)
        one = lesson(recipe, data[length], chosen, np.random.default_rng([recipe.seed, step]), 0.5, recall)
        loss = judged(network, one.ids, one.where, one.target, one.weight) / one.scale
        loss.backward()
        optimiser.step(rate(done, step, recipe.stable))
        smooth = loss.item() if not smooth else 0.98 * smooth + 0.02 * loss.item()
        step, seen = step + 1, seen + one.ids.numel()
        bar.update(one.ids.numel())
        left = f" {recipe.minutes - spent / 60:.0f} min left" if recipe.minutes and not recipe.steps else ""
        bar.set_description(f"{recipe.kind} loss {smooth:.3f}{left}", refresh=False)
    bar.close()
    finished = Transformer(recipe.shape)
    finished.load_state_dict({name: master.bfloat16().float() for name, master in optimiser.masters.items()})
    return finished.eval(), log


def write_log(log: list[dict[str, float]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(log[0]))
        writer.writeheader()
        writer.writerows(log)


def small(recipe: Recipe, steps: int) -> Recipe:
    """The same run, small enough to be over in a minute: for a smoke test. Counted in steps, so that what it learns
    does not depend on the machine."""
    shape = replace(recipe.shape, width=96, layers=3, heads=3)
    return replace(recipe, shape=shape, minutes=None, steps=steps, batch=2048, compiled=False, look_every=40)
