"""Watch and steer a diffusion language model denoise.

    import unmask
    run = unmask.decode("Story: Tom had a red kite.")
    print(run.text, run.passes)

`decode` runs a prompt or a `RunSpec`, `load` opens a model, a `Run` has the text and the `Timeline`. Importing needs no
page, no server and no network; the names are imported at their first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unmask.front import Run, decode, load
    from unmask.run.spec import RunSpec
    from unmask.run.timeline import Timeline

__all__ = ["Run", "RunSpec", "Timeline", "decode", "load"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'unmask' has no attribute '{name}'")
    from unmask import front

    return getattr(front, name)


def __dir__() -> list[str]:
    return [*__all__, "__doc__"]


if __name__ == "dllm":  # the folder's name in a checkout: the same modules under their real name
    from unmask.alias import answer_to

    answer_to("dllm")
