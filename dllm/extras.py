"""Optional parts of the package: what is missing is one sentence with the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from unmask.errors import ModelError

NEEDS = {
    "app": ("gradio", "plotly", "segno", "openai", "orjson", "starlette", "uvicorn", "websockets"),
    "hub": ("torch", "transformers", "huggingface_hub"),
    "film": ("playwright",),
    "cluster": ("ray",),
}


def require(extra: str, what: str) -> None:
    """Refuse what needs packages that are not installed."""
    if any(find_spec(name) is None for name in NEEDS[extra]):
        raise ModelError(f"{what} needs more packages: pip install 'unmask[{extra}]'")
