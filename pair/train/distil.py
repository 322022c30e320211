"""Texts of the twin's own, kept where they are right: who guesses many cells at once learns one usual way of going on.

A prompt of the worlds can be gone on with in a thousand ways, and cells that are guessed at once belong to different
ones. A teacher's own text is one of them, the likeliest or nearly so (sequence-level distillation, arXiv:1606.07947);
what the worlds' judge does not find strictly right is thrown away, so that nothing wrong is learned.

`python -m pair.train.distil --minutes 15` writes them into build/train/taught.jsonl, from where training takes
them."""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from pair.train import data
from pair.train.documents import TrainingText, keep, with_beginning
from pair.train.names import befriended
from pair.train.ship import unpacked
from pair.train.tokenizer import load_tokenizer, marks
from unmask.models.transformer import Past, Transformer
from unmask.pair.worlds import document, strict

Line = tuple[list[int], list[int]]  # the tokens of a prompt, and what was written behind them

TOGETHER = 96  # texts that are written at once: so a core multiplies matrices, and not vectors
ROOM = 160  # tokens a text may have
# of a hundred prompts; what has one right answer needs no teacher
SHAPES = {"story": 56, "chat": 16, "dialogue": 9, "letter": 9, "recipe": 4, "steps": 3, "code": 3}
HEATS = (0.0, 0.0, 0.7)  # one text in three is drawn, so that not all are alike
AGAIN = (0.5, 0.8, 1.0)  # where words were asked for and are missing, it is tried again so
ROUND = 3000  # prompts of each
FIRST = 7_000_000_000  # the first seed of documents whose prompts a teacher gets


class Teacher:
    """Writes many texts at once, word by word, with a cache of keys and values."""

    def __init__(self, twin: Transformer, separator: int, number: str = "bf16") -> None:
        self.network = twin.bfloat16() if number == "bf16" else twin
        self.separator = separator

    @torch.inference_mode()
    def goes_on(self, prompts: Sequence[list[int]], temperature: float, generator: torch.Generator) -> list[list[int]]:
        """What follows each of these prompts, which are equally long; nothing where it found no end."""
        words = torch.tensor([[self.separator, *prompt] for prompt in prompts])
        past: Past | None = None
        found: list[list[int]] = [[] for _ in prompts]
        whole: list[list[int]] = [[] for _ in prompts]
        who = torch.arange(len(prompts))
        for _ in range(min(self.network.shape.length - words.shape[1], ROOM)):
            hidden, past = self.network.read(words, past=past)
            chosen = self._chosen(hidden[:, -1], temperature, generator)
            going = chosen != self.separator
            for row, word in zip(who[going].tolist(), chosen[going].tolist(), strict=True):
                found[row].append(word)
            for row in who[~going].tolist():
                whole[row] = found[row]
            who, words = who[going], chosen[going][:, None]
            if not len(who):
                break
            if not going.all():
                past = [(keys[going], values[going]) for keys, values in past]
        return whole

    def _chosen(self, hidden: Tensor, temperature: float, generator: torch.Generator) -> Tensor:
        logits = self.network.lm_head(hidden).float()
        if not temperature:
            return logits.argmax(-1)
        return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)[:, 0]


def answers(
    teacher: Teacher, prompts: Iterable[list[int]], temperature: float, seed: int, shelf: int = 8192
) -> Iterator[Line]:
    """What the teacher makes of each prompt, in whatever order; those it finds no end for are left out."""
    generator = torch.Generator().manual_seed(seed)
    alike: dict[int, list[list[int]]] = defaultdict(list)

    def together(some: list[list[int]]) -> Iterator[Line]:
        for prompt, answer in zip(some, teacher.goes_on(some, temperature, generator), strict=True):
            if answer:
                yield prompt, answer

    waiting = 0
    for prompt in prompts:
        some = alike[len(prompt)]
        some.append(prompt)
        waiting += 1
        if len(some) == TOGETHER or waiting > shelf:
            some = max(alike.values(), key=len)
            waiting -= len(some)
            yield from together(alike.pop(len(some[0])))
    for length in sorted(alike):
        yield from together(alike[length])


def questions(seed: int, tales: Sequence[str]) -> Iterator[TrainingText]:
    """Documents whose prompts a teacher gets, without end."""
    rng = Random(f"questions {seed}")
    for at in count(FIRST + seed * 1_000_000):
        yield with_beginning(document(at, "train", rng.choices([*SHAPES], [*SHAPES.values()])[0]), rng, tales)


def taught(teacher: Teacher, tokenizer: Tokenizer, seed: int, heat: float, tales: Sequence[str]) -> list[TrainingText]:
    """A round of right texts; whom a text names of itself gets the name of a friend.

    Where only a title is given, all that follows is drawn as it comes: a likeliest story would be told for ever. And
    where a line asks for words, it is drawn until they are there: who is right at the first draw asks for what is
    told anyway."""
    rng = Random(f"taught {seed}")
    asks = [text.prompt for text in islice(questions(seed, tales), ROUND)]
    bare = [ask for ask in asks if ask.endswith(":") and "\n" not in ask]
    found = []

    def drawn(some: Sequence[str], warm: float) -> set[str]:
        prompts, right = [tokenizer.encode(ask).ids for ask in some], set()
        for prompt, answer in answers(teacher, prompts, warm, seed):
            ask = tokenizer.decode(prompt)
            whole = ask + tokenizer.decode(answer)
            if strict(ask, whole).strict:
                found.append(TrainingText(*befriended(whole, ask, rng)))
                right.add(ask)
        return right

    drawn(bare, 1.0)
    rest = {*asks} - {*bare}
    missed = {ask for ask in rest - drawn(sorted(rest), heat) if ask.startswith("Words")}
    for warm in AGAIN:
        missed -= drawn(sorted(missed), warm)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pair.train.distil", description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=0, help="of the first round; more rounds take the next ones")
    parser.add_argument(
        "--twin", type=Path, default=Path("assets/models/twin"), help="the teacher, a folder of weights"
    )
    parser.add_argument("--data", default=data.default_source(), help="as for training")
    parser.add_argument("--out", type=Path, default=Path("build/train/taught.jsonl"))
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    tokenizer = load_tokenizer(args.twin.parent / "tokenizer.json")
    teacher, tales = Teacher(unpacked(args.twin), marks(tokenizer).separator), data.tales(args.data)[data.APART :]
    began = time.monotonic()
    for turn in count():
        texts = taught(teacher, tokenizer, args.seed + turn, HEATS[turn % len(HEATS)], tales)
        keep(texts, args.out)
        print(f"{len(texts)} of {ROUND} right, at temperature {HEATS[turn % len(HEATS)]:g}", flush=True)
        if time.monotonic() - began > 60 * args.minutes:
            break


if __name__ == "__main__":
    main()
