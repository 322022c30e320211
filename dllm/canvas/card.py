"""What is known of a model without opening it: its card, and how it spells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unmask.errors import InvalidRequest


@dataclass(frozen=True)
class Card:
    """What is known of a loaded model, fit to be shown."""

    name: str
    family: str
    words: int  # size of the vocabulary
    longest: int  # cells it can see, prompt included
    causal: bool = False  # right about the leftmost open cell alone
    noise: bool = False  # no mask: an open cell holds a random token
    ends: tuple[int, ...] = ()  # tokens that end a text
    never: tuple[int, ...] = ()  # tokens that are never proposed: the mask and other marks
    expand: int | None = None  # a word that asks for one cell more: it becomes two open cells
    skips: tuple[int, ...] = ()  # words of a cell too many: where the length is free, it vanishes
    weights: str = ""  # their hash
    tokenizer: str = ""  # its hash
    number: str = "fp32"
    device: str = "cpu"
    threads: int = 1
    licence: str = ""
    trained: bool = True
    note: str = ""
    preset: Mapping[str, Any] = field(default_factory=dict)  # the authors' own: {preset: its name, settings: changes}
    blockwise: bool = False  # only the present block is thought about; what lies before it is settled
    whole: int = 0  # an answer ends with a whole block of so many cells, counted from the start of the sequence
    both: bool = False  # can answer as an autoregressive model too, from the same weights
    chat: bool = False  # a prompt is a conversation
    tools: str = "plain"  # how a prompt lists tools: by its own "template", or in "plain" words
    record: str = ""  # how it was taught to be asked for a record of what a text says, `{}` where the text stands
    twin: str = ""  # the autoregressive model to set beside it, as `load` understands it
    fair: str = ""  # how fair that comparison is
    tested: str = ""  # what the self-test found when it was opened
    revision: str = ""  # of the hub's repository
    size: int = 0  # bytes of weights in memory
    parameters: int = 0  # numbers in its weights; 0 where nobody counted
    titles: tuple[str, ...] = ()  # what its texts begin with, up to a colon; anything else is a turn in a talk
    knows: str = ""  # what it was trained on, in a few plain words; empty where it is no small world of ours
    # what its logits are divided by so that it is right as often as it says it is: measured at equal steps of the
    # share of the answer that is open, from none to all of it; empty takes them as they are
    calibration: tuple[float, ...] = ()
    # the same for a cell that has hardly a guess, where all is open; 0 is as for the others. Between them by how sure
    hesitant: float = 0.0

    def starts_like_training(self, text: str) -> bool:
        """Whether a text is the beginning of one that it was trained on, where it says what those begin with."""
        title, colon, _ = text.partition(":")
        return not (self.titles and text) or (bool(colon) and title.split(",")[0] in self.titles)


class BaseTokenizer(ABC):
    """Words to tokens and back."""

    digest: str = ""  # of the tokenizer's files
    chat: bool = False  # a prompt is a turn of a conversation
    tools: bool = False  # and its template has a place for tools, which it calls by `<tool_call>`

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """A text as it stands, without marks."""

    @abstractmethod
    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens; marks are left out."""

    @abstractmethod
    def piece(self, token: int) -> str:
        """One token alone, as text; bytes that are no text on their own become replacement marks."""

    def token_bytes(self, token: int) -> bytes:
        """The bytes of one token."""
        return self.piece(token).encode()

    def display_piece(self, token: int) -> str:
        """One token alone, as it is sent to a page: bytes that are part of a letter are spelled `<0xF0>`, so that the
        cells of one letter can be joined."""
        piece = self.piece(token)
        return piece if "\ufffd" not in piece else marked_bytes(self.token_bytes(token))

    def encode_prompt(self, prompt: str) -> list[int]:
        """A prompt as the model was taught to read it."""
        return self.encode(prompt)

    def apply_chat_template(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int]:
        """A conversation up to where the model's own turn begins, with the tools it may call."""
        raise InvalidRequest("this model was not taught conversations: send one text")


def marked_bytes(raw: bytes) -> str:
    """Bytes as text, with those that are no whole letter as `<0xF0>`."""
    return "".join(
        f"<0x{ord(c) - 0xDC00:02X}>" if 0xDC80 <= ord(c) <= 0xDCFF else c
        for c in raw.decode("utf-8", errors="surrogateescape")
    )
