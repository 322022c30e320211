"""Where the package's own files are: weights, recordings and the page's scripts."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
