"""Encoders of transformers, random weights and a vocabulary of letters, as folders that `save_pretrained` writes."""

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
SPECIALS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 4}
WORDS = 5 + len(LETTERS)
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
COMMON = {"vocab_size": WORDS, "pad_token_id": 1, "max_position_embeddings": 40}
ALBERT = {"embedding_size": 16}
DISTILBERT = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64}
ESM = SIZES | {"mask_token_id": 4, "token_dropout": True}
DEBERTA = SIZES | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False}
# class: fields, and the cells that it has positions for, without the two tokens around a text
ENCODERS: dict[str, tuple[dict[str, Any], int]] = {
    "BertForMaskedLM": (SIZES, 38),
    "RobertaForMaskedLM": (SIZES, 36),
    "XLMRobertaForMaskedLM": (SIZES, 36),
    "CamembertForMaskedLM": (SIZES, 36),
    "MPNetForMaskedLM": (SIZES, 36),
    "DebertaV2ForMaskedLM": (DEBERTA, 38),
    "ElectraForMaskedLM": (SIZES | {"embedding_size": 16}, 38),
    "AlbertForMaskedLM": (SIZES | ALBERT, 38),
    "DistilBertForMaskedLM": (DISTILBERT, 38),
    "EsmForMaskedLM rotary": (ESM | {"position_embedding_type": "rotary"}, 36),
    "EsmForMaskedLM absolute": (ESM | {"position_embedding_type": "absolute"}, 36),
}


def vocabulary(folder: Path) -> None:
    """A token a letter, framed as RoBERTa frames its texts."""
    names = SPECIALS | {letter: 5 + i for i, letter in enumerate(LETTERS)}
    backend = Tokenizer(models.WordLevel(names, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    backend.decoder = decoders.Fuse()
    roles = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>", "cls": "<s>", "sep": "</s>"}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, **{f"{role}_token": token for role, token in roles.items()}
    )
    tokenizer.save_pretrained(folder)


def forged(name: str, folder: Path, **changes: Any) -> Any:
    """A checkpoint as `save_pretrained` writes it, and its network."""
    kind = getattr(transformers, name.partition(" ")[0])
    torch.manual_seed(0)
    model = kind(kind.config_class(**COMMON | ENCODERS[name][0] | changes)).eval()
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, 0, 0.2)
    model.save_pretrained(folder)
    vocabulary(folder)
    return model
