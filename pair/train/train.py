"""The training loop: one set of weights, two readings; ends on time, goes on where it stopped."""

import csv
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from pair.train.data import Rows
from pair.train.objectives import TrainingBatch, blocks, canvas, left_to_right
from pair.train.optimiser import Optimiser
from pair.train.tokenizer import Marks
from unmask.models.transformer import Transformer, TransformerConfig

Teaching = Callable[[Rows, np.ndarray, Marks, np.random.Generator, float], TrainingBatch]
Spoken = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor, float], Tensor]
LIKELY = -0.2  # log of the least probability, sharpened, of a word that is pushed to be sure: .8
TEACH: dict[str, Teaching] = {"twin": blocks, "denoiser": canvas}


@dataclass(frozen=True)
class TrainConfig:
    """Everything that decides a run, beside its data."""

    kind: str  # twin or denoiser
    shape: TransformerConfig
    marks: Marks
    seed: int = 0
    minutes: float | None = None  # the clock to end by; or
    steps: int | None = None  # the steps to end by, when the run must be repeatable
    batch: int = 4096  # cells read in a step; a row read as blocks is read twice
    matrix_rate: float = 0.02
    other_rate: float = 0.003
    repeats: tuple[float, float] = (0.5, 0.1)  # share of rows about words that return: at first; after, falling to none
    recalling: float = 0.05  # the share of the run that is "at first"
    stable: float = 0.5  # the share of the run after which the rate falls, in a line, to nothing
    alone: float = 0.0  # the share of a twin's run, from its start, in which it reads from left to right alone
    certain: float = 0.0  # how much a right answer is pushed to be sure
    compiled: bool = True
    keep_every: float = 180.0  # seconds between checkpoints
    look_every: int = 100  # steps between looks at held-out rows


def rate(done: float, step: int, stable: float) -> float:
    """Warm up over forty steps, stay, fall to zero."""
    return min(1.0, (step + 1) / 40) * min(1.0, max(0.0, (1 - done) / (1 - stable)))


def loss_of(network: Transformer, one: TrainingBatch, certain: float, spoken: Spoken | None = None) -> Tensor:
    """Nats a cell, of each reading; and, where asked, doubt where a draft is right (certainty forcing)."""
    hidden, _ = network.read(one.ids, one.positions, one.attention_mask)
    # only the cells that are judged reach the head: it is the widest matrix
    cells = hidden.reshape(-1, hidden.shape[-1])[one.where]
    return (spoken or judged)(cells, network.embedding.weight, one.target, one.weight, one.drafted, certain)


def judged(cells: Tensor, embedding: Tensor, target: Tensor, weight: Tensor, drafted: Tensor, certain: float) -> Tensor:
    """The loss of some cells. Compiled, it goes over the logits twice and not ten times."""
    logits = F.linear(cells, embedding).float()
    loss = (F.cross_entropy(logits, target, reduction="none") * weight).sum()
    if certain:
        log = (logits / 0.5).log_softmax(-1)
        # a first guess, one of a hundred tales, stays open: only what is likely already is pushed
        right = (logits.argmax(-1) == target) * (log.amax(-1) > LIKELY) * drafted * weight
        loss = loss - certain * ((log.exp() * log).sum(-1) * right).sum()
    return loss


def chosen_at(step: int, recipe: TrainConfig, data: dict[int, Rows], twice: bool) -> tuple[int, np.ndarray]:
    """Which rows a step learns from: a function of seed and step, so that a resumed run sees what it would have."""
    lengths = sorted(data)
    length = lengths[-1] if step % 6 == 5 else lengths[step % 6 % max(1, len(lengths) - 1)]  # most texts are short
    count, total = max(1, recipe.batch // length // (2 if twice else 1)), len(data[length].ids)
    turn, at = divmod(step * count, total)
    order = np.random.default_rng([recipe.seed, length, turn]).permutation(total)
    return length, np.take(order, range(at, at + count), mode="wrap")


@torch.no_grad()
def validation_loss(recipe: TrainConfig, network: Transformer, validation: dict[str, Rows]) -> dict[str, float]:
    """On rows never trained on: nats a token (a twin's from left to right), and of drafts how many are right."""
    found = {}
    for name, rows in validation.items():
        one = TEACH[recipe.kind](rows, np.arange(len(rows.ids)), recipe.marks, np.random.default_rng(7), 0.0)
        hidden, _ = network.read(one.ids, one.positions, one.attention_mask)
        logits = network.lm_head(hidden.reshape(-1, hidden.shape[-1])[one.where]).float()
        nats = F.cross_entropy(logits, one.target, reduction="none")
        drafts = one.drafted * one.weight
        if recipe.kind == "twin":
            found[name] = float((nats * one.weight * (1 - one.drafted)).sum())
        found[f"{name} drafted" if recipe.kind == "twin" else name] = float((nats * drafts).sum() / drafts.sum())
        found[f"{name} right"] = float(((logits.argmax(-1) == one.target) * drafts).sum() / drafts.sum())
    return found


def train(
    recipe: TrainConfig,
    data: dict[int, Rows],
    validation: dict[str, Rows],
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
        was: dict[str, Any] = torch.load(kept, weights_only=False)  # nosec B614: our own file
        if was["shape"] != asdict(recipe.shape):
            raise ValueError(f"{kept} is of another shape: {was['shape']}; remove it or train that shape")
        optimiser.restore(was["optimiser"])
        step, spent, seen, log = was["step"], was["spent"], was["seen"], was["log"]

    if recipe.compiled:
        for layer in network.layers:  # alike, so that one is compiled for all
            layer.compile(dynamic=False)
    spoken = torch.compile(judged, dynamic=False) if recipe.compiled else judged
    bar = tqdm(disable=quiet, initial=seen, unit="tok", unit_scale=True, dynamic_ncols=True, mininterval=20)
    began, saved, smooth = time.monotonic() - spent, time.monotonic(), 0.0
    while True:
        spent = time.monotonic() - began
        done = step / recipe.steps if recipe.steps else spent / 60 / (recipe.minutes or 1)
        over = done >= 1
        if (over or step % recipe.look_every == 0) and (not log or log[-1]["step"] != step):
            row = {"step": step, "tokens": seen, "seconds": round(spent, 1), "loss": round(smooth, 4)}
            log.append(
                row | {name: round(value, 4) for name, value in validation_loss(recipe, network, validation).items()}
            )
            write_log(log, folder / "log.csv")
            bar.set_postfix_str(" ".join(f"{name} {value}" for name, value in log[-1].items()))
        if over or time.monotonic() - saved > recipe.keep_every:
            state = {"optimiser": optimiser.state(), "step": step, "spent": spent, "seen": seen, "log": log}
            torch.save(state | {"shape": asdict(recipe.shape)}, kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)  # whole or not at all
            saved = time.monotonic()
        if over:
            break
        teach = left_to_right if recipe.kind == "twin" and done < recipe.alone else TEACH[recipe.kind]
        length, chosen = chosen_at(step, recipe, data, teach is blocks)
        repeats = recipe.repeats[0] if done < recipe.recalling else recipe.repeats[1] * (1 - done)
        rng = np.random.default_rng([recipe.seed, step])
        one = teach(data[length], chosen, recipe.marks, rng, repeats)
        loss = loss_of(network, one, recipe.certain, spoken)
        loss.backward()
        optimiser.step(rate(done, step, recipe.stable))
        smooth = loss.item() if not smooth else 0.98 * smooth + 0.02 * loss.item()
        step, seen = step + 1, seen + chosen.size * length
        bar.update(chosen.size * length)
        left = f" {recipe.minutes - spent / 60:.0f} min left" if recipe.minutes and not recipe.steps else ""
        bar.set_description(f"loss {smooth:.3f}{left}", refresh=False)
    bar.close()
    finished = Transformer(recipe.shape)
    finished.load_state_dict({name: master.bfloat16().float() for name, master in optimiser.masters.items()})
    return finished.eval(), log


def write_log(log: list[dict[str, float]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(log[0]))
        writer.writeheader()
        writer.writerows(log)
