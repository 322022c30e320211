"""`python -m dllm.train`: train the twin or the denoiser, or see in a few hundred steps that both still learn."""

import argparse
import sys
from pathlib import Path

import torch

from dllm.models.transformer import Shape
from dllm.train import data as texts
from dllm.train.seats import seated
from dllm.train.ship import ship
from dllm.train.tokenizer import learn, marks, opened, whole
from dllm.train.train import Recipe, small, train
from dllm.worlds import document
from dllm.worlds.words import KINDS, NAMED

WHOLE = 128  # places of the vocabulary for words of the worlds that the merges would spell


def asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dllm.train", description=__doc__)
    parser.add_argument(
        "--kind", choices=("denoiser", "twin"), help="which to train; without it, the twin and then the denoiser"
    )
    parser.add_argument("--smoke", action="store_true", help="both kinds, small, a few hundred steps in all")
    parser.add_argument(
        "--data", default=texts.default_source(), help="folder with tinystories.txt.xz (or $UNMASK_DATA)"
    )
    parser.add_argument(
        "--dataset", help="a text file, a folder, or a data set on the hub such as roneneldan/TinyStories"
    )
    parser.add_argument("--out", type=Path, default=Path("build/train"), help="checkpoints, logs, curves and rows")
    parser.add_argument("--assets", type=Path, default=Path("assets/models"), help="where the finished models go")
    parser.add_argument("--start", type=Path, help="a folder whose checkpoint lends the first weights")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--steps", type=int, help="end after so many steps instead: repeatable from its seed")
    parser.add_argument(
        "--tokens", type=int, default=30_000_000, help="how many to generate; they are read as often as time allows"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--version", default="1")
    parser.add_argument("--shape", type=int, nargs=4, default=(3200, 256, 8, 4), metavar=("V", "W", "LAYERS", "HEADS"))
    parser.add_argument("--batch", type=int, default=4096, help="tokens a step")
    parser.add_argument("--prepare", action="store_true", help="only write the tokenizer and the rows")
    return parser.parse_args()


def main() -> None:
    args = asked()
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
    apart, stories = stories[:150], stories[150:]  # never trained on

    tokenizer_file = args.assets / "tokenizer.json"
    if not tokenizer_file.exists():
        worlds = [document(seed).text for seed in range(3_000 if smoke else 40_000)]
        room = 0 if smoke else WHOLE
        learned = learn(worlds + stories, 1024 if smoke else args.shape[0] - room)
        whole(learned, NAMED, room).save(str(tokenizer_file))
    tokenizer = opened(tokenizer_file)
    separator, mask = marks(tokenizer)

    rows_file = args.out / "rows.npz"
    if not rows_file.exists():
        lengths = (112, 144) if smoke else texts.LENGTHS
        texts.save(
            texts.prepare(tokenizer, 400_000 if smoke else args.tokens, args.seed, stories, lengths=lengths), rows_file
        )
    rows = texts.load(rows_file)
    held = {"worlds": texts.prepare(tokenizer, 8 * 144 if smoke else 48 * 144, 99, [], "held", (144,))[144]}
    if apart:
        held["tales"] = texts.packed(
            texts.pieces(tokenizer, "held", 99, apart, 1.0), 256, 4 if smoke else 16, separator, texts.words(tokenizer)
        )
    if args.prepare:
        return

    _, width, layers, heads = args.shape
    for kind in [args.kind] if args.kind else ["twin", "denoiser"]:
        shape = Shape(tokenizer.get_vocab_size(), width, layers, heads, 256, kind == "twin")
        recipe = Recipe(kind, shape, mask, separator, args.seed, args.minutes, args.steps, args.batch)
        if smoke:
            recipe = small(recipe, 120 if kind == "twin" else 240)
        start = None
        if args.start:
            start = torch.load(args.start / "checkpoint.pt", weights_only=False)["optimiser"]["masters"]
            start["embedding.weight"] = seated(start["embedding.weight"], tokenizer, (*KINDS, tuple("0123456789")))
        network, log = train(recipe, rows, held, args.out / kind, start)
        ship(network, args.assets / kind, kind, args.version, mask, separator)
        from dllm.train.report import curves

        curves(log, args.out / kind / "curves.png", kind)
        print(f"{kind}: {log[0]['worlds']} nats a token on held-out worlds at first, {log[-1]['worlds']} at the end")


if __name__ == "__main__":
    main()
