"""Networks of transformers' own classes: loads only safetensors, runs no remote code, and accounts for every key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unmask.errors import InvalidRequest
from unmask.models.architecture import describe_misfit
from unmask.models.hub.checkpoint_spec import CheckpointSpec
from unmask.models.hub.kv_buffer import growable_cache
from unmask.models.hub.layer_states import LayerStates

if TYPE_CHECKING:
    from torch import Tensor

NUMBERS = ("fp32", "bf16", "fp16", "int8", "int4")


class Native:
    """A transformers model behind the `Network` protocol."""

    def __init__(self, model: Any, masked: bool) -> None:
        self.model, self.masked = model, masked
        self.states = LayerStates(model)

    @property
    def device(self) -> Any:
        return self.model.device

    @property
    def size(self) -> int:
        """Bytes of weights, quantized ones too; tied ones count once."""
        from unmask.models.hub.quantized import QuantizedWeight

        packed = [b for m in self.model.modules() if isinstance(m, QuantizedWeight) for b in m.buffers()]
        return sum(int(t.numel() * t.element_size()) for t in (*self.model.parameters(), *packed))

    @property
    def words(self) -> int:
        """Size of the vocabulary."""
        return int(getattr(self.model.config, "text_config", self.model.config).vocab_size)

    def cache(self) -> Any:
        """An empty KV cache with the layer types of this model."""
        from transformers import DynamicCache

        return growable_cache(DynamicCache(config=self.model.config.get_text_config()))

    def move(self, device: str) -> None:
        """Moves the weights to a device; with `auto`, accelerate has placed them already."""
        if device != "auto" and str(self.device) != device:
            self.model.to(device)

    def logits(
        self,
        ids: Tensor,
        rows: Tensor,
        positions: Tensor | None = None,
        attention_mask: Tensor | None = None,
        past: Any = None,
    ) -> Tensor:
        """`[B, R, V]`."""
        inputs: dict[str, Any] = {"input_ids": ids}
        if attention_mask is not None:
            inputs["attention_mask"] = self.states.mask(attention_mask[:, None])
        if positions is not None:
            inputs["position_ids"] = positions
        if self.masked:
            with self.states.watched(rows):
                answer: Tensor = self.model(**inputs).logits[:, rows]
            return answer
        if past is not None:
            inputs |= {"past_key_values": past, "use_cache": True}
        else:
            inputs["use_cache"] = False
        with self.states.watched(rows):
            answer = self.model(**inputs, logits_to_keep=rows).logits
        return answer

    @property
    def tapped(self) -> Any:
        """A context that collects what each layer holds, as in `OwnNetwork`; None where its layers are not found."""
        return self.states.tapped if self.states.layers else None

    @property
    def attended(self) -> Any:
        """The same with the weights of each head."""
        return self.states.attended if self.states.layers else None

    @property
    def attention_heads(self) -> tuple[int, int]:
        """How many layers and heads `attended` has."""
        return self.states.heads

    def layer_logits(self, states: Tensor) -> Tensor:
        """The output head applied to vectors [N, W] between two layers: [N, V]."""
        return self.states.logits(states)


def load_network(folder: Path, spec: CheckpointSpec, number: str, device: str) -> Native:
    """Loads the network of a folder; raises InvalidRequest if its files are wrong."""
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    kind = getattr(transformers, spec.native, None)
    if kind is None:
        raise InvalidRequest(
            f"transformers {transformers.__version__} has no class {spec.native}: a newer version may have it; "
            "remote code is never run"
        )
    kind = _splitting(kind, spec)
    try:
        config = kind.config_class(**spec.config)
    except Exception as error:  # its checks raise exceptions of many types
        raise InvalidRequest(f"the config of {folder.name} cannot be followed: {_first_line(error)}") from error
    dtype = {"fp32": torch.float32, "fp16": torch.float16}.get(number, torch.bfloat16)
    if device == "auto" and not _accelerate():
        raise InvalidRequest("one model on several GPUs needs accelerate: pip install -r requirements-extra.txt")
    options: dict[str, Any] = {"device_map": device} if _accelerate() else {}
    if bits := {"int8": 8, "int4": 4}.get(number):
        from unmask.models.hub.quantized import QuantizedWeight, quantizer

        options |= {"quantization_config": quantizer().settings(bits), "experts_implementation": "eager"}
    try:
        model, report = kind.from_pretrained(
            str(folder),
            config=config,
            dtype=dtype,
            key_mapping=dict(spec.keys) or None,
            attn_implementation="sdpa" if getattr(kind, "_supports_sdpa", False) else "eager",
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **options,
        )
    except InvalidRequest:
        raise
    except Exception as error:  # safetensors, torch and transformers each raise their own
        raise InvalidRequest(f"the weights in {folder.name} cannot be read: {_first_line(error)}") from error
    missing = sorted(report["missing_keys"])
    extra = sorted(k for k in report["unexpected_keys"] if not any(re.search(s, k) for s in spec.spare))
    misfits = sorted(str(m[0] if isinstance(m, tuple) else m) for m in report["mismatched_keys"])
    if misfit := describe_misfit(missing, extra, misfits):
        raise InvalidRequest(f"the weights in {folder.name} do not fit {spec.native}: {misfit}")
    model.eval().requires_grad_(False)
    if bits and not any(isinstance(m, QuantizedWeight) for m in model.modules()):
        raise InvalidRequest(
            f"no weight of this model has a shape that {number} supports: load it in another number type"
        )
    return Native(model, masked=spec.native.endswith("ForMaskedLM"))


def unknown_weights(names: Iterable[str], spec: CheckpointSpec) -> list[str]:
    """The weights whose names the network does not have, if they are more than half: a check before the download.

    Experts are left out, since transformers stores them fused. Loading checks every weight."""
    import torch
    import transformers

    kind = getattr(transformers, spec.native, None)
    if kind is None:
        return []
    try:
        with torch.device("meta"):
            model = kind(kind.config_class(**spec.config))
    except Exception:  # its checks raise their own, and `load_network` says what is wrong
        return []
    prefix = f"{model.base_model_prefix}."
    known = {key.removeprefix(prefix) for key in model.state_dict()}
    listed = [key for key in names if ".experts." not in key and not any(re.search(s, key) for s in spec.spare)]
    unknown = []
    for key in listed:
        name = key
        for theirs, ours in spec.keys.items():
            name = re.sub(theirs, ours, name)
        parts = [
            name.replace(fused, part) for fused, several in spec.splits.items() for part in several if fused in name
        ]
        if not any(part.removeprefix(prefix) in known for part in parts or [name]):
            unknown.append(key)
    return unknown if 2 * len(unknown) > len(listed) else []


def _splitting(kind: Any, spec: CheckpointSpec) -> Any:
    """The class, with fused weights split while loading."""
    if not spec.splits:
        return kind
    from transformers.conversion_mapping import register_checkpoint_conversion_mapping
    from transformers.core_model_loading import Split, WeightConverter

    splitting = type(f"{kind.__name__}Splitting", (kind,), {})
    listed = [WeightConverter(fused, list(parts), [Split(dim=0)]) for fused, parts in spec.splits.items()]
    register_checkpoint_conversion_mapping(splitting.__name__, listed, overwrite=True)
    return splitting


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _accelerate() -> bool:
    from transformers.utils import is_accelerate_available

    return bool(is_accelerate_available())
