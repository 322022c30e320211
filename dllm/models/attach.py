"""A model that a server runs, as `attach:URL`: each pass is a request that brings a canvas and reads it.

The server answers vLLM's fields for diffusion models (`docs/api.md`, "A canvas, given and read"): Unmask's own `/v1`,
or vLLM. It sends the likeliest tokens of each cell and those asked for by name; of the rest only the sum is known."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from unmask.canvas import Card, Ints
from unmask.errors import InvalidRequest, ModelError
from unmask.models.family import Family
from unmask.models.interface import Denoiser, Finish, ModelInput
from unmask.models.remote.server import Server
from unmask.models.remote.tokenizer import ServerTokenizer

PREFIX = "token_id:"
LEAST = -60.0  # log probability of tokens of which nothing is known, where all of it is accounted for
OPTIONS = ("model", "mask", "words", "width", "end", "mode", "chat", "twin")
GREETING = "Hello"  # a prompt that is not empty: vLLM refuses empty ones
TOGETHER = 8  # canvases of one pass that are read at once


def prepare(family: str, what: str, **options: Any) -> Finish:
    """`attach:https://HOST/v1`; `?model=`, `mask=`, `words=`, `width=` and `end=` for what a server does not say.

    With `mode=ar` the model writes from left to right there; `twin=` is the address where the same weights do that, if
    it is another one, and `chat=0` leaves the server's chat template out. All requests are made here, so that the
    device does not wait for another machine."""
    if "://" not in what:
        raise InvalidRequest("attach needs an address, such as attach:http://127.0.0.1:8000/v1")
    found = attached(Server(what), {name: value for name, value in options.items() if name in OPTIONS})
    return lambda: found


def attached(server: Server, options: Mapping[str, Any]) -> Attached:
    """The model on a server, after one read of a small canvas."""
    listed = Listed.found(server, options)
    tokenizer = listed.tokenizer()
    card = listed.card(tokenizer)
    for _ in range(2):  # the connection is there now: how long an answer takes that needs no model
        server.get(f"{server.path}/models")
    rest = tokenizer, card, listed.mask, listed.width, listed.top
    if listed.in_order:
        twin = AttachedInOrder(server, *rest, 1)
        twin.next_logprobs([] if listed.own else tokenizer.encode_prompt(GREETING))
        return twin
    found = Attached(server, *rest, 1 if listed.own else 16)  # vLLM's canvas grows by 16 cells
    try:
        found.try_out(min(listed.width, 16))
    except ModelError as error:
        raise ModelError(f"a canvas of {listed.name} cannot be read: {error}") from None
    return found


@dataclass(frozen=True)
class Listed:
    """What a server says of a model, and what the options say in its place."""

    server: Server
    options: Mapping[str, Any]
    name: str
    about: Mapping[str, Any]
    longest: int  # 0: it does not say
    own: bool  # it is an Unmask

    @classmethod
    def found(cls, server: Server, options: Mapping[str, Any]) -> Listed:
        """The model that is asked for, or the first."""
        name, row = _find(server, options)
        about: dict[str, Any] = dict(row.get("x_card") or {})
        if about.get("causal") and options.get("mode") != "ar":
            raise ModelError(f"{name} on {server.name} writes from left to right: it has no canvas; add ?mode=ar")
        for given, field in (("mask", "mask_token_id"), ("words", "words"), ("width", "canvas_length")):
            if given in options:
                about[field] = _number(given, options[given])
        if "end" in options:
            about["ends"] = [_number("end", options["end"])]
        if not about.get("words"):
            raise ModelError(f"{server.name} does not say how many tokens its model has: add ?words=N (its vocab_size)")
        return cls(server, options, name, about, int(row.get("max_model_len") or 0), row.get("owned_by") == "unmask")

    @property
    def in_order(self) -> bool:
        return self.options.get("mode") == "ar"

    @property
    def mask(self) -> int | None:
        return self.about.get("mask_token_id")

    @property
    def width(self) -> int:
        return int(self.about.get("canvas_length") or 32)

    @property
    def top(self) -> int:
        return int(self.about.get("max_logprobs") or 20)

    def tokenizer(self) -> ServerTokenizer:
        made = ServerTokenizer(self.server, self.name, int(self.about["words"]))
        made.spaced = bool(self.about.get("spaced", True))
        if self.own:
            made.chat = bool(self.about.get("chat"))
        elif self.options.get("chat") != "0":
            made.find_chat_template()
        return made

    def card(self, tokenizer: ServerTokenizer) -> Card:
        """The model's card."""
        about, in_order = self.about, self.in_order
        noise = not in_order and (bool(about.get("noise")) or self.mask is None)
        limited = (
            not self.own and not in_order
        )  # vLLM's canvas has one width: a longer answer is written block by block
        note = f"It runs on {self.server.name}, which sends the {self.top} likeliest tokens of a cell."
        if limited:
            note += f" Its canvas has {self.width} cells: a longer answer is written block by block."
        return Card(
            name=f"{self.name} on {self.server.name}",
            family="attach",
            words=int(about["words"]),
            longest=self.longest or self.width,
            causal=in_order,
            noise=noise,
            never=tuple(about.get("never") or (() if self.mask is None else (self.mask,))),
            expand=about.get("expand"),
            ends=tuple(about.get("ends") or ()),
            skips=tuple(about.get("skips") or ()),
            titles=tuple(about.get("titles") or ()),
            knows=str(about.get("knows") or ""),
            spaced=tokenizer.spaced,
            preset={"preset": "autoregressive"} if in_order else dict(about.get("preset") or {}),
            blockwise=limited,
            canvas=self.width if limited else 0,
            candidates=self.top,
            twin="" if in_order or noise or self.own else _twin_of(self.server, self.options, self.name),
            weights=f"{self.server.name}/{self.name}",
            number="",
            device=self.server.name,
            threads=1,
            chat=tokenizer.chat,
            note=note,
        )


def _find(server: Server, options: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The model's name and its row in the server's list."""
    rows = server.get(f"{server.path}/models")
    listed = rows.get("data") if isinstance(rows, dict) else None
    models = {str(row.get("id")): row for row in listed or () if isinstance(row, dict)}
    name = str(options.get("model") or next(iter(models), ""))
    if name not in models:
        raise ModelError(f"{server.name} has no model '{name}'; there are {', '.join(models) or 'none'}")
    if "x_card" not in models[name] and models[name].get("owned_by") == "unmask":  # it opens with its first request
        server.post(f"{server.path}/completions", {"model": name, "prompt": "", "max_tokens": 1})
        models = {row["id"]: row for row in server.get(f"{server.path}/models")["data"]}
    return name, models[name]


def _twin_of(server: Server, options: Mapping[str, Any], name: str) -> str:
    """The same weights from left to right: on the server that is named for it, or on the same one."""
    given: dict[str, Any] = {"model": name} | {key: value for key, value in options.items() if key != "twin"}
    address = options.get("twin", server.base + server.path)
    if address != server.base + server.path:
        del given["model"]  # it may have another name there
    return f"attach:{address}?{urlencode(given | {'mode': 'ar'})}"


def _number(name: str, text: Any) -> int:
    if not str(text).isdigit():
        raise InvalidRequest(f"{name} must be a whole number, not '{str(text)[:20]}'")
    return int(text)


@dataclass(frozen=True)
class Read:
    """A canvas as its server's own decoder has it after some passes."""

    tokens: Ints  # [cells] what is decided, and the likeliest of the rest
    logprobs: Any  # [cells, V]
    seconds: float  # of the server's model
    network: float


class Ids(dict[str, int]):
    """The token of each name, as `token_id:7` says it; each is read once."""

    def __missing__(self, name: str) -> int:
        found = self[name] = int(name[len(PREFIX) :])
        return found


class Attached(Denoiser):
    """A denoiser whose logits are read from a server: exact for the tokens that it sends, level for all others."""

    numpy_logits = concurrent = remote = True
    tokenizer: ServerTokenizer

    def __init__(
        self, server: Server, tokenizer: ServerTokenizer, card: Card, mask: int | None, width: int, top: int, steps: int
    ) -> None:
        self.server, self.tokenizer, self.card, self.mask = server, tokenizer, card, mask
        self.width, self.top, self.steps = width, top, steps
        self._times, self._ids = threading.local(), Ids()

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        began = time.perf_counter()
        if len(model_inputs) == 1:
            found = [self._timed(model_inputs[0])]
        else:
            with ThreadPoolExecutor(min(len(model_inputs), TOGETHER)) as pool:
                found = [*pool.map(self._timed, model_inputs)]
        own = max((seconds for _, seconds in found), default=0.0)
        network = max(time.perf_counter() - began - own, 0.0)
        self._times.network = getattr(self._times, "network", 0.0) + network
        return [table for table, _ in found]

    def network_seconds(self) -> float:
        network: float = getattr(self._times, "network", 0.0)
        self._times.network = 0.0
        return network

    def _timed(self, model_input: ModelInput) -> tuple[Any, float]:
        """The rows of an input, and the seconds that the server itself needed for them."""
        self._times.own = 0.0
        return self._rows(model_input), self._times.own

    def after_passes(self, prompt: Sequence[int], cells: int, seed: int, passes: int) -> Read:
        """The canvas after as many passes of the server's own decoder."""
        began = time.perf_counter()
        self._times.own = 0.0
        xargs = {"diffusion_read_only": True, "diffusion_max_steps": passes}
        logprobs = self._answer(prompt, **self._blank(cells, seed, xargs))
        table = self._table(logprobs["top_logprobs"], cells)
        own: float = self._times.own
        return Read(_ids(logprobs, cells), table, own, max(time.perf_counter() - began - own, 0.0))

    def run(self, prompt: Sequence[int], cells: int, seed: int) -> Ints:
        """The canvas in the end, by the server's own decoder."""
        return _ids(self._answer(prompt, ignore_eos=True, **self._blank(cells, seed, {})), cells)

    def _blank(self, cells: int, seed: int, xargs: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request for a canvas in which nothing is decided, always the same one for a seed."""
        noise = np.random.default_rng(seed).integers(0, self.card.words, self._width_for(cells)).tolist()
        canvas = noise if self.mask is None else [self.mask] * len(noise)
        own = {"seed": seed} if self.steps == 1 else {}  # vLLM refuses a seed for diffusion models
        return own | self._of_canvas(canvas, xargs)

    def _width_for(self, cells: int) -> int:
        """The width of the canvas that is asked for: cells behind the answer stay open."""
        return math.ceil(cells / self.steps) * self.steps

    def _of_canvas(self, canvas: Sequence[int], xargs: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request for a canvas that begins with these tokens."""
        wider = {} if len(canvas) == self.width else {"diffusion_canvas_length": len(canvas)}
        fields = {"diffusion_seed_canvas": [*canvas], **wider, **xargs}
        return {"max_tokens": len(canvas), "temperature": 1 if self.mask is None else 0, "vllm_xargs": fields}

    def _post(self, prompt: Sequence[int], **fields: Any) -> Any:
        """The rows of likeliest tokens that a request for a completion is answered with."""
        return self._answer(prompt, **fields)["top_logprobs"]

    def _answer(self, prompt: Sequence[int], **fields: Any) -> dict[str, Any]:
        """The log probabilities of a completion: its tokens, and the likeliest of each cell."""
        body = {
            "model": self.tokenizer.model,
            "prompt": [*prompt] or "",
            "logprobs": self.top,
            "return_tokens_as_token_ids": True,
        }
        began = time.perf_counter()
        answer = self.server.post(f"{self.server.path}/completions", body | fields)
        whole = time.perf_counter() - began
        own = self.server.own_seconds(answer, whole)
        self._times.own = getattr(self._times, "own", 0.0) + own
        try:
            found: dict[str, Any] = answer["choices"][0]["logprobs"]
            if found["top_logprobs"] is not None:
                return found
        except (KeyError, TypeError, IndexError):
            pass
        raise ModelError(f"{self.server.name} sent no log probabilities that can be read")

    def _rows(self, model_input: ModelInput) -> Any:
        if model_input.causal or model_input.attention_mask is not None:
            raise ModelError(f"{self.server.name} reads a canvas as a whole: choose a decoder that needs nothing else")
        hidden = np.flatnonzero(model_input.open)
        origin = model_input.block[0] if self.card.blockwise else model_input.origin
        origin = min(origin, int(hidden[0])) if hidden.size else origin
        if self.card.blockwise and len(model_input.tokens) - origin > self.width:
            why = f"its canvas has {self.width} cells: set the block length to {self.width} or less"
            raise ModelError(f"{self.server.name} cannot read {len(model_input.tokens) - origin} cells at once; {why}")
        prompt, tokens = model_input.tokens[:origin].tolist(), model_input.tokens[origin:]
        table = self.read(prompt, tokens, model_input.open[origin:], model_input.named)
        rows = model_input.rows - origin
        return table if len(rows) == len(table) else table[rows]

    def try_out(self, cells: int) -> Any:
        """The log probabilities of an open canvas behind a short prompt: what opening a server asks for."""
        prompt = [] if self.steps == 1 else self.tokenizer.encode_prompt(GREETING)
        return self.read(prompt, np.zeros(cells, np.int64), np.ones(cells, bool))

    def read(self, prompt: Sequence[int], tokens: Ints, still_open: np.ndarray, named: Sequence[int] = ()) -> Any:
        """Log probabilities of every cell of a canvas, `[cells, V]`; those of `named` tokens are exact, too."""
        cells = len(tokens)
        canvas = tokens.tolist() if self.mask is None else np.where(still_open, self.mask, tokens).tolist()
        canvas += [self.mask if self.mask is not None else 0] * (self._width_for(cells) - cells)
        xargs: dict[str, Any] = {"diffusion_read_only": True, "diffusion_max_steps": 1}
        if self.mask is None:
            xargs["diffusion_pinned"] = np.flatnonzero(~still_open).tolist()
        return self._table(self._rows_with(prompt, named, self._of_canvas(canvas, xargs)), cells)

    def _rows_with(self, prompt: Sequence[int], named: Sequence[int], fields: Mapping[str, Any]) -> Any:
        """The likeliest tokens of each cell, and the named ones. A server that sends named tokens in place of the
        likeliest, as vLLM does, is asked for both."""
        if not len(named):
            return self._post(prompt, **fields)
        rows = self._post(prompt, logprob_token_ids=[int(token) for token in named], **fields)
        if self.top > 1 and any(len(row) > len(named) + 1 for row in rows):
            return rows
        return [row | more for row, more in zip(rows, self._post(prompt, **fields), strict=True)]

    def _table(self, rows: Any, cells: int) -> Any:
        """The first rows of an answer as log probabilities, `[cells, V]`; the texts of their tokens are fetched here,
        by the worker that waits for the server anyway."""
        try:
            if len(rows) < cells:
                raise ModelError(f"{self.server.name} sent {len(rows)} rows for a canvas of {cells} cells")
            table, ids = self._filled(rows[:cells])
        except (KeyError, TypeError, IndexError, AttributeError, ValueError):
            raise ModelError(f"{self.server.name} sent no log probabilities that can be read") from None
        self.tokenizer.learn(np.unique(ids).tolist())
        return table

    def _filled(self, rows: Sequence[Mapping[str, float]]) -> tuple[Any, Ints]:
        """The table of these rows, and the tokens that they have."""
        words, counts = self.card.words, [len(row) for row in rows]
        if not min(counts):
            raise ModelError(f"{self.server.name} sent a cell without tokens")
        at = np.repeat(np.arange(len(rows)), counts)
        ids = np.array([self._ids[name] for row in rows for name in row], np.int64)
        logprobs = np.array([value for row in rows for value in row.values()], np.float64)
        if ids.min() < 0 or ids.max() >= words:
            raise ModelError(f"{self.server.name} sent a token that its model does not have")
        first = np.cumsum([0, *counts[:-1]])
        likeliest = np.maximum.reduceat(logprobs, first)
        if np.isnan(logprobs).any() or likeliest.max() > 1e-3 or likeliest.min() < LEAST:
            raise ModelError(f"{self.server.name} sent log probabilities that are none")
        logprobs = np.maximum(logprobs, LEAST)
        rest = words - np.array(counts) - len(self.card.never)
        left = np.maximum(1 - np.add.reduceat(np.exp(logprobs), first), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.where((left > 0) & (rest > 0), np.log(left / rest), LEAST)
        # no other token is likelier than the last of the likeliest; behind those are the ones asked for by name
        last = np.minimum.reduceat(logprobs, first)
        for row in np.flatnonzero(np.array(counts) > self.top):
            last[row] = np.sort(logprobs[first[row] : first[row] + counts[row]])[-self.top]
        table = np.empty((len(rows), words), np.float32)
        table[:] = np.maximum(np.minimum(level, last), LEAST)[:, None]
        table[at, ids] = logprobs
        return table, ids


class AttachedInOrder(Attached):
    """A model that a server runs from left to right: each pass asks for the token behind a text."""

    def _rows(self, model_input: ModelInput) -> Any:
        named = model_input.named
        return np.concatenate([self.next_logprobs(model_input.tokens[:r].tolist(), named) for r in model_input.rows])

    def next_logprobs(self, tokens: Sequence[int], named: Sequence[int] = ()) -> Any:
        """Log probabilities of the token behind these, `[1, V]`."""
        return self._table(self._rows_with(tokens, named, {"max_tokens": 1, "temperature": 0}), 1)


def _ids(logprobs: Mapping[str, Any], cells: int) -> Ints:
    """The tokens of an answer, by number."""
    try:
        found = np.array([int(str(name).removeprefix(PREFIX)) for name in logprobs["tokens"][:cells]], np.int64)
    except (KeyError, TypeError, ValueError):
        raise ModelError("the server sent no tokens that can be read") from None
    if len(found) < cells:
        raise ModelError(f"the server sent {len(found)} tokens for a canvas of {cells} cells")
    return found


FAMILY = Family(builtin_names=("attach",), prepare=prepare)
