"""Weights in eight or four bits, packed as they are read from the file, experts too; products in half precision.

Eight bits: a scale for each row. Four: a scale and a least value for each group of neighbours in a row. Embeddings, the
head and what chooses among experts stay as they are: they are few, and their errors are seen at once."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers.quantizers.base import HfQuantizer

METHOD = "unmask-packed"
GROUPS = (64, 32, 16, 8)  # neighbours that share a scale in four bits: the largest that fills a row
EXPERTS = ("gate_up_proj", "down_proj")  # as transformers names the weights of all experts of a layer
_WHOLE = re.compile(r"(^|\.)(router|gate|lm_head|embed\w*)(\.|$)")


class QuantizedWeight(nn.Module):
    """A weight `[..., rows, columns]` in fewer bits; `packed[i]` is the i-th matrix of many, in half precision."""

    numbers: Tensor
    scale: Tensor
    least: Tensor | None

    def __init__(self, weight: Tensor, bits: int) -> None:
        super().__init__()
        self.dtype, self.shape = weight.dtype, tuple(weight.shape)
        matrices = weight.reshape(
            -1, *weight.shape[-2:]
        )  # one at a time: in float32 they all would be four times as much
        parts = [_eight(one) if bits == 8 else _four(one) for one in matrices]
        columns = [
            torch.stack(column).reshape(*weight.shape[:-2], *column[0].shape) for column in zip(*parts, strict=True)
        ]
        self.register_buffer("numbers", columns[0])
        self.register_buffer("scale", columns[1])
        self.register_buffer("least", columns[2] if bits == 4 else None)

    def plain(self, at: Any = ...) -> Tensor:
        """The matrix, or those at this place."""
        numbers, scale = self.numbers[at], self.scale[at]
        if self.least is None:
            return numbers.to(self.dtype) * scale
        groups = torch.stack([numbers & 15, numbers >> 4], -1).flatten(-2)  # two neighbours lie in a byte
        return (groups.to(self.dtype) * scale[..., None] + self.least[at][..., None]).flatten(-2)

    def __getitem__(self, at: Any) -> Tensor:
        return self.plain(at)


class Linear(nn.Module):
    """A linear layer whose weight is packed."""

    def __init__(self, weight: QuantizedWeight, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight.plain(), self.bias)


def _eight(matrix: Tensor) -> tuple[Tensor, Tensor]:
    x = matrix.float()
    scale = (x.abs().amax(-1, keepdim=True) / 127).clamp_(min=1e-12).to(matrix.dtype)
    return (x / scale.float()).round_().clamp_(-127, 127).to(torch.int8), scale


def _four(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    size = next(g for g in GROUPS if matrix.shape[-1] % g == 0)
    x = matrix.float().unflatten(-1, (-1, size))
    least = x.amin(-1).to(matrix.dtype)
    scale = ((x.amax(-1) - least.float()) / 15).clamp_(min=1e-12).to(matrix.dtype)
    numbers = ((x - least.float()[..., None]) / scale.float()[..., None]).round_().clamp_(0, 15).to(torch.uint8)
    pairs = numbers.unflatten(-1, (-1, 2))
    return pairs[..., 0] | pairs[..., 1] << 4, scale, least


@cache
def quantizer() -> type[HfQuantizer]:
    """transformers' hook for weights on their way from the file into the network, in its own terms."""
    from transformers.core_model_loading import ConversionOps
    from transformers.quantizers import base
    from transformers.quantizers.auto import register_quantization_config, register_quantizer
    from transformers.utils.quantization_config import QuantizationConfigMixin

    class Pack(ConversionOps):  # type: ignore[misc, unused-ignore]
        """Puts packed weights where plain ones were to be."""

        def __init__(self, bits: int) -> None:
            self.bits = bits

        def convert(self, input_dict: Any, model: Any = None, missing_keys: Any = None, **_: Any) -> dict[str, Tensor]:
            left = {}
            for name, value in input_dict.items():
                weight = value[0] if isinstance(value, list) else value
                tied = model.all_tied_weights_keys
                places = [name, *(t for t, s in tied.items() if s == name), *(s for t, s in tied.items() if t == name)]
                packed = None
                for place in places:  # weights that two modules share are packed once
                    if _there(model, place):
                        continue
                    if not _holds(model, place):
                        left[name] = value
                        break
                    packed = packed or QuantizedWeight(weight, self.bits)
                    _put(model, place, packed)
                    tied.pop(place, None)
                    if missing_keys is not None:
                        missing_keys.discard(place)
            return left

    @register_quantization_config(METHOD)
    class QuantizationConfig(QuantizationConfigMixin):  # type: ignore[misc, unused-ignore]
        def __init__(self, bits: int = 8, **_: Any) -> None:
            self.quant_method, self.bits = METHOD, bits

    @register_quantizer(METHOD)
    class Quantizer(base.HfQuantizer):  # type: ignore[misc, unused-ignore]
        """Weights of linear layers and of experts, one after another."""

        is_trainable = False
        settings = QuantizationConfig

        @property
        def quantized_element_size(self) -> float:
            return float(self.quantization_config.bits) / 8

        def param_needs_quantization(self, model: Any, param_name: str, **_: Any) -> bool:
            return _there(model, param_name) or _holds(model, param_name)

        def is_serializable(self) -> bool:
            return False

        def get_quantize_ops(self) -> Any:
            return Pack(self.quantization_config.bits)

    return Quantizer


def _holds(model: Any, name: str) -> bool:
    """Whether the weight of this name is one to pack."""
    path, _, own = name.rpartition(".")
    module = model.get_submodule(path)
    weight = module._parameters.get(own)
    if weight is None or weight.shape[-1] % GROUPS[-1] or _WHOLE.search(path):
        return False
    return (isinstance(module, nn.Linear) and own == "weight") or (weight.dim() == 3 and own in EXPERTS)


def _there(model: Any, name: str) -> bool:
    """Whether it is packed already."""
    path, _, own = name.rpartition(".")
    return isinstance(getattr(model.get_submodule(path), own, None), QuantizedWeight)


def _put(model: Any, name: str, packed: QuantizedWeight) -> None:
    path, _, own = name.rpartition(".")
    module = model.get_submodule(path)
    if isinstance(module, nn.Linear):
        above, _, last = path.rpartition(".")
        module = Linear(packed, module.bias)  # a bias that is still to come arrives under the same name
        setattr(model.get_submodule(above), last, module)
    else:
        del module._parameters[own]
        setattr(module, own, packed)
    for done in (module, packed):  # or they would be filled with random numbers
        done._is_hf_initialized = True
