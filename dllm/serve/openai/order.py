"""A request of /v1 as an order: what its parameters mean to a decoder, and which parameter a refusal is about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dllm.canvas import Refused
from dllm.models import Denoiser
from dllm.run.order import Order
from dllm.serve.errors import ApiError
from dllm.serve.openai.request import Body

OURS = ("passes", "block_length", "policy", "policy_options", "preset")


def ordered(body: Body, denoiser: Denoiser, prompt: str | list[int]) -> Order:
    """The order with one open cell: how many there is room for is known once the prompt is spelled."""
    suffix = getattr(body, "suffix", None) or ""
    if denoiser.card.causal:
        if extra := [name for name in OURS if getattr(body, name) is not None]:
            why = f"{extra[0]} means nothing to this model: it writes one token a pass"
            raise ApiError(400, why, extra[0], "unsupported")
        if suffix:
            why = "suffix is not supported by this model: it writes from left to right"
            raise ApiError(400, why, "suffix", "unsupported")
    changes: dict[str, Any] = {
        "passes": body.passes,
        "block": body.block_length,
        "policy": body.policy,
        "options": body.policy_options,
        "temperature": body.temperature,
        "top_p": body.top_p,
        "boosts": _biases(body.logit_bias, denoiser.card.words) if body.logit_bias else None,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    try:
        order = Order(model=body.model, length=1, preset=body.preset or "", changes=changes)
        if isinstance(prompt, str):  # a suffix, if only an empty one: in the API underscores are underscores
            return replace(order, prompt=prompt, suffix=suffix)
        if suffix:
            raise ApiError(400, "with a suffix the prompt must be text", "suffix", "unsupported")
        return replace(order, tokens=tuple(prompt))
    except Refused as refused:
        raise ApiError(400, str(refused), about(body, str(refused)), "invalid_value") from None


def about(body: Body, why: str) -> str | None:
    """Which parameter a sentence about settings is about."""
    if why.startswith("no policy"):
        return "policy"
    if why.startswith("no preset"):
        return "preset"
    if body.policy_options and any(name in why for name in ("knob", *body.policy_options)):
        return "policy_options"
    return next((name for name in ("passes", "temperature", "top_p") if why.startswith(name)), None)


def _biases(bias: dict[str, float], words: int) -> dict[int, float]:
    biases = {}
    for token, amount in bias.items():
        if not (token.isascii() and token.isdigit() and len(token) < 10 and int(token) < words):
            why = f"logit_bias needs token numbers from 0 to {words - 1}"
            raise ApiError(400, why, "logit_bias", "invalid_value")
        biases[int(token)] = amount
    return biases
