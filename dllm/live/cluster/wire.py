"""Pickles requests and answers between sessions and replicas; a model is pickled as its name."""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from ray import cloudpickle

from unmask.models import Denoiser, ModelInfo, ModelInput


class DenoiserStub(Denoiser):
    """A model without weights: enough to open a canvas, show a run and store it. Replicas open the model by name."""

    def __init__(self, name: str, model: ModelInfo, has_carry: bool) -> None:
        self.name, self.card, self.tokenizer, self.has_carry = name, model.card, model.tokenizer, has_carry

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        raise TypeError(f"'{self.name}' runs on its replicas, not in this process")


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
    """Any value as bytes, functions too, and the names of the models in it."""
    file = io.BytesIO()
    pickler = _Pickler(file)
    pickler.dump(thing)
    return file.getvalue(), tuple(pickler.models)


def unpickle_refs(data: bytes, models: Mapping[str, Denoiser]) -> Any:
    """The value from such bytes, with the models in place of their names. Only for bytes from the cluster itself."""
    return _Unpickler(io.BytesIO(data), models).load()
