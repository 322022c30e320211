"""Weights on their way from the hub into its cache: gone on with where they broke off, and checked by their hash.

The library keeps nothing of a file that did not arrive whole, so files are fetched here and linked by the library."""

from __future__ import annotations

import hashlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from unmask.errors import InvalidRequest

AT_ONCE = 4  # files
BEAT = 0.2  # seconds between two looks at how far it is
PART = 1 << 20  # bytes that are written at once
TRIES = 5  # lines that may break one after another with nothing come by them
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class DownloadProgress:
    """How far a download has come."""

    done: int  # bytes
    total: int
    files: int
    seconds_left: float | None


Watch = Callable[[DownloadProgress], None]


class _Count:
    """Bytes of all files together, and the lines that they come by."""

    def __init__(self, total: int, files: int, here: int) -> None:
        self.done, self.total, self.files = here, total, files
        self.began, self.before = time.monotonic(), here
        self.ended = False
        self._lines: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def progress(self) -> DownloadProgress:
        with self._lock:
            fresh, spent = self.done - self.before, time.monotonic() - self.began
            left = spent * (self.total - self.done) / fresh if fresh > 0 and self.total >= self.done else None
            return DownloadProgress(self.done, max(self.total, self.done), self.files, left)

    def add(self, size: int) -> None:
        """So many bytes are on disk; fewer than none where some were thrown away."""
        with self._lock:
            self.done += size

    @contextmanager
    def line(self, socket: socket.socket) -> Iterator[None]:
        """A line that is read meanwhile, and cut where the download ends before it is whole."""
        with self._lock:
            if self.ended:
                raise InvalidRequest("the download was ended")
            self._lines.add(socket)
        try:
            yield
        finally:
            with self._lock:
                self._lines.discard(socket)

    def end(self) -> None:
        """Wake who reads: a network that is silent would keep them."""
        with self._lock:
            self.ended = True
            for line in self._lines:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)


def weights(
    repository: str, revision: str, sizes: Mapping[str, int], etags: Mapping[str, str], watch: Watch | None
) -> None:
    """Every file, into the hub's cache. `watch` is called a few times a second, and may end it by raising."""
    here = {name: downloaded_bytes(repository, etags[name], size) for name, size in sizes.items()}
    count = _Count(sum(sizes.values()), len(sizes), sum(here.values()))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        coming = {pool.submit(_one, repository, revision, name, count) for name in sizes if here[name] < sizes[name]}
        try:
            while coming:
                done, coming = wait(coming, BEAT, FIRST_COMPLETED)
                for one in done:
                    one.result()
                if watch is not None:
                    watch(count.progress)
        except BaseException:
            for one in coming:
                one.cancel()
            count.end()
            raise


def downloaded_bytes(repository: str, etag: str, size: int) -> int:
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
        _resume_download(url, headers, file, about.size or 0, count)
    if _HASH.fullmatch(about.etag):
        with part.open("rb") as file:
            whole = hashlib.file_digest(file, "sha256").hexdigest() == about.etag
        if not whole:
            part.unlink()
            raise InvalidRequest(f"{name} of '{repository}' came damaged and was thrown away: ask again")
    part.replace(blob)


def _resume_download(url: str, headers: dict[str, str], file: BinaryIO, size: int, count: _Count) -> None:
    """What is still missing of a file; a line that breaks is opened again, from where it broke."""
    import httpx2  # what the library speaks HTTP with
    from huggingface_hub.constants import HF_HUB_DOWNLOAD_TIMEOUT
    from huggingface_hub.utils import hf_raise_for_status, http_stream_backoff

    left = TRIES
    while (at := file.tell()) < size:
        wanted = headers | {"Range": f"bytes={at}-", "Accept-Encoding": "identity"}
        try:
            with http_stream_backoff(
                "GET", url, headers=wanted, timeout=HF_HUB_DOWNLOAD_TIMEOUT, retry_on_exceptions=(),
                retry_on_status_codes=(408, 429),
            ) as response:  # fmt: skip
                hf_raise_for_status(response)
                if response.status_code == 200:  # all of it, though a part was asked for
                    file.truncate(0)
                    count.add(-at)
                with count.line(response.extensions["network_stream"].get_extra_info("socket")):
                    for part in response.iter_bytes(PART):
                        file.write(part)
                        file.flush()
                        count.add(len(part))
                        left = TRIES
        except httpx2.TransportError as error:
            left -= 1
            if count.ended or left < 0:
                raise ConnectionError(f"{type(error).__name__}: the line broke {TRIES} times") from None
    if file.tell() > size:
        raise ConnectionError(f"{file.tell()} bytes came in the place of {size}")


def _blobs(repository: str) -> Path:
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.file_download import repo_folder_name

    folder: str = repo_folder_name(repo_id=repository, repo_type="model")
    return Path(HF_HUB_CACHE) / folder / "blobs"


def _part(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.part")
