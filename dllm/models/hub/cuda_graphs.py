"""CUDA graphs: the forward of a window of cells is captured once, at fixed addresses, and then replayed.

Launching kernels limits a large model's pass: 32 layers launch over a thousand. Without a GPU the same buffers are
filled and the forward is called directly, so that everything but the capture can be tested on a CPU."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, Any

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import to_device
from unmask.models.hub.network import Network
from unmask.models.hub.prefix_cache import crop_cache

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 4  # captured shapes: each holds the keys and values of a canvas
ROOM = 256  # cells by which the buffer for a text grows; texts that fit the same buffer share a captured graph
WARM = 3  # forwards before the capture, in which kernels are chosen and memory is allocated


class CapturedForward:
    """The captured forward of one shape: `width` cells, whose keys and values are written after those in `past`."""

    def __init__(self, network: Network, past: Any, width: int, attention_mask: Tensor | None = None) -> None:
        import torch

        self.network, self.past, self.attention_mask = network, past, attention_mask
        self.ids = torch.zeros(1, width, dtype=torch.int64, device=network.device)
        self.positions, self.rows = torch.zeros_like(self.ids), torch.arange(width, device=network.device)
        self.source: Any = None  # which text or cache the buffers were filled from
        self.again = capture_graph(self._forward, network.device)

    def _forward(self) -> Any:
        return self.network.logits(self.ids, self.rows, self.positions, self.attention_mask, self.past)[0]

    def read(self, ids: Ints, where: Ints, rows: Ints) -> Tensor:
        """Logits of some rows of the window, copied: the next forward overwrites the window's output."""
        import torch

        with torch.inference_mode():
            words, places, wanted = to_device(self.network.device, ids, where, rows)
            self.ids.copy_(words[None], non_blocking=True)
            self.positions.copy_(places[None], non_blocking=True)
            return self.again()[wanted]


class CapturedForwards:
    """A cache of the last few captured shapes."""

    def __init__(self, network: Network) -> None:
        self.network, self.kept = network, OrderedDict[Hashable, CapturedForward]()

    def shaped(self, shape: Hashable, make: Callable[[], CapturedForward]) -> CapturedForward:
        """The captured forward of a shape, made if it is new."""
        if shape not in self.kept:
            while len(self.kept) >= KEPT:
                self.kept.popitem(last=False)
            self.kept[shape] = make()
        self.kept.move_to_end(shape)
        return self.kept[shape]


class CapturedBetween(CapturedForwards):
    """Captured forwards of a window, with cached keys and values of the cells around it."""

    def read(self, ids: Ints, where: Ints, rows: Ints, past: Any) -> Tensor:
        """Logits of these rows of a window with these ids at these positions."""
        import torch

        def made() -> CapturedForward:
            layers = [overwritable_layer(x.keys.clone(), x.values.clone(), x.fixed) for x in past.layers]
            return CapturedForward(self.network, cache_with_layers(past, layers), len(ids))

        with torch.inference_mode():  # tensors made in inference mode can be written only in it
            window = self.shaped((len(ids), past.get_seq_length()), made)
            if window.source is None or window.source() is not past:
                for target, source in zip(window.past.layers, past.layers, strict=True):
                    target.keys.copy_(source.keys)
                    target.values.copy_(source.values)
                window.source = weakref.ref(past)
        return window.read(ids, where, rows)


class CapturedBehind(CapturedForwards):
    """Captured forwards of a block after a text of any length: the unused part of the text's buffer is masked."""

    def behind(self, text: Ints, past: Any, width: int) -> CapturedForward:
        """The captured forward of `width` cells after a text whose keys and values are in `past`."""
        import torch

        room = -(-len(text) // ROOM) * ROOM

        def made() -> CapturedForward:
            layers = [
                overwritable_layer(_zeros_like(x.keys, room + width), _zeros_like(x.values, room + width), room)
                for x in past.layers
            ]
            attention_mask = torch.zeros(1, width, room + width, dtype=torch.bool, device=self.network.device)
            attention_mask[..., room:] = True
            return CapturedForward(self.network, cache_with_layers(past, layers), width, attention_mask)

        with torch.inference_mode():  # tensors made in inference mode can be written only in it
            window = self.shaped((width, room), made)
            if window.source != (name := text.tobytes()):
                for target, source in zip(window.past.layers, past.layers, strict=True):
                    target.keys[..., : len(text), :], target.values[..., : len(text), :] = source.keys, source.values
                assert window.attention_mask is not None  # it was made so
                window.attention_mask[..., : len(text)], window.attention_mask[..., len(text) : room] = True, False
                window.source = name
        return window


def _zeros_like(x: Tensor, cells: int) -> Tensor:
    """A buffer for so many cells, of zeros, since masked values must still be finite."""
    return x.new_zeros(*x.shape[:-2], cells, x.shape[-1])


def cache_with_layers(past: Any, layers: list[Any]) -> Any:
    """A cache of the same kind that holds these layers."""
    made = crop_cache(past, past.get_seq_length())
    made.layers = layers
    return made


def overwritable_layer(keys: Tensor, values: Tensor, fixed: int) -> Any:
    """A cache layer for transformers whose cells after the first `fixed` are overwritten in place at each pass."""
    layer = _overwritable_layer()()
    layer.keys, layer.values, layer.fixed, layer.is_initialized = keys, values, fixed, True
    return layer


@cache
def _overwritable_layer() -> type:
    from transformers.cache_utils import DynamicLayer

    class Overwritable(DynamicLayer):  # type: ignore[misc, unused-ignore]
        fixed = 0

        def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
            self.keys[..., self.fixed :, :] = key_states
            self.values[..., self.fixed :, :] = value_states
            return self.keys, self.values

        def get_seq_length(self) -> int:
            return int(self.fixed)

    return Overwritable


def capture_graph(work: Callable[[], Tensor], device: Any) -> Callable[[], Tensor]:
    """Captures `work` as a CUDA graph; each call of the returned function replays it into the same output tensor."""
    import torch

    if device.type != "cuda":
        answer = work()
        return lambda: answer.copy_(work())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.device(device):  # it may not be the default device
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM):
                work()
        torch.cuda.current_stream().wait_stream(aside)
        try:
            # another thread may load a model meanwhile
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                answer = work()
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:  # torch's message names a kernel and does not help the user
            raise InvalidRequest(
                "this model's forward cannot be captured as a CUDA graph here: load it without graphs=yes"
            ) from error

    def again() -> Tensor:
        graph.replay()
        return answer

    return again


def can_capture(experts: bool, device: str, number: str) -> bool:
    """Whether a forward launches the same kernels each time. A mixture of experts does so only with torch's grouped
    matmul, which needs bf16 and compute capability 9 (H100) or later; otherwise it loops over the chosen experts."""
    import torch

    if not experts or not device.startswith("cuda"):
        return True
    return number == "bf16" and torch.cuda.get_device_capability(device) >= (9, 0)
