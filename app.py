"""Starts the page: `python app.py --port 7860`, the same as `unmask run`."""

from __future__ import annotations

import sys
from pathlib import Path

if not (Path(__file__).parent / "unmask").is_dir():
    sys.exit(
        "This copy has text files where symbolic links belong (unmask, dllm/ui, dllm/assets). Run 'pip install -c "
        "constraints.txt \".[app]\"' and then 'unmask run'; or clone again with Git's core.symlinks=true."
    )

from unmask.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["run", *sys.argv[1:]]))
