"""A trained network as files that the app opens: shards below ten megabytes, a card for machines, and a hash."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from pair.train.tokenizer import Marks
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.pair.worlds import OPENINGS

ROOM = 9_000_000  # bytes a shard may hold


def ship(network: Transformer, folder: Path, kind: str, version: str, tokens: Marks) -> None:
    """Write bf16 shards and config.json; what lay there before is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("model-*.safetensors"):
        old.unlink()
    shards: list[dict[str, Tensor]] = [{}]
    used = 0
    for name, weight in sorted(network.state_dict().items()):
        kept = weight.detach().to(torch.bfloat16).contiguous()
        if used + kept.nbytes > ROOM and shards[-1]:
            shards.append({})
            used = 0
        shards[-1][name] = kept
        used += kept.nbytes
    for at, shard in enumerate(shards, 1):
        save_file(shard, folder / f"model-{at:05}-of-{len(shards):05}.safetensors")
    config = {"kind": kind, "version": version, **asdict(network.shape), "mask_id": tokens.mask}
    config |= {"separator_id": tokens.separator, "skip_id": tokens.skip, "both": kind == "twin"}
    config["titles"] = [*OPENINGS]
    config |= {"sha256": digest(folder), "licence": "CC BY 4.0"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    introduce(folder.parent)


def introduce(assets: Path) -> None:
    """A denoiser's config names the twin beside it as its reader, whichever of the two came last."""
    denoiser, twin = assets / "denoiser" / "config.json", assets / "twin" / "config.json"
    if denoiser.exists() and twin.exists():
        config = json.loads(denoiser.read_text()) | {"reader": json.loads(twin.read_text())["sha256"]}
        denoiser.write_text(json.dumps(config, indent=2) + "\n")


def digest(folder: Path) -> str:
    """The SHA-256 of all shards, one after the other in the order of their names."""
    whole = hashlib.sha256()
    for shard in sorted(folder.glob("model-*.safetensors")):
        whole.update(shard.read_bytes())
    return whole.hexdigest()


def unpacked(folder: Path, dtype: torch.dtype = torch.float32) -> Transformer:
    """The network in this folder, refused in one sentence if it is not what its config says."""
    config = json.loads((folder / "config.json").read_text())
    if digest(folder) != config["sha256"]:
        raise ValueError(f"the weights in {folder} are not those its config.json was written for; fetch them again")
    shape = TransformerConfig(**{name: config[name] for name in TransformerConfig.__dataclass_fields__})
    weights: dict[str, Tensor] = {}
    for shard in sorted(folder.glob("model-*.safetensors")):
        weights |= load_file(shard)
    with torch.device("meta"):
        network = Transformer(shape)
    network.load_state_dict({name: weight.to(dtype) for name, weight in weights.items()}, assign=True)
    return network.eval()
