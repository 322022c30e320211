"""Converts a /v1 request into a `RunSpec`, and finds the parameter that an error is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unmask.canvas import Card
from unmask.decide import get_policy
from unmask.errors import TOO_LONG, InvalidRequest
from unmask.models import Denoiser
from unmask.run.settings import SETTINGS, Settings
from unmask.run.spec import LENGTH, RunSpec
from unmask.serve.api_error import ApiError
from unmask.serve.v1.request import CANDIDATES, Body
from unmask.serve.v1.structure import Structure

# by effort, the confidence above which a cell is written; None: one cell a pass
SURE: dict[str, float | None] = {"instant": 0.5, "minimal": 0.7, "low": 0.8, "high": None, "xhigh": None}
PASSES_WITH_NOISE = {
    "instant": 0.25,
    "minimal": 0.5,
    "low": 0.75,
    "high": 1.5,
    "xhigh": 2.0,
}  # by effort, the factor on the model's own passes
REALTIME_BLOCK = 8  # cells in a block, so that text comes soon


def effort_changes(effort: str | None, realtime: bool, card: Card, own: Settings) -> dict[str, Any]:
    """Changes to a model's own settings for an effort; "none" and "medium" leave them as they are."""
    needs = get_policy(own.policy).needs
    if card.causal or needs.ahead:  # it writes from left to right at any effort
        return {}
    kept = {name: getattr(own, name) for name in ("block", "block_from", "sight", "precision", "end", "end_after")}
    if realtime and own.sight == "all":  # a model trained with blocks keeps its own block size
        kept["block"] = REALTIME_BLOCK
    if card.noise:
        share = PASSES_WITH_NOISE.get(effort or "")
        return {"passes": max(1, round(own.passes * share))} if share else {}
    if effort not in SURE:
        return {"policy": own.policy, "options": dict(own.options), "passes": own.passes, **kept} if realtime else {}
    sure = SURE[effort or ""]
    if needs.verify and sure is None:  # verification is kept at more effort
        return {"policy": own.policy, "options": dict(own.options) | {"tau": 1.0}, "passes": 4096, **kept}
    if needs.verify:  # at less effort the drafts are not verified
        sure = SURE["instant"]
    if sure is None:
        return {"policy": "confidence", "passes": kept["block"] or 4096, "passes_for": "block", **kept}
    return {"policy": "threshold", "options": {"tau": sure}, "passes": 4096, **kept}


SLACK = 32  # cells to add to twice the shortest text that a constraint allows


def fit(given: int, longest: int, limit: int, least: int | None = None, planned: bool = False) -> tuple[int, int]:
    """The open cells after a prompt of `given` tokens, and the most tokens that the answer may have.

    The first does not depend on `limit`, so that the text begins the same, unless the passes are `planned` for it or
    a constraint allows no text of fewer than `least` tokens."""
    if given >= longest:
        why = f"prompt and answer have {given + 1} cells; this model sees at most {longest}"
        raise InvalidRequest(why, "prompt", TOO_LONG)
    room = longest - given
    limit = min(limit, room)
    length = min(LENGTH, limit if planned else room)
    if least is not None:  # an answer that is cut needs room for a whole one
        length = min(max(length, 2 * least + SLACK), max(limit, min(least, room)))
    return length, limit


OF_DECODERS = ("passes", "block_length", "policy", "policy_options", "preset")
FEWEST = 5  # candidates that a belief always has


def run_spec(
    body: Body, denoiser: Denoiser, prompt: str | list[int], structure: Structure, suffix: str = ""
) -> RunSpec:
    """The spec with one open cell: `fit` finds the length once the prompt is tokenized."""
    card = denoiser.card
    if card.causal:
        if given := [name for name in OF_DECODERS if getattr(body, name) is not None]:
            why = f"{given[0]} has no effect on this model, which writes one token a pass: leave it out"
            raise ApiError(400, why, given[0], "unsupported")
        if suffix:
            why = "suffix is not supported by this model: it writes from left to right"
            raise ApiError(400, why, "suffix", "unsupported")
    # with a suffix, even an empty one, `___` in the prompt is no blank
    text: dict[str, Any] = {"prompt": prompt, "suffix": suffix} if isinstance(prompt, str) else {"tokens": (*prompt,)}
    if suffix and "tokens" in text:
        raise ApiError(400, "with a suffix the prompt must be text", "suffix", "unsupported")
    try:
        changes = _changes(body, denoiser, structure)
        return RunSpec(model=body.model, length=1, preset=body.preset or "", changes=changes, **text)
    except InvalidRequest as refused:
        raise refused_parameter(structure, refused, None) from None


def _changes(body: Body, denoiser: Denoiser, structure: Structure) -> dict[str, Any]:
    card, changes = denoiser.card, dict[str, Any]()
    if body.reasoning_effort or body.realtime:
        changes = effort_changes(body.reasoning_effort, bool(body.realtime), card, RunSpec().settings(card, LENGTH))
    given = body.numbers | {
        "policy": body.policy,
        "options": body.policy_options,
        "boosts": _biases(body.logit_bias, card.words) if body.logit_bias else None,
        "bans": _bans(body.bad_words, denoiser) if body.bad_words else None,
        "constraint": dict(structure.constraint) or None,
        "checks": body.checks or None,
        "candidates": min(max(body.candidates, FEWEST), CANDIDATES) if body.candidates else None,
    }
    if body.policy or body.preset:
        changes = {}
    changes |= {name: value for name, value in given.items() if value is not None}
    if body.ignore_eos:
        changes |= {"end": "forbid", "end_after": 0}
    elif body.min_tokens:
        own = RunSpec(preset=body.preset or "").settings(card, LENGTH)
        changes |= {"end": "forbid" if own.end != "stop" else "stop", "end_after": max(body.min_tokens, own.end_after)}
    return changes


# the parameter of each field of a spec that a refusal may name
PARAMETERS = {each.name: each.api.name for each in SETTINGS.values() if each.api} | {
    "preset": "preset",
    "checks": "checks",
    "length": "max_tokens",
}


def refused_parameter(structure: Structure, refused: InvalidRequest, otherwise: str | None) -> ApiError:
    """The error for a refused spec: its parameter is that of the refused field."""
    if refused.field == "constraint":
        parameter: str | None = structure.parameter
    else:
        parameter = PARAMETERS.get(refused.field, otherwise)
    return ApiError(400, str(refused), parameter, refused.code if refused.code == TOO_LONG else "invalid_value")


def _bans(words: Sequence[str], denoiser: Denoiser) -> list[int]:
    """The tokens of words that are never written, with and without a space before them."""
    bans: set[int] = set()
    for word in words:
        forms = [denoiser.tokenizer.encode(form) for form in {word, f" {word.strip()}"} if form.strip()]
        single = [tokens[0] for tokens in forms if len(tokens) == 1]
        if not single:
            why = f"'{word[:64]}' is not one token of this model, so it cannot be left out: use a constraint"
            raise ApiError(400, why, "bad_words", "unsupported")
        bans |= {*single}
    return sorted(bans)


def _biases(bias: dict[str, float], words: int) -> dict[int, float]:
    biases = {}
    for token, amount in bias.items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < words):
            why = f"logit_bias needs token numbers from 0 to {words - 1}"
            raise ApiError(400, why, "logit_bias", "invalid_value")
        biases[int(token)] = amount
    return biases
