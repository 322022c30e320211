"""What the layers of a transformers model hold, and where its heads look, read by hooks: for the lenses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Any

from unmask.models.checkpoint_weights import Array
from unmask.models.hub.tap import Tap

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class WeightsTap(Tap):
    """The same with the weights of each layer's heads."""

    weights: list[Tensor]  # of each layer, [heads, columns]

    def attention(self, layer: int, head: int) -> Array:
        """The weights [columns] with which a head of a layer attends to each token, those of a cache first."""
        found: Array = self.weights[layer][head].double().cpu().numpy()
        return found


class LayerStates:
    """The layers of a model whose output goes, unchanged, to its last norm and its head."""

    def __init__(self, model: Any) -> None:
        self.model, self.tapping = model, local()
        self.layers: list[Any] = _layers_of(model)

    @contextmanager
    def tapped(self) -> Iterator[list[Tap]]:
        """Within this context, `watched` collects what every layer holds at the last requested row."""
        self.tapping.taps = taps = list[Tap]()
        try:
            yield taps
        finally:
            self.tapping.taps = None

    @property
    def heads(self) -> tuple[int, int]:
        """How many layers and heads the model has; 0 and 0 where its layers are not found."""
        count = getattr(self.model.config.get_text_config(), "num_attention_heads", 0)
        return (len(self.layers), count) if self.layers and count else (0, 0)

    @property
    def plain(self) -> bool:
        """Whether attention is computed step by step, with its weights."""
        return bool(self.model.config._attn_implementation == "eager")

    def mask(self, attention_mask: Tensor) -> Tensor:
        """A boolean mask as this model's attention wants it: sdpa applies it as it is, the plain one adds it."""
        import torch

        if not self.plain:
            return attention_mask
        lowest = torch.finfo(self.model.dtype).min
        return torch.zeros_like(attention_mask, dtype=self.model.dtype).masked_fill(~attention_mask, lowest)

    @contextmanager
    def attended(self) -> Iterator[list[Tap]]:
        """As `tapped`, with the weights of each head: fast attention does not give them, so the plain one is used."""
        before = self.model.config._attn_implementation
        self.model.set_attn_implementation("eager")
        try:
            with self.tapped() as taps:
                yield taps
        finally:
            self.model.set_attn_implementation(before)

    @contextmanager
    def watched(self, rows: Tensor) -> Iterator[None]:
        """A context for one forward that answers these rows."""
        taps = getattr(self.tapping, "taps", None)
        if taps is None or not len(rows):
            yield
            return
        import torch

        row, states, weights = int(rows[-1]), list[Any](), list[Any]()

        def keep(_: Any, args: Any, output: Any) -> None:
            if isinstance(output, tuple) and len(output) > 1 and getattr(output[1], "ndim", 0) == 4:
                weights.append(output[1][0, :, row])

        with ExitStack() as hooks:
            for part in (part for layer in self.layers for part in layer.children()) if self.plain else ():
                hooks.callback(part.register_forward_hook(keep).remove)
            first = self.layers[0].register_forward_pre_hook(
                lambda _, args, named: states.append((args[0] if args else named["hidden_states"])[0, row]),
                with_kwargs=True,
            )
            hooks.callback(first.remove)
            for layer in self.layers:
                hook = layer.register_forward_hook(lambda _, args, output: states.append(_vectors(output)[0, row]))
                hooks.callback(hook.remove)
            yield
        whole = len(weights) == len(self.layers)
        taps.append(WeightsTap(torch.stack(states), weights) if whole else Tap(torch.stack(states)))

    def logits(self, states: Tensor) -> Tensor:
        """The last norm and the head applied to vectors [N, W] between two layers: [N, V].

        The model reads any text of N tokens, and the vectors take the place of its last layer's output."""
        import torch

        def replace(_: Any, args: Any, output: Any) -> Any:
            return (states[None], *output[1:]) if isinstance(output, tuple) else states[None]

        hook = self.layers[-1].register_forward_hook(replace)
        try:
            ids = torch.zeros((1, len(states)), dtype=torch.long, device=states.device)
            found: Tensor = self.model(input_ids=ids).logits[0]
        finally:
            hook.remove()
        return found


def _layers_of(model: Any) -> list[Any]:
    """The modules that each compute a layer; none where they cannot be told."""
    from torch.nn import ModuleList

    count = getattr(model.config.get_text_config(), "num_hidden_layers", 0)
    lists = [module for module in model.modules() if isinstance(module, ModuleList) and len(module) == count]
    return list(lists[0]) if len(lists) == 1 and count else []


def _vectors(output: Any) -> Any:
    return output[0] if isinstance(output, tuple) else output
