"""The mean of two runs' weights, as a model: what both have learned stays, and little of what one alone forgot is lost.

`python -m pair.train.model_soup FOLDER OTHER OUT` works on shipped folders that grew out of the same weights
(model soups, arXiv:2203.05482). It costs no forward and no training.
"""

import argparse
import json
import shutil
from pathlib import Path

from pair.train.ship import ship, unpacked
from pair.train.tokenizer import load_tokenizer, marks
from unmask.models.transformer import Transformer


def mean(one: Transformer, other: Transformer, share: float = 0.5) -> Transformer:
    """The other network, with this share of the one's weights in its own."""
    if one.shape != other.shape:
        raise ValueError("two networks of different shapes have no mean")
    theirs = other.state_dict()
    other.load_state_dict({name: theirs[name].lerp(weight, share) for name, weight in one.state_dict().items()})
    return other


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pair.train.model_soup", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("out", type=Path, help="a folder for the mean; the tokenizer is put beside it")
    parser.add_argument("--share", type=float, default=0.5, help="of the first folder")
    args = parser.parse_args()
    card = json.loads((args.folder / "config.json").read_text())
    network = mean(unpacked(args.folder), unpacked(args.other), args.share)
    tokenizer = next(
        up / "tokenizer.json" for up in (args.folder, args.folder.parent) if (up / "tokenizer.json").exists()
    )
    ship(network, args.out, card["kind"], card["version"], marks(load_tokenizer(tokenizer)))
    shutil.copy(tokenizer, args.out.parent / "tokenizer.json")


if __name__ == "__main__":
    main()
