"""What a run is made with, beside its model: all else that its tokens may depend on. A trace says it."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def provenance() -> dict[str, str]:
    """Names and versions, without importing any of them."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}".strip()}
    for name in ("torch", "numpy", "transformers"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
