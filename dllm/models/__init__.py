"""What can think: families, each a file beside this one, and how a model is found by its name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.errors import InvalidRequest
from unmask.models.family import Checkpoint, Family, family_names, family_summary, get_family
from unmask.models.interface import Denoiser, Finish, ModelInfo, ModelInput


def load(name: str, **options: Any) -> Denoiser:
    """A model by name: a built-in one, a hub id (`ORG/NAME`), a folder, or either as a family (`dream:FOLDER`)."""
    return prepare(name, **options)()


def prepare(name: str, **options: Any) -> Finish:
    """All of opening that needs no device: find, download, read, convert. What is returned does the rest.

    `watch` hears how far a download is, and may end it by raising; `room` hears how many bytes will be needed."""
    kind, _, what = name.partition(":")
    for candidate in family_names():
        made = get_family(candidate)
        if made.prepare and kind in made.builtin_names:
            return made.prepare(kind, what, **options)
    if can_load(name):
        from unmask.models.hub import prepare as from_hub

        forced = kind if what and kind in family_names() else ""
        return from_hub(forced, what if forced else name, **options)
    raise InvalidRequest(
        f"no model '{name}'; there are {', '.join(builtin_names())}, a folder, or a hub id such as ORG/NAME"
    )


def can_load(name: str) -> bool:
    """Whether `load` has somewhere to look for a name: bare, an id, a folder, or one of these as a family."""
    kind, _, what = name.partition(":")
    return kind in builtin_names() or bool(what and kind in family_names()) or "/" in name or Path(name).is_dir()


def builtin_names() -> list[str]:
    """Every model that opens by its bare name."""
    return sorted(offer for name in family_names() for offer in get_family(name).builtin_names)


def full_input(canvas: Canvas) -> ModelInput:
    """The plain thought: the whole canvas, every open row."""
    return ModelInput(
        canvas.tokens, canvas.open, np.flatnonzero(canvas.open), np.arange(len(canvas)), origin=canvas.origin
    )
