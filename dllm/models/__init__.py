"""Models: one file for each family, and loading a model by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from unmask.canvas import Canvas
from unmask.config import split_words
from unmask.errors import InvalidRequest
from unmask.models.family import Checkpoint, Family, family_names, family_summary, get_family
from unmask.models.interface import Denoiser, Finish, ModelInfo, ModelInput, Table


def load(name: str, **options: Any) -> Denoiser:
    """A model by name: a built-in one, a hub id (`ORG/NAME`), a folder, or either as a family (`dream:FOLDER`)."""
    return prepare(name, **options)()


def prepare(name: str, **options: Any) -> Finish:
    """The part of loading that needs no device: find, download, read, convert. The returned function does the rest.

    `watch` is called with the download's progress, and may stop it by raising; `room` with the memory needed."""
    kind, _, what = name.partition(":")
    builtin, added = _split_options(name)
    for candidate in family_names():
        family = get_family(candidate)
        if family.prepare and builtin.partition(":")[0] in family.builtin_names:
            kind, _, what = builtin.partition(":")
            return family.prepare(kind, what, **added | options)
    if can_load(name):
        from unmask.models.hub import prepare as from_hub

        forced = kind if what and kind in family_names() else ""
        try:
            return from_hub(forced, what if forced else name, **options)
        except FileNotFoundError as error:
            raise InvalidRequest(f"files of '{name}' were deleted while it was opened: open it again") from error
    raise InvalidRequest(
        f"no model '{name}'; there are {', '.join(builtin_names())}, a folder, or a hub id such as ORG/NAME"
    )


def _split_options(name: str) -> tuple[str, dict[str, Any]]:
    """A built-in model's name, and the options after its question mark."""
    name, _, tail = name.partition("?")
    options: dict[str, Any] = dict(parse_qsl(tail))
    if "dtype" in options:
        options["number"] = options.pop("dtype")
    return name, options


def split_models(texts: Sequence[str]) -> list[str]:
    """The names in options such as `--model`, which may be separated by commas; a folder is taken as it is written."""
    return [
        name
        for text in texts
        for name in ([text] if Path(text.partition("=")[2] or text).is_dir() else split_words(text))
    ]


def with_mask(name: str, mask_id: int | None) -> str:
    """A model's name with its mask token's id among the options, if one is given."""
    return name if mask_id is None else f"{name}{'&' if '?' in name else '?'}mask_id={mask_id}"


def can_load(name: str) -> bool:
    """Whether a name has a form that `load` accepts: built-in, a hub id, a folder, or one of these with a family."""
    kind, _, what = name.partition(":")
    return (
        kind.partition("?")[0] in builtin_names()
        or bool(what and kind in family_names())
        or "/" in name
        or Path(name).is_dir()
    )


@cache
def builtin_names() -> tuple[str, ...]:
    return tuple(sorted(builtin for name in family_names() for builtin in get_family(name).builtin_names))


def full_input(canvas: Canvas) -> ModelInput:
    """The plain model input: the whole canvas, every open row."""
    return ModelInput(
        canvas.tokens, canvas.open, np.flatnonzero(canvas.open), np.arange(len(canvas)), origin=canvas.origin
    )
