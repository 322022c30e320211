"""BERT, RoBERTa, ModernBERT and their kin: every masked language model is a denoiser."""

from __future__ import annotations

import numpy as np

from unmask.canvas import Bools, Ints
from unmask.errors import InvalidRequest
from unmask.models.array_ops import concat
from unmask.models.family import Checkpoint, Family, NetworkShape
from unmask.models.hub.adapter import AdapterParts, Masked
from unmask.models.hub.checkpoint_spec import CheckpointSpec, Config, own_fields
from unmask.models.interface import ModelInput, Table

# weights that are used in pretraining only
_SPARE = (
    r"pooler",
    r"seq_relationship",
    r"position_ids$",
    r"token_type_embeddings",
    r"discriminator",
    r"sop_classifier",
    r"mask_predictions",
    r"^lm_predictions\.lm_head\.decoder",
    r"contact_head",
)
# DeBERTa's published files have a head that its config does not tell apart from that of the first version
_DEBERTA_HEADS = {r"^lm_predictions\.": {"legacy": False}, r"^cls\.predictions\.": {"legacy": True}}
# classes of published files whose config names none, by model type
_UNNAMED = {"deberta-v2": "DebertaV2ForMaskedLM", "bert": "BertForMaskedLM", "roberta": "RobertaForMaskedLM"}
# families whose positions start after the padding id, which is 1 unless the config says otherwise
_AFTER_PADDING = ("Roberta", "Camembert", "MPNet", "Data2VecText", "Xmod", "Longformer", "Ibert", "Esm")


def checkpoint_spec(config: Config, name: str) -> CheckpointSpec:
    """The class named in the config is transformers' own."""
    native = _class_of(config)
    chat = {"preset": "llada", "settings": {"block": 32}} if "chat" in name else {"preset": "llada"}
    return CheckpointSpec(
        native,
        own_fields(config),
        implied=_DEBERTA_HEADS if native == "DebertaV2ForMaskedLM" else {},
        spare=_SPARE,
        longest=_positions(config, native) - 2,  # without the CLS and SEP tokens
        preset=chat,
        fair="It never was autoregressive, so it has no twin.",
        note="Trained to fill a few blanks at a time: best where most of a text is given.",
    )


def _class_of(config: Config) -> str:
    """The class of transformers: as the config says, or by its model type where it names none."""
    if named := config.get("architectures"):
        return str(named[0])
    return _UNNAMED[config["model_type"]]


def _positions(config: Config, native: str) -> int:
    """The number of tokens that the network has positions for."""
    most = int(config.get("max_position_embeddings") or 512)
    if not native.startswith(_AFTER_PADDING) and "Roberta" not in native:
        return most
    padding = config.get("pad_token_id")
    return most - 1 - (1 if padding is None else int(padding))


class EncoderAdapter(Masked):
    """Adds the CLS and SEP tokens around a canvas that lacks them; they are not cells."""

    framed = True

    def __init__(self, parts: AdapterParts) -> None:
        super().__init__(parts)
        self.cls_sep = parts.cls_sep

    def read(
        self, ids: Ints, rows: Ints, positions: Ints | None, attention_mask: Bools | None, past: object = None
    ) -> Table:
        if attention_mask is not None:
            raise InvalidRequest(
                "this model has local attention or fixed positions, so shadows cannot verify it: choose another policy"
            )
        first, last = self.cls_sep
        if len(ids) > 1:  # some canvases may hold the tokens already, others not
            return concat([self.read(one[None], rows, None, None) for one in ids], 0)
        lead = self._leads(ids[0])
        tail = last is not None and ids[0, -1] != last
        framed = [*([first] if lead else []), *ids[0], *([last] if tail else [])]
        return super().read(np.array([framed]), rows + int(lead), None, None)

    def tokens_before(self, model_input: ModelInput) -> int:
        return int(self._leads(self.network_ids(model_input)))

    def _leads(self, ids: Ints) -> bool:
        """Whether the CLS token comes before this text, which lacks it."""
        first = self.cls_sep[0]
        return first is not None and int(ids[0]) != first


_LARGE = NetworkShape(28, 1024, 2624, 16, 16, 64, 50_368)
_BASE = NetworkShape(22, 768, 1152, 12, 12, 64, 50_368)

FAMILY = Family(
    architectures=("*ForMaskedLM", "deberta-v2"),
    checkpoint_spec=checkpoint_spec,
    checkpoints=(
        Checkpoint(
            "dllm-hub/ModernBERT-large-chat-v0.1",
            0.4,
            "Apache-2.0",
            "short replies in English",
            "How are you today?",
            4,
            _LARGE,
        ),
        Checkpoint(
            "answerdotai/ModernBERT-large",
            0.4,
            "Apache-2.0",
            "filling a few blanks in English text",
            "The capital of France is ___.",
            4,
            _LARGE,
        ),
        Checkpoint(
            "answerdotai/ModernBERT-base",
            0.15,
            "Apache-2.0",
            "filling a blank in English text",
            "The capital of France is ___.",
            4,
            _BASE,
        ),
    ),
    adapter=EncoderAdapter,
)
