"""Watch and steer a diffusion language model denoise.

    import unmask
    run = unmask.decode("Story: Tom had a red kite.")
    print(run.text, run.passes)

`decode` runs a prompt or a `RunSpec`, `load` opens a model, a `Run` has the text and the `Timeline`. Importing needs no
page, no server and no network; the names are imported at their first use."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unmask.front import Run, decode, load
    from unmask.run.spec import RunSpec
    from unmask.run.timeline import Timeline

__all__ = ["Run", "RunSpec", "Timeline", "decode", "load"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from unmask import front

        return getattr(front, name)
    if name in (offered := _offered()):
        return getattr(import_module(f"unmask.features.{offered[name]}.front"), name)
    raise AttributeError(f"module 'unmask' has no attribute '{name}'")


@cache
def _offered() -> dict[str, str]:
    """What features offer to Python, with their folders: the names in `__all__` of the file `front.py` of a folder."""
    listed = re.compile(r"^__all__ = (\[.*\])$", re.MULTILINE)
    files = sorted((Path(__file__).parent / "features").glob("*/front.py"))
    found = ((file.parent.name, listed.search(file.read_text("utf-8"))) for file in files)
    return {name: folder for folder, names in found if names for name in json.loads(names[1])}


def __dir__() -> list[str]:
    return [*__all__, *_offered(), "__doc__"]


if __name__ == "dllm":  # the folder's name in a checkout: the same modules under their real name
    from unmask.alias import answer_to

    answer_to("dllm")
