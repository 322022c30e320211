"""A device that is lent by the call, as ZeroGPU lends it: what thinks runs in the loan's worker, all else stays here.

The worker is forked at a call, so it finds the models that were open then; states and beliefs travel there and back. It
keeps nothing that matters: caches and recalled distributions are derived data, and the next worker makes them again."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from dllm.belief import Belief
from dllm.models import Denoiser, load
from dllm.run.state import State
from dllm.think import Recall, think

SECONDS = 20  # that a call asks for; a pass takes far less, and who asks for less waits less

_models: dict[str, Denoiser] = {}  # by name, as a worker finds them


def opened(names: Iterable[str]) -> dict[str, Denoiser]:
    """The models that are thought with, opened before the first loan; and the door that the loan comes through."""
    _models.update({name: load(name) for name in names})
    _door()
    return dict(_models)


def borrowed(
    denoiser: Denoiser, states: Sequence[State], watched: Sequence[bool], recalls: Sequence[Recall]
) -> list[Belief]:
    """`think`, on the loan. What was recalled stays behind, and is thought again where a policy asks for it."""
    name = next(name for name, model in _models.items() if model is denoiser)
    beliefs: list[Belief] = pickle.loads(_door()(name, pickle.dumps(list(states)), list(watched)))  # nosec B301: its own worker
    return beliefs


def thought(name: str, states: bytes, watched: list[bool]) -> bytes:
    """In the worker: the same states, the same beliefs, wherever it is. Nothing that is sent lies on the device."""
    return pickle.dumps(_fetched(think(_models[name], pickle.loads(states), watched)))  # nosec B301: from its own page


@cache
def _door() -> Any:
    import spaces

    return spaces.GPU(duration=SECONDS)(thought)


def _fetched(beliefs: list[Belief]) -> list[Belief]:
    """A carry is of the model's own kind; its tensors come along from the device."""

    def here(carry: Any) -> Any:
        if not is_dataclass(carry) or isinstance(carry, type):
            return carry
        moved = {f.name: getattr(carry, f.name) for f in fields(carry)}
        return replace(carry, **{k: v.cpu() for k, v in moved.items() if hasattr(v, "cpu")})

    return [replace(belief, carry=here(belief.carry)) for belief in beliefs]
