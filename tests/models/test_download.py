"""A download from a small hub on this machine: the library's own client, bars and cache, nothing played."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.models.forge import Forged

SHA = "1" * 40


class Answers(BaseHTTPRequestHandler):
    """What the hub answers about the one repository it has."""

    folder: Path
    requests: list[str]

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.requests.append(f"{self.command} {path}")
        files = {p.name: p.stat().st_size for p in self.folder.iterdir()}
        if path.startswith("/api/models/ORG/LLaDA-8B/tree/"):
            self._json([{"type": "file", "path": n, "size": s, "oid": _oid(n)} for n, s in files.items()])
        elif path.startswith("/api/models/ORG/LLaDA-8B"):
            siblings = [{"rfilename": n, "size": s, "blobId": _oid(n)} for n, s in files.items()]
            parameters = {"parameters": {"F32": 25000}, "total": 25000}
            info = {"id": "ORG/LLaDA-8B", "sha": SHA, "siblings": siblings, "safetensors": parameters}
            self._json(
                info | {"cardData": {"license": "mit"}, "private": False, "tags": [], "downloads": 0, "likes": 0}
            )
        elif path.startswith(f"/ORG/LLaDA-8B/resolve/{SHA}/") and (self.folder / path.rsplit("/", 1)[1]).exists():
            self._send((self.folder / path.rsplit("/", 1)[1]).read_bytes(), _oid(path.rsplit("/", 1)[1]))
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound" if "/api/" in path else "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

    def _json(self, body: object) -> None:
        self._send(json.dumps(body).encode(), "told")

    def _send(self, raw: bytes, tag: str) -> None:
        self.send_response(200)
        self.send_header("ETag", f'"{tag}"')
        self.send_header("X-Repo-Commit", SHA)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def _oid(name: str) -> str:
    return hashlib.sha1(name.encode()).hexdigest()


@pytest.fixture
def hub(forged: Callable[[str], Forged]) -> Iterator[tuple[str, list[str]]]:
    """Its address, and what it was asked."""
    requests: list[str] = []
    folder = forged("LLaDA-8B").folder
    (folder / "modeling_llada.py").write_text("raise SystemExit('code of a repository ran')")
    handler = type("Here", (Answers,), {"folder": folder, "requests": requests})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", requests
    server.shutdown()
    server.server_close()
    (folder / "modeling_llada.py").unlink()


def test_a_model_is_fetched_watched_cached_and_opened(hub: tuple[str, list[str]], tmp_path: Path) -> None:
    address, requests = hub
    code = """
    import json
    from dllm.canvas import Refused
    from dllm.models import load
    from dllm.models.hub.source import cached
    seen = []
    card = load("ORG/LLaDA-8B", watch=seen.append, number="fp32", device="cpu").card
    try:
        load("ORG/nothing")
    except Refused as refused:
        no = str(refused)
    print(json.dumps([card.revision, card.licence, card.tested, seen[-1].done, seen[-1].total, cached()[0][0], no]))
    """
    offline = """
    import json
    from dllm.models import load
    print(json.dumps(load("ORG/LLaDA-8B", number="fp32", device="cpu").card.revision))
    """
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    env |= {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "hf"), "XDG_CACHE_HOME": str(tmp_path)}
    env |= {"HF_TOKEN": "hf_secret", "HF_HUB_DISABLE_XET": "1", "NO_PROXY": "127.0.0.1"}
    reports = []
    for script, more in ((code, {}), (offline, {"HF_HUB_OFFLINE": "1"})):
        command = [sys.executable, "-c", textwrap.dedent(script)]
        root = Path(__file__).parents[2]
        process = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=root, env=env | more)
        assert process.returncode == 0, process.stderr
        assert "hf_secret" not in process.stdout + process.stderr
        reports.append(json.loads(process.stdout.splitlines()[-1]))
    revision, licence, tested, done, total, here, no = reports[0]
    assert (revision, licence, here) == (SHA, "mit", "ORG/LLaDA-8B")
    assert "the same twice" in tested and done == total > 90_000
    assert "the hub has no 'ORG/nothing'" in no
    assert not [a for a in requests if a.endswith(".py")]
    assert reports[1] == SHA  # without a network, from the cache
