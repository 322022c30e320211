"""What a run showed: its curves as a picture, and the card that travels with the weights.

`python -m pair.train.report RUN...` writes assets/models/card.md. The judge's table and the samples need the
engine's decoding, which lies above this file: they are read from judged.md and samples.md beside the weights, if they
are there.
"""

import argparse
import csv
import json
from pathlib import Path

MISSING = "*Not measured for these weights yet: `python -m unmask judge` writes this part.*"


def curves(log: list[dict[str, float]], path: Path, title: str) -> None:
    """Loss against tokens, on trained and on held-out rows."""
    try:
        import matplotlib
    except ImportError:  # a picture is no reason to lose a trained model
        print("no matplotlib here, so no picture of the curves; log.csv has the numbers")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name in log[-1]:
        if name not in ("step", "tokens", "seconds"):
            points = [(row["tokens"] / 1e6, row[name]) for row in log if row.get(name)]
            axes.plot(*zip(*points, strict=True), label="trained rows" if name == "loss" else f"held-out {name}")
    axes.set(xlabel="million tokens", ylabel="nats a token", yscale="log", title=title)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def measured(runs: list[Path]) -> str:
    """One line a run: what it cost and what it reached."""
    lines = ["| run | steps | tokens | minutes | nats, never seen | drafted right |", "|---|---|---|---|---|---|"]
    for run in runs:
        with (run / "log.csv").open(newline="") as file:
            last = list(csv.DictReader(file))[-1]
        lines.append(
            f"| {run.name} | {last['step']} | {int(last['tokens']) / 1e6:.1f} M | {float(last['seconds']) / 60:.0f} "
            f"| {last['worlds']} | {last.get('worlds right', '–')} |"
        )
    return "\n".join(lines)


def shapes(assets: Path) -> str:
    """What the weights are, by their own configs."""
    lines = ["| | kind of reading | layers × width | words | longest canvas | sha256 |", "|---|---|---|---|---|---|"]
    for name in ("denoiser", "twin"):
        card = json.loads((assets / name / "config.json").read_text())
        reading = "left to right" if card["causal"] else "both sides, masked"
        lines.append(
            f"| {name} | {reading} | {card['layers']} × {card['width']} | {card['vocabulary']} | {card['length']} "
            f"| `{card['sha256'][:16]}…` |"
        )
    return "\n".join(lines)


def card(assets: Path, runs: list[Path]) -> str:
    """The whole card, from its template and what lies beside the weights."""
    parts: dict[str, str] = {"shapes": shapes(assets), "measured": measured(runs)}
    for name in ("judged", "samples"):
        file = assets / f"{name}.md"
        parts[name] = file.read_text().strip() if file.exists() else MISSING
    text = (Path(__file__).parent / "card.md").read_text()
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m pair.train.report", description="Write the card of the weights.")
    parser.add_argument("runs", nargs="+", type=Path, help="folders with a log.csv")
    parser.add_argument("--assets", type=Path, default=Path("assets/models"))
    args = parser.parse_args()
    (args.assets / "card.md").write_text(card(args.assets, args.runs))
    print(f"wrote {args.assets / 'card.md'}")


if __name__ == "__main__":
    main()
