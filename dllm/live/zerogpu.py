"""A device that is lent by the call, as ZeroGPU lends it: what thinks runs in the loan's worker, all else stays here.

The worker is forked at a call, so it finds the models that were open then; states and beliefs travel there and back. It
keeps nothing that matters: caches and recalled distributions are derived data, and the next worker makes them again."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, TypeVar

from unmask.belief import Belief
from unmask.errors import InvalidRequest
from unmask.inference import DistributionCache, infer
from unmask.models import Denoiser, load
from unmask.run.state import State

T = TypeVar("T")
SECONDS = 20  # that a call asks for; a pass takes far less, and who asks for less waits less

_models: dict[str, Denoiser] = {}  # by name, as a worker finds them


def load_models(names: Iterable[str]) -> dict[str, Denoiser]:
    """The models that are thought with, opened before the first loan; and the door that the loan comes through."""
    _models.update({name: load(name) for name in names})
    _gpu_call()
    return dict(_models)


def infer_on_gpu(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool],
    distribution_caches: Sequence[DistributionCache],
) -> list[Belief]:
    """`infer`, on the loan. What was recalled stays behind, and is thought again where a policy asks for it."""
    return run_on_gpu(partial(infer, denoiser, list(states), list(watched)))


def run_on_gpu(work: Callable[[], T]) -> T:
    """Some work, on the loan where it asks a model: a `partial` of a function that has a name, with the model in it.

    Anything else cannot travel, and is done here: opening a model, or timing a layer."""
    if not isinstance(work, partial) or not _uses_model(work):
        return work()
    answer, error = pickle.loads(_gpu_call()(_pickle(work)))  # nosec B301: its own worker
    if error is not None:
        raise error
    return answer  # type: ignore[no-any-return]


def run_in_worker(work: bytes) -> bytes:
    """In the worker: the same states, the same beliefs, wherever it is. An error is a value: a door would word it."""
    try:
        return _pickle((_WorkerUnpickler(io.BytesIO(work)).load()(), None))
    except (InvalidRequest, RuntimeError, MemoryError) as error:
        return _pickle((None, error))


@cache
def _gpu_call() -> Any:
    import spaces

    return spaces.GPU(duration=SECONDS)(run_in_worker)


def _uses_model(work: Any) -> bool:
    """Whether a lent model is in it; a piece of work may be wrapped in another, as one that is timed."""
    if isinstance(work, partial):
        return any(_uses_model(part) for part in (*work.args, *work.keywords.values()))
    return _name(work) is not None


def _name(thing: Any) -> str | None:
    return next((name for name, model in _models.items() if model is thing), None)


def _pickle(thing: Any) -> bytes:
    file = io.BytesIO()
    _WorkerPickler(file, pickle.HIGHEST_PROTOCOL).dump(thing)
    return file.getvalue()


class _WorkerPickler(pickle.Pickler):
    """A model goes by its name, and nothing that travels lies on the device."""

    def persistent_id(self, thing: Any) -> str | None:
        return _name(thing) if isinstance(thing, Denoiser) else None

    def reducer_override(self, thing: Any) -> Any:
        if not hasattr(thing, "requires_grad"):  # of all that travels, only a tensor says so
            return NotImplemented
        return thing.cpu().__reduce_ex__(pickle.HIGHEST_PROTOCOL)


class _WorkerUnpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> Denoiser:
        return _models[name]
