"""Rules under which a model would hardly write a good text, known before a run by at most two forwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.errors import InvalidRequest
from unmask.inference.infer import written_logits
from unmask.inference.ood import ood_threshold, unfamiliar_note
from unmask.inference.rule_reading import allowed_share
from unmask.models import Denoiser, ModelInput
from unmask.models.array_ops import inference_mode, softmax, to_numpy
from unmask.run.constraint_check import compile_constraint
from unmask.run.spec import RunSpec
from unmask.run.state import State
from unmask.run.word_request import wanted_texts

JSON_KINDS = ("schema", "json_object")
SELDOM = 0.2  # the least probability, at its likeliest place, of a word that a text will hold by itself
FORCED = 0.01  # the least share of what the model would begin with that a rule must leave
SENTENCES = {
    "json": "The model writes JSON only about a text between “Text:” and “JSON:”: the answer may make no sense.",
    "field": "The model knows no field “{}”: what it writes there may make no sense.",
    "word": "The model would hardly write “{}” in a text that begins so: the answer may make no sense.",
    "begin": "The model would hardly begin its text as this rule wants it: the answer may make no sense.",
}


@dataclass(frozen=True)
class RuleDoubt:
    """Why a rule cannot be filled well: one of SENTENCES, and the word or field that it is about."""

    kind: str
    about: str = ""

    def __str__(self) -> str:
        return SENTENCES[self.kind].format(self.about)


def note_before(denoiser: Denoiser, prompt: str, rule: Mapping[str, Any]) -> str:
    """What speaks against a run before it begins, in a sentence; empty where nothing does."""
    return str(rule_doubt(denoiser, prompt, rule) or "") or unfamiliar_note(denoiser, prompt)


def rule_doubt(denoiser: Denoiser, prompt: str, rule: Mapping[str, Any]) -> RuleDoubt | None:
    """What speaks against a rule for a text that begins so; None if nothing does, if the rule is refused, or for
    weights that were not measured."""
    card = denoiser.card
    if not rule or ood_threshold(card) is None:
        return None
    if rule.get("kind") in JSON_KINDS:
        return _of_json(card.record.partition("{}")[2].strip(), card.fields, prompt, rule)
    try:
        spec = RunSpec(prompt, changes={"constraint": dict(rule)}).fitted(card, denoiser.tokenizer)
        state = spec.start(card, denoiser.tokenizer)
    except InvalidRequest:
        return None
    for text in wanted_texts(rule):
        if _likeliest(denoiser, state, text) < SELDOM:
            return RuleDoubt("word", text)
    return RuleDoubt("begin") if _share_at_first(denoiser, state) < FORCED else None


def _of_json(question: str, fields: tuple[str, ...], prompt: str, rule: Mapping[str, Any]) -> RuleDoubt | None:
    """JSON where the model writes none, or with a field that it does not know."""
    if not question:
        return None
    if question.rstrip(":") not in prompt:
        return RuleDoubt("json")
    schema = rule.get("schema")
    wanted = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    unknown = [str(name) for name in wanted if name not in fields] if isinstance(wanted, Mapping) else []
    return RuleDoubt("field", unknown[0]) if unknown else None


def _likeliest(denoiser: Denoiser, state: State, text: str) -> float:
    """How likely a text is at its likeliest place, as the denoiser sees an open canvas: the least of its tokens."""
    canvas, tokens = state.canvas, denoiser.tokenizer.encode(f" {text}")
    cells = np.flatnonzero(canvas.open)
    if denoiser.card.causal or len(cells) < len(tokens):
        return 1.0
    with inference_mode(denoiser):
        found = written_logits(denoiser, ModelInput(canvas.tokens, canvas.open, cells, np.arange(len(canvas))))
        chance = to_numpy(softmax(found))
    rows = len(cells) - len(tokens) + 1
    each = [chance[at : at + rows, token] for at, token in enumerate(tokens)]
    return float(np.min(each, axis=0).max())


def _share_at_first(denoiser: Denoiser, state: State) -> float:
    """How much of the reader's prediction for the first open cell a rule leaves."""
    canvas, card = state.canvas, denoiser.card
    constraint = compile_constraint(card, denoiser.tokenizer, state.settings)
    if constraint is None or not (card.both or card.causal) or not canvas.open.any():
        return 1.0
    first = np.flatnonzero(canvas.open)[:1]
    read = np.where(canvas.open, 0, canvas.tokens)[: int(first[0]) + 1]
    nothing = np.zeros(len(read), bool) if card.both else canvas.open[: len(read)]
    with inference_mode(denoiser):
        x = written_logits(denoiser, ModelInput(read, nothing, first, np.arange(len(read)), causal=card.both))
        chance = to_numpy(softmax(x))
    return float(allowed_share(chance, constraint, canvas, first)[0])
