"""The bundled networks behind the `Network` protocol: a graph on ONNX Runtime, or `Transformer` in torch."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from unmask.models.array_ops import on_device
from unmask.models.graph import Array, TransformerConfig, build_graph, cache_names
from unmask.models.hub.kv_buffer import KVCache, KVLayer
from unmask.models.interface import Table

Weights = Mapping[str, Array]
_sessions: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_opening = Lock()


class BundledNetwork(ABC):
    """The project's transformer."""

    itemsize = 4  # bytes of a weight

    def __init__(self, shape: TransformerConfig) -> None:
        self.shape, self.words = shape, shape.vocabulary
        self.parameters = sum(map(math.prod, shape.weight_shapes().values()))
        self.layer_logits: list[Table] | None = None  # logits of each layer, collected inside `tapped`

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

    @contextmanager
    def tapped(self) -> Iterator[list[Table]]:
        """Within this context, collects the logits of every layer at the requested rows, one tensor a forward."""
        self.layer_logits = []
        try:
            yield self.layer_logits
        finally:
            self.layer_logits = None

    def cache(self) -> KVCache:
        return KVCache()

    def move(self, device: str) -> None:
        """Does nothing: the device is chosen when the network is made."""
        return


class GraphNetwork(BundledNetwork):
    """The network on ONNX Runtime, on the CPU."""

    def __init__(
        self,
        shape: TransformerConfig,
        weights: Weights,
        threads: int = 1,
        reload: Callable[[], Weights] | None = None,
        digest: str = "",
        number: str = "fp32",
    ) -> None:
        """`reload` gives the weights again, for the graph of the logit lens; without it they are kept.

        Networks of one `digest` share a session: the twin, the fast mode and the denoiser's reader."""
        super().__init__(shape)
        self.threads, self.reload, self.number = threads, reload or (lambda: weights), number
        key = (digest, shape, threads, number)
        with _opening:
            self.session: Any = _sessions.get(key) if digest else None
            if self.session is None:
                self.session = self._open(weights)
                _sessions[key] = self.session

    def _open(self, weights: Weights, lens: bool = False) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3  # errors
        # a thread that waits must not keep a core busy
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        with TemporaryDirectory() as folder:
            # a session that is made from bytes keeps them
            file = Path(folder) / "network.onnx"
            with file.open("wb") as opened:
                opened.writelines(build_graph(weights, self.shape, lens, self.number))
            return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

    @property
    def size(self) -> int:
        if self.number == "int8":  # the embedding is float16
            return self.parameters + self.shape.vocabulary * self.shape.width
        return super().size

    @cached_property
    def lens_session(self) -> Any:
        """The graph that also has the logits of every layer, made when it is first needed."""
        return self._open(self.reload(), lens=True)

    @property
    def device(self) -> Any:
        return None

    def forward(self, ids: Table, rows: Table, positions: Table | None, mask: Table | None, past: Any) -> Table:
        (batch, length), shape = ids.shape, self.shape
        before = past.get_seq_length() if past is not None else 0
        places = np.arange(before, before + length) if positions is None else np.asarray(positions)
        feed: dict[str, Any] = {
            "ids": np.asarray(ids),
            "positions": np.broadcast_to(places, (batch, length)),
            "bias": self._bias(length, before, mask),
            "rows": np.asarray(rows),
        }
        names = cache_names(shape)
        if before:
            known = [part for layer in past.layers for part in (layer.keys, layer.values)]
        else:
            known = [np.empty((batch, shape.heads, 0, shape.depth), np.float32)] * len(names)
        feed |= {f"past_{name}": np.ascontiguousarray(part) for name, part in zip(names, known, strict=True)}
        wanted = ["logits", *([] if past is None else names)]
        if self.layer_logits is None:
            table, *extended = self.session.run(wanted, feed)
        else:
            table, *extended, layers = self.lens_session.run([*wanted, "layer_logits"], feed)
            self.layer_logits.append(layers)
        if past is not None:
            past.layers = [KVLayer(*pair) for pair in zip(extended[::2], extended[1::2], strict=True)]
        return table

    def _bias(self, length: int, before: int, mask: Table | None) -> Array:
        if mask is not None:
            seen = np.asarray(mask)
        elif self.shape.causal and length > 1:
            seen = np.tri(length, before + length, before, dtype=bool)[None]
        else:
            return np.zeros((1, 1, length, before + length), np.float32)
        # finite, so that a cell that attends to nothing gets an average instead of a NaN
        return np.where(seen, np.float32(0), np.float32(-1e9))[:, None]


class TransformerNetwork(BundledNetwork):
    """The network as it is trained, in torch: for GPUs, for bf16, and to compare with."""

    def __init__(self, shape: TransformerConfig, weights: Weights, number: str = "fp32", device: str = "cpu") -> None:
        import torch

        from unmask.models.transformer import Transformer

        super().__init__(shape)
        with torch.device("meta"):
            model = Transformer(shape)
        model.load_state_dict({name: torch.from_numpy(weights[name]) for name in shape.weight_shapes()}, assign=True)
        dtype = torch.bfloat16 if number == "bf16" else torch.float32
        self.model, self.itemsize = model.to(device, dtype).eval(), dtype.itemsize

    @property
    def device(self) -> Any:
        return self.model.embedding.weight.device

    def forward(self, ids: Table, rows: Table, positions: Table | None, mask: Table | None, past: Any) -> Table:
        import torch

        states: list[Any] = []
        before = [(layer.keys, layer.values) for layer in past.layers] if past is not None else None
        hidden, extended = self.model.read(ids, positions, mask, before, states)
        if past is not None:
            past.layers = [KVLayer(keys, values) for keys, values in extended]
        if self.layer_logits is not None:
            every = torch.cat([state[:, rows] for state in states])
            self.layer_logits.append(self.model.lm_head(self.model.last_norm(every)))
        return self.model.lm_head(hidden[:, rows])
