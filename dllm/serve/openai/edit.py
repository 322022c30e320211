"""Mercury's interface for edits, /v1/edit/completions: the marked part of a file is written anew between its sides."""

from __future__ import annotations

from dataclasses import dataclass

from dllm.serve.answer import Progress
from dllm.serve.errors import ApiError
from dllm.serve.openai.calls import Reading
from dllm.serve.openai.chat import Chatting
from dllm.serve.openai.request import Chat

OPENS, CLOSES = "<|code_to_edit|>", "<|/code_to_edit|>"
FILE, FILE_ENDS = "<|current_file_content|>", "<|/current_file_content|>"
PATH = "current_file_path:"
CURSOR = "<|cursor|>"
TAKES_NONE = ("tools", "tool_choice", "response_format", "n", "stream")


@dataclass(frozen=True)
class Marked:
    """A text with a part that is to be written anew."""

    before: str
    part: str
    after: str


def marked(body: Chat) -> Marked:
    """What a request marks; its file stays, and what stands around the file is not seen by a model of canvases."""
    for name in TAKES_NONE:
        if getattr(body, name) and (name, getattr(body, name)) not in (("n", 1), ("tool_choice", "none")):
            raise ApiError(400, f"an edit takes no {name}", name, "unsupported_parameter")
    text = next((m.text for m in reversed(body.messages) if m.role == "user"), "")
    before, opens, rest = text.partition(OPENS)
    part, closes, after = rest.partition(CLOSES)
    if not (opens and closes):
        why = f"mark the part to write anew: {OPENS} … {CLOSES}"
        raise ApiError(400, why, "messages", "invalid_value")
    before, after = before.rpartition(FILE)[2], after.partition(FILE_ENDS)[0]
    lines = before.lstrip("\n").splitlines(keepends=True)
    if lines and lines[0].startswith(PATH):
        before = "".join(lines[1:])
    part = part.replace(CURSOR, "")
    inner = part.strip("\n")  # the breaks at its ends stay
    at = part.find(inner) if inner else len(part)
    return Marked(before + part[:at], inner, part[at + len(inner) :] + after)


def fenced(text: str) -> str:
    """As Mercury answers: the part between two fences."""
    return f"```\n{text}\n```"


class Editing(Chatting):
    """chat.completion with the part that was written anew."""

    def reading(self, progress: Progress) -> Reading:
        return Reading(fenced(progress.text))
