"""`python -m pair.train`: the twin, then the denoiser learn on, from where a run stopped or from the shipped
weights.

It says first what this machine can do and how long it will take. `--smoke` trains small ones from nothing for a few
hundred steps, in a folder of its own, and fails if they do not learn.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from pair.train import data as texts
from pair.train.documents import kept
from pair.train.hardware import looked_at
from pair.train.ship import ship, unpacked
from pair.train.tokenizer import learn, load_tokenizer, marks, whole
from pair.train.train import TrainConfig, train
from pair.train.vocab_transfer import seated
from unmask.inference import memory
from unmask.models.transformer import TransformerConfig
from unmask.pair.worlds import document
from unmask.pair.worlds.words import KINDS, NAMED

NOT_TAUGHT = "No texts of a teacher's own: `python -m pair.train.distil` writes some, and then fewer passes are needed."
WHOLE = 1408  # places of the vocabulary for words of the worlds that the merges would spell
SHORT = 0.4  # share of the tokens in rows that stop where a plot is known
SMOKE = {  # what --smoke changes, unless it is given
    "shape": (1024, 96, 3, 3),
    "batch": 2048,
    "tokens": 400_000,
    "out": Path("build/train-smoke"),
    "assets": Path("build/train-smoke/models"),
}
STEPS = {"twin": 120, "denoiser": 240}  # of a smoke run: in steps, so that any machine learns as much
LEARNED = 0.75  # share of the first loss on held-out worlds that is left after them at most; .45 and .65 as measured


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pair.train", description=__doc__)
    parser.add_argument(
        "--kind", choices=("denoiser", "twin"), help="which to train; without it, the twin and then the denoiser"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="small, a few hundred steps; other options change how small and how many"
    )
    parser.add_argument("--fresh", action="store_true", help="from nothing, not from the shipped weights")
    parser.add_argument(
        "--data", default=texts.default_source(), help="folder with tinystories.txt.xz (or $UNMASK_DATA)"
    )
    parser.add_argument(
        "--dataset", help="a text file, a folder, or a data set on the hub such as roneneldan/TinyStories"
    )
    parser.add_argument("--out", type=Path, default=Path("build/train"), help="checkpoints, logs, curves and rows")
    parser.add_argument("--assets", type=Path, default=Path("assets/models"), help="where the finished models go")
    parser.add_argument("--start", type=Path, help="a folder of shipped weights, or a checkpoint.pt, to begin with")
    parser.add_argument("--minutes", type=float, default=60.0, help="for each kind")
    parser.add_argument("--steps", type=int, help="end after so many steps instead: repeatable from its seed")
    parser.add_argument(
        "--tokens", type=int, default=30_000_000, help="how many to generate; they are read as often as time allows"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--version", default="1")
    parser.add_argument("--shape", type=int, nargs=4, default=(4608, 256, 8, 4), metavar=("V", "W", "LAYERS", "HEADS"))
    parser.add_argument("--batch", type=int, default=4096, help="cells read in a step")
    parser.add_argument("--rate", type=float, default=0.02, help="of the matrices at most; about .01 to train on")
    parser.add_argument(
        "--alone", type=float, default=0.0, help="a twin's share of the run without drafts, twice as fast"
    )
    parser.add_argument("--certain", type=float, default=0.0, help="how much a right draft is pushed to be sure")
    parser.add_argument("--taught", type=Path, help="texts that a teacher wrote; else taught.jsonl beside the rows")
    parser.add_argument("--prepare", action="store_true", help="only write the tokenizer and the rows")
    if parser.parse_args().smoke:
        parser.set_defaults(**SMOKE)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    memory.tune_malloc(*memory.TRAINING)  # measured: 1.3 times as fast
    try:
        stories = texts.tales(args.dataset or args.data)
    except FileNotFoundError as reason:
        sys.exit(str(reason))
    if not stories:
        print(
            "No text was given: training on the worlds alone, which is enough. For tales as well, give --data FOLDER "
            "or --dataset roneneldan/TinyStories."
        )
    smoke = args.smoke
    args.out.mkdir(parents=True, exist_ok=True)
    args.assets.mkdir(parents=True, exist_ok=True)
    apart, stories = stories[: texts.APART], stories[texts.APART :]

    tokenizer_file = args.assets / "tokenizer.json"
    if not tokenizer_file.exists():
        worlds = [document(seed).text for seed in range(3 * args.shape[0] if smoke else 40_000)]
        room = 0 if smoke else WHOLE
        learned = learn(worlds + stories, args.shape[0] - room)
        whole(learned, NAMED, room).save(str(tokenizer_file))
    elif load_tokenizer(tokenizer_file).get_vocab_size() < args.shape[0]:
        # of an earlier version: it gains words and a skip
        known = load_tokenizer(tokenizer_file)
        whole(known, NAMED, args.shape[0] - known.get_vocab_size()).save(str(tokenizer_file))
    tokenizer = load_tokenizer(tokenizer_file)
    tokens = marks(tokenizer)

    rows_file = args.out / "rows.npz"
    if not rows_file.exists():
        lengths = (112, 144) if smoke else texts.LENGTHS
        own = args.taught or args.out / "taught.jsonl"
        taught = kept(own) if own.exists() else []
        print(f"{len(taught)} texts of a teacher's own are among what is learned." if taught else NOT_TAUGHT)
        short = int(args.tokens * SHORT)
        made = texts.prepare(tokenizer, args.tokens - short, args.seed, stories, lengths=lengths, taught=taught)
        made[texts.BEGINNING] = texts.beginnings(tokenizer, short, args.seed, taught)
        texts.save(made, rows_file)
    rows = texts.load(rows_file)
    validation = {"worlds": texts.prepare(tokenizer, 8 * 144 if smoke else 48 * 144, 99, [], "held", (144,))[144]}
    if apart:
        validation["tales"] = texts.packed(
            texts.pieces(tokenizer, "held", 99, apart, 1.0),
            256,
            4 if smoke else 16,
            tokens.separator,
            texts.words(tokenizer),
        )
    if args.prepare:
        return

    _, width, layers, heads = args.shape
    size = max(args.shape[0], tokenizer.get_vocab_size())
    for kind in [args.kind] if args.kind else ["twin", "denoiser"]:
        shape = TransformerConfig(size, width, layers, heads, 256, kind == "twin")
        recipe = TrainConfig(
            kind,
            shape,
            tokens,
            args.seed,
            args.minutes,
            args.steps,
            args.batch,
            matrix_rate=args.rate,
            other_rate=0.15 * args.rate,
            alone=args.alone,
            certain=args.certain,
        )
        if smoke:
            recipe = replace(recipe, steps=args.steps or STEPS[kind], compiled=False, look_every=40)
        start = None
        shipped = args.assets / kind
        if (known_at := args.start or (shipped if (shipped / "config.json").exists() else None)) and not args.fresh:
            start = first_weights(known_at)
            start["embedding.weight"] = seated(
                start["embedding.weight"], tokenizer, (*KINDS, tuple("0123456789")), size
            )
        print(looked_at(recipe, rows).says(recipe), flush=True)
        network, log = train(recipe, rows, validation, args.out / kind, start)
        ship(network, shipped, kind, args.version, tokens)
        from pair.train.report import curves

        curves(log, args.out / kind / "curves.png", kind)
        first, last = log[0]["worlds"], log[-1]["worlds"]
        print(f"{kind}: {first} nats a token on held-out worlds at first, {last} at the end")
        if smoke and not args.steps and last > LEARNED * first:
            sys.exit(f"The {kind} did not learn: at most {LEARNED:.0%} of its first loss should be left.")


def first_weights(place: Path) -> dict[str, Tensor]:
    """The weights in a shipped folder or a checkpoint."""
    if place.is_dir():
        return dict(unpacked(place).state_dict())
    masters: dict[str, Tensor] = torch.load(place, weights_only=False)["optimiser"]["masters"]  # nosec B614: our own file
    return {name: weight.clone() for name, weight in masters.items()}


if __name__ == "__main__":
    main()
