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
from dllm.canvas import NOTHING, Bools, Canvas, Card, Floats, Ints, Refused
from dllm.decide import Needs, named
from dllm.models import Denoiser, Thought
from dllm.run.frame import CANDIDATES
from dllm.run.settings import Settings
from dllm.run.state import State

if TYPE_CHECKING:
    from torch import Tensor

NO_CELLS: Ints = np.empty(0, np.int64)
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

    needs: Needs
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
    if len(thoughts) == 1:
        return denoiser.logits(thoughts)
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
    block = _window(card, needs, canvas, state)
    rows = _rows(card, needs, canvas, state, block, watched)
    shadows = NO_CELLS
    if needs.shadow:
        begins, ends = state.bounds
        shadows = begins + np.flatnonzero((~canvas.open & canvas.free)[begins:ends])
    thought = _thought(canvas, state, rows, shadows, block)
    without = None
    if state.settings.guidance:
        without = _thought(canvas, state, rows, shadows, block, hidden=canvas.given)
    before = before_without = None
    wanted, key = NO_CELLS, b""
    if needs.moved and state.seen is not None:
        block = _window(card, needs, state.seen, state)
        wanted, key = _rows(card, needs, state.seen, state, block, watched=False), _key(state.seen, state)
        if recall.get(key) is None:
            before = _thought(state.seen, state, wanted, NO_CELLS, block)
            if without is not None:
                before_without = _thought(state.seen, state, wanted, NO_CELLS, block, hidden=canvas.given)
    return _Question(needs, rows, shadows, thought, without, before, before_without, wanted, key)


def _rows(card: Card, needs: Needs, canvas: Canvas, state: State, block: tuple[int, int], watched: bool) -> Ints:
    """The cells whose beliefs are wanted: what the policy reads, and what somebody watches."""
    if card.causal:  # right about the leftmost open cell only
        return canvas.open[: state.sight].nonzero()[0][:1]
    begins, ends = block
    if watched or needs.rows == "answer" or card.noise:
        return begins + canvas.answer[begins:ends].nonzero()[0]
    return begins + canvas.open[begins:ends].nonzero()[0][: 1 if needs.rows == "next" else None]


def _window(card: Card, needs: Needs, canvas: Canvas, state: State) -> tuple[int, int]:
    """The cells that are being decided: all in sight, or the present block where the model or the policy goes by it,
    from the first cell that is undecided: what a person opened before it is decided with it."""
    if not (card.blockwise or needs.verify):
        return 0, min(state.sight, len(canvas))
    begins, ends = state.bounds
    undecided = canvas.open | np.isin(canvas.ids, state.memory) if _verifies(state) else canvas.open
    first = int(undecided.argmax()) if undecided.any() else ends
    return min(begins, first, ends), min(ends, len(canvas))


def _verifies(state: State) -> bool:
    """Whether the policy remembers a draft, which is looked at again as an autoregressive model would."""
    return state.memory is not None and named(state.settings.policy).needs.verify


def _thought(
    canvas: Canvas, state: State, rows: Ints, shadows: Ints, block: tuple[int, int], hidden: Bools | None = None
) -> Thought:
    n, m = min(state.sight, len(canvas)), len(shadows)
    still_open = (canvas.open if hidden is None else canvas.open | hidden)[:n]
    tokens, positions = canvas.tokens[:n], np.arange(n)
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
    """Shape the logits as the settings say and keep a few numbers a cell; only those leave the device."""
    s, canvas, rows, card = state.settings, state.canvas, asked.rows, denoiser.card
    n, length = len(rows), len(canvas)
    place = np.concatenate([rows, asked.shadows]) if asked.shadows.size else rows
    x = shape(_guided(now, s), s, card, place - canvas.origin if s.end_after else place)
    plain = x.softmax(-1)
    if asked.shadows.size:
        x, plain, shadow = x[:n], plain[:n], plain[n:]
    heat = state.temperature
    # colder than COLDEST is as good as certain, and would only overflow
    cut = x if not heat and s.top_k == 0 and s.top_p == 1 else _cut(x / max(heat or 1, COLDEST), s.top_k, s.top_p)
    shaped = plain if cut is x else cut.softmax(-1)
    p, y = (shaped, cut) if s.confidence == "shaped" else (plain, x)

    values, best = largest(p, max(CANDIDATES, 2))
    probs = _numbers(values)
    margin = probs[:, 0] - probs[:, 1]
    if np.count_nonzero(margin) < n:
        best = _foremost(values, best, y)
    ids = _numbers(best)
    token, sure = ids[:, 0], probs[:, 0]
    if heat:
        draws = luck(s.seed, state.step, canvas.ids, PROPOSE)[rows]
        drew = drawn(shaped, draws)
        token, sure = _numbers(drew), _numbers(p.gather(1, drew[:, None]))[:, 0]
    carry = denoiser.reflect(asked.thought, cut) if hasattr(denoiser, "reflect") else None
    # the largest logit, since a maximum over the rows would cost as much as all the rest
    top = _numbers(y.gather(1, best[:, :1]))[:, 0]
    y.mul_(p)  # the logits are spent on their mean: a second table would cost as much as the sum
    wide = top - np.log(probs[:, 0])
    entropy = wide - _numbers(y.sum(-1))
    if not _usable(top, entropy):  # what the model itself forbids may come as minus infinity, and weighs nothing
        entropy = wide - _numbers(y.nansum(-1))
        if not _usable(top, entropy):
            raise Unthinkable("the model's numbers are not usable: some are NaN, infinite, or leave no token to choose")

    known = np.zeros(length, bool)
    known[rows] = True
    moved = doubt = kept = background = _nobody_asked(length)
    if asked.needs.moved:
        if asked.before is not None:
            last = shape(_guided(before, s), s, card, asked.before.rows - canvas.origin)
            recall.put(asked.key, asked.before.rows, last.softmax(-1))
        moved = _spread(length, rows, _numbers(_moved(state, rows, plain, asked, recall)), np.nan)
    if asked.needs.background:
        common = getattr(denoiser, "background", None)
        background = known / card.words if common is None else _spread(length, rows, _numbers(common)[token])
    if asked.needs.rows == "answer":
        stands = np.where(canvas.open[rows], 0, canvas.tokens[rows])
        kept = _spread(length, rows, np.where(canvas.open[rows], 0, _at(plain, stands)))
    if asked.shadows.size:
        doubt = _spread(length, asked.shadows, _at(shadow, canvas.tokens[asked.shadows]), np.nan)
    # two tables over all cells, whose columns are views
    words = _spread(length, rows, ids, NOTHING)
    numbers = np.concatenate([[sure, margin, np.maximum(entropy, 0)], probs.T])
    numbers = _spread(length, rows, numbers.T.astype(float))
    return Belief(
        known=known,
        token=_spread(length, rows, token, NOTHING) if heat else words[:, 0],
        confidence=numbers[:, 0],
        margin=numbers[:, 1],
        entropy=numbers[:, 2],
        top_ids=words,
        top_probs=numbers[:, 3:],
        kept=kept,
        moved=moved,
        doubt=doubt,
        background=background,
        stale=denoiser.staleness(asked.thought) if hasattr(denoiser, "staleness") else np.empty(0, np.uint8),
        ends=card.ends,
        cost=len(now),  # thinking again what was forgotten is this app's own cost, not the decoder's
        carry=carry,
    )


def _numbers(told: Tensor) -> Any:
    """A few numbers a row, as numpy has them."""
    return (told if told.element_size() > 2 else told.float()).cpu().numpy()  # numpy knows no bfloat16


def _usable(top: Floats, entropy: Floats) -> bool:
    """Whether all rows are finite and have a token left to choose; one sum tells."""
    return bool(FLOOR / 2 < np.add.reduce(top + entropy) < np.inf)


def _at(table: Tensor, columns: Ints) -> Floats:
    """One number from each row."""
    import torch

    found: Floats = _numbers(table.gather(1, torch.from_numpy(columns)[:, None].to(table.device)))[:, 0]
    return found


@cache
def _nobody_asked(length: int) -> Floats:
    return np.broadcast_to(np.nan, length)


def shape(logits: Tensor, s: Settings, card: Card, place: Ints) -> Tensor:
    """Logits in the number type that confidences are read in, with what may not be said made impossible."""
    if s.precision != "model":
        logits = logits.double() if s.precision == "double" else logits.float()
    x, floor = logits, _floor(logits.dtype)  # a model's answer is its asker's, to be written in
    for token in {*card.never, *s.bans}:
        if token < x.shape[1]:
            x.select(1, token).fill_(floor)  # one by one: a list of columns takes three times as long
    for token, amount in s.boosts.items():
        if token < x.shape[1]:
            x[:, token] += amount
    ends = [t for t in card.ends if t < x.shape[1]]
    if s.end == "penalise" and ends:
        x[:, ends] -= s.end_penalty
    elif (s.end == "forbid" or (s.end == "stop" and s.end_after)) and ends:
        import torch

        early = np.flatnonzero(place < s.end_after) if s.end_after else np.arange(len(place))
        x[torch.from_numpy(early)[:, None].to(x.device), ends] = floor
    return x


@cache
def _floor(kind: Any) -> float:
    import torch

    return float(max(FLOOR, torch.finfo(kind).min / 4))


def largest(p: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row and where they are, without sorting the vocabulary."""
    from torch.nn.functional import embedding

    rows, words = p.shape
    side = 64
    if words <= 1024 or p.device.type != "cpu":
        return p.topk(min(k, words), dim=-1)
    # the k largest lie in the k chunks whose maxima are largest; maxima are cheap, a top-k of everything is not
    whole = words // side * side
    chunks = (p if whole == words else p[:, :whole]).view(rows, -1, side)
    best = chunks.amax(-1).topk(min(k, whole // side), dim=-1, sorted=False).indices
    inside = embedding(best, _insides(whole, side)).flatten(1)
    if whole < words:
        import torch

        inside = torch.cat([inside, torch.arange(whole, words).expand(rows, -1)], 1)
    values, at = p.gather(1, inside).topk(k, dim=-1)
    return values, inside.gather(1, at)


@cache
def _insides(whole: int, side: int) -> Tensor:
    """The places of each chunk."""
    import torch

    return torch.arange(whole).view(-1, side)


def _foremost(values: Tensor, ids: Tensor, logits: Tensor) -> Tensor:
    """Where probabilities tie at the top, the proposal is the argmax of the logits, as in published decoders."""
    import torch

    first = logits.argmax(-1, keepdim=True)
    led = torch.cat([first, torch.where(ids[:, 1:] == first, ids[:, :1], ids[:, 1:])], 1)
    return torch.where(values[:, :1] == values[:, 1:2], led, ids)


def drawn(p: Tensor, luck: Floats) -> Tensor:
    """One token a row by inverse CDF, from one uniform draw a row."""
    import torch

    cdf = p.double().cumsum(-1)
    wanted = torch.from_numpy(luck).to(p.device)[:, None] * cdf[:, -1:]
    return torch.searchsorted(cdf, wanted, right=True)[:, 0].clamp_(max=p.shape[1] - 1)


def _cut(x: Tensor, top_k: int, top_p: float) -> Tensor:
    """Keep the k largest, then the fewest that hold the share p of what is left."""
    import torch

    floor = _floor(x.dtype)
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


def _spread(length: int, rows: Ints, values: Any, elsewhere: float = 0) -> Any:
    """Values of rows as a row over all cells."""
    full = np.zeros((length, *values.shape[1:]), values.dtype)
    if elsewhere:
        full.fill(elsewhere)
    full[rows] = values
    return full
