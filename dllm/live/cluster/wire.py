"""What goes between a session and the lane that thinks for it, as bytes. A model goes by its name."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from ray import cloudpickle

from unmask.models import Denoiser, ModelInfo, ModelInput


class DenoiserStub(Denoiser):
    """Enough of a model to open a canvas, to show a run and to keep it; its lanes open it by its name."""

    def __init__(self, name: str, model: ModelInfo, reflects: bool) -> None:
        self.name, self.card, self.tokenizer, self.has_carry = name, model.card, model.tokenizer, reflects

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        raise TypeError(f"'{self.name}' thinks on its lanes, not here")


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.models: dict[str, None] = {}

    def persistent_id(self, thing: Any) -> str | None:
        if not isinstance(thing, DenoiserStub):
            return None
        self.models[thing.name] = None
        return thing.name


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, models: Mapping[str, Denoiser]) -> None:
        super().__init__(file)
        self.models = models

    def persistent_load(self, name: str) -> Denoiser:
        return self.models[name]


def pickle_refs(thing: Any) -> tuple[bytes, tuple[str, ...]]:
    """Anything as bytes, functions too, and the names of the models in it."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(thing)
    return file.getvalue(), tuple(pickler.models)


def unpickle_refs(data: bytes, models: Mapping[str, Denoiser]) -> Any:
    """The same again, with the real models where their names stood. Only for bytes of the cluster's own."""
    return _Unpickler(io.BytesIO(data), models).load()
