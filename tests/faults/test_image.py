"""The image is made of what was pinned, and runs as somebody who owns nothing in it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()


def lines(word: str) -> list[str]:
    return [line.removeprefix(word).strip() for line in LINES if line.startswith(word + " ")]


def test_the_base_is_named_by_its_digest() -> None:
    """It was named by its tag, so each build could be of something else."""
    (base,) = lines("FROM")
    assert re.fullmatch(r"python:3\.11-slim@sha256:[0-9a-f]{64}", base)


def test_every_package_is_named_by_its_hash() -> None:
    installs = [part for line in lines("RUN") for part in line.split("&&") if "pip install" in part]
    assert installs == ["pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock"]
    lock = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    names = [line for line in lock.splitlines() if re.match(r"\w", line)]
    assert len(names) > 50 and all("==" in name and "--hash=sha256:" in name for name in names)


def test_the_image_has_no_pytorch() -> None:
    """It weighed 880 MB more than what a model on a processor needs."""
    names = {line.partition("==")[0] for line in (ROOT / "requirements.lock").read_text().splitlines()}
    assert not names & {"torch", "transformers"} and {"tokenizers", "onnxruntime", "jinja2", "huggingface-hub"} <= names


def test_it_runs_as_user_1000_who_cannot_change_the_code() -> None:
    assert lines("USER") == ["1000"] and lines("COPY")[-1] == ". ." and "chown" not in "".join(LINES)
    assert LINES.index("COPY . .") < LINES.index("USER 1000")
