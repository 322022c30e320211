"""Where the package's own files are: weights, recordings, the page's scripts, and the features' folders."""

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
FEATURES = Path(__file__).parent / "features"
