"""Writes a folder to push to a Space: `python scripts/space.py docker|gradio|static build/space`.

It has the tracked files that this kind needs, and a README with its front matter. A static Space is one page with a
recorded run and a link to the live app."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

LEFT_OUT = ("tests/", "bench/", "pair/", ".ci/", "package", "eslint", "tsconfig")
LEFT_OUT += ("requirements-dev", "requirements-clients")
HERE = "https://huggingface.co/spaces/{name}"
THUMBNAIL = "thumbnail.png"


def front(kind: str) -> str:
    """The front matter of a kind of Space."""
    return (ROOT / "deploy" / f"{kind}.yaml").read_text()


def with_thumbnail(front_matter: str, name: str) -> str:
    """The front matter with the address of the Space's thumbnail."""
    address = f"{HERE.format(name=name)}/resolve/main/{THUMBNAIL}"
    return front_matter.replace("\nlicense:", f"\nthumbnail: {address}\nlicense:", 1)


def requirements() -> str:
    """The pinned requirements, with PyTorch in the versions that ZeroGPU supports, and the `spaces` package."""
    pinned = "".join((ROOT / f"requirements{part}.txt").read_text() for part in ("", "-torch"))
    return re.sub(r"^torch==.*$", "torch>=2.8,<2.12", pinned, flags=re.M) + (ROOT / "deploy" / "zero.txt").read_text()


def static(name: str) -> str:
    """The standalone player with the recorded runs of the first view."""
    from unmask.ui.player import RUNS, player

    heads = [(ROOT / "assets" / "traces" / f"first.{side}.trace.jsonl").read_text() for side in ("diffusion", "twin")]
    runs = json.dumps(heads).replace("<", "\\u003c")  # so that no text can close the script element
    page = player().replace(f'id="runs">{RUNS}<', f'id="runs">{runs}<')
    link = (
        f'<p class="live"><a href="{HERE.format(name=name)}">Open the live app</a>: it may take a minute to wake.</p>'
    )
    return page.replace("<unmask-stage", f"{link}\n<unmask-stage", 1)


def write(kind: str, folder: Path, name: str = "USER/unmask") -> None:
    """Write the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # in its own process: Playwright's sync API cannot share one with an event loop
    drawn = subprocess.run([sys.executable, ROOT / "scripts" / "thumbnail.py", folder / THUMBNAIL], capture_output=True)
    if drawn.returncode:
        print("There is no Chromium here, so the Space gets no thumbnail.", file=sys.stderr)
    head = front(kind) if drawn.returncode else with_thumbnail(front(kind), name)
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
