"""Networks of the project behind the `Network` protocol; a graph on ONNX Runtime is one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, local
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from unmask.models.architecture import Architecture
from unmask.models.array_ops import on_device
from unmask.models.checkpoint_weights import Array
from unmask.models.graph import Builder, Weights, cache_names
from unmask.models.hub.kv_buffer import KVCache, KVLayer
from unmask.models.hub.tap import AttentionTap, Tap
from unmask.models.int8_graph import Int8Builder, saturates
from unmask.models.interface import Table
from unmask.models.rotated_weights import RotatedWeights

_sessions: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_opening = Lock()


class OwnNetwork(ABC):
    """A network that answers at the requested rows, and shows what its layers hold there on request."""

    itemsize = 4  # bytes of a weight

    def __init__(self, architecture: Architecture) -> None:
        self.architecture, self.words = architecture, architecture.vocab_size
        self.parameters = architecture.parameters
        self.tapping = local()  # `taps` while this thread is inside `tapped`

    @property
    def size(self) -> int:
        return self.parameters * self.itemsize

    @property
    @abstractmethod
    def device(self) -> Any: ...

    @abstractmethod
    def forward(self, ids: Table, rows: Table, positions: Table | None, mask: Table | None, past: Any) -> Table:
        """As `logits`."""

    def logits(
        self,
        ids: Table,
        rows: Table,
        positions: Table | None = None,
        attention_mask: Table | None = None,
        past: Any = None,
    ) -> Table:
        """`[B, R, V]`."""
        if not rows.shape[0]:  # attention needs a row
            first = on_device(self.device, np.zeros(1, np.int64))
            return self.forward(ids, first, positions, attention_mask, past)[:, :0]
        if rows.shape[0] == 1 and ids.shape[1] > 1:
            # a product of one row sums in another order than one of many, which would change the last bits
            return self.forward(ids, rows.repeat(2), positions, attention_mask, past)[:, :1]
        return self.forward(ids, rows, positions, attention_mask, past)

    @abstractmethod
    def layer_logits(self, states: Table) -> Table:
        """The output head applied to vectors [N, W] between two layers: [N, V]."""

    @property
    def taps(self) -> list[Tap] | None:
        """Where this thread collects what the layers hold; None outside `tapped`."""
        found: list[Tap] | None = getattr(self.tapping, "taps", None)
        return found

    @contextmanager
    def tapped(self) -> Iterator[list[Tap]]:
        """Within this context, collects what every layer holds at the last requested row, once a forward."""
        self.tapping.taps = taps = list[Tap]()
        try:
            yield taps
        finally:
            self.tapping.taps = None

    def cache(self) -> KVCache:
        return KVCache()

    def move(self, device: str) -> None:
        """Does nothing: the device is chosen when the network is made."""
        return


class GraphNetwork(OwnNetwork):
    """A network on ONNX Runtime, on the CPU."""

    def __init__(
        self,
        architecture: Architecture,
        weights: Weights,
        threads: int = 1,
        digest: str = "",
        number: str = "fp32",
        file: Path | None = None,
    ) -> None:
        """Networks of one `digest` share a session: the twin, the fast mode and the denoiser's reader.

        `file` is the network's graph, if it is kept; else it is written for as long as it takes to open it."""
        super().__init__(architecture)
        self.weights, self.threads, self.number, self.file = weights, threads, number, file
        self.names = cache_names(architecture)
        self.divergence: float | None = None  # from fp32, where it was measured
        key = (digest, replace(architecture, causal=False), threads, number)  # what a row sees is an input
        with _opening:
            self.session: Any = _sessions.get(key) if digest else None
            if self.session is None:
                self.session = self._open()
                _sessions[key] = self.session

    def _open(self) -> Any:
        large = isinstance(self.weights, RotatedWeights)
        if self.file is not None:
            return open_session(self.file, self.threads, large)
        with TemporaryDirectory() as folder:
            # a session that is made from bytes keeps them
            file = Path(folder) / "network.onnx"
            write_graph(file, self.weights, self.architecture, self.number)
            return open_session(file, self.threads, large)

    @property
    def size(self) -> int:
        if self.number == "int8":  # the embedding is float16
            return self.parameters + self.architecture.vocab_size * self.architecture.width
        return super().size

    @property
    def device(self) -> Any:
        return None

    def forward(self, ids: Table, rows: Table, positions: Table | None, mask: Table | None, past: Any) -> Table:
        return self._run(ids, rows, positions, mask, past)

    def layer_logits(self, states: Table) -> Table:
        one = np.zeros((1, 1), np.int64)  # a text of one token, since the graph has no head alone
        return self._run(one, np.zeros(1, np.int64), None, None, None, states[None])[0, 1:]

    def _run(
        self, ids: Table, rows: Table, positions: Table | None, mask: Table | None, past: Any, vectors: Any = None
    ) -> Table:
        (batch, length), shape = ids.shape, self.architecture
        before = past.get_seq_length() if past is not None else 0
        places = np.arange(before, before + length) if positions is None else np.asarray(positions)
        if shape.padding is not None:  # the others are counted
            present = np.asarray(ids) != shape.padding
            places = np.cumsum(present, 1) * present + shape.padding
        if "positions" in shape.parts and places.max() >= (most := shape.parts["positions"].shape[0]):
            raise IndexError(f"the network has {most} positions")
        feed: dict[str, Any] = {
            "ids": np.asarray(ids),
            "positions": np.broadcast_to(places, (batch, length)),
            "bias": attention_bias(length, before, mask, shape.causal),
            "rows": np.asarray(rows),
            "vectors": np.empty((batch, 0, shape.width), np.float32) if vectors is None else vectors,
        }
        if any(shape.windows):
            near = np.abs(np.subtract.outer(np.arange(length), np.arange(length))) <= max(shape.windows)
            feed["local_bias"] = attention_bias(length, before, near[None] if mask is None else near & mask, False)
        if before:
            known = [part for layer in past.layers for part in (layer.keys, layer.values)]
        else:
            known = [np.empty((batch, shape.kv_heads, 0, shape.head_width), np.float32)] * len(self.names)
        feed |= {f"past_{name}": np.ascontiguousarray(part) for name, part in zip(self.names, known, strict=True)}
        taps = self.taps if vectors is None else None
        cached = self.names if past is not None or taps is not None else []
        table, *extended = self.session.run(["logits", *cached, *([] if taps is None else ["states", "queries"])], feed)
        if taps is not None:
            *extended, states, queries = extended
            bias, row = feed["bias"], int(rows[-1])
            masks = [mask[0, 0, row] for mask in (bias, feed.get("local_bias", bias))]
            keys = [found[0] for found in extended[::2]]
            taps.append(AttentionTap(states[::batch, -1], shape, queries[::batch, -1], keys, masks))
        if past is not None:
            past.layers = [KVLayer(*pair) for pair in zip(extended[::2], extended[1::2], strict=True)]
        return table


def attention_bias(length: int, before: int, mask: Table | None, causal: bool) -> Array:
    """What is added to the scores of attention, [1 or B, 1, L, before + L]."""
    if mask is not None:
        seen = np.asarray(mask)
    elif causal and length > 1:
        seen = np.tri(length, before + length, before, dtype=bool)[None]
    else:
        return np.zeros((1, 1, length, before + length), np.float32)
    # finite, so that a cell that attends to nothing gets an average instead of a NaN
    return np.where(seen, np.float32(0), np.float32(-1e9))[:, None]


def write_graph(file: Path, weights: Weights, architecture: Architecture, number: str = "fp32") -> None:
    """Writes a network's graph; its large constants go to a file beside it, which is mapped when it is opened."""
    with file.with_suffix(".bin").open("wb") as external, file.open("wb") as opened:
        kind = Int8Builder if isinstance(weights, RotatedWeights) else Builder
        opened.writelines(kind(weights, architecture, number, external).build())


def open_session(file: Path, threads: int, large: bool = False) -> Any:
    """A session of ONNX Runtime on so many threads; `large` are products of bytes that need more than 16 bits."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3  # errors
    # a thread that waits must not keep a core busy
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if large and saturates():  # elsewhere the exact way would be slow for nothing
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
