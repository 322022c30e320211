"""Provenance of a run: the versions of software, besides the model, that its tokens may depend on; kept in traces."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def provenance() -> dict[str, str]:
    """Platform and library versions, without importing the libraries."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}".strip()}
    for name in ("torch", "numpy", "transformers"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
