"""The examination: every figure the embedded pair is judged by, as one table with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unmask.models import Denoiser
from unmask.pair.eval import calibration, steering
from unmask.pair.eval.generate import OWN, DecodeConfig, GeneratedText, held_out, write
from unmask.pair.worlds import Document, kind, strict
from unmask.pair.worlds.chat.free import Free, free_prompts, sensible
from unmask.pair.worlds.story import nearest
from unmask.run.intervals import share

# what the table of the examination asks for
WANTED = {
    "strict, prose": "≥ 90 %",
    "strict, story": "≥ 85 %",
    "the twin's text, word for word": "always",
    "speed over the twin, prose": "≥ 2.5 x (fast)",
    "speed over the twin, records": "≥ 10 x",
    "tokens a forward, prose": "≥ 4",
    "tokens a forward, structured": "≥ 8",
    "sums exact, free order": "≥ 95 %",
    "late pins followed": "≥ 90 %",
    "late pins clean": "≥ 80 %",
    "pinned endings clean": "≥ 80 %",
    "gaps 3 cells too long clean": "≥ 80 %",
    "calibration error, all hidden": "≤ .03",
    "distinct plots in 100 draws": "≥ 30",
    "free prompts sensible": "≥ 80 %",
}


@dataclass(frozen=True)
class EvalRow:
    """One row of the table: what, how much, of how many, and for whom."""

    what: str
    who: str
    value: str
    count: int

    def __str__(self) -> str:
        return f"{self.what:42} {self.who:10} {self.value:22} n {self.count:4}  {WANTED.get(self.what, '')}"


Report = Callable[[EvalRow], None]


def completed(
    denoiser: Denoiser, who: str, documents: Sequence[Document], report: Report, way: DecodeConfig = OWN
) -> list[GeneratedText]:
    """Strict shares and tokens a forward, by shape and in all."""
    texts = [write(denoiser, one, way) for one in documents]
    kinds, shapes = in_kinds(texts), defaultdict[str, list[GeneratedText]](list)
    for one in texts:
        shapes[one.document.shape].append(one)
    for name, some in (*kinds.items(), *sorted(shapes.items())):
        report(EvalRow(f"strict, {name}", who, str(share([one.strict for one in some])), len(some)))
    for name, some in kinds.items():
        rate = sum(one.tokens for one in some) / sum(one.passes for one in some)
        report(EvalRow(f"tokens a forward, {name}", who, f"{rate:.2f}", len(some)))
        report(EvalRow(f"tokens a second, {name}", who, f"{pace(some):.0f}", len(some)))
    return texts


def evaluate_free_prompts(denoiser: Denoiser, prompts: Sequence[Free], report: Report, who: str = "denoiser") -> None:
    """A hundred prompts in people's own words, by class."""
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one in prompts:
        text = write(denoiser, Document("", one.prompt, "chat")).text
        kinds[one.kind].append(sensible(one, text[len(one.prompt) :]))
    for name, found in kinds.items():
        report(EvalRow(f"free prompts, {name}", who, str(share(found)), len(found)))
    every = [one for found in kinds.values() for one in found]
    report(EvalRow("free prompts sensible", who, str(share(every)), len(every)))


def plots(denoiser: Denoiser, draws: int, report: Report, temperature: float = 0.7) -> None:
    """How many plots appear, and how many texts differ, when nothing is asked for but a story."""
    task = Document("", "Story:", "story")
    texts = [write(denoiser, task, seed=seed, temperature=temperature).text for seed in range(draws)]
    report(EvalRow(f"distinct plots in {draws} draws", "denoiser", str(len({nearest(text) for text in texts})), draws))
    report(EvalRow(f"distinct texts in {draws} draws", "denoiser", str(len(set(texts))), draws))
    right = [strict("Story:", text).strict for text in texts]
    report(EvalRow(f"strict at T {temperature}", "denoiser", str(share(right)), draws))


def steered(denoiser: Denoiser, count: int, report: Report) -> None:
    """Pins, endings and gaps."""
    tasks = steering.stories(count)
    for name, policy in (("", ""), (", then replan", "replan")):
        followed, clean = steering.tried([steering.late(denoiser, one, policy) for one in tasks])
        report(EvalRow("late pins followed" + name, "denoiser", str(share(followed)), len(followed)))
        report(EvalRow("late pins clean" + name, "denoiser", str(share(clean)), len(clean)))
    followed, clean = steering.tried([steering.early(denoiser, one) for one in tasks])
    report(EvalRow("early pins followed", "denoiser", str(share(followed)), len(followed)))
    report(EvalRow("early pins clean", "denoiser", str(share(clean)), len(clean)))
    ends = [steering.ending(denoiser, one) for one in tasks]
    gap_filling("pinned endings clean", tasks, ends, report)
    for over in (0, 3, 6):
        name = f"gaps {over} cells too long clean" if over else "gaps of the right length clean"
        gap_filling(name, tasks, [steering.gap(denoiser, one, over) for one in tasks], report)


def gap_filling(name: str, tasks: Sequence[Document], clean: Sequence[bool], report: Report) -> None:
    """All of them, and those whose plot the pair has met: the sentences that are hidden in the others it never read."""
    report(EvalRow(name, "denoiser", str(share(clean)), len(clean)))
    some = [good for task, good in zip(tasks, clean, strict=True) if steering.met(task)]
    report(EvalRow(f"{name}, plots met", "denoiser", str(share(some)), len(some)))


def calibrated(denoiser: Denoiser, documents: Sequence[Document], report: Report) -> None:
    """Expected calibration error, with everything hidden and by share."""
    for hidden in calibration.SHARES:
        sure, right = calibration.beliefs(denoiser, documents, hidden)
        name = "all hidden" if hidden == 1 else f"{100 * hidden:.0f} % hidden"
        value = f"{calibration.error(sure, right):.3f} (says {sure.mean():.3f}, is {right.mean():.3f})"
        report(EvalRow(f"calibration error, {name}", "denoiser", value, len(sure)))


def pace(texts: Sequence[GeneratedText]) -> float:
    """Tokens a second."""
    return sum(one.tokens for one in texts) / max(1e-9, sum(one.seconds for one in texts))


def speedup(name: str, who: str, ours: Sequence[GeneratedText], twins: Sequence[GeneratedText], report: Report) -> None:
    """How much faster than the twin, in what kind of text."""
    report(EvalRow(f"speed over the twin, {name}", who, f"{pace(ours) / pace(twins):.2f} x", len(ours)))


def in_kinds(texts: Sequence[GeneratedText]) -> dict[str, list[GeneratedText]]:
    """Prose first, then what has one right answer; a kind without texts is left out."""
    kinds: dict[str, list[GeneratedText]] = {"prose": [], "structured": []}
    for one in texts:
        kinds[kind(one.document.shape)].append(one)
    return {name: some for name, some in kinds.items() if some}


def examine(
    denoiser: Denoiser, twin: Denoiser, prompts: int, quick: bool, report: Report, fast: Denoiser | None = None
) -> None:
    """Every row that can be worked out; `quick` looks at a few texts of each, to see that all works."""
    documents = held_out(4, ("story", "record", "sum", "sort")) if quick else held_out(prompts)
    texts = completed(denoiser, "denoiser", documents, report)
    beside = completed(twin, "twin", documents[:2] if quick else documents, report)
    modes = {"denoiser": texts}
    if fast is not None:
        modes["fast"] = completed(fast, "fast", documents[:2] if quick else documents, report)
        same = [a.text == b.text for a, b in zip(modes["fast"], beside, strict=True)]
        report(EvalRow("the twin's text, word for word", "fast", str(share(same)), len(same)))
    records = held_out(1 if quick else max(8, prompts // 8), ("record",))
    twins = in_kinds(beside) | {"records": [write(twin, one) for one in records]}
    for who, some in modes.items():
        model = fast if who == "fast" and fast is not None else denoiser
        ours = in_kinds(some) | {"records": [write(model, one) for one in records]}
        for name in [name for name in ours if name in twins]:
            speedup(name, who, ours[name], twins[name], report)
    sums = [one for one in texts if one.document.shape == "sum"]
    if not quick:
        sums = [write(denoiser, one) for one in held_out(prompts, ("sum",))]
    report(EvalRow("sums exact, free order", "denoiser", str(share([one.strict for one in sums])), len(sums)))
    steered(denoiser, 1 if quick else max(10, prompts // 5), report)
    calibrated(denoiser, documents[:4] if quick else documents, report)
    plots(denoiser, 2 if quick else 100, report)
    free = free_prompts()
    evaluate_free_prompts(denoiser, free[::50] if quick else free, report)
    if fast is not None:
        evaluate_free_prompts(fast, free[::50] if quick else free, report, "fast")
