"""Locates a checkpoint: in a folder or on the Hub. Only safetensors and text files are read."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unmask.errors import InvalidRequest
from unmask.models.hub import fetch
from unmask.models.hub.fetch import Watch

WANTED = ["*.safetensors", "*.json", "*.txt", "*.jinja"]  # weights, configs, vocabularies, templates: no code
NO_LICENCE = "no licence is named on its page"
INDEX = "model.safetensors.index.json"
FULL_HASH = 2 * 2**30  # bytes up to which a folder's weights are hashed completely
_ID = re.compile(r"[\w][\w.-]*/[\w][\w.-]*(@[\w./-]+)?")
_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2}


@dataclass(frozen=True)
class Source:
    """A located checkpoint."""

    folder: Path
    name: str
    config: dict[str, Any]
    what: str  # as requested: the folder, or the id with its revision
    revision: str = ""
    licence: str = ""
    numbers: dict[str, int] = field(default_factory=dict)  # count of parameters by dtype
    keys: tuple[str, ...] = ()  # names of its weights, if known

    @property
    def parameters(self) -> int:
        return sum(self.numbers.values())


Check = Callable[[Source], None]  # raises if the model cannot be loaded, before the download


def locate(what: str, check: Check, watch: Watch | None = None) -> Source:
    """The checkpoint of a folder or Hub id; `check` is called with its description before weights are downloaded."""
    folder = Path(what).expanduser()
    if folder.is_dir():
        source = _from_folder(folder, what)
        check(source)
        return source
    if not _ID.fullmatch(what) or ".." in what:
        raise InvalidRequest(f"'{what}' is neither a folder here nor a hub id such as ORG/NAME")
    repository, _, revision = what.partition("@")
    return _from_hub(repository, revision or None, check, watch)


def cached() -> list[tuple[str, int]]:
    """Models in the Hub's cache on this machine, with their bytes; they load without a network."""
    return sorted((r.repo_id, r.size_on_disk) for r in _cache())


def is_stored(what: str) -> bool:
    """Whether the weights of a Hub id or a folder, with or without family and options, are on this machine."""
    name = what.partition("?")[0].rpartition(":")[2]
    return Path(name).expanduser().is_dir() or name.partition("@")[0] in {found for found, _ in cached()}


def _cache() -> list[Any]:
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        models = [r for r in scan_cache_dir().repos if r.repo_type == "model"]
    except CacheNotFound:
        return []
    # weights are linked only when all are downloaded
    return [r for r in models if any(f.file_name.endswith(".safetensors") for v in r.revisions for f in v.files)]


def bytes_on_disk(repository: str) -> int:
    """Bytes of a model on this disk: its files, parts of a download, and what was made of it for this machine."""
    files = (p for p in fetch.folder_of(repository).rglob("*") if p.is_file() and not p.is_symlink())
    return sum(file.stat().st_size for file in files)


def delete(repository: str) -> None:
    """Deletes a model from the Hub's cache, with parts of a download and what was made of it."""
    folder = fetch.folder_of(repository)
    gone = folder.with_name(f".gone-{folder.name}")
    with suppress(FileNotFoundError):
        folder.rename(gone)  # at once, so that no other process opens half of it
    shutil.rmtree(gone, ignore_errors=True)


def weights_hash(source: Source) -> str:
    """A hash that identifies the weights."""
    files = sorted(source.folder.glob("*.safetensors"))
    blobs = [f.resolve().name for f in files]
    if all(re.fullmatch(r"[0-9a-f]{64}", b) for b in blobs):  # the Hub's cache names files by their hash
        return hashlib.sha256("".join(blobs).encode()).hexdigest()
    digest = hashlib.sha256()
    small = sum(f.stat().st_size for f in files) <= FULL_HASH
    for file in files:
        with file.open("rb") as raw:
            if small:
                digest.update(hashlib.file_digest(raw, "sha256").digest())
            else:  # hashing everything would take longer than loading: take the header, the size and the end
                digest.update(raw.read(2**20) + str(file.stat().st_size).encode())
                raw.seek(-4096, 2)
                digest.update(raw.read())
    return digest.hexdigest()


def _from_folder(folder: Path, what: str) -> Source:
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        others = [p.name for p in folder.glob("*") if p.suffix in (".bin", ".pt", ".pth", ".ckpt", ".pkl")]
        if others:
            raise InvalidRequest(
                f"{folder.name} holds {others[0]}, a pickle, which can run code: convert it to safetensors"
            )
        raise InvalidRequest(f"there are no safetensors in {folder.name}")
    numbers: dict[str, int] = {}
    keys: list[str] = []
    for file in weights:
        counts, names = _header(file)
        keys += names
        for kind, count in counts.items():
            numbers[kind] = numbers.get(kind, 0) + count
    return Source(folder, folder.name, _config(folder), what, numbers=numbers, keys=tuple(keys))


def _header(file: Path) -> tuple[dict[str, int], list[str]]:
    """The count of parameters by dtype and the names, from a file's header; raises if the file is incomplete."""
    try:
        with file.open("rb") as raw:
            length = int.from_bytes(raw.read(8), "little")
            if not 2 <= length <= 100_000_000:
                raise ValueError("its header has no sensible length")
            entries = json.loads(raw.read(length))
        entries.pop("__metadata__", None)
        counts: dict[str, int] = {}
        for entry in entries.values():
            size = 1
            for side in entry["shape"]:
                size *= side
            counts[entry["dtype"]] = counts.get(entry["dtype"], 0) + size
        ends = max((e["data_offsets"][1] for e in entries.values()), default=0)
        if file.stat().st_size != 8 + length + ends:
            raise ValueError(f"it has {file.stat().st_size} bytes and should have {8 + length + ends}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRequest(f"{file.name} is not a whole safetensors file: {error}") from error
    return counts, list(entries)


def _config(folder: Path, name: str = "") -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text())
        if not isinstance(config, dict):
            raise ValueError("it is not an object")
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"config.json in {name or folder.name} cannot be read: {error}") from error
    return config


def _from_hub(repository: str, revision: str | None, check: Check, watch: Watch | None) -> Source:
    """A checkpoint from the Hub, or from its cache if there is no network. The library handles the token."""
    from httpx2 import TransportError  # huggingface_hub does not wrap its HTTP client's errors
    from huggingface_hub import HfApi, hf_hub_download, snapshot_download
    from huggingface_hub.constants import HF_HUB_CACHE, HF_HUB_DOWNLOAD_TIMEOUT
    from huggingface_hub.errors import HfHubHTTPError

    if not os.access(HF_HUB_CACHE, os.W_OK) and is_stored(repository):  # such as in a container's image
        return _offline(repository, revision, check)
    try:
        seconds = max(15, HF_HUB_DOWNLOAD_TIMEOUT)
        info = HfApi().model_info(repository, revision=revision, files_metadata=True, timeout=seconds)
    except HfHubHTTPError as error:
        raise InvalidRequest(_no_answer(repository, revision, error)) from None
    except (OSError, TransportError):  # no network, or offline mode: use the cache
        return _offline(repository, revision, check)
    files = {s.rfilename: s.size or 0 for s in info.siblings or []}
    weights = {n: size for n, size in files.items() if n.endswith(".safetensors") and "/" not in n}
    if not weights:
        raise InvalidRequest(_without_weights(repository, files))
    etags = _etags(info, weights)

    def missing() -> int:
        return sum(size - fetch.downloaded_bytes(repository, etags[name], size) for name, size in weights.items())

    try:
        config = _config(Path(hf_hub_download(repository, "config.json", revision=info.sha)).parent, repository)
        numbers = dict(info.safetensors.parameters) if info.safetensors else {"BF16": sum(weights.values()) // 2}
        licence = str((info.card_data or {}).get("license") or NO_LICENCE)
        source = Source(Path(), repository, config, _address(repository, revision), info.sha or "", licence, numbers)
        source = replace(source, keys=_keys(repository, info.sha, list(weights), INDEX in files))
        check(source)
        _check_disk(repository, missing())  # the other files are small
        fetch.weights(repository, source.revision, weights, etags, watch)
        folder = snapshot_download(
            repository, revision=info.sha, allow_patterns=WANTED, ignore_patterns=["*/*"], tqdm_class=_silent()
        )
    except (HfHubHTTPError, OSError, TransportError) as error:
        raise InvalidRequest(_broken_off(repository, error, missing(), sum(weights.values()))) from None
    return replace(source, folder=Path(folder))


def _no_answer(repository: str, revision: str | None, error: Exception) -> str:
    """Why the Hub says nothing of a repository, and what helps."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    match error:
        case GatedRepoError():
            return _gated(repository)
        case RepositoryNotFoundError():
            return f"the hub has no '{repository}', or only for those who may see it (HF_TOKEN): check its name"
        case RevisionNotFoundError():
            return f"'{repository}' has no revision '{revision}': leave it out for the newest"
    return f"the hub did not answer for '{repository}': {type(error).__name__}"


def _broken_off(repository: str, error: Exception, missing: int, total: int) -> str:
    """Why a download ended, and what helps."""
    from huggingface_hub.errors import GatedRepoError, RemoteEntryNotFoundError

    if isinstance(error, GatedRepoError):
        return _gated(repository)
    if isinstance(error, RemoteEntryNotFoundError):
        return f"'{repository}' has no config.json, which says what network it is"
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"the disk is full: '{repository}' needs {max(1, round(missing / 1e6))} MB more. "
            f"{(total - missing) / 1e6:.0f} MB are kept: delete something, and open it again"
        )
    return f"the download of '{repository}' broke off ({type(error).__name__}): try again, it continues from there"


def _without_weights(repository: str, files: Mapping[str, int]) -> str:
    """Why a repository without safetensors of its own is not opened, and what helps."""
    if "model_index.json" in files:
        return f"'{repository}' makes pictures or sound (its files are of diffusers): choose a model that writes text"
    if any(name.endswith(".gguf") for name in files):
        return f"'{repository}' has only GGUF files: choose the repository that they were made from"
    return f"'{repository}' has no safetensors; pickles can run code and are not opened: choose a copy in safetensors"


def _keys(repository: str, revision: str | None, weights: list[str], index: bool) -> tuple[str, ...]:
    """The names of all weights: from the index, or from the header of a single file."""
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import SafetensorsParsingError

    try:
        if index:
            named = json.loads(Path(hf_hub_download(repository, INDEX, revision=revision)).read_text())["weight_map"]
        elif len(weights) == 1:
            named = HfApi().parse_safetensors_file_metadata(repository, weights[0], revision=revision).tensors
        else:
            named = {}
    except (SafetensorsParsingError, ValueError, KeyError):
        named = {}  # the names are then checked when the weights are loaded
    return tuple(named)


def _offline(repository: str, revision: str | None, check: Check) -> Source:
    """A checkpoint from the cache: the requested revision, else the newest."""
    there = [r for repo in _cache() if repo.repo_id == repository for r in repo.revisions]
    fitting = [r for r in there if revision is None or r.commit_hash.startswith(revision) or revision in r.refs]
    if not fitting:
        here = ", ".join(name for name, _ in cached()) or "nothing"
        raise InvalidRequest(f"no network, and '{repository}' is not in the cache; it holds {here}")
    newest = max(fitting, key=lambda r: r.last_modified)
    stored = _from_folder(Path(newest.snapshot_path), _address(repository, revision))
    source = replace(stored, name=repository, revision=newest.commit_hash)
    check(source)
    return source


def _address(repository: str, revision: str | None) -> str:
    return f"{repository}@{revision}" if revision else repository


def _gated(repository: str) -> str:
    return f"'{repository}' is gated: accept its terms at huggingface.co/{repository}, then set HF_TOKEN to your token"


def _etags(info: Any, weights: Mapping[str, int]) -> dict[str, str]:
    """The etag of each file: its SHA-256, or its git blob id."""
    names = {
        s.rfilename: str(s.lfs.sha256 if getattr(s, "lfs", None) else getattr(s, "blob_id", None) or "")
        for s in info.siblings or []
    }
    return {name: names.get(name, "") for name in weights}


def _check_disk(repository: str, total: int) -> None:
    from huggingface_hub.constants import HF_HUB_CACHE

    place = Path(HF_HUB_CACHE)
    while not place.exists():
        place = place.parent
    if (free := shutil.disk_usage(place).free) < total:
        raise InvalidRequest(
            f"'{repository}' takes {total / 1e9:.1f} GB more of disk, and {free / 1e9:.1f} GB are free"
        )


def _silent() -> Any:
    """A disabled progress bar for the remaining small files."""
    from tqdm.auto import tqdm

    class Silent(tqdm):  # type: ignore[misc, type-arg, unused-ignore]
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **(options | {"disable": True}))

    return Silent


def in_bytes(numbers: dict[str, int]) -> int:
    """The bytes of weights on disk."""
    return sum(count * _BYTES.get(kind, 1) for kind, count in numbers.items())
