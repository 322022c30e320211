"""From a state to a belief: the only heavy arithmetic. Logits are reduced here and never leave."""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dllm.belief import PROPOSE, Belief, luck
from dllm.canvas import Bools, Canvas, Floats, Ints, Refused
from dllm.models import Card, Denoiser, Thought
from dllm.policies import Needs, named
from dllm.settings import Settings
from dllm.step import CANDIDATES, State

if TYPE_CHECKING:
    from torch import Tensor

FLOOR = -1e30  # what a forbidden token's logit becomes: finite, so that 0 times it is 0 in an entropy
COLDEST = 1e-3


class Unthinkable(RuntimeError):
    """The model could not say anything usable about this canvas."""


class Recall:
    """The last few distributions, by the canvas they were about; derived data that may be lost at any time."""

    def __init__(self, room: int = 2) -> None:  # the last pass's, and that of a thought which an edit overtook
        self.room, self.kept = room, OrderedDict[bytes, tuple[Ints, Any]]()

    def get(self, key: bytes) -> tuple[Ints, Any] | None:
        return self.kept.get(key)

    def put(self, key: bytes, rows: Ints, probabilities: Any) -> None:
        self.kept[key] = (rows, probabilities)
        while len(self.kept) > self.room:
            self.kept.popitem(last=False)


@dataclass(frozen=True, eq=False)
class _Question:
    """What one state asks: its cells, its rows, and the thoughts that answer them."""

    rows: Ints
    shadows: Ints  # cells that a shadow verifies
    thought: Thought
    without: Thought | None  # the same with the prompt hidden, for guidance
    before: Thought | None  # the last canvas, where its distribution is asked for and not recalled
    before_without: Thought | None
    wanted: Ints  # of the last canvas, the rows that were asked about whoever watched
    key: bytes

    @property
    def thoughts(self) -> list[Thought]:
        return [t for t in (self.thought, self.without, self.before, self.before_without) if t is not None]


def think(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool] = (),
    recalls: Sequence[Recall] = (),
) -> list[Belief]:
    """What the model believes of each state. Equal-shaped thoughts share a forward; nobody's answer depends on it.

    `watched` says whose cells somebody looks at, so that they are thought about even where the policy does not ask."""
    import torch

    _keep_memory()
    watched = watched or [False] * len(states)
    recalls = recalls or [Recall() for _ in states]
    with torch.inference_mode():
        asked = [_ask(denoiser.card, s, w, r) for s, w, r in zip(states, watched, recalls, strict=True)]
        answers = iter(_answer(denoiser, [t for q in asked for t in q.thoughts]))
        beliefs = []
        for state, question, recall in zip(states, asked, recalls, strict=True):
            told = [next(answers) for _ in question.thoughts]
            half = 1 + (question.without is not None)
            beliefs.append(_reduce(denoiser, state, question, told[:half], told[half:], recall))
        return beliefs


def surprise(denoiser: Denoiser, thought: Thought, targets: Ints) -> Floats:
    """In nats, how much each row of a thought is surprised by the token that should stand there."""
    import torch

    with torch.inference_mode():
        (logits,) = denoiser.logits([thought])
        x = logits.float()
        never = [t for t in denoiser.card.never if t < x.shape[1]]
        if never:
            x[:, never] = FLOOR
        wanted = torch.from_numpy(targets).to(x.device)
        told: Floats = torch.nn.functional.cross_entropy(x, wanted, reduction="none").double().cpu().numpy()
        return told


@cache
def _keep_memory() -> None:
    """On Linux, have freed memory kept: fetching fresh pages for each pass costs more than a pass's own arithmetic."""
    with suppress(OSError, AttributeError):  # another C library has no such thing
        allocator = ctypes.CDLL(None)
        allocator.mallopt(-3, 1 << 25)  # M_MMAP_THRESHOLD: up to 32 MB come from the heap
        allocator.mallopt(-1, 1 << 28)  # M_TRIM_THRESHOLD: and 256 MB of it are not given back


def _answer(denoiser: Denoiser, thoughts: Sequence[Thought]) -> list[Tensor]:
    """Logits for each thought, one forward for each shape."""
    groups: dict[Any, list[int]] = {}
    for i, thought in enumerate(thoughts):
        groups.setdefault(thought.shape, []).append(i)
    answers: dict[int, Tensor] = {}
    for members in groups.values():
        answers.update(zip(members, denoiser.logits([thoughts[i] for i in members]), strict=True))
    return [answers[i] for i in range(len(thoughts))]


def _ask(card: Card, state: State, watched: bool, recall: Recall) -> _Question:
    needs, canvas = named(state.settings.policy).needs, state.canvas
    if needs.verify and not card.both:
        raise Refused(f"'{state.settings.policy}' needs a model that answers both ways; {card.name} does not")
    rows = _rows(card, needs, canvas, state, watched)
    shadows = np.empty(0, np.int64)
    if needs.shadow:
        begins, ends = state.bounds
        shadows = begins + np.flatnonzero((~canvas.open & canvas.free)[begins:ends])
    thought = _thought(canvas, state, rows, shadows)
    without = None
    if state.settings.guidance:
        without = _thought(canvas, state, rows, shadows, hidden=canvas.given)
    before = before_without = None
    wanted, key = shadows[:0], b""
    if needs.moved and state.seen is not None:
        wanted, key = _rows(card, needs, state.seen, state, watched=False), _key(state.seen, state)
        if recall.get(key) is None:
            before = _thought(state.seen, state, wanted, shadows[:0])
            if without is not None:
                before_without = _thought(state.seen, state, wanted, shadows[:0], hidden=canvas.given)
    return _Question(rows, shadows, thought, without, before, before_without, wanted, key)


def _rows(card: Card, needs: Needs, canvas: Canvas, state: State, watched: bool) -> Ints:
    """The cells whose beliefs are wanted: what the policy reads, and what somebody watches."""
    still_open = canvas.open[: state.sight]
    if card.causal:
        return np.flatnonzero(still_open)[:1]  # a causal model is right about the leftmost open cell only
    begins, ends = _window(canvas, state) if card.blockwise or needs.verify else (0, state.sight)
    if watched or needs.rows == "answer" or card.noise:
        return begins + np.flatnonzero(canvas.answer[begins:ends])
    return begins + np.flatnonzero(still_open[begins:ends])[: 1 if needs.rows == "next" else None]


def _window(canvas: Canvas, state: State) -> tuple[int, int]:
    """The present block, from the first cell that is undecided: what a person opened before it is decided with it."""
    begins, ends = state.bounds
    undecided = canvas.open | np.isin(canvas.ids, state.memory) if _verifies(state) else canvas.open
    return min(begins, *np.flatnonzero(undecided)[:1].tolist(), ends), min(ends, len(canvas))


def _verifies(state: State) -> bool:
    """Whether the policy remembers a draft, which is looked at again as an autoregressive model would."""
    return named(state.settings.policy).needs.verify and state.memory is not None


def _thought(canvas: Canvas, state: State, rows: Ints, shadows: Ints, hidden: Bools | None = None) -> Thought:
    n, m = min(state.sight, len(canvas)), len(shadows)
    still_open = (canvas.open if hidden is None else canvas.open | hidden)[:n]
    tokens, positions, block = canvas.tokens[:n], np.arange(n), _window(canvas, state)
    if not m:
        return Thought(tokens, still_open, rows, positions, None, canvas.origin, state.carry, block, _verifies(state))
    # a shadow stands where its cell stands and sees every cell but that one; no cell sees a shadow (WINO, fig. 3)
    attend = np.zeros((n + m, n + m), bool)
    attend[:, :n] = True
    attend[n + np.arange(m), shadows] = False
    attend[n + np.arange(m), n + np.arange(m)] = True
    return Thought(
        np.concatenate([tokens, np.full(m, -1)]),
        np.concatenate([still_open, np.ones(m, bool)]),
        np.concatenate([rows, n + np.arange(m)]),
        np.concatenate([positions, shadows]),
        attend,
        canvas.origin,
        state.carry,
        block,
    )


def _reduce(
    denoiser: Denoiser,
    state: State,
    asked: _Question,
    now: Sequence[Tensor],
    before: Sequence[Tensor],
    recall: Recall,
) -> Belief:
    """Shape the logits as the settings say and keep a few numbers a cell. One transfer from the device."""
    import torch

    s, canvas, rows, card = state.settings, state.canvas, asked.rows, denoiser.card
    place = np.concatenate([rows, asked.shadows])
    x = shape(_guided(now, s), s, card, place - canvas.origin)
    n, device = len(rows), x.device
    plain = torch.softmax(x, -1)
    x, shadow = x[:n], plain[n:]
    plain = plain[:n]
    heat = state.temperature
    # colder than COLDEST is as good as certain, and would only overflow
    cut = x if not heat and s.top_k == 0 and s.top_p == 1 else _cut(x / max(heat or 1, COLDEST), s.top_k, s.top_p)
    shaped = plain if cut is x else torch.softmax(cut, -1)
    p, y = (shaped, cut) if s.confidence == "shaped" else (plain, x)

    probs, ids = _foremost(*largest(p, max(CANDIDATES, 2)), y)
    token = ids[:, 0]
    if heat:
        draws = luck(s.seed, state.step, canvas.ids, PROPOSE)[rows]
        token = drawn(shaped, torch.from_numpy(draws).to(device))
    sure = p.gather(1, token[:, None])[:, 0]
    stands = torch.from_numpy(np.where(canvas.open[place], 0, canvas.tokens[place])).to(device)
    kept = plain.gather(1, stands[:n, None])[:, 0]
    doubt = shadow.gather(1, stands[n:, None])[:, 0]
    top = y.gather(1, ids[:, :1])[:, 0]  # the largest logit; a maximum over the rows would cost as much as all the rest
    entropy = top - torch.log(probs[:, 0]) - torch.linalg.vecdot(p, y)
    columns = [token, sure, entropy, kept, top]
    moved = None
    if named(s.policy).needs.moved:
        if asked.before is not None:
            last = shape(_guided(before, s), s, card, asked.before.rows - canvas.origin)
            recall.put(asked.key, asked.before.rows, torch.softmax(last, -1))
        columns.append(_moved(state, rows, plain, asked, recall))
        moved = len(columns) - 1
    background = getattr(denoiser, "background", None)
    if background is not None:
        columns.append(background.to(device)[token])
    wide = torch.cat([torch.stack([c.double() for c in columns], 1), ids.double(), probs.double()], 1)
    if asked.shadows.size:
        table, doubts = wide.cpu().numpy(), doubt.double().cpu().numpy()
    else:
        table, doubts = wide.cpu().numpy(), np.empty(0)
    k, c = ids.shape[1], len(columns)
    if n and not (np.isfinite(table[:, 1:3]).all() and (table[:, 4] > FLOOR / 2).all()):
        raise Unthinkable("the model's numbers are not usable: some are NaN, infinite, or leave no token to choose")

    length = len(canvas)
    known = np.zeros(length, bool)
    known[rows] = True
    full = _spread(length, rows, table)  # over all cells at once: the columns below are views
    nobody_asked = np.full(length, np.nan)
    return Belief(
        known=known,
        token=full[:, 0].astype(np.int64),
        confidence=full[:, 1],
        margin=full[:, c + k] - full[:, c + k + 1],
        entropy=np.maximum(full[:, 2], 0),
        top_ids=full[:, c : c + k].astype(np.int64),
        top_probs=full[:, c + k :],
        kept=np.where(canvas.open, 0, full[:, 3]),
        moved=np.where(known, full[:, moved], np.nan) if moved else nobody_asked,
        doubt=_spread(length, asked.shadows, doubts, np.nan) if asked.shadows.size else nobody_asked,
        background=full[:, c - 1] if background is not None else known / card.words,
        stale=denoiser.staleness(asked.thought) if hasattr(denoiser, "staleness") else np.empty(0, np.uint8),
        ends=card.ends,
        cost=len(now),  # thinking again what was forgotten is this app's own cost, not the decoder's
        carry=denoiser.reflect(asked.thought, cut) if hasattr(denoiser, "reflect") else None,
    )


def shape(logits: Tensor, s: Settings, card: Card, place: Ints) -> Tensor:
    """Logits in the number type that confidences are read in, with what may not be said made impossible."""
    import torch

    kind = {"model": logits.dtype, "single": torch.float32, "double": torch.float64}[s.precision]
    floor = max(FLOOR, torch.finfo(kind).min / 4)
    x = logits.to(kind)  # what the model itself forbids may come as minus infinity; what it gave is left as it was
    x = x.clamp(min=floor) if x is logits else x.clamp_(min=floor)
    if never := [t for t in {*card.never, *s.bans} if t < x.shape[1]]:
        x[:, never] = floor
    for token, amount in s.boosts.items():
        if token < x.shape[1]:
            x[:, token] += amount
    ends = [t for t in card.ends if t < x.shape[1]]
    if s.end == "penalise" and ends:
        x[:, ends] -= s.end_penalty
    elif (s.end == "forbid" or (s.end == "stop" and s.end_after)) and ends:
        early = np.flatnonzero(place < s.end_after) if s.end_after else np.arange(len(place))
        x[torch.from_numpy(early)[:, None].to(x.device), ends] = floor
    return x


def largest(p: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row and where they are, without sorting the vocabulary."""
    import torch

    rows, words = p.shape
    side = 64
    if words <= 1024 or p.device.type != "cpu":
        return p.topk(min(k, words), dim=-1)
    # the k largest lie in the k chunks whose maxima are largest; maxima are cheap, a top-k of everything is not
    whole = words // side * side
    chunks = p[:, :whole].unflatten(1, (-1, side))
    best = chunks.amax(-1).topk(min(k, whole // side), dim=-1, sorted=False).indices
    inside = (best[:, :, None] * side + torch.arange(side)).flatten(1)
    if whole < words:
        tail = torch.arange(whole, words).expand(rows, -1)
        inside = torch.cat([inside, tail], 1)
    values, at = p.gather(1, inside).topk(k, dim=-1)
    return values, inside.gather(1, at)


def _foremost(values: Tensor, ids: Tensor, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Where probabilities tie at the top, the proposal is the argmax of the logits, as in published decoders."""
    import torch

    if values.shape[1] < 2:
        return values, ids
    tied = values[:, :1] == values[:, 1:2]
    if tied.device.type == "cpu" and not bool(tied.any()):  # to ask a GPU would cost more than the answer
        return values, ids
    first = logits.argmax(-1, keepdim=True)
    led = torch.cat([first, torch.where(ids[:, 1:] == first, ids[:, :1], ids[:, 1:])], 1)
    return values, torch.where(tied, led, ids)


def drawn(p: Tensor, luck: Tensor) -> Tensor:
    """One token a row by inverse CDF, from one uniform draw a row."""
    import torch

    cdf = p.double().cumsum(-1)
    return torch.searchsorted(cdf, luck[:, None] * cdf[:, -1:], right=True)[:, 0].clamp_(max=p.shape[1] - 1)


def _cut(x: Tensor, top_k: int, top_p: float) -> Tensor:
    """Keep the k largest, then the fewest that hold the share p of what is left."""
    import torch

    floor = max(FLOOR, torch.finfo(x.dtype).min / 4)
    if top_k and top_k < x.shape[1]:
        x = torch.where(x < x.topk(top_k, dim=-1).values[:, -1:], floor, x)
    if top_p < 1:
        p = torch.softmax(x, -1)
        values = p.topk(min(1024, x.shape[1]), dim=-1).values
        if bool((values.sum(-1) < top_p).any()):  # a very flat belief: only then is everything ordered
            values = p.sort(-1, descending=True).values
        inside = values.cumsum(-1) - values < top_p
        inside[:, 0] = True
        least = torch.where(inside, values, torch.inf).amin(-1, keepdim=True)
        x = torch.where(p < least, floor, x)
    return x


def _guided(told: Sequence[Tensor], s: Settings) -> Tensor:
    """Logits with the prompt, and as far again from those without it as asked: u + (s + 1)(c - u)."""
    if len(told) == 1:
        return told[0]
    with_prompt, without = (t.clamp(min=FLOOR) for t in told)
    return without + (s.guidance + 1) * (with_prompt - without)


def _moved(state: State, rows: Ints, plain: Tensor, asked: _Question, recall: Recall) -> Tensor:
    """KL from the last pass's distribution to this one's, cell by cell; what was never thought about counts as 0."""
    import torch

    p, eps = plain.double(), 1e-12
    last = torch.zeros_like(p)
    if asked.key and (found := recall.get(asked.key)) is not None:
        then, q = found
        both = np.isin(rows, asked.wanted)  # not what was only watched then: nobody's answer depends on that
        last[np.flatnonzero(both)] = q[np.searchsorted(then, rows[both])].double()
    recall.put(_key(state.canvas, state), rows, plain)
    return ((p + eps) * (torch.log(p + eps) - torch.log(last + eps))).sum(-1)


def _key(canvas: Canvas, state: State) -> bytes:
    """A distribution is recalled for the same cells under the same shaping only, so that a forgotten one is equal."""
    s = state.settings
    shaped = (s.bans, sorted(s.boosts.items()), s.guidance, s.precision, s.end, s.end_penalty, s.end_after)
    return np.where(canvas.open, -1, canvas.tokens)[: state.sight].tobytes() + repr(shaped).encode()


def _spread(length: int, rows: Ints, values: Floats, elsewhere: float = 0.0) -> Floats:
    """Values of rows as a row over all cells."""
    full = np.full((length, *values.shape[1:]), elsewhere)
    full[rows] = values
    return full
