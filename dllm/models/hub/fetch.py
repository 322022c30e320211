"""Downloads weights from the Hub into its cache, resumes broken downloads and checks hashes.

huggingface_hub keeps nothing of an incomplete file, so files are downloaded here and linked by the library."""

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

PARALLEL = 4  # files
REPORT_EVERY = 0.2  # seconds between two progress reports
CHUNK = 1 << 20  # bytes written at once
TRIES = 5  # connections that may fail in a row without receiving a byte
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class DownloadProgress:
    """The progress of a download."""

    done: int  # bytes
    total: int
    files: int
    seconds_left: float | None
    stage: str = ""  # bytes are counted; see `converted.OpeningStep` for what follows


Watch = Callable[[DownloadProgress], None]


class _Transfer:
    """The progress and the open connections of all files of a download."""

    def __init__(self, total: int, files: int, here: int) -> None:
        self.done, self.total, self.files = here, total, files
        self.began, self.before = time.monotonic(), here
        self.ended = False
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def progress(self) -> DownloadProgress:
        with self._lock:
            fresh, spent = self.done - self.before, time.monotonic() - self.began
            left = spent * (self.total - self.done) / fresh if fresh > 0 and self.total >= self.done else None
            return DownloadProgress(self.done, max(self.total, self.done), self.files, left)

    def add(self, size: int) -> None:
        """Counts bytes written to disk; negative for bytes thrown away."""
        with self._lock:
            self.done += size

    @contextmanager
    def connection(self, socket: socket.socket) -> Iterator[None]:
        """Registers a connection while it is read, so that `end` can close it."""
        with self._lock:
            if self.ended:
                raise InvalidRequest("the download was stopped")
            self._connections.add(socket)
        try:
            yield
        finally:
            with self._lock:
                self._connections.discard(socket)

    def end(self) -> None:
        """Closes all connections, which wakes threads that wait on a silent network."""
        with self._lock:
            self.ended = True
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def weights(
    repository: str, revision: str, sizes: Mapping[str, int], etags: Mapping[str, str], watch: Watch | None
) -> None:
    """Downloads every file into the Hub's cache. `watch` is called a few times a second, and may stop it by raising."""
    here = {name: downloaded_bytes(repository, etags[name], size) for name, size in sizes.items()}
    count = _Transfer(sum(sizes.values()), len(sizes), sum(here.values()))
    with ThreadPoolExecutor(PARALLEL) as pool:
        pending = {
            pool.submit(_download_file, repository, revision, name, count)
            for name in sizes
            if not etags[name]
            or not (_blobs(repository) / etags[name]).is_file()  # nor checked, if all its bytes are here
        }
        try:
            while pending:
                done, pending = wait(pending, REPORT_EVERY, FIRST_COMPLETED)
                for one in done:
                    one.result()
                if watch is not None:
                    watch(count.progress)
        except BaseException:
            for one in pending:
                one.cancel()
            count.end()
            raise


def downloaded_bytes(repository: str, etag: str, size: int) -> int:
    """Bytes of a file on this machine: all of it, or those of an unfinished download."""
    blob = _blobs(repository) / etag
    if not etag:
        return 0
    if blob.is_file():
        return size
    part = _part(blob)
    return min(part.stat().st_size, size) if part.is_file() else 0


def _download_file(repository: str, revision: str, name: str, count: _Transfer) -> None:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    url, headers = hf_hub_url(repository, name, revision=revision), build_hf_headers()
    about = get_hf_file_metadata(url)
    assert about.etag is not None  # it names the file in the Hub's cache
    if about.xet_file_data is None:  # files in Xet storage are requested from the Hub, which redirects
        if urlsplit(about.location).netloc != urlsplit(url).netloc:
            headers.pop("authorization", None)  # the token is for the Hub only, not for its storage hosts
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
            raise InvalidRequest(f"{name} of '{repository}' arrived damaged and was deleted: try again")
    part.replace(blob)


def _resume_download(url: str, headers: dict[str, str], file: BinaryIO, size: int, count: _Transfer) -> None:
    """Downloads the missing rest of a file; reconnects where a connection breaks."""
    import httpx2  # the HTTP client of huggingface_hub
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
                if response.status_code == 200:  # the server ignored the range and sends the whole file
                    file.truncate(0)
                    count.add(-at)
                with count.connection(response.extensions["network_stream"].get_extra_info("socket")):
                    for part in response.iter_bytes(CHUNK):
                        file.write(part)
                        file.flush()
                        count.add(len(part))
                        left = TRIES
        except httpx2.TransportError as error:
            left -= 1
            if count.ended or left < 0:
                raise ConnectionError(f"{type(error).__name__}: the connection broke {TRIES} times") from None
    if file.tell() > size:
        raise ConnectionError(f"{file.tell()} bytes arrived instead of {size}")


def folder_of(repository: str) -> Path:
    """The folder of a model in the Hub's cache."""
    from huggingface_hub.constants import HF_HUB_CACHE
    from huggingface_hub.file_download import repo_folder_name

    folder: str = repo_folder_name(repo_id=repository, repo_type="model")
    return Path(HF_HUB_CACHE) / folder


def _blobs(repository: str) -> Path:
    return folder_of(repository) / "blobs"


def _part(blob: Path) -> Path:
    return blob.with_name(f"{blob.name}.part")
