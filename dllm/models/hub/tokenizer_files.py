"""A tokenizer from the files of a checkpoint's folder, with the same tokens as transformers reads from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

FILES = ("tokenizer.json", "vocab.json", "vocab.txt")
ROLES = tuple(f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
QWEN_END = "<|endoftext|>"
QWEN_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True, eq=False)
class TokenizerFiles:
    """What a folder says about its tokens."""

    tokenizer: Tokenizer
    roles: Mapping[str, str]  # the special tokens that have a name, such as `bos_token`
    special: frozenset[str]  # these and the special tokens without a name
    templates: Mapping[str, str]  # chat templates, by name
    begins: bool  # a prompt without a template begins with the token `bos_token`
    cleans: bool  # spaces before punctuation are removed from a decoded text
    digest: str

    def role(self, name: str) -> int | None:
        """The token with a role, such as `bos`."""
        text = self.roles.get(f"{name}_token")
        found: int | None = None if text is None else self.tokenizer.token_to_id(text)
        return found

    def template(self, tools: bool) -> str:
        """The chat template, or the one for tools where there is such a one; empty if there is none."""
        named = self.templates.get("tool_use", "") if tools else ""
        return named or self.templates.get("default", "")


def read_tokenizer(folder: Path) -> TokenizerFiles:
    """Reads tokenizer.json, or where it is missing the vocabulary, and the files beside it."""
    config = _json(folder / "tokenizer_config.json")
    fast = (folder / "tokenizer.json").exists()
    tokenizer, fields = _from_json(folder) if fast else _from_vocabulary(folder, config)
    fields |= config
    if "added_tokens_decoder" not in config:  # older folders have these in files of their own
        fields |= _json(folder / "special_tokens_map.json")
    named, unnamed = _special_tokens(fields)
    special = {token.content: token for token in (*named.values(), *unnamed)}
    if "added_tokens_decoder" in config:
        listed = {int(i): _token(one, False) for i, one in config["added_tokens_decoder"].items()}
    else:
        legacy = _json(folder / "added_tokens.json")
        listed = {i: AddedToken(t, normalized=t not in special, special=t in special) for t, i in legacy.items()}
    roles = {name: token.content for name, token in named.items()}
    for token in listed.values():
        token.special = token.special or token.content in roles.values()
    known = {token.content for token in (*tokenizer.get_added_tokens_decoder().values(), *listed.values())}
    fresh = [token for text, token in special.items() if text not in known]
    tokenizer.add_tokens([*(token for _, token in sorted(listed.items())), *fresh])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = bool(fields.get("split_special_tokens"))
    return TokenizerFiles(
        tokenizer,
        roles,
        frozenset(special),
        _templates(folder, config),
        begins=bool(config.get("add_bos_token")) and not fast,
        cleans=bool(fields.get("clean_up_tokenization_spaces")) and type(tokenizer.model).__name__ != "BPE",
        digest=_digest(folder),
    )


def _special_tokens(fields: Mapping[str, Any]) -> tuple[dict[str, AddedToken], list[AddedToken]]:
    """The special tokens with a name, the usual names first, and those without."""
    unnamed = fields.get("extra_special_tokens") or fields.get("additional_special_tokens") or []
    own = {name: value for name, value in fields.items() if name.endswith("_token") and isinstance(value, str | dict)}
    if isinstance(unnamed, dict):
        own, unnamed = own | unnamed, []
    named = {name: own[name] for name in (*ROLES, *own) if name in own}
    return {name: _token(value) for name, value in named.items()}, [_token(one) for one in unnamed]


def _from_json(folder: Path) -> tuple[Tokenizer, dict[str, Any]]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return tokenizer, {"pad_token": tokenizer.padding["pad_token"]} if tokenizer.padding else {}


def _from_vocabulary(folder: Path, config: Mapping[str, Any]) -> tuple[Tokenizer, dict[str, Any]]:
    """A tokenizer of a vocabulary without tokenizer.json, and its usual special tokens."""
    vocabulary = folder / "vocab.txt"
    if not vocabulary.exists():
        return _qwen(folder), dict.fromkeys(("unk_token", "eos_token", "pad_token"), QWEN_END)
    words = vocabulary.read_text(encoding="utf-8").split()
    # ESM lists letters; BERT has word pieces, and other names for its special tokens
    if "<unk>" in words and all(len(word) == 1 for word in words if not word.startswith("<")):
        return _letters(words)
    usual = {f"{role}_token": f"[{role.upper()}]" for role in ("unk", "sep", "pad", "cls", "mask")}
    unknown = _token(config.get("unk_token") or usual["unk_token"]).content
    tokenizer = Tokenizer(models.WordPiece.from_file(str(vocabulary), unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(config.get("tokenize_chinese_chars", True)),
        strip_accents=config.get("strip_accents"),
        lowercase=bool(config.get("do_lower_case", True)),
    )
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece(prefix="##")
    return tokenizer, usual


def _qwen(folder: Path) -> Tokenizer:
    """Byte-level pairs, as Qwen2 splits words."""
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.normalizer, tokenizer.decoder = normalizers.NFC(), decoders.ByteLevel()
    words = pre_tokenizers.Split(Regex(QWEN_WORDS), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [words, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    return tokenizer


def _letters(words: list[str]) -> tuple[Tokenizer, dict[str, Any]]:
    """One token a letter, in the order of the vocabulary's lines."""
    roles = {f"{role}_token": f"<{role}>" for role in ("unk", "pad", "cls", "mask") if f"<{role}>" in words}
    if "<eos>" in words:
        roles |= {"eos_token": "<eos>", "sep_token": "<eos>"}
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.Split(Regex("."), "isolated"), decoders.Fuse()
    return tokenizer, roles


def _templates(folder: Path, config: Mapping[str, Any]) -> dict[str, str]:
    """The chat templates: of their own files, else of the config."""
    found = {
        file.stem: file.read_text(encoding="utf-8") for file in (folder / "additional_chat_templates").glob("*.jinja")
    }
    if (folder / "chat_template.jinja").exists():
        found["default"] = (folder / "chat_template.jinja").read_text(encoding="utf-8")
    if found:
        return found
    given = config.get("chat_template") or {}
    if isinstance(given, list):
        return {str(one["name"]): str(one["template"]) for one in given}
    return {name: str(text) for name, text in given.items()} if isinstance(given, dict) else {"default": str(given)}


def _json(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def _digest(folder: Path) -> str:
    return hashlib.sha256(b"".join((folder / f).read_bytes() for f in FILES if (folder / f).exists())).hexdigest()[:16]


def _token(token: Any, special: bool = True) -> AddedToken:
    """A token from a config: its text alone, or with how it is matched."""
    if isinstance(token, str):
        return AddedToken(token, special=special)
    fields = {name: value for name, value in token.items() if name not in ("__type", "content")}
    return AddedToken(token["content"], **fields | ({"special": True} if special else {}))
