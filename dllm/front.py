"""The package from Python: `import unmask; print(unmask.decode("Story: Tom had a red kite.").text)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unmask.inference.decode import timelines
from unmask.inference.draft import KEEP, draft_edits
from unmask.models import Denoiser
from unmask.models import load as load_model
from unmask.run.check import CheckFunction
from unmask.run.frame import Frame
from unmask.run.html import run_html
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text
from unmask.run.timeline import Timeline, with_pieces
from unmask.run.trace import Trace, save
from unmask.run.writing_order import WritingOrder, writing_order

__all__ = ["Run", "RunSpec", "Timeline", "decode", "load"]


@dataclass(frozen=True, repr=False)
class Run:
    """A finished run: its text, its passes, and the timeline that has every state and belief of it."""

    timeline: Timeline
    denoiser: Denoiser

    @property
    def text(self) -> str:
        """What the model wrote, up to its end."""
        return answer_text(self.denoiser, self.timeline.head.canvas)

    @property
    def passes(self) -> Sequence[Frame]:
        """What each pass wrote and believed."""
        return [node.frame for node in self.timeline.head.path() if node.frame is not None]

    @property
    def order(self) -> WritingOrder | None:
        """How far from left to right it was written (Kendall's tau-b with its error), if that can be told."""
        return writing_order(self.timeline.head.path(), self.denoiser.card)

    def save(self, path: str | Path) -> None:
        """Write a trace: the page, `unmask replay` and `Trace` read it."""
        save(Trace((with_pieces(self.timeline, self.denoiser.tokenizer),)), path)

    def _repr_html_(self) -> str:
        """How a notebook shows it: the text, each word coloured by the look that wrote it."""
        return run_html(self.timeline.head, self.denoiser.card, self.denoiser.tokenizer.display_piece)

    def __repr__(self) -> str:
        time = self.timeline.measured()
        text = self.text if len(self.text) < 60 else f"{self.text[:57]}…"
        return f"Run({text!r}, {time.tokens} tokens in {time.passes} passes, {time.seconds:.2f} s)"


def load(name: str = "denoiser", **options: Any) -> Denoiser:
    """A model by name: `denoiser`, `twin` or `fast` of the bundled pair, a Hub id, a folder, or `dream:FOLDER`.

    Options are those of the name's tail: `load("org/name?number=bf16")` is `load("org/name", number="bf16")`."""
    return load_model(name, **options)


def decode(
    prompt: str | RunSpec,
    model: str | Denoiser = "",
    check: CheckFunction | Sequence[CheckFunction] = (),
    keep: float = KEEP,
    reopen: str = "doubt",
    **settings: Any,
) -> Run:
    """Decode an answer to a prompt, or run a spec.

    `___` and `[MASK:6]` in a prompt are blanks to fill. Settings are those of `RunSpec` (`length`, `preset`) and of the
    decoder: `decode("Story: a cat", preset="llada", passes=12, seed=3, options={"tau": 0.9})`.

    `check` is a function, or several: from the text to `(start, end, reason)` for each place that is wrong, which is
    opened again. `checks=["sums"]` names those of the package, and of the folders of UNMASK_CHECKS.

    `draft` is an answer to begin with. A share `keep` of its words stays; the others are written anew: those that the
    model doubts most, or random ones (`reopen="random"`)."""
    spec = prompt if isinstance(prompt, RunSpec) else RunSpec(prompt)
    chosen = {name: settings.pop(name) for name in ("length", "preset", "draft") if name in settings}
    spec = replace(spec, **chosen, changes={**spec.changes, **settings})
    if isinstance(model, str):
        spec = replace(spec, model=model or spec.model)
    denoiser = model if isinstance(model, Denoiser) else load(spec.model)
    own = [check] if callable(check) else check
    edits = draft_edits(denoiser, spec, keep, reopen)
    *_, timeline = timelines(denoiser, spec, watched=True, edits=edits, checks=own)
    return Run(timeline, denoiser)
