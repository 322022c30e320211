"""Inference on ZeroGPU, which lends a GPU for one call: only the model runs in the call's worker process.

The worker is forked at each call, so it has the models that are open then; states and beliefs are pickled between the
two processes. It keeps nothing: caches are derived data, and the next worker computes them again."""

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
SECONDS = 20  # GPU time that a call requests; a pass takes far less, and short requests wait less

_models: dict[str, Denoiser] = {}  # by name; a forked worker has them too


def load_models(names: Iterable[str]) -> dict[str, Denoiser]:
    """Load models before the first GPU call, and register that call with ZeroGPU."""
    _models.update({name: load(name) for name in names})
    _gpu_call()
    return dict(_models)


def infer_on_gpu(
    denoiser: Denoiser,
    states: Sequence[State],
    watched: Sequence[bool],
    distribution_caches: Sequence[DistributionCache],
) -> list[Belief]:
    """`infer`, in the GPU worker. Distribution caches stay here; the worker computes again what a policy needs."""
    return run_on_gpu(partial(infer, denoiser, list(states), list(watched)))


def run_on_gpu(work: Callable[[], T]) -> T:
    """Run a job in the GPU worker if it is a `partial` of a module's function with a model among its arguments.

    Anything else cannot be pickled and runs here, such as opening a model, or timing a layer."""
    if not isinstance(work, partial) or not _uses_model(work):
        return work()
    answer, error = pickle.loads(_gpu_call()(_pickle(work)))  # nosec B301: its own worker
    if error is not None:
        raise error
    return answer  # type: ignore[no-any-return]


def run_in_worker(work: bytes) -> bytes:
    """Run a pickled job in the worker. Errors are returned as values, since ZeroGPU would replace their messages."""
    try:
        return _pickle((_WorkerUnpickler(io.BytesIO(work)).load()(), None))
    except (InvalidRequest, RuntimeError, MemoryError) as error:
        return _pickle((None, error))


@cache
def _gpu_call() -> Any:
    import spaces

    return spaces.GPU(duration=SECONDS)(run_in_worker)


def _uses_model(work: Any) -> bool:
    """Whether one of the models is among its arguments; a `partial` may wrap another, as a timed one does."""
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
    """Pickles a model as its name, and tensors on the CPU."""

    def persistent_id(self, thing: Any) -> str | None:
        return _name(thing) if isinstance(thing, Denoiser) else None

    def reducer_override(self, thing: Any) -> Any:
        if not hasattr(thing, "requires_grad"):  # only tensors have it
            return NotImplemented
        return thing.cpu().__reduce_ex__(pickle.HIGHEST_PROTOCOL)


class _WorkerUnpickler(pickle.Unpickler):
    def persistent_load(self, name: str) -> Denoiser:
        return _models[name]
