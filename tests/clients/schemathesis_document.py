"""Schemathesis on the server's own document: whatever is sent, right or wrong, no server error, and a status, type and
shape that the document names; and of what the document calls valid, seven of ten requests are done."""

import os
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

POSTS = ["/chat/completions", "/completions", "/fim/completions", "/edit/completions", "/responses", "/messages"]
COUNTS = ["/messages/count_tokens", "/responses/input_tokens"]
POSTS += COUNTS
GETS = ["/models", "/models/{name}", "/health", "/openapi.json"]
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def shorten(case: Any) -> None:
    """Short answers, and few, show the same: whole ones of a random network go on to the end of its room."""
    if not isinstance(case.body, dict):
        return
    for name, most in (*((limit, 8) for limit in LIMITS), ("n", 2), ("best_of", 2), ("min_tokens", 4)):
        if isinstance(case.body.get(name), int | float) and case.body[name] > most:
            case.body[name] = most
    if case.body.get("ignore_eos"):
        case.body["ignore_eos"] = False
    for name in ("vllm_xargs", "logprob_token_ids"):  # how wide a canvas is, only the model knows
        case.body.pop(name, None)
    path = case.operation.path  # without a limit an answer of random words goes on to the end of the model's room
    if path not in COUNTS and not any(case.body.get(limit) for limit in LIMITS):
        case.body["max_output_tokens" if path == "/responses" else "max_tokens"] = 8


def check(url: str, operation: Any, mode: GenerationMode) -> None:
    @settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        if mode.is_positive:
            shorten(case)
        case.call_and_validate(base_url=url, checks=CHECKS, timeout=60)

    ask()


def share_done(url: str, operation: Any) -> float:
    """Of the requests that the document allows, how many the server does."""
    statuses: list[int] = []

    # the same requests each time, each drawn by itself: mutants of one refused request would count it again and again
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def ask(case: Any) -> None:
        shorten(case)
        answer = case.call(base_url=url, timeout=60)
        statuses.append(answer.status_code)
        if answer.status_code != 200:
            print(operation.path, answer.text[:300])

    ask()
    return statuses.count(200) / len(statuses)


several = os.environ["URL"] + "/v1"  # three models, one of which knows only numbers
interface = schemathesis.openapi.from_url(f"{several}/openapi.json")
assert set(interface.raw_schema["paths"]) == {*POSTS, *GETS}
for path in (*POSTS, *GETS):
    for mode in GenerationMode:
        if path in POSTS or mode.is_positive:
            print(path, mode.value)
            check(several, interface[path]["POST" if path in POSTS else "GET"], mode)

single = os.environ["SINGLE"] + "/v1"  # one model, which can write anything
interface = schemathesis.openapi.from_url(f"{single}/openapi.json")
shares = {path: share_done(single, interface[path]["POST"]) for path in POSTS}
print(shares)
edits = shares.pop("/edit/completions")  # its marks no schema can ask for
assert min(shares.values()) >= 0.7, shares
assert edits < 0.7
