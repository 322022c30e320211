"""Writes the lists of dependencies from pyproject.toml: `python -m scripts.lock`, or `--check` to compare.

constraints.txt has every version that the tests run with, requirements*.txt what each way of running needs, and
requirements.lock the hashes for the Docker image. A version changes where `--upgrade NAME` says so; the others stay."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
LOCK = ROOT / "requirements.lock"
LISTS = {
    "requirements.txt": (
        "What the app needs to run, from pyproject.toml: python -m scripts.lock.",
        ("", "app", "hub"),
    ),
    "requirements-torch.txt": (
        "What models need that run on PyTorch, beside requirements.txt. On a machine without an NVIDIA GPU,\n"
        "# scripts/setup.sh asks for PyTorch's small CPU build first.",
        ("torch",),
    ),
    "requirements-extra.txt": (
        "For large models: one model spread over several GPUs (?device=auto), and weights read straight onto a GPU.",
        ("large",),
    ),
    "requirements-cluster.txt": ("What passes on other machines need beside requirements.txt.", ("cluster",)),
    "requirements-dev.txt": (
        "What testing, checking, training and its plots need beside requirements.txt and requirements-torch.txt.",
        ("cluster", "dev"),
    ),
    "requirements-clients.txt": (
        "Other people's clients and test suites: scripts/clients.sh gives each an environment of its own under\n"
        "# build/clients, since they do not agree on what they need.",
        ("clients",),
    ),
}


def declared(project: Mapping[str, object] | None = None) -> dict[str, list[str]]:
    """The dependencies of each extra and group; those of the package itself under an empty name."""
    if project is None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    package: dict[str, object] = project["project"]  # type: ignore[assignment]
    groups: dict[str, list[str]] = project["dependency-groups"]  # type: ignore[assignment]
    extras: dict[str, list[str]] = package["optional-dependencies"]  # type: ignore[assignment]
    return {"": list(package["dependencies"]), **extras, **groups}  # type: ignore[call-overload]


def name_of(requirement: str) -> str:
    """A requirement without its versions and extras, spelled as package indexes do."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=~! ]", requirement, maxsplit=1)[0]).lower()


def pins(text: str) -> dict[str, str]:
    """The version of each package in a list."""
    rows = (line.split(" ")[0].split("==") for line in text.splitlines() if "==" in line and not line.startswith("#"))
    return {name_of(row[0]): row[1] for row in rows}


def listed(about: str, requirements: Iterable[str], versions: Mapping[str, str]) -> str:
    """A requirements file: each with its version."""
    rows = set()
    for one in requirements:
        name = re.split(r"[<>=~!]", one, maxsplit=1)[0]
        rows.add(one if "==" in one else f"{name}=={versions[name_of(one)]}")
    return f"# {about}\n" + "\n".join(sorted(rows, key=str.lower)) + "\n"


def lists(versions: Mapping[str, str]) -> dict[str, str]:
    """Every requirements file with its text."""
    parts = declared()
    return {
        file: listed(about, (one for part in names for one in parts[part]), versions)
        for file, (about, names) in LISTS.items()
    }


def compiled(source: str, *options: str) -> str:
    """What uv resolves a list to, for the platform of the Docker image."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", source]
    fixed = ["--no-emit-index-url", "--no-emit-find-links", "--python-version", "3.11"]
    platform = ["--python-platform", "x86_64-unknown-linux-gnu"]
    return subprocess.run(
        [*command, *fixed, *platform, *options], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a list differs")
    parser.add_argument("--upgrade", action="append", default=[], metavar="NAME", help="take its newest version")
    options = parser.parse_args()
    if options.check:
        wrong = [
            file for file, text in lists(pins(CONSTRAINTS.read_text())).items() if (ROOT / file).read_text() != text
        ]
        sys.exit(f"not as pyproject.toml says: {', '.join(wrong)}; run python -m scripts.lock" if wrong else 0)
    upgrades = [word for name in options.upgrade for word in ("--upgrade-package", name)]
    known = ["--constraint", str(CONSTRAINTS)] if CONSTRAINTS.exists() and not upgrades else []
    every = compiled("pyproject.toml", "--all-extras", *known, *upgrades)
    kept = [line for line in every.splitlines() if not re.match(r"(nvidia|cuda)", line)]
    about = "# Every version that the tests run with, for pip install -c; from pyproject.toml: python -m scripts.lock\n"
    CONSTRAINTS.write_text(about + "\n".join(kept) + "\n")
    for file, text in lists(pins(CONSTRAINTS.read_text())).items():
        (ROOT / file).write_text(text)
    hashed = compiled("requirements.txt", "--generate-hashes", "--constraint", str(CONSTRAINTS))
    LOCK.write_text(hashed.strip() + "\n")


if __name__ == "__main__":
    main()
