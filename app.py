"""Starts the page: `python app.py --port 7860`, the same as `unmask run`."""

from __future__ import annotations

import sys

from unmask.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["run", *sys.argv[1:]]))
