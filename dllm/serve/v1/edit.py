"""Mercury's edit API, /v1/edit/completions: the marked part of a file is replaced, given the text around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from unmask.canvas import BaseTokenizer
from unmask.models import Denoiser
from unmask.serve.answer import AnswerProgress
from unmask.serve.api_error import ApiError
from unmask.serve.v1.calls import ParsedAnswer
from unmask.serve.v1.chat import ChatFormat
from unmask.serve.v1.request import Chat

OPENS, CLOSES = "<|code_to_edit|>", "<|/code_to_edit|>"
FILE, FILE_ENDS = "<|current_file_content|>", "<|/current_file_content|>"
PATH = "current_file_path:"
CURSOR = "<|cursor|>"
TAG = re.compile(r"<\|[^|\n]{1,64}\|>")
UNSUPPORTED = ("tools", "tool_choice", "response_format", "n", "stream")


@dataclass(frozen=True)
class MarkedEdit:
    """A text with a part to replace, and the snippets and history that came with it."""

    before: str
    part: str
    after: str
    snippets: str = ""  # recently viewed snippets and the edit history

    def context(self, tokenizer: BaseTokenizer, room: int) -> str:
        """The last lines of the snippets and history that fit into so many tokens."""
        lines = self.snippets.splitlines(keepends=True)
        kept = len(lines)
        while kept and (room := room - len(tokenizer.encode(lines[kept - 1]))) >= 0:
            kept -= 1
        return "".join(lines[kept:])


def parse_edit(body: Chat) -> MarkedEdit:
    """Parse the marked part of a request."""
    for name in UNSUPPORTED:
        if getattr(body, name) and (name, getattr(body, name)) not in (("n", 1), ("tool_choice", "none")):
            raise ApiError(400, f"{name} is not supported for edits", name, "unsupported_parameter")
    text = next((m.text for m in reversed(body.messages) if m.role == "user"), "")
    before, opens, rest = text.partition(OPENS)
    part, closes, after = rest.partition(CLOSES)
    if not (opens and closes):
        why = f"mark the part to replace: {OPENS} … {CLOSES}"
        raise ApiError(400, why, "messages", "invalid_value")
    (viewed, _, before), (after, _, changed) = before.rpartition(FILE), after.partition(FILE_ENDS)
    lines = before.lstrip("\n").splitlines(keepends=True)
    if lines and lines[0].startswith(PATH):
        before = "".join(lines[1:])
    part = part.replace(CURSOR, "")
    inner = part.strip("\n")  # line breaks at its ends are kept
    at = part.find(inner) if inner else len(part)
    snippets = [line for line in TAG.sub("\n", f"{viewed}\n{changed}").splitlines() if line.strip()]
    return MarkedEdit(
        before + part[:at], inner, part[at + len(inner) :] + after, "".join(f"{line}\n" for line in snippets)
    )


def context(denoiser: Denoiser, part: MarkedEdit, gap: int) -> str:
    """As much of the snippets and history as fits onto the canvas beside the file and a gap of so many cells."""
    size = sum(len(denoiser.tokenizer.encode(text)) for text in (part.before, part.after) if text)
    return part.context(denoiser.tokenizer, denoiser.card.longest - size - gap)


def fenced(text: str) -> str:
    """A text in a Markdown code fence, as Mercury answers."""
    return f"```\n{text}\n```"


class EditFormat(ChatFormat):
    """chat.completion whose content is the replacement."""

    def reading(self, progress: AnswerProgress) -> ParsedAnswer:
        return ParsedAnswer(fenced(progress.text))
