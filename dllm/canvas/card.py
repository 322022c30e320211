"""What the engine knows of a model without its weights: its card and its tokenizer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from unmask.errors import InvalidRequest

NO_VALUES: Mapping[str, Any] = MappingProxyType({})  # for a chat template


@dataclass(frozen=True)
class Card:
    """Describes a loaded model: its vocabulary, special tokens, abilities and origin. It is shown to users."""

    name: str
    family: str
    words: int  # size of the vocabulary
    longest: int  # context length: cells it can see, prompt included
    causal: bool = False  # autoregressive: its prediction is valid for the leftmost open cell alone
    noise: bool = False  # no mask: an open cell holds a random token
    ends: tuple[int, ...] = ()  # EOS tokens
    never: tuple[int, ...] = ()  # suppressed tokens: the mask and other special tokens
    expand: int | None = None  # a token that asks for one more cell: it becomes two open cells
    skips: tuple[int, ...] = ()  # tokens that ask to delete their cell, where the length is free
    weights: str = ""  # hash of the weights
    tokenizer: str = ""  # hash of the tokenizer
    number: str = "fp32"  # dtype of the weights
    device: str = "cpu"
    threads: int = 1
    licence: str = ""
    trained: bool = True
    note: str = ""
    # the decoder its authors use: {preset: its name, settings: changes}
    preset: Mapping[str, Any] = field(default_factory=dict)
    blockwise: bool = False  # predicts the present block only; earlier blocks are final and cached
    whole: int = 0  # block size that an answer is padded to, counted from the start of the sequence
    canvas: int = 0  # cells of the widest canvas it reads; a longer answer is written block by block; 0: no limit
    candidates: int = 0  # the likeliest tokens of a cell that its server sends; 0: all are known
    both: bool = False  # the same weights can also decode autoregressively
    chat: bool = False  # a prompt is a conversation in a chat template
    spaced: bool = True  # words have a space before them; not so for proteins, where a token is a letter
    tools: str = "plain"  # how a prompt lists tools: by its chat "template", or in "plain" text
    record: str = ""  # its prompt for extracting a JSON record from a text; `{}` is the place of the text
    fields: tuple[str, ...] = ()  # that such a record may have
    twin: str = ""  # the autoregressive model to compare it with, as a name for `load`
    fair: str = ""  # how fair that comparison is
    tested: str = ""  # result of the self-test at load time
    revision: str = ""  # of the repository on the Hub
    size: int = 0  # bytes of weights in memory
    parameters: int = 0  # number of parameters; 0 where unknown
    titles: tuple[
        str, ...
    ] = ()  # the prefixes of its training texts, up to a colon; any other prompt is a turn of a dialogue
    word_titles: tuple[str, ...] = ()  # the prefixes before which a first line `Words: a, b` asks for words
    knows: str = ""  # what it was trained on, in a few words; empty for models from the Hub
    # temperatures that calibrate its logits (Guo et al. 2017, arXiv:1706.04599), at equal steps of the share of the
    # answer that is open, from none to all of it; empty leaves the logits as they are
    calibration: tuple[float, ...] = ()
    # the same for an unsure cell when the whole answer is open; 0 means as for the others. Confidence interpolates
    hesitant: float = 0.0

    def starts_like_training(self, text: str) -> bool:
        """Whether a text has one of the prefixes in `titles`; True where it is empty or the card lists none."""
        title, colon, _ = text.partition(":")
        return not (self.titles and text) or (bool(colon) and title.split(",")[0].rstrip() in self.titles)


class BaseTokenizer(ABC):
    """Interface of a tokenizer: text to tokens and back."""

    digest: str = ""  # hash of the tokenizer's files
    chat: bool = False  # a prompt is a turn of a conversation
    tools: bool = False  # its chat template lists tools, and it calls them by `<tool_call>`
    spaced: bool = True  # words have a space before them; not so for proteins, where a token is a letter

    def specials(self, padding: bool = False) -> list[int]:
        """The special tokens that a model should not write, with those for padding and ends if `padding`."""
        return []

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without special tokens."""

    @abstractmethod
    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without special tokens."""

    @abstractmethod
    def piece(self, token: int) -> str:
        """The text of one token; bytes that are not valid UTF-8 alone become replacement characters."""

    def all_pieces(self, words: int) -> list[str]:
        """The texts of the first tokens, each as by `piece`."""
        return [self.piece(token) for token in range(words)]

    def token_bytes(self, token: int) -> bytes:
        """The bytes of one token."""
        return self.piece(token).encode()

    def display_piece(self, token: int) -> str:
        """The text of one token as the page shows it: bytes of an incomplete character are written `<0xF0>`, so that
        the page can join the cells of one character."""
        piece = self.piece(token)
        return piece if "\ufffd" not in piece else marked_bytes(self.token_bytes(token))

    def encode_prompt(self, prompt: str) -> list[int]:
        """The tokens of a prompt in the model's own prompt format."""
        return self.encode(prompt)

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, Any] = NO_VALUES,
    ) -> list[int]:
        """The tokens of a conversation, up to the start of the model's turn, with the tools it may call; `values` are
        the template's own, such as whether it thinks first."""
        raise InvalidRequest("this model has no chat template: send one text")


def marked_bytes(raw: bytes) -> str:
    """Bytes as text; those of an incomplete character are written `<0xF0>`."""
    return "".join(
        f"<0x{ord(c) - 0xDC00:02X}>" if 0xDC80 <= ord(c) <= 0xDCFF else c
        for c in raw.decode("utf-8", errors="surrogateescape")
    )
