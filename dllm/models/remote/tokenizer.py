"""The tokenizer of a server: tokens and texts by its own routes, each asked for once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from unmask.canvas import NO_VALUES, BaseTokenizer
from unmask.errors import ModelError
from unmask.models.remote.server import Server

MARK = "\x1f"  # a unit separator: no text has it
TOGETHER = 512  # tokens whose texts are fetched at once


class ServerTokenizer(BaseTokenizer):
    """A tokenizer that the server has; what was asked is kept."""

    def __init__(self, server: Server, model: str, words: int = 0) -> None:
        self.server, self.model, self.words = server, model, words
        self.digest = f"{server.name}/{model}"
        self._pieces: dict[int, str] = {}
        self._separator: tuple[int, str] | None = None  # a token between tokens, and its text
        self._texts: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        return self._tokens({"prompt": text, "add_special_tokens": False})

    def encode_prompt(self, prompt: str) -> list[int]:
        """A prompt as the model expects it: a user's message in the chat template, or a text with its beginning."""
        if self.chat:
            return self.apply_chat_template([{"role": "user", "content": prompt}])
        return self._tokens({"prompt": prompt, "add_special_tokens": True})

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        values: Mapping[str, Any] = NO_VALUES,
    ) -> list[int]:
        more = {"tools": [*tools], "chat_template_kwargs": dict(values)}
        return self._tokens({"messages": [*messages], **{name: value for name, value in more.items() if value}})

    def find_chat_template(self) -> None:
        """Ask the server whether it has a chat template for this model."""
        try:
            self.chat = bool(self.apply_chat_template([{"role": "user", "content": "Hello"}]))
        except ModelError:
            self.chat = False

    def _tokens(self, what: Mapping[str, Any]) -> list[int]:
        key = repr(what)
        if key not in self._texts:
            answer = self.server.post("/tokenize", {"model": self.model, **what})
            try:
                found = [int(token) for token in answer["tokens"]]
            except (KeyError, TypeError, ValueError):
                raise ModelError(f"{self.server.name} sent no tokens") from None
            if len(self._texts) > 4096:
                self._texts.clear()
            self._texts[key] = found
        return [*self._texts[key]]

    def decode(self, tokens: Sequence[int]) -> str:
        try:
            return self._decoded(tokens)
        except ModelError:  # the text of what is there must not depend on a server that is away
            return "".join(self._pieces.get(int(token), "") for token in tokens)

    def _decoded(self, tokens: Sequence[int]) -> str:
        answer = self.server.post("/detokenize", {"model": self.model, "tokens": [int(t) for t in tokens]})
        if not isinstance(answer, dict) or not isinstance(answer.get("prompt"), str):
            raise ModelError(f"{self.server.name} sent no text")
        found: str = answer["prompt"]
        return found

    def learn(self, tokens: Sequence[int]) -> None:
        """Fetch the texts of tokens, many in one request."""
        with suppress(ModelError):  # a text that is missing is asked for again where it is shown
            self._learn(tokens)

    def _learn(self, tokens: Sequence[int]) -> None:
        fresh = [token for token in dict.fromkeys(tokens) if token not in self._pieces]
        for begin in range(0, len(fresh), TOGETHER):
            part = fresh[begin : begin + TOGETHER]
            self._pieces |= zip(part, self._texts_of(part), strict=True)

    def _texts_of(self, tokens: Sequence[int]) -> list[str]:
        """The text of each of these tokens: one text with a mark between them, or each twice (alone it may lose the
        space before it)."""
        if self._separator is None:
            mark = self.encode(MARK)
            self._separator = (mark[0], MARK) if len(mark) == 1 and self._decoded(mark) == MARK else (0, "")
        token, mark_text = self._separator
        if mark_text and len(tokens) > 1:
            texts = self._decoded([one for each in tokens for one in (token, each)] + [token]).split(mark_text)
            if len(texts) == len(tokens) + 2:
                return texts[1:-1]
            half = len(tokens) // 2
            return [*self._texts_of(tokens[:half]), *self._texts_of(tokens[half:])]
        twice = (self._decoded([one, one]) for one in tokens)
        return [text[len(text) // 2 :] for text in twice]

    def all_pieces(self, words: int) -> list[str]:
        self._learn(range(words))  # a rule must not be compiled for texts that are missing
        return [self._pieces[token] for token in range(words)]

    def piece(self, token: int) -> str:
        if token not in self._pieces:
            begin = token // TOGETHER * TOGETHER  # where one is asked for, as by a rule, its neighbours often are, too
            self.learn(range(begin, min(begin + TOGETHER, self.words or token + 1)))
        return self._pieces.get(token, "?")  # not kept, since the server may come back
