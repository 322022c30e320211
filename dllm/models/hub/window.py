"""A block's window, read at fixed addresses: a GPU records the kernels of its forward once and then runs them again.

The host's time is what limits a large model's pass: over a thousand kernels are launched for 32 layers. Where there is
no GPU the same buffers are filled and the forward is called, so that all but the recording is tested anywhere."""

from __future__ import annotations

import copy
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dllm.canvas import Ints
from dllm.models.hub.adapter import sent
from dllm.models.hub.network import Network

if TYPE_CHECKING:
    from torch import Tensor

KEPT = 4  # shapes whose kernels are kept: each has keys and values of a canvas of its own
WARM = 3  # forwards before the recording, in which kernels are chosen and memory is taken


class Window:
    """One shape: so many cells are read, and so many lie around them, whose keys and values are copied in."""

    def __init__(self, network: Network, past: Any, width: int) -> None:
        import torch

        self.network, place = network, network.device
        self.ids = torch.zeros(1, width, dtype=torch.int64, device=place)
        self.where, self.rows = torch.zeros_like(self.ids), torch.arange(width, device=place)
        self.past = copy.copy(past)
        self.past.layers = [copy.copy(layer) for layer in past.layers]
        for layer in self.past.layers:
            layer.keys, layer.values = layer.keys.clone(), layer.values.clone()
        self.lies: Callable[[], Any] = weakref.ref(past)  # whose keys and values these are
        self.again = repeated(self._forward, place)

    def _forward(self) -> Tensor:
        return self.network.logits(self.ids, self.rows, self.where, None, self.past)[0]

    def read(self, ids: Tensor, where: Tensor, rows: Tensor, past: Any) -> Tensor:
        """Some rows of the window, as a table of their own: the next forward writes over the window's."""
        if self.lies() is not past:
            for mine, theirs in zip(self.past.layers, past.layers, strict=True):
                mine.keys.copy_(theirs.keys)
                mine.values.copy_(theirs.values)
            self.lies = weakref.ref(past)
        self.ids.copy_(ids[None], non_blocking=True)
        self.where.copy_(where[None], non_blocking=True)
        return self.again()[rows]


class Windows:
    """The last few shapes."""

    def __init__(self, network: Network) -> None:
        self.network, self.kept = network, OrderedDict[tuple[int, int], Window]()

    def read(self, ids: Ints, where: Ints, rows: Ints, past: Any) -> Tensor:
        """These rows of a window with these ids at these places, between keys and values of what lies around it."""
        import torch

        shape, n = (len(ids), past.get_seq_length()), len(ids)
        with torch.inference_mode():  # what is made in that mode is written in that mode alone
            if shape not in self.kept:
                while len(self.kept) >= KEPT:
                    self.kept.popitem(last=False)
                self.kept[shape] = Window(self.network, past, n)
            self.kept.move_to_end(shape)
            words, places, wanted = sent(self.network.device, ids, where, rows)
            return self.kept[shape].read(words, places, wanted, past)


def repeated(work: Callable[[], Tensor], place: Any) -> Callable[[], Tensor]:
    """The same work again at each call, whose answer lies at one address."""
    import torch

    if place.type != "cuda":
        answer = work()
        return lambda: answer.copy_(work())
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(WARM):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    # another thread may load a model meanwhile
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        answer = work()

    def again() -> Tensor:
        graph.replay()
        return answer

    return again
