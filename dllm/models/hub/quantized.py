"""Weight-only quantization to 8 or 4 bits while loading, experts included; matmuls run in half precision.

8 bits: one scale a row. 4 bits: a scale and a minimum for each group of neighbours in a row. Embeddings, the output
head and expert routers stay unquantized: they are small, and errors in them do the most harm."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers.quantizers.base import HfQuantizer

METHOD = "unmask-packed"
GROUPS = (64, 32, 16, 8)  # group sizes in 4 bits: the largest that divides a row
EXPERTS = ("gate_up_proj", "down_proj")  # transformers' names for the fused weights of a layer's experts
_UNQUANTIZED = re.compile(r"(^|\.)(router|gate|lm_head|embed\w*)(\.|$)")


class QuantizedWeight(nn.Module):
    """A quantized weight `[..., rows, columns]`; indexing it dequantizes one matrix of many."""

    numbers: Tensor
    scale: Tensor
    minimum: Tensor | None

    def __init__(self, weight: Tensor, bits: int) -> None:
        super().__init__()
        self.dtype, self.shape = weight.dtype, tuple(weight.shape)
        # one at a time: in float32 they all would be four times as much
        matrices = weight.reshape(-1, *weight.shape[-2:])
        parts = [_to_int8(one) if bits == 8 else _to_int4(one) for one in matrices]
        columns = [
            torch.stack(column).reshape(*weight.shape[:-2], *column[0].shape) for column in zip(*parts, strict=True)
        ]
        self.register_buffer("numbers", columns[0])
        self.register_buffer("scale", columns[1])
        self.register_buffer("minimum", columns[2] if bits == 4 else None)

    def dequantize(self, at: Any = ...) -> Tensor:
        """Dequantizes the matrix, or those at an index."""
        numbers, scale = self.numbers[at], self.scale[at]
        if self.minimum is None:
            return numbers.to(self.dtype) * scale
        groups = torch.stack([numbers & 15, numbers >> 4], -1).flatten(-2)  # two values a byte
        return (groups.to(self.dtype) * scale[..., None] + self.minimum[at][..., None]).flatten(-2)

    def __getitem__(self, at: Any) -> Tensor:
        return self.dequantize(at)


class Linear(nn.Module):
    """A linear layer with a quantized weight."""

    def __init__(self, weight: QuantizedWeight, bias: Tensor | None) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight.dequantize(), self.bias)


def _to_int8(matrix: Tensor) -> tuple[Tensor, Tensor]:
    x = matrix.float()
    scale = (x.abs().amax(-1, keepdim=True) / 127).clamp_(min=1e-12).to(matrix.dtype)
    return (x / scale.float()).round_().clamp_(-127, 127).to(torch.int8), scale


def _to_int4(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    size = next(g for g in GROUPS if matrix.shape[-1] % g == 0)
    x = matrix.float().unflatten(-1, (-1, size))
    minimum = x.amin(-1).to(matrix.dtype)
    scale = ((x.amax(-1) - minimum.float()) / 15).clamp_(min=1e-12).to(matrix.dtype)
    numbers = ((x - minimum.float()[..., None]) / scale.float()[..., None]).round_().clamp_(0, 15).to(torch.uint8)
    pairs = numbers.unflatten(-1, (-1, 2))
    return pairs[..., 0] | pairs[..., 1] << 4, scale, minimum


@cache
def quantizer() -> type[HfQuantizer]:
    """The quantizer class, registered with transformers, which calls it for each weight that is loaded."""
    from transformers.core_model_loading import ConversionOps
    from transformers.quantizers import base
    from transformers.quantizers.auto import register_quantization_config, register_quantizer
    from transformers.utils.quantization_config import QuantizationConfigMixin

    class Pack(ConversionOps):  # type: ignore[misc, unused-ignore]
        """Replaces weights by quantized ones."""

        def __init__(self, bits: int) -> None:
            self.bits = bits

        def convert(self, input_dict: Any, model: Any = None, missing_keys: Any = None, **_: Any) -> dict[str, Tensor]:
            unchanged = {}
            for name, value in input_dict.items():
                weight = value[0] if isinstance(value, list) else value
                tied = model.all_tied_weights_keys
                places = [name, *(t for t, s in tied.items() if s == name), *(s for t, s in tied.items() if t == name)]
                packed = None
                for place in places:  # tied weights are quantized once
                    if _is_quantized(model, place):
                        continue
                    if not _should_quantize(model, place):
                        unchanged[name] = value
                        break
                    packed = packed or QuantizedWeight(weight, self.bits)
                    _replace(model, place, packed)
                    tied.pop(place, None)
                    if missing_keys is not None:
                        missing_keys.discard(place)
            return unchanged

    @register_quantization_config(METHOD)
    class QuantizationConfig(QuantizationConfigMixin):  # type: ignore[misc, unused-ignore]
        def __init__(self, bits: int = 8, **_: Any) -> None:
            self.quant_method, self.bits = METHOD, bits

    @register_quantizer(METHOD)
    class Quantizer(base.HfQuantizer):  # type: ignore[misc, unused-ignore]
        """Quantizes the weights of linear layers and experts."""

        is_trainable = False
        settings = QuantizationConfig

        @property
        def quantized_element_size(self) -> float:
            return float(self.quantization_config.bits) / 8

        def param_needs_quantization(self, model: Any, param_name: str, **_: Any) -> bool:
            return _is_quantized(model, param_name) or _should_quantize(model, param_name)

        def is_serializable(self) -> bool:
            return False

        def get_quantize_ops(self) -> Any:
            return Pack(self.quantization_config.bits)

    return Quantizer


def _should_quantize(model: Any, name: str) -> bool:
    """Whether the weight of this name should be quantized."""
    path, _, own = name.rpartition(".")
    module = model.get_submodule(path)
    weight = module._parameters.get(own)
    if weight is None or weight.shape[-1] % GROUPS[-1] or _UNQUANTIZED.search(path):
        return False
    return (isinstance(module, nn.Linear) and own == "weight") or (weight.dim() == 3 and own in EXPERTS)


def _is_quantized(model: Any, name: str) -> bool:
    """Whether the weight of this name is quantized already."""
    path, _, own = name.rpartition(".")
    return isinstance(getattr(model.get_submodule(path), own, None), QuantizedWeight)


def _replace(model: Any, name: str, packed: QuantizedWeight) -> None:
    path, _, own = name.rpartition(".")
    module = model.get_submodule(path)
    if isinstance(module, nn.Linear):
        above, _, last = path.rpartition(".")
        module = Linear(packed, module.bias)  # a bias loaded later has the same name
        setattr(model.get_submodule(above), last, module)
    else:
        del module._parameters[own]
        setattr(module, own, packed)
    for done in (module, packed):  # otherwise transformers would initialise them at random
        done._is_hf_initialized = True
