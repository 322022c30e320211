"""A canvas given and read from outside, in the fields that vLLM has for diffusion models (`vllm_xargs`)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from unmask.canvas import Card
from unmask.inference import infer
from unmask.inference.canvas_read import CellRead, read_canvas, seeded
from unmask.live.device import Client
from unmask.models import Denoiser
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import step
from unmask.serve.api_error import ApiError
from unmask.serve.runtime import Runtime
from unmask.serve.v1.api_format import Row
from unmask.serve.v1.request import Body, CanvasFields, Chat, Completion

WIDEST = 256  # cells of a canvas for which no width is named
SPELLED = "token_id:{}"


def served_width(longest: int) -> int:
    """The width of a canvas for which none is named: half of what the model sees, in steps of 16, at most 256."""
    return max(min(WIDEST, longest // 2) // 16 * 16, 1)


def mask_token(card: Card) -> int | None:
    """The token that marks an open cell in a seed; None where open cells hold noise."""
    return None if card.noise or not card.never else card.never[0]


@dataclass(frozen=True)
class CanvasAnswer:
    """The canvas as it was read, and what that cost."""

    cells: Sequence[CellRead]
    passes: int
    forwards: int
    seconds: float  # of the device


@dataclass(frozen=True)
class CanvasRequest:
    """What is wanted of a canvas."""

    state: State
    passes: int  # the last one is read
    top: int
    ids: tuple[int, ...]
    only: bool  # the distribution is over `ids` alone
    shown: int  # cells that are sent, the first ones


def canvas_request(body: Body, denoiser: Denoiser, prompt: Sequence[int], seed: int) -> CanvasRequest:
    """The request in `vllm_xargs`; an `ApiError` names what is wrong."""
    wanted, card = body.vllm_xargs, denoiser.card
    assert wanted is not None
    if card.causal:
        raise ApiError(400, "this model writes from left to right: it has no canvas", "vllm_xargs", "unsupported")
    if body.stream or (body.n or 1) != 1:
        raise ApiError(400, "a canvas is read whole, once: set stream to false and n to 1", "vllm_xargs", "unsupported")
    width = wanted.diffusion_canvas_length or served_width(card.longest)
    _check_cells(wanted, width, card.longest - len(prompt))
    ids = tuple(dict.fromkeys(body.logprob_token_ids or ()))
    _check_tokens("vllm_xargs.diffusion_seed_canvas", wanted.diffusion_seed_canvas or (), card.words)
    _check_tokens("logprob_token_ids", ids, card.words)
    only = bool(wanted.diffusion_constrained)
    passes = wanted.diffusion_max_steps or (1 if wanted.diffusion_read_only else 0)
    if only and (not ids or passes != 1):
        why = "diffusion_constrained needs logprob_token_ids, and reads one pass"
        raise ApiError(400, why, "vllm_xargs.diffusion_constrained", "unsupported")
    state = _state(wanted, card, prompt, width, seed)
    shown = width if body.limit is None else min(body.limit, width)
    return CanvasRequest(state, passes or state.settings.passes, body.candidates or 0, ids, only, shown)


def _check_cells(wanted: CanvasFields, width: int, room: int) -> None:
    given, pinned = wanted.diffusion_seed_canvas, wanted.diffusion_pinned or []
    field, why = "", ""
    if width > room:
        field = "canvas_length"
        why = f"the canvas has {width} cells, and this model has room for {max(room, 0)} behind the prompt"
    elif given is None and pinned:
        field, why = "pinned", "pinned cells need diffusion_seed_canvas"
    elif given is not None and len(given) != width:
        field, why = "seed_canvas", f"diffusion_seed_canvas has {len(given)} tokens, and the canvas {width} cells"
    elif wrong := [p for p in pinned if p >= width]:
        field, why = "pinned", f"there is no cell {wrong[0]}: they go from 0 to {width - 1}"
    if why:
        raise ApiError(400, why, f"vllm_xargs.diffusion_{field}", "invalid_value")


def _check_tokens(field: str, tokens: Sequence[int], words: int) -> None:
    if wrong := [t for t in tokens if t >= words]:
        raise ApiError(400, f"{wrong[0]} is not a token: they go from 0 to {words - 1}", field, "invalid_value")


def _state(wanted: CanvasFields, card: Card, prompt: Sequence[int], width: int, seed: int) -> State:
    """The first state: the canvas that is given, or an open one."""
    mask, given = mask_token(card), wanted.diffusion_seed_canvas
    if given is None:
        draw = np.random.default_rng(seed)
        given = draw.integers(0, card.words, width).tolist() if mask is None else [mask] * width
    pins = {*(wanted.diffusion_pinned or [])}
    fixed = [i in pins if mask is None else token != mask for i, token in enumerate(given)]
    canvas = seeded(prompt, given, fixed, mask is None)
    settings = RunSpec(seed=seed).settings(card, width)
    if settings.noise:  # the seed is the noise
        return replace(start(canvas, replace(settings, noise=0)), settings=settings)
    return start(canvas, settings)


async def read(runtime: Runtime, denoiser: Denoiser, wanted: CanvasRequest, who: str) -> CanvasAnswer:
    """Every cell of the canvas after its passes."""
    client, state = Client("questions", visitor=who), wanted.state
    passes = forwards = 0
    seconds = 0.0

    def one_pass(now: State) -> tuple[State, int, float]:
        began = time.perf_counter()
        (belief,) = infer(denoiser, [now])
        after, frame = step(now, belief)
        return after, frame.cost, time.perf_counter() - began

    def reading() -> tuple[list[CellRead], float]:
        began = time.perf_counter()
        cells = read_canvas(denoiser, state, wanted.top, wanted.ids, wanted.only)
        return cells, time.perf_counter() - began

    while passes < wanted.passes - 1 and state.canvas.open.any():
        state, cost, spent = await runtime.device_for(denoiser).run(partial(one_pass, state), client)
        passes, forwards, seconds = passes + 1, forwards + cost, seconds + spent
    cells, spent = await runtime.device_for(denoiser).run(reading, client)
    return CanvasAnswer(cells[: wanted.shown], passes + 1, forwards + 1, seconds + spent)


def one_prompt(body: Completion, denoiser: Denoiser) -> Sequence[int]:
    """The tokens of the only prompt of a completion."""
    if len(body.prompts) != 1 or body.suffix or body.echo or body.best_of:
        why = "a canvas has one prompt, and no suffix, echo or best_of"
        raise ApiError(400, why, "vllm_xargs", "unsupported")
    (prompt,) = body.prompts
    return denoiser.tokenizer.encode(prompt) if isinstance(prompt, str) else prompt


async def respond(
    runtime: Runtime,
    denoiser: Denoiser,
    body: Body,
    encode: Callable[[], Sequence[int]],
    seed: int,
    created: int,
    who: str,
) -> Row:
    """The response to a request that gives or reads a canvas."""
    prompt = await runtime.work.run(who, encode)
    if wrong := [t for t in prompt if t >= denoiser.card.words]:
        raise ApiError(400, f"{wrong[0]} is not a token of this model", "prompt", "invalid_value")
    wanted = canvas_request(body, denoiser, prompt, seed)
    found = await read(runtime, denoiser, wanted, who)
    kind, prefix = ("chat.completion", "chatcmpl-") if isinstance(body, Chat) else ("text_completion", "cmpl-")
    usage = {
        "prompt_tokens": len(prompt),
        "completion_tokens": len(found.cells),
        "total_tokens": len(prompt) + len(found.cells),
        "x_diffusion": {
            "passes": found.passes,
            "forwards": found.forwards,
            "device_ms": round(1000 * found.seconds, 3),
        },
    }
    head: Row = {"id": prefix + secrets.token_hex(12), "object": kind, "created": created, "model": body.model}
    return head | {"choices": [_choice(body, denoiser, found.cells)], "usage": usage}


def _choice(body: Body, denoiser: Denoiser, cells: Sequence[CellRead]) -> Row:
    """The canvas in the format of the request, a row of log probabilities for each cell."""
    tokenizer = denoiser.tokenizer

    spelled = cache(SPELLED.format if body.return_tokens_as_token_ids else tokenizer.piece)

    text = tokenizer.decode([cell.token for cell in cells])
    rows = [_row(spelled, cell, isinstance(body, Completion) or bool(body.logprob_token_ids)) for cell in cells]
    wanted = body.candidates is not None
    end = {"index": 0, "finish_reason": "length"}
    if isinstance(body, Chat):
        content = [_chat_row(*row) for row in rows]
        message = {"role": "assistant", "content": text, "refusal": None}
        return end | {"message": message, "logprobs": {"content": content, "refusal": None} if wanted else None}
    offsets = np.cumsum([0, *(len(name) for name, _, _ in rows)])[:-1].tolist()
    names, logprobs, tops = ([row[i] for row in rows] for i in range(3))
    shown = {"tokens": names, "token_logprobs": logprobs, "top_logprobs": tops, "text_offset": offsets}
    return end | {"text": text, "logprobs": shown if wanted else None}


def _row(spelled: Callable[[int], str], cell: CellRead, own: bool) -> tuple[str, float, dict[str, float]]:
    """A cell's token, its log probability, and those of the tokens beside it; `own` lists its token among them."""
    listed = ((cell.token, cell.logprob),) * own + cell.top + cell.chosen
    return spelled(cell.token), cell.logprob, {spelled(t): p for t, p in listed}


def _chat_row(name: str, logprob: float, top: dict[str, float]) -> Row:
    def row(name: str, logprob: float) -> dict[str, Any]:
        return {"token": name, "logprob": logprob, "bytes": list(name.encode())}

    return row(name, logprob) | {"top_logprobs": [row(other, p) for other, p in top.items()]}
