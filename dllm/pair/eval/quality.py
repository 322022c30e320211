"""How good is what is written, and how fast: consistency, surprise and tokens a pass, over decoders and passes."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from unmask.inference.infer import surprises
from unmask.models import Denoiser
from unmask.pair.eval.generate import WAYS, DecodeConfig, GeneratedText, write
from unmask.pair.worlds import Document, check, consistency, distinct, kind, repetition


@dataclass(frozen=True)
class Row:
    """What one way gave on one set of prompts."""

    way: str
    set: str
    prompts: int
    facts: int  # checkable facts in what was written
    consistent: float  # the share of them that hold
    right: float  # the share of texts in which all hold
    tokens_per_pass: float
    passes: float  # the mean of a text
    perplexity: float  # under the twin
    distinct3: float
    repeated: float


def judge_texts(way: str, name: str, texts: Sequence[GeneratedText], twin: Denoiser) -> Row:
    """What the judges say of some texts."""
    facts = [check(w.text) for w in texts]
    count = sum(map(len, facts))
    passes = sum(w.passes for w in texts)
    plain = [w.text for w in texts]
    return Row(
        way=way,
        set=name,
        prompts=len(texts),
        facts=count,
        consistent=consistency(plain),
        right=sum(bool(f) and all(x.holds for x in f) for f in facts) / len(texts),
        tokens_per_pass=sum(w.tokens for w in texts) / passes,
        passes=passes / len(texts),
        perplexity=perplexity(twin, plain),
        distinct3=distinct(plain, 3),
        repeated=float(np.mean([repetition(t) for t in plain])),
    )


def perplexity(twin: Denoiser, texts: Iterable[str]) -> float:
    """How many words the twin wavers between, a token, when it reads the texts."""
    scores = [surprises(twin, twin.tokenizer.encode(text)[: twin.card.longest - 1]) for text in texts]
    return float(np.exp(np.concatenate([t for t in scores if len(t)]).mean()))


def sweep(
    denoiser: Denoiser,
    twin: Denoiser,
    documents: Sequence[Document],
    ways: Sequence[DecodeConfig] = WAYS,
    report: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Every way on every prompt: a row for prose, one for the structured shapes, and one for each shape."""
    rows = []
    for way in ways:
        sets: dict[str, list[GeneratedText]] = defaultdict(list)
        for task in documents:
            completion = write(denoiser, task, way)
            for name in ("all", kind(task.shape), task.shape):
                sets[name].append(completion)
        for name in sorted(sets, key=lambda n: (n not in ("all", "prose", "structured"), n)):
            rows.append(judge_texts(way.name, name, sets[name], twin))
            report(rows[-1])
    return rows


def table(rows: Iterable[Row]) -> list[str]:
    """Rows as lines of text."""
    head = f"{'way':14} {'set':11} {'texts':>5} {'facts':>5} {'holds':>6} {'right':>6} {'a pass':>6} {'passes':>6}"
    lines = [head + f" {'ppl':>6} {'dist3':>6} {'rep':>5}"]
    for r in rows:
        lines.append(
            f"{r.way:14} {r.set:11} {r.prompts:5} {r.facts:5} {100 * r.consistent:5.1f}% {100 * r.right:5.1f}%"
            f" {r.tokens_per_pass:6.2f} {r.passes:6.1f} {r.perplexity:6.2f} {r.distinct3:6.2f} {r.repeated:5.2f}"
        )
    return lines


def keep(rows: Sequence[Row], folder: Path) -> list[Path]:
    """The rows as CSV, and as a picture of quality against speed where one can be drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    sheet = folder / "judge.csv"
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(r) for r in rows)
    try:
        import matplotlib
    except ImportError:  # a picture is extra; the numbers are kept
        return [sheet]
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for name in ("prose", "structured"):
        points = [r for r in rows if r.set == name]
        axes.plot([r.tokens_per_pass for r in points], [100 * r.consistent for r in points], "o", label=name)
        for r in points:
            axes.annotate(
                r.way, (r.tokens_per_pass, 100 * r.consistent), fontsize=7, xytext=(4, 4), textcoords="offset points"
            )
    axes.set(xscale="log", xlabel="tokens a pass", ylabel="facts that hold, %")
    axes.legend()
    figure.tight_layout()
    figure.savefig(folder / "judge.png", dpi=120)
    pyplot.close(figure)
    return [sheet, folder / "judge.png"]
