"""A request of /v1 as an order: what its parameters mean to a decoder, and which parameter a refusal is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from unmask.canvas import Refused
from unmask.models import Denoiser
from unmask.run.spec import LENGTH, Order
from unmask.serve.api_error import ApiError
from unmask.serve.v1.effort import changes as efforts
from unmask.serve.v1.request import CANDIDATES, Body
from unmask.serve.v1.structure import Structure

OURS = ("passes", "block_length", "policy", "policy_options", "preset")
FEWEST = 5  # candidates that a belief keeps anyway


def ordered(body: Body, denoiser: Denoiser, prompt: str | list[int], structure: Structure, suffix: str = "") -> Order:
    """The order with one open cell: how many there is room for is known once the prompt is spelled."""
    card = denoiser.card
    if card.causal:
        if given := [name for name in OURS if getattr(body, name) is not None]:
            why = f"{given[0]} means nothing to this model: it writes one token a pass"
            raise ApiError(400, why, given[0], "unsupported")
        if suffix:
            why = "suffix is not supported by this model: it writes from left to right"
            raise ApiError(400, why, "suffix", "unsupported")
    try:
        order = Order(model=body.model, length=1, preset=body.preset or "", changes=_changes(body, denoiser, structure))
        if isinstance(prompt, str):  # a suffix, if only an empty one: in the API underscores are underscores
            return replace(order, prompt=prompt, suffix=suffix)
        if suffix:
            raise ApiError(400, "with a suffix the prompt must be text", "suffix", "unsupported")
        return replace(order, tokens=tuple(prompt))
    except Refused as refused:
        raise ApiError(400, str(refused), about(body, str(refused)), "invalid_value") from None


def _changes(body: Body, denoiser: Denoiser, structure: Structure) -> dict[str, Any]:
    card, changes = denoiser.card, dict[str, Any]()
    if body.reasoning_effort or body.realtime:
        changes = efforts(body.reasoning_effort, bool(body.realtime), card, Order().settings(card, LENGTH))
    given = {
        "passes": body.passes,
        "block": body.block_length,
        "policy": body.policy,
        "options": body.policy_options,
        "temperature": body.temperature,
        "top_p": body.top_p,
        "top_k": None if body.top_k is None else max(body.top_k, 0),
        "min_p": body.min_p,
        "presence": body.presence_penalty,
        "frequency": body.frequency_penalty,
        "boosts": _biases(body.logit_bias, card.words) if body.logit_bias else None,
        "constraint": dict(structure.constraint) or None,
        "candidates": min(max(body.candidates, FEWEST), CANDIDATES) if body.candidates else None,
    }
    if body.policy or body.preset:
        changes = {}
    changes |= {name: value for name, value in given.items() if value is not None}
    if body.ignore_eos:
        changes |= {"end": "forbid", "end_after": 0}
    elif body.min_tokens:
        own = Order(preset=body.preset or "").settings(card, LENGTH)
        changes |= {"end": "forbid" if own.end != "stop" else "stop", "end_after": max(body.min_tokens, own.end_after)}
    return changes


def about(body: Body, why: str) -> str | None:
    """Which parameter a sentence about settings is about."""
    if why.startswith("no policy"):
        return "policy"
    if why.startswith("no preset"):
        return "preset"
    if body.policy_options and any(name in why for name in ("knob", *body.policy_options)):
        return "policy_options"
    if "meet" in why and "constraint" in why and "cells" in why:
        return "max_tokens"
    if any(word in why for word in ("schema", "constraint", "pattern", "`type`", "`enum`")):
        return "tools" if getattr(body, "tools", None) else "response_format"
    return next((name for name in ("passes", "temperature", "top_p") if why.startswith(name)), None)


def _biases(bias: dict[str, float], words: int) -> dict[int, float]:
    biases = {}
    for token, amount in bias.items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < words):
            why = f"logit_bias needs token numbers from 0 to {words - 1}"
            raise ApiError(400, why, "logit_bias", "invalid_value")
        biases[int(token)] = amount
    return biases
