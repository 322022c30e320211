"""What a run showed: its curves as a picture, and the card that travels with the weights."""

from pathlib import Path


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
