"""Optional parts of the package: what is missing is one sentence with the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from unmask.errors import ModelError

NEEDS = {
    "app": ("gradio", "plotly", "segno", "openai", "orjson", "starlette", "uvicorn", "websockets"),
    "hub": ("huggingface_hub", "jinja2"),
    "torch": ("torch", "transformers"),
    "film": ("playwright",),
    "cluster": ("ray",),
}


def installed(extra: str) -> bool:
    """Whether all packages of an extra are here."""
    return all(find_spec(name) is not None for name in NEEDS[extra])


def require(extra: str, what: str) -> None:
    """Refuse what needs packages that are not installed."""
    if not installed(extra):
        raise ModelError(f"{what} needs more packages: pip install 'unmask[{extra}]'")
