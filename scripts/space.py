"""A folder to push to a Space: `python scripts/space.py docker|gradio|static build/space`.

What git tracks and the kind needs, under the front matter of its kind. A static one is a recorded run in one page,
there at once, which leads to the other."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

LEFT_OUT = ("tests/", "bench/", ".ci/", "package", "eslint", "tsconfig", "requirements-dev", "requirements-clients")
HERE = "https://huggingface.co/spaces/{name}"
THUMBNAIL = "thumbnail.png"


def front(kind: str) -> str:
    """What a Space reads before the page: its kind, its size, what it loads."""
    return (ROOT / "deploy" / f"{kind}.yaml").read_text()


def shown(front_matter: str, name: str) -> str:
    """With the address of its thumbnail, which lies in the Space itself."""
    address = f"{HERE.format(name=name)}/resolve/main/{THUMBNAIL}"
    return front_matter.replace("\nlicense:", f"\nthumbnail: {address}\nlicense:", 1)


def requirements() -> str:
    """As pinned, but for torch: a lent GPU comes with its own; and the package that lends it."""
    pinned = (ROOT / "requirements.txt").read_text()
    return re.sub(r"^torch==.*$", "torch>=2.8,<2.12", pinned, flags=re.M) + (ROOT / "deploy" / "zero.txt").read_text()


def static(name: str) -> str:
    """The recorded pair of the first view, in the page that plays without a server."""
    from ui.player import RUNS, player

    heads = [(ROOT / "assets" / "traces" / f"first.{side}.trace.jsonl").read_text() for side in ("diffusion", "twin")]
    runs = json.dumps(heads).replace("<", "\\u003c")  # nothing in a script may look like its end
    page = player().replace(f'id="runs">{RUNS}<', f'id="runs">{runs}<')
    link = (
        f'<p class="live"><a href="{HERE.format(name=name)}">Open the live app</a>: it may take a minute to wake.</p>'
    )
    return page.replace("<unmask-stage", f"{link}\n<unmask-stage", 1)


def write(kind: str, folder: Path, name: str = "USER/unmask") -> None:
    """Everything that is pushed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # a process of its own: the browser's driver shares one with nobody
    subprocess.run([sys.executable, ROOT / "scripts" / "thumbnail.py", folder / THUMBNAIL], check=True)
    head = shown(front(kind), name)
    if kind == "static":
        (folder / "index.html").write_text(static(name))
        (folder / "README.md").write_text(head + "\n# Unmask, recorded\n")
        return
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in filter(None, tracked.split("\0")):
        if not path.startswith(LEFT_OUT):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)
    text = (ROOT / "README.md").read_text()
    (folder / "README.md").write_text(head + text.split("---\n", 2)[2])
    if kind == "gradio":
        (folder / "requirements.txt").write_text(requirements())
        for only_docker in ("Dockerfile", ".dockerignore"):
            (folder / only_docker).unlink()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("docker", "gradio", "static"):
        sys.exit(__doc__)
    write(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:4])
    print(f"{sys.argv[2]} is ready to be pushed")
