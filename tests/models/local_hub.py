"""A small hub on this machine: what the real one answers about the repositories it has, parts of files too.

It keeps a list of requests, and can stop in the middle of a file, or before any answer, until it may go on."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.until import LONG

SHA = "1" * 40
PART = 1 << 16  # bytes that go out at once


class LocalHub:
    """Repositories by name, each a folder."""

    def __init__(self, repositories: Mapping[str, Path]) -> None:
        self.repositories = dict(repositories)
        self.requests: list[str] = []
        self.begun: list[tuple[str, int]] = []  # files that were asked for, and from which byte on
        self.sent = 0  # bytes of files
        self.pause_after = 0  # bytes of a file's weights after which it waits; 0 is never
        self.break_after = 0  # bytes after which a line breaks; 0 is never
        self.gated = set[str]()  # repositories whose terms nobody here has accepted
        self.about = dict[str, dict[str, Any]]()  # what it says of a repository in place of the truth
        self.silent = False  # takes requests and answers nothing
        self.go_on, self.paused = threading.Event(), threading.Event()
        self.address = ""

    def info(self, name: str) -> dict[str, Any]:
        files = {p.name: p.stat().st_size for p in self.repositories[name].iterdir()}
        numbers = files.get("model.safetensors", 0) // 4
        siblings = [
            {"rfilename": n, "size": s, "blobId": _oid(n, self.repositories[name])} for n, s in sorted(files.items())
        ]
        return {
            "id": name,
            "sha": SHA,
            "siblings": siblings,
            "safetensors": {"parameters": {"F32": numbers}, "total": numbers},
            "cardData": {"license": "mit"},
            "private": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
        } | self.about.get(name, {})


def _oid(name: str, folder: Path) -> str:
    return hashlib.sha1(f"{folder}/{name}".encode()).hexdigest()


class _Answers(BaseHTTPRequestHandler):
    hub: LocalHub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.hub.requests.append(f"{self.command} {path}")
        if self.hub.silent:
            self.hub.paused.set()
            self.hub.go_on.wait(LONG)
        name = "/".join(path.removeprefix("/api/models/").strip("/").split("/")[:2])
        if (folder := self.hub.repositories.get(name)) is None:
            return self._nothing("RepoNotFound")
        if name in self.hub.gated:
            return self._nothing("GatedRepo", 403)
        if path.startswith(f"/api/models/{name}/tree/"):
            rows = [
                {"type": "file", "path": p.name, "size": p.stat().st_size, "oid": _oid(p.name, folder)}
                for p in folder.iterdir()
            ]
            return self._json(rows)
        if path.partition("/revision/")[2] not in ("", "main", SHA):
            return self._nothing("RevisionNotFound")
        if path.startswith(f"/api/models/{name}"):
            return self._json(self.hub.info(name))
        file = folder / path.rsplit("/", 1)[1]
        if path.startswith(f"/{name}/resolve/") and file.exists():
            return self._file(file, _oid(file.name, folder))
        self._nothing("EntryNotFound")

    def _nothing(self, code: str, status: int = 404) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _json(self, body: object) -> None:
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(raw)

    def _file(self, file: Path, tag: str) -> None:
        raw, first = file.read_bytes(), 0
        last = len(raw) - 1
        wanted = self.headers.get("Range", "").removeprefix("bytes=")
        if wanted:
            begins, _, ends = wanted.partition("-")
            first, last = int(begins or 0), min(int(ends or last), last)
        self.send_response(206 if wanted else 200)
        self.send_header("ETag", f'"{tag}"')
        self.send_header("X-Repo-Commit", SHA)
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(raw)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        if self.command != "GET":
            return
        hub = self.hub
        hub.begun.append((file.name, first))
        for at in range(first, last + 1, PART):
            if hub.pause_after and file.suffix == ".safetensors" and last - first > PART and at >= hub.pause_after:
                hub.paused.set()
                hub.go_on.wait(LONG)
            if hub.break_after and at - first >= hub.break_after:
                self.close_connection = True
                return
            part = raw[at : min(at + PART, last + 1)]
            try:
                self.wfile.write(part)
                hub.sent += len(part)
            except OSError:  # who asked went away
                self.close_connection = True
                return

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def local_hub(repositories: Mapping[str, Path]) -> Iterator[LocalHub]:
    """The hub at its address, while it is needed."""
    hub = LocalHub(repositories)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (_Answers,), {"hub": hub}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    yield hub
    hub.go_on.set()
    server.shutdown()
    server.server_close()


def environment(hub: LocalHub, home: Path) -> dict[str, str]:
    """What a process needs so that this is its hub."""
    return {
        "HF_ENDPOINT": hub.address,
        "HF_HOME": str(home / "hf"),
        "XDG_CACHE_HOME": str(home),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_OFFLINE": "0",
        "NO_PROXY": "127.0.0.1",
    }
