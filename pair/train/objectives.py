"""What a row teaches: which cells are hidden, who may look where, and how much each answer counts.

`blocks` is the twin's lesson. The row as it is, read from left to right; beside it a copy in blocks whose cells see
all earlier cells as they are, with the very keys of the first reading, and one another (block diffusion,
arXiv:2503.09573). Both read a separator and then the row, and answer every cell one place to its left: so drafting
grows out of what autoregressive weights can do already, and the same weights can verify what they have drafted.
`canvas` is the denoiser's: every cell sees every other, and is answered where it stands (masked diffusion,
arXiv:2502.09992).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

from pair.train.data import Rows
from pair.train.tokenizer import Marks

Mask = np.ndarray  # [B, L], which cells

LEAST = 0.03  # the smallest share of cells that is ever hidden
SIDES = {4: 0.15, 8: 0.35, 16: 0.35, 32: 0.15}  # sizes of blocks, and how often each
WHOLE = 0.55  # of the blocks, how many are hidden altogether
WINDOWS = (8, 16, 32, 64)  # cells that a decoder is at work on
BUT_ONE = 0.25  # and how many but for their first cell, which a verified draft has in hand
UNSEEN_NAMES = 0.6  # share of unseen names among people who are named only at the end of a text
GIVEN = 0.05  # weight of a prompt cell in the loss: prompts hold unseen names, which the model must copy and not invent
ASKED_WEIGHT = 3.0  # how much more a word counts that a line asks for: the likeliest plot seldom has it
PLOT = 16  # cells behind such a line that count as much: they choose the plot, and with it which words there are
TURN = 3  # and behind each sentence: they choose the next one
NEW = 2.0  # how much more a name counts that has to be thought of: among so many that are copied it is soon forgotten


@dataclass(frozen=True)
class TrainingBatch:
    """One batch: what is read, who looks where, which of the flattened hidden vectors to judge, and against what."""

    ids: Tensor  # [B, N]
    positions: Tensor  # [1, N]
    attention_mask: Tensor  # [1, N, N]
    where: Tensor  # [K] into B * N
    target: Tensor  # [K]
    weight: Tensor  # [K], which adds up to one for each reading
    drafted: Tensor  # [K], one where the answer is a denoiser's


def left_to_right(
    rows: Rows, chosen: np.ndarray, marks: Marks, rng: np.random.Generator, repeat_share: float = 0.0
) -> TrainingBatch:
    """The row read from left to right, and nothing else: the cheaper half of the twin's lesson."""
    truth = rows.ids[chosen].astype(np.int64)
    length = truth.shape[1]
    weight = _worth(truth, rows.prompt[chosen], rows, marks)
    if repeat_share:
        weight += 10 * repeat_share * returning(truth, rows, before=True)
    return TrainingBatch(
        torch.from_numpy(_read(truth, marks)),
        torch.arange(length)[None],
        torch.ones(1, length, length, dtype=torch.bool).tril(),
        torch.arange(truth.size),
        torch.from_numpy(truth.reshape(-1)),
        torch.from_numpy((weight.reshape(-1) / weight.sum()).astype(np.float32)),
        torch.zeros(truth.size),
    )


def blocks(
    rows: Rows, chosen: np.ndarray, marks: Marks, rng: np.random.Generator, repeat_share: float = 0.0
) -> TrainingBatch:
    """The row read from left to right, and its blocks drafted, in one forward."""
    truth = rows.ids[chosen].astype(np.int64)
    count, length = truth.shape
    side = int(rng.choice(list(SIDES), p=list(SIDES.values())))
    block = (np.arange(length) + rng.integers(side)) // side
    first = np.r_[True, block[1:] != block[:-1]]
    draws = rng.random((count, block[-1] + 1))
    share = np.where(draws < WHOLE + BUT_ONE, 1.0, 0.15 + 0.85 * rng.random(draws.shape))[:, block]
    hidden = rng.random(truth.shape) < share
    hidden &= ~(first & (draws < BUT_ONE)[:, block])
    clean = _read(truth, marks)
    noisy = _read(np.where(hidden, marks.mask, truth), marks)
    ahead = _worth(truth, rows.prompt[chosen], rows, marks)
    if repeat_share:
        ahead += 10 * repeat_share * returning(truth, rows, before=True)
    judged = np.flatnonzero(hidden & ~first)
    judged = judged[judged // length * length + judged % length > 0]
    row, cell = divmod(np.arange(count * length), length)
    at = row * 2 * length + cell
    where, target, drafted = _fixed(at[judged] + length, truth.reshape(-1)[judged], np.ones(len(judged)), 0.8, truth)
    return TrainingBatch(
        torch.from_numpy(np.concatenate([clean, noisy], 1)),
        torch.arange(length).repeat(2)[None],
        _in_blocks(torch.from_numpy(block)),
        torch.from_numpy(np.concatenate([at, where])),
        torch.from_numpy(np.concatenate([truth.reshape(-1), target])),
        torch.from_numpy(
            np.concatenate([ahead.reshape(-1) / ahead.sum(), drafted / max(1.0, drafted.sum())]).astype(np.float32)
        ),
        torch.from_numpy(np.concatenate([np.zeros(len(at)), drafted]).astype(np.float32)),
    )


def canvas(
    rows: Rows, chosen: np.ndarray, marks: Marks, rng: np.random.Generator, repeat_share: float = 0.0
) -> TrainingBatch:
    """The row with cells hidden in one of several ways, each as a person or a decoder leaves a canvas behind."""
    truth = rows.ids[chosen].astype(np.int64)
    shown, hidden, judged = truth.copy(), np.zeros(truth.shape, bool), np.zeros(truth.shape)
    count, length = truth.shape
    order = rng.permutation(count)
    for row in range(count):
        cells = Cells(truth[row], rows.prompt[chosen[row]], shown[row], hidden[row], judged[row], rows, marks)
        way = WAYS[int((order[row] + rng.random()) * len(WAYS) / count)]
        (looked_up if rng.random() < repeat_share else way)(cells, rng)
    judged *= 1.0 + ASKED_WEIGHT * asked_words(truth, rows.prompt[chosen], rows, marks)
    judged[truth == marks.mask] = 0
    at = np.flatnonzero(judged)
    where, target, weight = _fixed(at, truth.reshape(-1)[at], judged.reshape(-1)[at], 0.5, truth)
    return TrainingBatch(
        torch.from_numpy(np.where(hidden, marks.mask, shown)),
        torch.arange(length)[None],
        _everywhere(length),
        torch.from_numpy(where),
        torch.from_numpy(target),
        torch.from_numpy((weight / max(1.0, weight.sum())).astype(np.float32)),
        torch.from_numpy((weight > 0).astype(np.float32)),
    )


@dataclass(frozen=True, eq=False)
class Cells:
    """One row of a batch, to be written in."""

    truth: Mask  # [L], what it says
    prompt: Mask  # which of it is a question
    shown: Mask  # what is read where nothing is hidden
    hidden: Mask
    judged: Mask  # how much each cell's answer counts
    rows: Rows
    marks: Marks

    def texts(self) -> list[tuple[int, int]]:
        """Where each document begins and ends, fragments left out."""
        ends = np.flatnonzero(self.truth == self.marks.separator)
        begins = np.r_[0, ends[:-1] + 1] if len(ends) else np.zeros(1, int)
        ends = ends if len(ends) else np.array([len(self.truth) - 1])
        return [(int(a), int(b)) for a, b in zip(begins, ends, strict=True) if b - a >= 4]


def anywhere(cells: Cells, rng: np.random.Generator) -> None:
    """A share of all cells, each counting 1 / share."""
    share = LEAST + (1 - LEAST) * rng.random()
    cells.hidden[rng.random(len(cells.truth)) < share] = True
    cells.judged[cells.hidden] = 0.2 / max(share, 0.1)
    cells.judged[cells.prompt] *= GIVEN


def answers(cells: Cells, rng: np.random.Generator) -> None:
    """A share of all cells but the questions."""
    anywhere(cells, rng)
    cells.hidden[cells.prompt] = False
    cells.judged[cells.prompt] = 0


def decoded(cells: Cells, rng: np.random.Generator) -> None:
    """As a decoder in blocks leaves it: a beginning that stands, a block partly written, nothing behind it."""
    truth, hidden, judged = cells.truth, cells.hidden, cells.judged
    texts = cells.texts()
    if not texts:
        return anywhere(cells, rng)
    begin, end = texts[int(rng.integers(len(texts)))]
    start, draw = begin + int(cells.prompt[begin:end].sum()), rng.random()
    if draw > 0.25:  # otherwise nothing is written yet
        start = int(rng.integers(start, end)) if start < end else end
    behind = start + int(rng.choice(WINDOWS))
    share = 1.0 if draw < 0.4 else 0.2 + 0.8 * rng.random()
    window = np.arange(start, min(behind, len(truth)))
    hidden[window] = rng.random(len(window)) < share
    hidden[behind:] = True
    near = window[window <= end]
    judged[near[hidden[near]]] = 1.0
    judged[behind : end + 1] = 0.1
    if draw > 0.25 and rng.random() < 0.3:
        # a few words pinned further on, which what is written now must lead to
        pins = rng.random(max(0, end - behind)) < 0.2
        hidden[behind:end][pins] = False
        judged[behind:end][pins] = 0.0


def between(cells: Cells, rng: np.random.Generator) -> None:
    """A gap in a text, now and then with up to eight cells too many, which are skipped.

    Half of the gaps are whole sentences: a person who leaves a gap does not know how long the sentence will be, and the
    words that begin the next one must not be written into the cells that are left over."""
    truth, hidden, skip = cells.truth, cells.hidden, cells.marks.skip
    length = len(truth)
    start = int(rng.integers(1, length - 24))
    side = int(rng.integers(3, min(64, length - start - 8)))
    if rng.random() < 0.5:
        stops = np.flatnonzero(cells.rows.words.ends[truth[: length - 9]]) + 1
        if len(stops) > 1:
            start = int(rng.choice(stops[:-1]))
            behind = stops[(stops > start) & (stops < start + 64)]
            side = int(rng.choice(behind[:3])) - start if len(behind) else side
            side = min(side, length - start - 8)
    spare = int(rng.integers(0, 9)) if rng.random() < 0.6 else 0
    if spare:
        truth[start + side + spare :] = truth[start + side : length - spare].copy()
        truth[start + side : start + side + spare] = skip
        cells.shown[:] = truth
    gap = np.arange(start, start + side + spare)
    share = 1.0 if rng.random() < 0.5 else rng.random()
    hidden[gap] = rng.random(len(gap)) < share
    cells.judged[gap[hidden[gap]]] = 1.0
    if rng.random() < 0.3:  # an ending that is given, and nothing behind it
        hidden[start + side + spare + 24 :] = True


def led(cells: Cells, rng: np.random.Generator) -> None:
    """A text whose beginning and last sentence (with what a letter has behind it) are given: what stands between must
    lead there.

    Half of these are partly written from the left, as a decoder in blocks leaves them."""
    truth, hidden, skip = cells.truth, cells.hidden, cells.marks.skip
    found = []
    for begin, end in cells.texts():
        start = begin + int(cells.prompt[begin:end].sum())
        stops = start + np.flatnonzero(cells.rows.words.ends[truth[start:end]]) + 1
        if len(stops) > 2 and stops[-2] - start > 8:
            found.append((start, int(stops[-2]), end))
    if not found:
        return decoded(cells, rng)
    start, last, end = strangers(cells, *found[int(rng.integers(len(found)))], rng)
    spare = min(int(rng.integers(1, 9)), len(truth) - 1 - end) if rng.random() < 0.3 else 0
    if spare > 0:  # what came behind this text gives way
        truth[last + spare : end + spare + 1] = truth[last : end + 1].copy()
        truth[last : last + spare] = skip
        cells.shown[:] = truth
    if rng.random() < 0.5:
        start = int(rng.integers(start, last))
    hidden[start : last + spare] = True
    hidden[end + spare + 1 :] = spare > 0 or rng.random() < 0.7
    cells.judged[start : last + spare] = 1.0


def strangers(cells: Cells, start: int, last: int, end: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Give unseen names to the people who are named only at the end of a text: only the end tells their names.

    Returns its start, the start of its end, and its end, which move since a new name may have more pieces."""
    truth, words = cells.truth, cells.rows.words
    begin = int(np.flatnonzero(truth[:start] == cells.marks.separator).max(initial=-1)) + 1
    names = words.alike[truth[begin:end]].tolist()
    late = {name for name in names[last - begin :] if words.names[name]} - {*names[: start - begin]}
    others = {name: rng.choice(words.strangers) for name in sorted(late) if rng.random() < UNSEEN_NAMES}
    pieces = [
        others[name][others[name] > 0] if name in others else truth[begin + at : begin + at + 1]
        for at, name in enumerate(names)
    ]
    where = begin + np.cumsum([0, *map(len, pieces)])
    longer = int(where[-1]) - end
    if not others or end + longer >= len(truth):
        return start, last, end
    text = np.concatenate(pieces)
    truth[end + longer :] = truth[end : len(truth) - longer].copy()
    truth[begin : end + longer] = text
    cells.shown[:] = truth
    return int(where[start - begin]), int(where[last - begin]), end + longer


def mended(cells: Cells, rng: np.random.Generator) -> None:
    """Some words are wrong, mostly by another of this very row; and some that are right are asked about as well."""
    truth = cells.truth
    share = 0.03 + 0.22 * rng.random()
    wrong, alike = rng.random(len(truth)) < share, rng.random(len(truth)) < 0.6
    cells.shown[wrong & alike] = rng.permutation(truth[wrong & alike])
    noise = wrong & ~alike
    cells.shown[noise] = rng.integers(2, len(cells.rows.words.alike), int(noise.sum()))
    cells.judged[wrong] = 1.0
    cells.judged[~wrong & (rng.random(len(truth)) < share)] = 0.5


def looked_up(cells: Cells, rng: np.random.Generator) -> None:
    """Only words that return are judged: without such rows names were guessed by fashion for millions of tokens."""
    again = returning(cells.truth[None], cells.rows)[0]
    share = rng.random()
    cells.hidden[rng.random(len(cells.truth)) < np.where(again, 0.2 + 0.6 * share, 0.4 * share)] = True
    cells.judged[cells.hidden & again] = 1.0


def introduced(cells: Cells, rng: np.random.Generator) -> None:
    """A child whom the question does not name, hidden wherever it is named: there is nothing to copy the name from, and
    it is nobody's who is there already. Rows in which names return had taught to copy even then."""
    names = np.where(cells.rows.words.names[cells.truth], cells.rows.words.alike[cells.truth], 0)
    found = []
    for begin, end in cells.texts():
        start = begin + int(cells.prompt[begin:end].sum())
        new = {*names[start:end].tolist()} - {*names[begin:start].tolist()} - {0}
        found += [(begin, end, name) for name in sorted(new)]
    if not found:
        return decoded(cells, rng)
    begin, end, name = found[int(rng.integers(len(found)))]
    where = begin + np.flatnonzero(names[begin:end] == name)
    cells.hidden[where] = True
    if rng.random() < 0.5:  # nothing is written yet from a little before its first mention on
        cells.hidden[max(int(where[0]) - int(rng.integers(0, 12)), begin) :] = True
    else:
        cells.hidden[begin:end] |= rng.random(end - begin) < rng.random()
    cells.hidden[begin:end] &= ~cells.prompt[begin:end]
    cells.judged[where] = 1.0


# how often each way is taken: the way of decoders in nearly half of the rows
WAYS = (anywhere, answers, *[decoded] * 5, between, between, between, led, led, mended, introduced)


def returning(truth: np.ndarray, rows: Rows, before: bool = False) -> np.ndarray:
    """Cells whose word stands in the same row elsewhere, or `before` them; words that stand everywhere left out."""
    words = rows.words.alike[truth]
    same = words[:, :, None] == words[:, None, :]
    found = np.tril(same, -1).any(-1) if before else same.sum(-1) > 1
    cells: np.ndarray = found & ~rows.common[truth]
    return cells


def model_input_of(truth: np.ndarray, prompt: np.ndarray, rows: Rows, marks: Marks) -> np.ndarray:
    """Names of children that stand nowhere before in their document: there is nothing to copy them from."""
    names = np.where(rows.words.names[truth], rows.words.alike[truth], 0)
    found = np.zeros(truth.shape, bool)
    for row, cell in zip(*np.nonzero((names > 0) & ~prompt), strict=True):
        ends = np.flatnonzero(truth[row, :cell] == marks.separator)
        found[row, cell] = names[row, cell] not in names[row, ends[-1] + 1 if len(ends) else 0 : cell]
    return found


def asked_words(truth: np.ndarray, prompt: np.ndarray, rows: Rows, marks: Marks) -> np.ndarray:
    """Cells of an answer that a wish before it decides: the words it names, and where plot and sentences are chosen."""
    words = rows.words.alike[truth]
    turns = np.zeros(truth.shape, bool)
    for cell in range(1, TURN + 1):
        turns[:, cell:] |= rows.words.ends[truth[:, :-cell]]
    found = np.zeros(truth.shape, bool)
    for row, begin in zip(*np.nonzero(rows.words.asks[truth] & prompt), strict=True):
        ends = np.flatnonzero(truth[row, begin:] == marks.separator)
        end = begin + ends[0] if len(ends) else truth.shape[1]
        start = begin + int(prompt[row, begin:end].sum())
        found[row, start:end] = np.isin(words[row, start:end], words[row, begin:start]) | turns[row, start:end]
        found[row, start : min(start + PLOT, end)] = True
    cells: np.ndarray = found & ~rows.words.points[truth]
    return cells


def _worth(truth: np.ndarray, prompt: np.ndarray, rows: Rows, marks: Marks) -> np.ndarray:
    """How much each answer counts that is read from left to right."""
    weight: np.ndarray = 1.0 + NEW * model_input_of(truth, prompt, rows, marks)
    weight += ASKED_WEIGHT * asked_words(truth, prompt, rows, marks)
    weight[prompt] *= GIVEN
    return weight


def _read(cells: np.ndarray, marks: Marks) -> np.ndarray:
    """A separator, then the row but for its last cell, which nothing behind it asks about."""
    return np.concatenate([np.full_like(cells[:, :1], marks.separator), cells[:, :-1]], axis=1)


def _fixed(
    where: np.ndarray, target: np.ndarray, weight: np.ndarray, room: float, truth: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As many judged cells as `room` says, so that a compiled step sees one shape only: the rest weigh nothing."""
    fixed = int(room * truth.size)
    if len(where) > fixed:
        kept = np.linspace(0, len(where) - 1, fixed).astype(np.int64)
        return where[kept], target[kept], weight[kept]
    rest = fixed - len(where)
    return np.pad(where, (0, rest)), np.pad(target, (0, rest)), np.pad(weight.astype(float), (0, rest))


def _in_blocks(block: Tensor) -> Tensor:
    """Who sees whom in a row and its copy: [row; copy] twice. A place holds the cell to its left, a separator first."""
    length = len(block)
    holds = torch.cat([torch.tensor([-1]), block[:-1]])
    sees = torch.zeros(2 * length, 2 * length, dtype=torch.bool)
    sees[:length, :length] = torch.ones(length, length, dtype=torch.bool).tril()
    sees[length:, :length] = holds[None, :] < holds[:, None]
    sees[length:, length:] = holds[None, :] == holds[:, None]
    return sees[None]


@cache
def _everywhere(length: int) -> Tensor:
    return torch.ones(1, length, length, dtype=torch.bool)
