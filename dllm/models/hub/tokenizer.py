"""A checkpoint's own tokenizer and chat template."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.canvas import NO_VALUES, BaseTokenizer
from unmask.canvas.text import is_unspaced
from unmask.errors import UNKNOWN_TEXT, InvalidRequest
from unmask.models.bundled import byte_letters
from unmask.models.hub.chat_template import RESERVED, fill_in
from unmask.models.hub.foreign import limited_steps, refusing
from unmask.models.hub.tokenizer_files import FILES, TokenizerFiles, read_tokenizer
from unmask.models.toy import NumberTokenizer

LISTED = 40  # tokens of a vocabulary that is small enough to be named in an error
# spaces that some tokenizers put before punctuation and endings
LOOSE = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
NAMED = 5  # unknown characters or words that an error names


class HubTokenizer(BaseTokenizer):
    """The tokenizer that came with a model."""

    def __init__(self, files: TokenizerFiles, template: Mapping[str, Any]) -> None:
        self.files, self.backend, self.digest, self.template = files, files.tokenizer, files.digest, dict(template)
        self.chat = any(files.templates.values())
        self.tools = "tools" in (words := "".join(files.templates.values())) and "<tool_call>" in words
        self._unknown, self._added = files.role("unk"), frozenset(self.backend.get_added_tokens_decoder())
        self._bytes = {c: b for b, c in byte_letters().items()}
        decoder = json.loads(self.backend.decoder.__getstate__()) if self.backend.decoder else {}
        self._kind = "ByteLevel" if "ByteLevel" in json.dumps(decoder) else str(decoder.get("type", ""))
        self.spaced = self._kind == "WordPiece" or self._has_spaces()

    def _has_spaces(self) -> bool:
        """Whether any token but the special ones has a space: proteins and DNA are written without."""
        return any(
            " " in self.piece(token) for token in range(self.backend.get_vocab_size()) if token not in self._added
        )

    def encode(self, text: str) -> list[int]:
        text = text if self.spaced else "".join(text.split())
        with refusing("the model's tokenizer cannot read this text"):
            found = self.backend.encode(text, add_special_tokens=False)
        tokens: list[int] = found.ids
        if self._unknown is not None and self._unknown in tokens and (parts := self._unknown_parts(text, found)):
            raise InvalidRequest(self._cannot_spell(parts), code=UNKNOWN_TEXT)
        return tokens

    def _unknown_parts(self, text: str, found: Any) -> list[str]:
        """The parts of a text that have no token; the unknown token itself may be named."""
        spans = zip(found.ids, found.offsets, strict=True)
        parts = [text[begin:end] for token, (begin, end) in spans if token == self._unknown]
        return [part for part in dict.fromkeys(parts) if part.strip() and part != self.files.roles["unk_token"]]

    def _cannot_spell(self, parts: Sequence[str]) -> str:
        named = ", ".join(f"'{part}'" for part in parts[:NAMED]) + " and others" * (len(parts) > NAMED)
        words = [w for w in self.backend.get_vocab() if w not in self.files.special]
        has = f"; it has {', '.join(sorted(words))}" if len(words) <= LISTED else ""
        return f"this model's vocabulary has no token for {named}{has}"

    def specials(self, padding: bool = False) -> list[int]:
        """The tokens that begin a text, frame it or stand for an unknown word; padding ends a text in some models."""
        roles = ("bos", "unk", "cls", "sep", *(("pad", "eos") if padding else ()))
        return [token for token in dict.fromkeys(map(self.files.role, roles)) if token is not None]

    def decode(self, tokens: Sequence[int]) -> str:
        with refusing("the model's tokenizer cannot write these tokens"):
            text = str(self.backend.decode([int(t) for t in tokens if t >= 0], skip_special_tokens=True))
        for mark in LOOSE if self.files.cleans else ():
            text = text.replace(mark, mark.strip())
        return text

    def piece(self, token: int) -> str:
        """The text of one token, with its leading space."""
        letters = self.backend.id_to_token(int(token))
        if letters is None:
            return "\ufffd"
        if token in self._added:
            return str(letters)
        if self._kind == "ByteLevel":
            if any(c not in self._bytes for c in letters):
                return str(letters)
            return self.token_bytes(token).decode("utf-8", errors="replace")
        if self._kind == "WordPiece":
            if letters.startswith("##"):
                return str(letters[2:])
            return str(letters if is_unspaced(letters[:1]) else f" {letters}")
        return str(letters).replace("\u2581", " ")

    def token_bytes(self, token: int) -> bytes:
        letters = self.backend.id_to_token(int(token)) or ""
        if self._kind == "ByteLevel" and all(c in self._bytes for c in letters):
            return bytes(self._bytes[c] for c in letters)
        return self.piece(token).encode()

    def encode_prompt(self, prompt: str) -> list[int]:
        """A prompt as the model expects it: a user's message in the chat template if there is one, else the text."""
        if not self.chat:
            first = self.files.role("bos") if self.files.begins else None
            return [*([] if first is None else [first]), *self.encode(prompt)]
        return self.apply_chat_template([{"role": "user", "content": prompt}])

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, Any] = NO_VALUES,
    ) -> list[int]:
        """A conversation in the model's chat template, up to the start of the model's reply."""
        return self.encode(self.chat_text(messages, tools, values))

    def chat_text(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
    ) -> str:
        """The text of a conversation."""
        if reserved := values.keys() & RESERVED:
            raise InvalidRequest(f"{min(reserved)} is no value of a chat template that a request may set")
        with refusing("the model's chat template cannot be filled in"), limited_steps():
            template = self.files.template(bool(tools))
            return fill_in(template, messages, tools, {**self.files.roles, **self.template, **values})


def load_tokenizer(folder: Path, words: int, template: Mapping[str, Any]) -> BaseTokenizer:
    """The tokenizer of a folder; one of token numbers if it has none."""
    if not any((folder / file).exists() for file in FILES):
        return NumberTokenizer(words)
    with refusing(f"the tokenizer in {folder.name} cannot be read"):
        return HubTokenizer(read_tokenizer(folder), template)


def special_token(tokenizer: BaseTokenizer, *names: str) -> int | None:
    """The id of the first of these special tokens, by role or text, that the tokenizer has."""
    if not isinstance(tokenizer, HubTokenizer):
        return None
    for name in names:
        text = tokenizer.files.roles.get(name) if name.endswith("_token") else name
        token: int | None = None if text is None else tokenizer.backend.token_to_id(text)
        if token is not None:
            return token
    return None
