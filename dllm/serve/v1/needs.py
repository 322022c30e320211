"""Rules of the OpenAPI document between fields: which field needs which other, and which keys a map may have.

They let a client see every rule by which a request can be refused.
"""

from typing import Any

from unmask.serve.v1.request import CanvasFields

Row = dict[str, Any]


def _if_then(field: str, value: Row, needed: str, then: Row) -> Row:
    """If a field matches `value`, another field is required and must match `then`."""
    return {
        "if": {"required": [field], "properties": {field: value}},
        "then": {"required": [needed], "properties": {needed: then}},
    }


def _if_absent(field: str, value: Row, **others: Row) -> Row:
    """If a field matches `value`, others are absent or ask for nothing."""
    given = {"required": [field], "properties": {field: value}}
    return {"if": given, "then": {"properties": others}}


_SOME: Row = {"type": "array", "minItems": 1}
_CALLED: Row = {"anyOf": [{"const": "required"}, {"type": "object"}]}
_CALLING = _if_then("tool_choice", _CALLED, "tools", _SOME)
_ANY_CALL: Row = {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["any", "tool"]}}}
_OF_CANVAS: Row = {
    "type": "object",
    "anyOf": [{"required": [f"diffusion_{name}"]} for name in ("seed_canvas", "read_only")],
}
_IDS = _if_then("logprob_token_ids", _SOME, "vllm_xargs", _OF_CANVAS)
NEEDS: dict[str, list[Row]] = {
    "Chat": [
        _CALLING,
        _if_then("top_logprobs", {"type": "integer", "minimum": 1}, "logprobs", {"const": True}),
        _IDS,
        _if_absent(
            "prediction",
            {"type": "object"},
            n={"enum": [1, None]},
            tools={"anyOf": [{"type": "null"}, {"maxItems": 0}]},
            logprobs={"enum": [False, None]},
            vllm_xargs={"properties": {name: {"type": "null"} for name in CanvasFields.model_fields}},
        ),
    ],
    "Completion": [_IDS],
    "CreateResponse": [_CALLING],
    "Create": [_if_then("tool_choice", _ANY_CALL, "tools", _SOME)],
    "CountTokens": [_if_then("tool_choice", _ANY_CALL, "tools", _SOME)],
    "ToolChoiceBlock": [_if_then("type", {"const": "tool"}, "name", {"type": "string", "minLength": 1})],
}


def numbers_below(end: int) -> str:
    """A regular expression for the decimal numbers 0 to end - 1."""
    last = str(end - 1)
    ways = ["[0-9]"] if end > 9 else [f"[0-{last}]"]
    ways += [f"[1-9][0-9]{{{more}}}" for more in range(1, len(last) - 1)]
    for at, digit in enumerate(last if end > 10 else ""):
        rest = len(last) - at - 1
        low, high = int(at == 0), int(digit) - bool(rest)
        if low <= high:
            ways.append(f"{last[:at]}[{low}-{high}]" + (f"[0-9]{{{rest}}}" if rest else ""))
    return f"^(?:{'|'.join(ways)})$"
