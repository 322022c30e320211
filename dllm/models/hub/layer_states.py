"""What the layers of a transformers model hold, read and replaced by hooks: for the logit lens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import local
from typing import TYPE_CHECKING, Any

from unmask.models.hub.tap import Tap

if TYPE_CHECKING:
    from torch import Tensor


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

    @contextmanager
    def watched(self, rows: Tensor) -> Iterator[None]:
        """A context for one forward that answers these rows."""
        taps = getattr(self.tapping, "taps", None)
        if taps is None or not len(rows):
            yield
            return
        import torch

        row, states = int(rows[-1]), list[Any]()
        with ExitStack() as hooks:
            first = self.layers[0].register_forward_pre_hook(
                lambda _, args, named: states.append((args[0] if args else named["hidden_states"])[0, row]),
                with_kwargs=True,
            )
            hooks.callback(first.remove)
            for layer in self.layers:
                hook = layer.register_forward_hook(lambda _, args, output: states.append(_vectors(output)[0, row]))
                hooks.callback(hook.remove)
            yield
        taps.append(Tap(torch.stack(states)))

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
