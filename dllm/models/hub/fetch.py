"""Weights on their way from the hub into its cache: gone on with where they broke off, and checked by their hash.

The library keeps nothing of a file that did not arrive whole, so files are fetched here and linked by the library."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from dllm.canvas import Refused

AT_ONCE = 4  # files
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Progress:
    """How far a download has come."""

    done: int  # bytes
    total: int
    files: int
    seconds_left: float | None


Watch = Callable[[Progress], None]


class _Count:
    """Bytes of all files together, in the place of the library's bar; who watches may end it by raising."""

    def __init__(self, total: int, files: int, here: int, watch: Watch | None) -> None:
        self.done, self.total, self.files, self.watch = here, total, files, watch
        self.began, self.before = time.monotonic(), here
        self.ended = threading.Event()
        self._lock = threading.Lock()

    def update(self, n: float | None = 1) -> bool | None:
        if self.ended.is_set():
            raise Refused("another file of this download broke off")
        with self._lock:
            self.done += int(n or 0)
            fresh, spent = self.done - self.before, time.monotonic() - self.began
        left = spent * (self.total - self.done) / fresh if fresh > 0 and self.total >= self.done else None
        if self.watch is not None:
            self.watch(Progress(self.done, max(self.total, self.done), self.files, left))
        return None


def weights(
    repository: str, revision: str, sizes: Mapping[str, int], etags: Mapping[str, str], watch: Watch | None
) -> None:
    """Every file, into the hub's cache."""
    here = {name: arrived(repository, etags[name], size) for name, size in sizes.items()}
    count = _Count(sum(sizes.values()), len(sizes), sum(here.values()), watch)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        coming = [pool.submit(_one, repository, revision, name, count) for name in sizes if here[name] < sizes[name]]
        try:
            for one in coming:
                one.result()
        except BaseException:
            count.ended.set()  # the others end with their next bytes
            for one in coming:
                one.cancel()
            raise


def arrived(repository: str, etag: str, size: int) -> int:
    """Bytes of a file that lie here: all of it, or what came before it broke off."""
    blob = _blobs(repository) / etag
    if not etag:
        return 0
    if blob.is_file():
        return size
    part = _part(blob)
    return min(part.stat().st_size, size) if part.is_file() else 0


def _one(repository: str, revision: str, name: str, count: _Count) -> None:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers

    url, headers = hf_hub_url(repository, name, revision=revision), build_hf_headers()
    about = get_hf_file_metadata(url)
    assert about.etag is not None  # it names the file, in the hub's answer as in its cache
    if about.xet_file_data is None:  # otherwise the library asks the hub itself too, and is sent on from there
        if urlsplit(about.location).netloc != urlsplit(url).netloc:
            headers.pop("authorization", None)  # the token is for the hub, not for where it keeps its files
        url = about.location
    blob = _blobs(repository) / about.etag
    part = _part(blob)
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("ab") as file:
        http_get(url, file, resume_size=file.tell(), headers=headers, expected_size=about.size, _tqdm_bar=count)
    if _HASH.fullmatch(about.etag):
        with part.open("rb") as file:
            whole = hashlib.file_digest(file, "sha256").hexdigest() == about.etag
        if not whole:
            part.unlink()
            raise Refused(f"{name} of '{repository}' came damaged and was thrown away: ask again")
    part.replace(blob)


def _blobs(repository: str) -> Path:
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.file_download import repo_folder_name

    folder: str = repo_folder_name(repo_id=repository, repo_type="model")
    return Path(HF_HUB_CACHE) / folder / "blobs"


def _part(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.part")
