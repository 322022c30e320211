"""A model that a server runs, as `attach:URL`: each pass is a request that brings a canvas and reads it.

The server answers vLLM's fields for diffusion models (`docs/api.md`, "A canvas, given and read"): Unmask's own `/v1`,
or vLLM. It sends the likeliest tokens of each cell; the rest of the probability is known, but not its shape."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from unmask.canvas import BaseTokenizer, Card, Ints
from unmask.config import environment_key
from unmask.errors import InvalidRequest, ModelError
from unmask.models.family import Family
from unmask.models.interface import Denoiser, Finish, ModelInput

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 16 << 20  # of an answer
PATIENCE, CONNECT = 60.0, 5.0  # seconds for an answer, and to reach the server
TRIES = 3  # of a request to a server that is full or starting
LONGEST_WAIT = 10.0  # seconds before another try
BUSY = (429, 502, 503)
KEY = "UNMASK_ATTACH_KEY"
PREFIX = "token_id:"
MARK = "\x1f"  # a unit separator: no text has it
TOGETHER = 512  # tokens whose texts are fetched at once
LEAST = -60.0  # log probability of tokens of which nothing is known, where all of it is accounted for


def prepare(family: str, what: str, **options: Any) -> Finish:
    """`attach:https://HOST/v1`; `?model=`, `mask=`, `words=`, `width=` and `end=` for what a server does not say.

    With `mode=ar` the model writes from left to right there: the twin of the same weights, if the server has both."""
    if "://" not in what:
        raise InvalidRequest("attach needs an address, such as attach:http://127.0.0.1:8000/v1")
    server = Server(what)
    known = {
        name: value for name, value in options.items() if name in ("model", "mask", "words", "width", "end", "mode")
    }
    return lambda: attached(server, known)


class Server:
    """Requests to one server, and what goes wrong with them as a sentence."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise InvalidRequest(f"'{address[:80]}' is not the address of a server: http://HOST:PORT/v1")
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.path = parts.path or "/v1"
        self.name = parts.netloc
        self._local = threading.local()  # a connection for each thread

    def get(self, path: str) -> Any:
        return self._request("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._request("POST", path, body)

    def _client(self) -> httpx.Client:
        import httpx

        if not hasattr(self._local, "client"):
            timeout = httpx.Timeout(PATIENCE, connect=CONNECT)
            self._local.client = httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False)
        found: httpx.Client = self._local.client
        return found

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        import httpx

        key = environment_key(KEY)  # read when it is used, and kept nowhere
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        for left in range(TRIES - 1, -1, -1):
            try:
                status, wait, raw = self._once(method, path, body, headers)
            except httpx.TimeoutException:
                raise ModelError(f"{self.name} did not answer within {PATIENCE:.0f} seconds") from None
            except httpx.TransportError:
                if left:  # the connection was closed in the middle, or the server is starting again
                    time.sleep(0.2)
                    continue
                raise ModelError(f"{self.name} cannot be reached") from None
            if status in BUSY and left:
                time.sleep(min(wait, LONGEST_WAIT))
                continue
            break
        if 300 <= status < 400:
            raise ModelError(f"{self.name} sends to another address, which is not followed")
        try:
            answer = json.loads(raw)
        except ValueError:
            raise ModelError(f"{self.name} answered {status} with something that is not JSON") from None
        if status in BUSY:
            raise ModelError(f"{self.name} is full or not ready ({status}): try again")
        if status != 200:
            raise ModelError(f"{self.name} refused ({status}): {_message(answer)}")
        return answer

    def _once(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> tuple[int, float, bytes]:
        """The status, the seconds to wait before another try, and the body of one answer."""
        with self._client().stream(method, self.base + path, json=body, headers=headers) as response:
            raw = bytearray()
            for part in response.iter_bytes():
                raw += part
                if len(raw) > MOST_BYTES:
                    raise ModelError(f"{self.name} sent more than {MOST_BYTES >> 20} MB")
            after = response.headers.get("retry-after", "")
            return response.status_code, float(after) if after.isdigit() else 0.5, bytes(raw)


def _message(answer: Any) -> str:
    """What a refusal says, shortened."""
    detail = answer.get("error", answer) if isinstance(answer, dict) else answer
    text = detail.get("message", detail) if isinstance(detail, dict) else detail
    return str(text)[:200]


def attached(server: Server, options: Mapping[str, Any]) -> Attached:
    """The model on a server, after one read of a small canvas."""
    rows = server.get(f"{server.path}/models")
    listed = rows.get("data") if isinstance(rows, dict) else None
    models = {str(row.get("id")): row for row in listed or () if isinstance(row, dict)}
    name = str(options.get("model") or next(iter(models), ""))
    if name not in models:
        raise ModelError(f"{server.name} has no model '{name}'; there are {', '.join(models) or 'none'}")
    if "x_card" not in models[name] and models[name].get("owned_by") == "unmask":  # it opens with its first request
        server.post(f"{server.path}/completions", {"model": name, "prompt": "", "max_tokens": 1})
        models = {row["id"]: row for row in server.get(f"{server.path}/models")["data"]}
    row = models[name]
    about: dict[str, Any] = dict(row.get("x_card") or {})
    in_order = options.get("mode") == "ar"
    if about.get("causal") and not in_order:
        raise ModelError(f"{name} on {server.name} writes from left to right: it has no canvas; add ?mode=ar")
    for given, field in (("mask", "mask_token_id"), ("words", "words"), ("width", "canvas_length")):
        if given in options:
            about[field] = _number(given, options[given])
    if "end" in options:
        about["ends"] = [_number("end", options["end"])]
    if not about.get("words"):
        raise ModelError(f"{server.name} does not say how many tokens its model has: add ?words=N (its vocab_size)")
    noise = not in_order and (bool(about.get("noise")) or about.get("mask_token_id") is None)
    mask = about.get("mask_token_id")
    never = tuple(about.get("never") or (() if mask is None else (mask,)))
    width, top = int(about.get("canvas_length") or 32), int(about.get("max_logprobs") or 20)
    card = Card(
        name=f"{name} on {server.name}",
        family="attach",
        words=int(about["words"]),
        longest=int(row.get("max_model_len") or width),
        causal=in_order,
        noise=noise,
        never=never,
        ends=tuple(about.get("ends") or ()),
        expand=about.get("expand"),
        skips=tuple(about.get("skips") or ()),
        titles=tuple(about.get("titles") or ()),
        knows=str(about.get("knows") or ""),
        preset={"preset": "autoregressive"} if in_order else dict(about.get("preset") or {}),
        twin="" if in_order or noise or row.get("owned_by") == "unmask" else _twin_of(server, options, name),
        weights=f"{server.name}/{name}",
        number="",
        device=server.name,
        threads=1,
        note=f"It runs on {server.name}, which sends the {top} likeliest tokens of a cell.",
    )
    if in_order:
        twin = AttachedInOrder(server, name, card, mask, width, top, 1)
        twin.next_logprobs([])
        return twin
    steps = 1 if row.get("owned_by") == "unmask" else 16  # vLLM's canvas grows by 16 cells
    found = Attached(server, name, card, mask, width, top, steps)
    try:
        found.read([], np.full(min(width, 16), -1), np.ones(min(width, 16), bool))
    except ModelError as error:
        raise ModelError(f"a canvas of {name} cannot be read: {error}") from None
    return found


def _twin_of(server: Server, options: Mapping[str, Any], name: str) -> str:
    """The same weights on the same server, from left to right."""
    given = {"model": name, **options, "mode": "ar"}
    return f"attach:{server.base}{server.path}?" + "&".join(f"{key}={value}" for key, value in given.items())


def _number(name: str, text: Any) -> int:
    if not str(text).isdigit():
        raise InvalidRequest(f"{name} must be a whole number, not '{str(text)[:20]}'")
    return int(text)


class Attached(Denoiser):
    """A denoiser whose logits are read from a server: exact for the likeliest tokens, level for all others."""

    numpy_logits = concurrent = True
    tokenizer: ServerTokenizer

    def __init__(
        self, server: Server, model: str, card: Card, mask: int | None, width: int, top: int, steps: int
    ) -> None:
        self.server, self.model, self.card, self.mask = server, model, card, mask
        self.width, self.top, self.steps = width, top, steps
        self.tokenizer = ServerTokenizer(server, model)

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        return [self._rows(model_input) for model_input in model_inputs]

    def _post(self, prompt: Sequence[int], **fields: Any) -> Any:
        """The rows of likeliest tokens that a request for a completion is answered with."""
        body = {
            "model": self.model,
            "prompt": [*prompt] or "",
            "logprobs": self.top,
            "return_tokens_as_token_ids": True,
        }
        answer = self.server.post(f"{self.server.path}/completions", body | fields)
        try:
            return answer["choices"][0]["logprobs"]["top_logprobs"]
        except (KeyError, TypeError, IndexError):
            raise ModelError(f"{self.server.name} sent no log probabilities that can be read") from None

    def _rows(self, model_input: ModelInput) -> Any:
        if model_input.causal or model_input.attention_mask is not None:
            raise ModelError(f"{self.server.name} reads a canvas as a whole: choose a decoder that needs nothing else")
        hidden = np.flatnonzero(model_input.open)
        origin = min(model_input.origin, int(hidden[0]) if hidden.size else model_input.origin)
        prompt, tokens = model_input.tokens[:origin].tolist(), model_input.tokens[origin:]
        table = self.read(prompt, tokens, model_input.open[origin:])
        return table[model_input.rows - origin]

    def read(self, prompt: Sequence[int], tokens: Ints, still_open: np.ndarray) -> Any:
        """Log probabilities of every cell of a canvas, `[cells, V]`."""
        cells = len(tokens)
        width = math.ceil(cells / self.steps) * self.steps
        seed = tokens.tolist() if self.mask is None else np.where(still_open, self.mask, tokens).tolist()
        seed += [self.mask if self.mask is not None else 0] * (width - cells)
        xargs: dict[str, Any] = {"diffusion_seed_canvas": seed, "diffusion_read_only": True, "diffusion_max_steps": 1}
        if width != self.width:
            xargs["diffusion_canvas_length"] = width
        if self.mask is None:
            xargs["diffusion_pinned"] = np.flatnonzero(~still_open).tolist()
        rows = self._post(prompt, max_tokens=width, temperature=0 if self.mask is not None else 1, vllm_xargs=xargs)
        return self._table(rows, cells)

    def _table(self, rows: Any, cells: int) -> Any:
        """The first rows of an answer as log probabilities, `[cells, V]`; the texts of their tokens are fetched here,
        by the worker that waits for the server anyway."""
        try:
            if len(rows) < cells:
                raise ModelError(f"{self.server.name} sent {len(rows)} rows for a canvas of {cells} cells")
            table = self._filled(rows[:cells])
        except (KeyError, TypeError, IndexError, AttributeError, ValueError):
            raise ModelError(f"{self.server.name} sent no log probabilities that can be read") from None
        self.tokenizer.learn([int(name.removeprefix(PREFIX)) for row in rows[:cells] for name in row])
        return table

    def _filled(self, rows: Sequence[Mapping[str, float]]) -> Any:
        words = self.card.words
        table = np.empty((len(rows), words), np.float32)
        for i, row in enumerate(rows):
            ids = np.array([int(name.removeprefix(PREFIX)) for name in row], np.int64)
            logprobs = np.array([*row.values()], np.float64)
            if not len(ids) or ids.min() < 0 or ids.max() >= words:
                raise ModelError(f"{self.server.name} sent a token that its model does not have")
            if not np.isfinite(logprobs).all() or logprobs.max() > 1e-3:
                raise ModelError(f"{self.server.name} sent log probabilities that are none")
            rest = words - len(ids) - len(self.card.never)
            left = max(1 - float(np.exp(logprobs).sum()), 0.0)
            level = math.log(left / rest) if left > 0 and rest > 0 else LEAST
            table[i] = max(min(level, float(logprobs.min())), LEAST)
            table[i, ids] = logprobs
        return table


class AttachedInOrder(Attached):
    """A model that a server runs from left to right: each pass asks for the token behind a text."""

    def _rows(self, model_input: ModelInput) -> Any:
        return np.concatenate([self.next_logprobs(model_input.tokens[:row].tolist()) for row in model_input.rows])

    def next_logprobs(self, tokens: Sequence[int]) -> Any:
        """Log probabilities of the token behind these, `[1, V]`."""
        return self._table(self._post(tokens, max_tokens=1, temperature=0), 1)


class ServerTokenizer(BaseTokenizer):
    """A tokenizer that the server has; what was asked is kept."""

    def __init__(self, server: Server, model: str) -> None:
        self.server, self.model = server, model
        self.digest = f"{server.name}/{model}"
        self._pieces: dict[int, str] = {}
        self._separator: tuple[int, str] | None = None  # a token between tokens, and its text
        self._texts: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        if text not in self._texts:
            answer = self.server.post("/tokenize", {"model": self.model, "prompt": text, "add_special_tokens": False})
            try:
                found = [int(token) for token in answer["tokens"]]
            except (KeyError, TypeError, ValueError):
                raise ModelError(f"{self.server.name} sent no tokens") from None
            if len(self._texts) > 4096:
                self._texts.clear()
            self._texts[text] = found
        return [*self._texts[text]]

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
        fresh = [token for token in dict.fromkeys(tokens) if token not in self._pieces]
        with suppress(ModelError):  # a text that is missing is asked for again where it is shown
            for begin in range(0, len(fresh), TOGETHER):
                part = fresh[begin : begin + TOGETHER]
                self._pieces |= zip(part, self._texts_of(part), strict=True)

    def _texts_of(self, tokens: Sequence[int]) -> list[str]:
        """The text of each of these tokens: one text with a mark between them, or each by itself."""
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
        return [self._decoded([one]) for one in tokens]

    def piece(self, token: int) -> str:
        if token not in self._pieces:
            try:
                self._pieces[token] = self._decoded([token])
            except ModelError:
                return "?"  # not kept, since the server may come back
        return self._pieces[token]


FAMILY = Family(builtin_names=("attach",), prepare=prepare)
