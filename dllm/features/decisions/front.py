"""Decisions from Python: `unmask.ask("Story: …", {"happy": {"type": "noul", "instructions": "Is Tom happy?"}})`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.decisions.question import Question, plain, read_questions
from unmask.features.decisions.reading import Reading, read
from unmask.models import Denoiser, load

__all__ = ["Decisions", "ask"]


@dataclass(frozen=True, repr=False)
class Decisions:
    """The answers to some questions about a state."""

    model: str
    questions: tuple[Question, ...]
    reading: Reading

    @property
    def answers(self) -> dict[str, dict[str, Any]]:
        """The answer to each question, in the form of `POST /v1/systemone`."""
        return {one.name: one.answer(self.reading.shares[one.name]) for one in self.questions}

    @property
    def forwards(self) -> int:
        """How many forwards of the model they took."""
        return self.reading.forwards

    def to_dict(self) -> dict[str, Any]:
        """For JSON, in the form of `POST /v1/systemone`."""
        cost = {"input_tokens": self.reading.input_tokens, "output_tokens": len(self.questions)}
        return {"model": self.model, "answers": self.answers, "usage": cost | {"x_forwards": self.forwards}}

    def __getitem__(self, name: str) -> dict[str, float]:
        """The probability of each option of a question."""
        question = next(one for one in self.questions if one.name == name)
        return dict(zip(question.options, self.reading.shares[name], strict=True))

    def __repr__(self) -> str:
        rows = [
            f"{one.name}: " + ", ".join(f"{k} {p:.1%}" for k, p in self[one.name].items()) for one in self.questions
        ]
        return "\n".join([*rows, f"forwards: {self.forwards}"])


def ask(
    state: Any,
    questions: Mapping[str, Mapping[str, Any]],
    model: str | Denoiser = "denoiser",
    *,
    together: bool = True,
    every_order: bool = False,
    draws: int = 0,
) -> Decisions:
    """Answer questions about a state (a text, or anything that is JSON) by the model's belief.

    A question is `{"type": "noul" | "choice" | "score", "instructions": …, "criteria": …}`. All are put on one canvas
    or, with `together=False`, each on its own. `every_order` averages over the orders of options."""
    if not isinstance(state, str | list | dict) or not state:
        raise InvalidRequest("state must be text, an object or an array, and not empty", "state")
    denoiser = load(model) if isinstance(model, str) else model
    rows = read_questions(questions)
    found = read(denoiser, plain(state), rows, together, every_order, draws)
    return Decisions(denoiser.card.name, tuple(rows), found)
