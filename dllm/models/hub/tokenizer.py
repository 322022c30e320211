"""A checkpoint's own tokenizer and chat template."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.canvas import NO_VALUES, BaseTokenizer
from unmask.canvas.text import is_unspaced
from unmask.errors import UNKNOWN_TEXT, InvalidRequest
from unmask.models.bundled import byte_letters
from unmask.models.hub.foreign import limited_steps, refusing
from unmask.models.toy import NumberTokenizer

FILES = ("tokenizer.json", "vocab.json", "vocab.txt")
LISTED = 40  # tokens of a vocabulary that is small enough to be named in an error
NAMED = 5  # unknown characters or words that an error names


class HubTokenizer(BaseTokenizer):
    """The tokenizer that came with a model."""

    def __init__(self, tokenizer: Any, digest: str, template: Mapping[str, Any]) -> None:
        self.backend, self.digest, self.template = tokenizer, digest, dict(template)
        self.chat = bool(tokenizer.chat_template)
        self.tools = "tools" in (words := str(tokenizer.chat_template or "")) and "<tool_call>" in words
        self._bytes = {c: b for b, c in byte_letters().items()}
        decoder = json.loads(tokenizer.backend_tokenizer.to_str()).get("decoder") or {}
        self._kind = "ByteLevel" if "ByteLevel" in json.dumps(decoder) else str(decoder.get("type", ""))
        self.spaced = self._kind == "WordPiece" or self._has_spaces()

    def _has_spaces(self) -> bool:
        """Whether any token but the special ones has a space: proteins and DNA are written without."""
        added = self.backend.added_tokens_decoder
        return any(" " in self.piece(token) for token in range(len(self.backend)) if token not in added)

    def encode(self, text: str) -> list[int]:
        text = text if self.spaced else "".join(text.split())
        with refusing("the model's tokenizer cannot read this text"):
            tokens = list(self.backend.encode(text, add_special_tokens=False))
        unknown = self.backend.unk_token_id
        if unknown is not None and unknown in tokens and (parts := self._unknown_parts(text)):
            raise InvalidRequest(self._cannot_spell(parts), code=UNKNOWN_TEXT)
        return tokens

    def _unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that have no token; the unknown token itself may be named."""
        found = self.backend(text, add_special_tokens=False, return_offsets_mapping=True)
        spans = zip(found["input_ids"], found["offset_mapping"], strict=True)
        parts = [text[begin:end] for token, (begin, end) in spans if token == self.backend.unk_token_id]
        return [part for part in dict.fromkeys(parts) if part.strip() and part != self.backend.unk_token]

    def _cannot_spell(self, parts: Sequence[str]) -> str:
        named = ", ".join(f"'{part}'" for part in parts[:NAMED]) + " and others" * (len(parts) > NAMED)
        words = [w for w in self.backend.get_vocab() if w not in self.backend.all_special_tokens]
        has = f"; it has {', '.join(sorted(words))}" if len(words) <= LISTED else ""
        return f"this model's vocabulary has no token for {named}{has}"

    def specials(self, padding: bool = False) -> list[int]:
        """The tokens that begin a text, frame it or stand for an unknown word; padding ends a text in some models."""
        roles = ("bos", "unk", "cls", "sep", *(("pad", "eos") if padding else ()))
        found = [getattr(self.backend, f"{role}_token_id", None) for role in roles]
        return [int(token) for token in dict.fromkeys(found) if token is not None]

    def decode(self, tokens: Sequence[int]) -> str:
        with refusing("the model's tokenizer cannot write these tokens"):
            return str(self.backend.decode([t for t in tokens if t >= 0], skip_special_tokens=True))

    def piece(self, token: int) -> str:
        """The text of one token, with its leading space."""
        letters = self.backend.convert_ids_to_tokens(int(token))
        if letters is None:
            return "\ufffd"
        if token in self.backend.added_tokens_decoder:
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
        letters = self.backend.convert_ids_to_tokens(int(token)) or ""
        if self._kind == "ByteLevel" and all(c in self._bytes for c in letters):
            return bytes(self._bytes[c] for c in letters)
        return self.piece(token).encode()

    def encode_prompt(self, prompt: str) -> list[int]:
        """A prompt as the model expects it: a user's message in the chat template if there is one, else the text."""
        if not self.chat:
            first = self.backend.bos_token_id if getattr(self.backend, "add_bos_token", False) else None
            return [*([] if first is None else [first]), *self.encode(prompt)]
        return self.apply_chat_template([{"role": "user", "content": prompt}])

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, Any] = NO_VALUES,
    ) -> list[int]:
        """A conversation in the model's chat template, up to the start of the model's reply."""
        if reserved := values.keys() & inspect.signature(self.backend.apply_chat_template).parameters:
            raise InvalidRequest(f"{min(reserved)} is no value of a chat template that a request may set")
        with refusing("the model's chat template cannot be filled in"), limited_steps():
            text = self.backend.apply_chat_template(
                [dict(m) for m in messages],
                tools=[dict(tool) for tool in tools] or None,
                add_generation_prompt=True,
                tokenize=False,
                **{**self.template, **values},
            )
        return self.encode(str(text))


def load_tokenizer(folder: Path, words: int, template: Mapping[str, Any]) -> BaseTokenizer:
    """The tokenizer of a folder; one of token numbers if it has none."""
    import transformers

    if not any((folder / f).exists() for f in FILES):
        return NumberTokenizer(words)
    raw = b"".join((folder / f).read_bytes() for f in FILES if (folder / f).exists())
    kind = transformers.PreTrainedTokenizerFast  # never a class of the repository's own
    if not (folder / "tokenizer.json").exists():
        kind = transformers.BertTokenizerFast if (folder / "vocab.txt").exists() else transformers.Qwen2TokenizerFast
    with refusing(f"the tokenizer in {folder.name} cannot be read"):
        if not (folder / "tokenizer.json").exists() and _one_letter_words(folder):
            tokenizer = _letters(folder)
        else:
            tokenizer = kind.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        return HubTokenizer(tokenizer, hashlib.sha256(raw).hexdigest()[:16], template)


def _one_letter_words(folder: Path) -> bool:
    """Whether `vocab.txt` is a list of letters, as ESM's is; BERT's has word pieces, and other names for its marks."""
    file = folder / "vocab.txt"
    words = file.read_text(encoding="utf-8").split() if file.exists() else []
    return "<unk>" in words and all(len(word) == 1 for word in words if not word.startswith("<"))


def _letters(folder: Path) -> Any:
    """A tokenizer of one token a letter, from `vocab.txt` in the order of its lines."""
    import transformers
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    words = (folder / "vocab.txt").read_text(encoding="utf-8").split()
    roles = {f"{role}_token": f"<{role}>" for role in ("unk", "pad", "cls", "mask") if f"<{role}>" in words}
    if "<eos>" in words:
        roles |= {"eos_token": "<eos>", "sep_token": "<eos>"}
    backend = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token=roles.get("unk_token", "")))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    backend.decoder = decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **roles)


def special_token(tokenizer: BaseTokenizer, *names: str) -> int | None:
    """The id of the first of these special tokens that the tokenizer has."""
    if not isinstance(tokenizer, HubTokenizer):
        return None
    vocabulary = tokenizer.backend.get_vocab()
    for name in names:
        token = getattr(tokenizer.backend, name, None) if name.endswith("_token") else name
        if token in vocabulary:
            return int(vocabulary[token])
    return None
