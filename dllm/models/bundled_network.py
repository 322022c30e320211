"""The bundled network in torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.models.checkpoint_weights import Array
from unmask.models.graph import TransformerConfig
from unmask.models.graph_network import OwnNetwork
from unmask.models.hub.kv_buffer import KVLayer
from unmask.models.interface import Table


class TransformerNetwork(OwnNetwork):
    """The network as it is trained, in torch: for GPUs, for bf16, and to compare with."""

    def __init__(
        self, shape: TransformerConfig, weights: Mapping[str, Array], number: str = "fp32", device: str = "cpu"
    ) -> None:
        import torch

        from unmask.models.transformer import Transformer

        super().__init__(shape.architecture())
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
