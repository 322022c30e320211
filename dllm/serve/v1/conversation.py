"""Tokenizes a conversation for a model: by its chat template, or as plain text if it has none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unmask.canvas import NO_VALUES
from unmask.errors import InvalidRequest
from unmask.models import Denoiser
from unmask.serve.api_error import ApiError
from unmask.serve.v1.request import Function, Message
from unmask.serve.v1.structure import Structure

LABELS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "function": "Tool"}
ROOM = 32  # cells to leave for an answer


@dataclass(frozen=True)
class Prompt:
    """The tokens of a conversation."""

    tokens: tuple[int, ...]
    dropped: int = 0  # oldest messages that were left out, for lack of room
    stops: tuple[str, ...] = ()  # stop strings that would begin the user's next turn


def prompt(
    denoiser: Denoiser,
    messages: Sequence[Message],
    structure: Structure,
    answer: int = ROOM,
    continues: bool = False,
    template: Mapping[str, Any] = NO_VALUES,
) -> Prompt:
    """The newest part of a conversation that leaves room for an answer of so many cells.

    `continues`: the answer goes on with the last message, which is the assistant's; `template`: values for the chat
    template."""
    if continues and (messages[-1].role != "assistant" or messages[-1].tool_calls or not messages[-1].text):
        why = "continue_final_message needs a last message with text of the assistant"
        raise ApiError(400, why, "continue_final_message", "invalid_value")
    room = denoiser.card.longest - min(answer, denoiser.card.longest // 2)
    cuts = _cuts(messages)
    for last in (0, *range(1, len(cuts))):
        kept = [m for i, m in enumerate(messages) if i >= cuts[last] or m.role in ("system", "developer")]
        tokens = encode_conversation(denoiser, kept, structure, continues, template)
        if len(tokens) <= room:
            stops = () if denoiser.card.chat else ("\nUser:",) if len(kept) > 1 or denoiser.card.titles else ()
            return Prompt(tuple(tokens), len(messages) - len(kept), stops)
    why = f"the last message has {len(tokens)} tokens; this model has room for {room} and an answer: send a shorter one"
    raise ApiError(400, why, "messages", "context_length_exceeded")


def _cuts(messages: Sequence[Message]) -> list[int]:
    """The messages at which a shortened conversation may begin: each turn of the user."""
    spoken = [i for i, m in enumerate(messages) if m.role not in ("system", "developer")]
    turns = [i for i in spoken[1:] if messages[i].role == "user"]
    return [0, *turns, *([spoken[-1]] if spoken and spoken[-1] not in (0, *turns) else [])]


def encode_conversation(
    denoiser: Denoiser,
    messages: Sequence[Message],
    structure: Structure,
    continues: bool = False,
    template: Mapping[str, Any] = NO_VALUES,
) -> list[int]:
    """The tokens of a whole conversation, even if it is too long for the model."""
    try:
        return _encode_conversation(denoiser, messages, structure, continues, template)
    except InvalidRequest as refused:
        raise ApiError(400, str(refused), "messages", "invalid_value") from None


def _encode_conversation(
    denoiser: Denoiser, messages: Sequence[Message], structure: Structure, continues: bool, template: Mapping[str, Any]
) -> list[int]:
    tokenizer, card = denoiser.tokenizer, denoiser.card
    if structure.record and card.record:
        text = "\n".join(m.text for m in messages if m.text)
        return tokenizer.encode(card.record.replace("{}", text))
    if card.chat:
        rest = [*tokenizer.encode(messages[-1].text)] if continues else []
        return [*_by_template(denoiser, messages[:-1] if continues else messages, structure, template), *rest]
    tools = _describe_tools(structure.tools) if structure.tools else ""
    if (
        len(messages) == 1
        and messages[0].role == "user"
        and not tools
        and card.starts_like_training(messages[0].text or "")
    ):
        return tokenizer.encode_prompt(messages[0].text) if messages[0].text else []
    lines = [tools] if tools else []
    for m in messages:
        label = LABELS.get(m.role, "")
        text = "\n".join(
            [*([m.text] if m.text else []), *(_call(c.function.name, c.function.arguments) for c in m.tool_calls or ())]
        )
        lines.append(f"{label}: {text}" if label else text)
    try:
        return tokenizer.encode_prompt("\n".join(lines if continues else [*lines, "Assistant:"]))
    except InvalidRequest:  # a model whose vocabulary lacks the labels gets the messages only
        return tokenizer.encode_prompt(" ".join(m.text for m in messages if m.text))


def _by_template(
    denoiser: Denoiser, messages: Sequence[Message], structure: Structure, template: Mapping[str, Any]
) -> list[int]:
    own = denoiser.card.tools == "template"
    rows = [_row(m) for m in messages]
    tools = [{"type": "function", "function": tool.model_dump(exclude_none=True)} for tool in structure.tools]
    if tools and not own:  # merged into the system message, since many templates allow only one
        first = rows.pop(0)["content"] if rows[0]["role"] == "system" else ""
        rows = [{"role": "system", "content": f"{first}\n{_describe_tools(structure.tools)}".lstrip()}, *rows]
        tools = []
    try:
        return denoiser.tokenizer.apply_chat_template(rows, tools, template)
    except InvalidRequest:  # some templates require a user message
        if any(m.role == "user" for m in messages):
            raise
    return denoiser.tokenizer.apply_chat_template([*rows, {"role": "user", "content": ""}], tools, template)


def _row(message: Message) -> dict[str, Any]:
    """A message as chat templates expect it."""
    role = {"developer": "system", "function": "tool"}.get(message.role, message.role)
    row: dict[str, Any] = {"role": role, "content": message.text}
    if message.name:
        row["name"] = message.name
    if message.tool_call_id:
        row["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        row["tool_calls"] = [
            {
                "type": "function",
                "id": c.id,
                "function": {"name": c.function.name, "arguments": _value(c.function.arguments)},
            }
            for c in message.tool_calls
        ]
    return row


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _call(name: str, arguments: str) -> str:
    return f'{{"name": {json.dumps(name)}, "arguments": {arguments or "{}"}}}'


def _describe_tools(tools: Sequence[Function]) -> str:
    """A plain-text list of the tools, and how to call one."""
    lines = []
    for tool in tools:
        properties = (tool.parameters or {}).get("properties", {})
        names = ", ".join(properties) if isinstance(properties, dict) else ""
        lines.append(f"- {tool.name}({names})" + (f": {tool.description}" if tool.description else ""))
    return "Tools:\n" + "\n".join(lines) + "\nTo call one, write " + _call("NAME", "{...}")
