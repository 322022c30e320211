"""Checks the pinned packages for known vulnerabilities: `make audit`.

It needs the network: pip-audit asks PyPI, npm asks its registry. If a check could not be made, it exits with 3."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ("requirements.lock", "requirements-torch.txt", "requirements-dev.txt", "requirements-clients.txt")
FOUND, NOTHING = 1, 3  # exit statuses


def python(file: str) -> tuple[int, list[str], str]:
    """The number of packages checked, the vulnerabilities found, and why the check failed, if it did."""
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "--requirement",
        file,
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    hashed = ["--require-hashes", "--disable-pip"] if file.endswith(".lock") else ["--no-deps", "--disable-pip"]
    done = subprocess.run([*command, *hashed, "--timeout", "20"], cwd=ROOT, capture_output=True, text=True)
    try:
        rows = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return 0, [], _error_line(done.stderr)
    rows_seen = [row for row in rows if "skip_reason" not in row]
    return (
        len(rows_seen),
        [
            f"{row['name']} {row['version']}: {vulnerability['id']}"
            for row in rows_seen
            for vulnerability in row["vulns"]
        ],
        "",
    )


def _error_line(errors: str) -> str:
    lines = [line.strip(" │") for line in errors.splitlines() if not line.startswith("npm warn")]
    found = [line for line in lines if "rror" in line or "unreachable" in line] or [line for line in lines if line]
    return (found or ["no answer; is there a network?"])[-1][:160]


def javascript() -> tuple[int, list[str], str]:
    """The same for the JavaScript tools; the page itself uses no npm package."""
    if shutil.which("npm") is None:
        return 0, [], "npm is not installed"
    done = subprocess.run(["npm", "audit", "--json"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    try:
        row = json.loads(done.stdout)
        count = row["metadata"]["dependencies"]["total"]
    except (ValueError, KeyError, TypeError):
        return 0, [], _error_line(done.stderr)
    return count, sorted(row.get("vulnerabilities", {})), ""


def report(results: dict[str, tuple[int, list[str], str]]) -> int:
    """Print the results; returns the exit status."""
    for name, (count, vulnerabilities, why) in results.items():
        print(f"{name}: {count} packages checked" if count else f"{name}: NOT checked: {why}")
        for vulnerability in vulnerabilities:
            print(f"  {vulnerability}")
    if any(vulnerabilities for _, vulnerabilities, _ in results.values()):
        return FOUND
    return NOTHING if not all(count for count, _, _ in results.values()) else 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(report({file: python(file) for file in FILES} | {"package-lock.json": javascript()}))
