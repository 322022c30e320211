"""What can think: families, each a file beside this one, and how a model is found by its name."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.errors import Refused
from unmask.models.family import Checkpoint, Family, about, family, names
from unmask.models.interface import Denoiser, Finish, Model, Thought


def load(name: str, **wishes: Any) -> Denoiser:
    """A model by name: one of `offers()`, a hub id (`ORG/NAME`), a folder, or either as a family (`dream:FOLDER`)."""
    return read(name, **wishes)()


def read(name: str, **wishes: Any) -> Finish:
    """All of opening that needs no device: find, download, read, convert. What is returned does the rest.

    `watch` hears how far a download is, and may end it by raising; `room` hears how many bytes will be needed."""
    kind, _, what = name.partition(":")
    for candidate in names():
        made = family(candidate)
        if made.read and kind in made.offers:
            return made.read(kind, what, **wishes)
    if understands(name):
        from unmask.models.hub import read as from_hub

        forced = kind if what and kind in names() else ""
        return from_hub(forced, what if forced else name, **wishes)
    raise Refused(f"no model '{name}'; there are {', '.join(offers())}, a folder, or a hub id such as ORG/NAME")


def understands(name: str) -> bool:
    """Whether `load` has somewhere to look for a name: bare, an id, a folder, or one of these as a family."""
    kind, _, what = name.partition(":")
    return kind in offers() or bool(what and kind in names()) or "/" in name or Path(name).is_dir()


def offers() -> list[str]:
    """Every model that opens by its bare name."""
    return sorted(offer for name in names() for offer in family(name).offers)


def everything(canvas: Canvas) -> Thought:
    """The plain thought: the whole canvas, every open row."""
    return Thought(
        canvas.tokens, canvas.open, np.flatnonzero(canvas.open), np.arange(len(canvas)), origin=canvas.origin
    )
