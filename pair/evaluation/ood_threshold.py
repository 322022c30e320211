"""Finds, for each embedded model, the limit above which a prompt is of a kind it does not know and the kinds it was
trained on but writes badly, and writes them beside the weights: `python -m pair.evaluation.ood_threshold`.
Run again whenever the weights change."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np

from pair.evaluation.rates import Rates
from unmask.inference.decode import decode
from unmask.inference.ood import FILE, prompt_surprisal
from unmask.models import Denoiser, load
from unmask.pair.worlds import SHAPES, document, strict
from unmask.pair.worlds.chat.free import ordinary_questions
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

FALSE_ALARMS, CAUGHT = 0.02, 0.90  # of prompts of its worlds at most, of ordinary questions at least
SEEDS = {
    "choose": 2_000_000,
    "test": 3_000_000,
}  # of held-out documents; training begins at 0, examinations at 1,000,000
EACH = 16  # prompts of each kind
KNOWN = 8.8  # nats: a kind whose very first token surprises more than this was not among what the model learned
# the kinds of text that were collected, not written: their titles, and beginnings that are not in the collection
COLLECTED = {
    "Tale": (
        "There was once a shoemaker who could not sleep.",
        "A little frog wanted to see the sea.",
        "On a high hill stood a house without a door.",
        "Mia and her brother found a strange egg.",
        "The winter was long, and the birds were hungry.",
        "An old woman had a clever goat.",
        "One morning the sun did not rise.",
        "A boy named Karl had lost his hat.",
    )
}
LENGTH = 144  # open cells
WEAK = 0.5  # a kind is written badly if fewer texts than this share are right


def prompts(which: str, shapes: Sequence[str]) -> list[str]:
    """Held-out prompts of these kinds."""
    seeds = range(SEEDS[which], SEEDS[which] + EACH)
    return [document(seed, "held", shape).prompt for shape in shapes for seed in seeds]


def known(denoiser: Denoiser) -> tuple[str, ...]:
    """The kinds of text that a model has learned to begin; all, where it cannot tell from a beginning alone."""
    if not (denoiser.card.causal or denoiser.card.both):
        return SHAPES
    seeds = range(SEEDS["choose"], SEEDS["choose"] + 3)
    titles = {shape: [document(seed, "held", shape).prompt.split(":")[0] for seed in seeds] for shape in SHAPES}
    return tuple(
        shape
        for shape, names in titles.items()
        if np.median([prompt_surprisal(denoiser, name.split(",")[0].split()[0]) or 0.0 for name in names]) < KNOWN
    )


def weak(denoiser: Denoiser) -> tuple[str, ...]:
    """The titles of the collected kinds of which a model writes too few texts without a mistake."""

    def right(prompt: str) -> bool:
        *_, (end, _) = decode(denoiser, RunSpec(prompt, length=LENGTH).start(denoiser.card, denoiser.tokenizer))
        return strict(prompt, prompt + answer_text(denoiser, end.canvas)).strict

    found = {title: [right(f"{title}: {text}") for text in begun] for title, begun in COLLECTED.items()}
    return tuple(title for title, texts in found.items() if np.mean(texts) < WEAK)


def measured(denoiser: Denoiser, texts: Sequence[str]) -> list[float]:
    return [found for text in texts if (found := prompt_surprisal(denoiser, text)) is not None]


def chosen(inside: Sequence[float], outside: Sequence[float]) -> float:
    """Half way between the strangest of its own and the least strange of the others, a few of each left aside."""
    return float((np.quantile(inside, 0.99) + np.quantile(outside, 0.03)) / 2)


def rates(denoiser: Denoiser, limit: float, shapes: Sequence[str], which: str = "test") -> Rates:
    """On the lists that did not choose the limit."""
    return Rates.of(
        limit, *(measured(denoiser, texts) for texts in (prompts(which, shapes), ordinary_questions(which)))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["twin", "denoiser"], help="names as `load` understands them")
    found = {}
    for name in parser.parse_args().models:
        denoiser = load(name)
        shapes = known(denoiser)
        inside = measured(denoiser, prompts("choose", shapes))
        limit = chosen(inside, measured(denoiser, ordinary_questions("choose")))
        result = rates(denoiser, limit, shapes)
        good = result.good(FALSE_ALARMS, CAUGHT)
        print(
            f"{name}: {len(shapes)} of {len(SHAPES)} kinds of text known, limit {limit:.2f} nats; on the other lists "
            f"{100 * result.false_alarms:.1f} % false alarms, {100 * result.caught:.0f} % caught"
            + ("" if good else ": not good enough, so this model is not asked")
        )
        if good:
            found[denoiser.card.weights] = {
                "name": name,
                "limit": round(limit, 3),
                "shapes": shapes,
                "weak": weak(denoiser),
            }
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
