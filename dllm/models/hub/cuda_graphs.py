"""A block's window, read at fixed addresses: a GPU records the kernels of its forward once and then runs them again.

The host's time is what limits a large model's pass: over a thousand kernels are launched for 32 layers. Where there is
no GPU the same buffers are filled and the forward is called, so that all but the recording is tested anywhere."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING, Any

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.hub.adapter import to_device
from unmask.models.hub.network import Network
from unmask.models.hub.prefix_cache import crop_cache

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 4  # shapes whose kernels are kept: each has keys and values of a canvas of its own
WARM = 3  # forwards before the recording, in which kernels are chosen and memory is taken


class CapturedForward:
    """One shape: so many cells are read, whose keys and values are written behind those of what they also see."""

    def __init__(self, network: Network, past: Any, width: int, attention_mask: Tensor | None = None) -> None:
        import torch

        self.network, self.past, self.attention_mask = network, past, attention_mask
        self.ids = torch.zeros(1, width, dtype=torch.int64, device=network.device)
        self.where, self.rows = torch.zeros_like(self.ids), torch.arange(width, device=network.device)
        self.lies: Any = None  # whose keys and values the window sees
        self.again = capture_graph(self._forward, network.device)

    def _forward(self) -> Tensor:
        return self.network.logits(self.ids, self.rows, self.where, self.attention_mask, self.past)[0]

    def read(self, ids: Ints, where: Ints, rows: Ints) -> Tensor:
        """Some rows of the window, as a table of their own: the next forward writes over the window's."""
        import torch

        with torch.inference_mode():
            words, places, wanted = to_device(self.network.device, ids, where, rows)
            self.ids.copy_(words[None], non_blocking=True)
            self.where.copy_(places[None], non_blocking=True)
            return self.again()[wanted]


class CapturedForwards:
    """The last few shapes."""

    def __init__(self, network: Network) -> None:
        self.network, self.kept = network, OrderedDict[Hashable, CapturedForward]()

    def shaped(self, shape: Hashable, make: Callable[[], CapturedForward]) -> CapturedForward:
        """The window of a shape."""
        if shape not in self.kept:
            while len(self.kept) >= KEPT:
                self.kept.popitem(last=False)
            self.kept[shape] = make()
        self.kept.move_to_end(shape)
        return self.kept[shape]


class CapturedBetween(CapturedForwards):
    """Windows between keys and values of what lies around them, which were read once."""

    def read(self, ids: Ints, where: Ints, rows: Ints, past: Any) -> Tensor:
        """These rows of a window with these ids at these places."""
        import torch

        def made() -> CapturedForward:
            layers = [overwritable_layer(x.keys.clone(), x.values.clone(), x.outside) for x in past.layers]
            return CapturedForward(self.network, cache_with_layers(past, layers), len(ids))

        with torch.inference_mode():  # what is made in that mode is written in that mode alone
            window = self.shaped((len(ids), past.get_seq_length()), made)
            if window.lies is None or window.lies() is not past:
                for mine, theirs in zip(window.past.layers, past.layers, strict=True):
                    mine.keys.copy_(theirs.keys)
                    mine.values.copy_(theirs.values)
                window.lies = weakref.ref(past)
        return window.read(ids, where, rows)


def cache_with_layers(past: Any, layers: list[Any]) -> Any:
    """A cache of the same kind that holds these layers."""
    made = crop_cache(past, past.get_seq_length())
    made.layers = layers
    return made


def overwritable_layer(keys: Tensor, values: Tensor, outside: int) -> Any:
    """A layer of transformers' kind, whose cells behind so many are written anew at each pass; attention does not mind
    the order of its keys, each knows its place. Nothing is copied at a pass but what is new."""
    layer = _overwritable_layer()()
    layer.keys, layer.values, layer.outside, layer.is_initialized = keys, values, outside, True
    return layer


@cache
def _overwritable_layer() -> type:
    from transformers.cache_utils import DynamicLayer

    class Rewritten(DynamicLayer):  # type: ignore[misc, unused-ignore]
        outside = 0

        def update(self, key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
            self.keys[..., self.outside :, :] = key_states
            self.values[..., self.outside :, :] = value_states
            return self.keys, self.values

        def get_seq_length(self) -> int:
            return int(self.outside)

    return Rewritten


def capture_graph(work: Callable[[], Tensor], place: Any) -> Callable[[], Tensor]:
    """The same work again at each call, whose answer lies at one address."""
    import torch

    if place.type != "cuda":
        answer = work()
        return lambda: answer.copy_(work())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.device(place):  # which need not be the first
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
        except RuntimeError as error:  # torch's own words name a kernel, and nothing that a person could do
            raise InvalidRequest("this model's forward cannot be recorded here: open it without graphs=yes") from error

    def again() -> Tensor:
        graph.replay()
        return answer

    return again


def can_capture(experts: bool, device: str, number: str) -> bool:
    """Whether a forward of this kind launches the same kernels each time. Where experts are not multiplied together, it
    looks at which of them are wanted; torch does it together on cards of generation 9 (H100) and later, in bf16."""
    import torch

    if not experts or not device.startswith("cuda"):
        return True
    return number == "bf16" and torch.cuda.get_device_capability(device) >= (9, 0)
