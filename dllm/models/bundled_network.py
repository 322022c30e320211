"""The bundled network in torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unmask.models.checkpoint_weights import Array
from unmask.models.graph import TransformerConfig
from unmask.models.graph_network import OwnNetwork, attention_bias
from unmask.models.hub.kv_buffer import KVLayer
from unmask.models.hub.tap import AttentionTap
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

        states: list[Any] = []
        before = [(layer.keys, layer.values) for layer in past.layers] if past is not None else None
        hidden, extended = self.model.read(ids, positions, mask, before, states)
        if past is not None:
            past.layers = [KVLayer(keys, values) for keys, values in extended]
        if self.taps is not None:
            seen = None if mask is None else mask.cpu()
            self.taps.append(self._tap(states, extended, int(rows[-1]), positions, seen))
        return self.model.lm_head(hidden[:, rows])

    def layer_logits(self, states: Table) -> Table:
        return self.model.lm_head(self.model.last_norm(states))

    def _tap(self, states: Any, extended: Any, row: int, positions: Table | None, mask: Table | None) -> AttentionTap:
        import torch

        columns, length = extended[0][0].shape[2], states[0].shape[1]
        at = columns - length + row if positions is None else int(positions[0, row])
        angles = self.model.angles(torch.tensor([[at]], device=self.device))
        layers: Any = self.model.layers
        queries = [
            layer.project(state[:1, row : row + 1], *angles)[0]
            for layer, state in zip(layers, states[:-1], strict=True)
        ]
        seen = attention_bias(length, columns - length, mask, self.architecture.causal)[0, 0, row]
        return AttentionTap(
            torch.stack([state[0, row] for state in states]),
            self.architecture,
            torch.cat(queries).flatten(1).float().cpu().numpy(),
            [keys[0].float().cpu().numpy() for keys, _ in extended],
            [seen],
        )
