"""A real server on a real port, and small random networks that speak bytes, for tests that talk to them."""

import contextlib
import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
from websockets.sync.client import connect

from tests.until import LONG, answers

ROOT = Path(__file__).parents[2]
WORDS, LONGEST = 258, 512
MASK, END = 256, 257


def checkpoint(folder: Path, causal: bool, width: int = 64, layers: int = 2, more: Sequence[str] = ()) -> Path:
    """A network of random numbers in the layout of the embedded pair; it says bytes, whole letters or not, and `more`
    pieces of text as words of their own."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    from unmask.models.bundled import byte_letters
    from unmask.models.transformer import Transformer, TransformerConfig

    folder.mkdir(parents=True)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    names = {bytes([b]): c for b, c in byte_letters().items()}
    spelled = dict.fromkeys("".join(names[bytes([b])] for b in piece.encode()) for piece in more)
    extra = {piece: WORDS + i for i, piece in enumerate(p for p in spelled if p not in vocabulary)}
    words = WORDS + len(extra)
    tokenizer = Tokenizer(models.BPE(vocabulary | {"<mask>": MASK, "<end>": END} | extra, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<mask>", special=True), AddedToken("<end>", special=True)])
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(7 + causal)
    shape = TransformerConfig(words, width, layers, heads=2, length=LONGEST, causal=causal)
    weights = {k: v.contiguous() for k, v in Transformer(shape).state_dict().items()}
    for name, weight in weights.items():
        if weight.ndim == 2:
            weights[name] = torch.randn_like(weight) * (1.0 if "embedding" in name else 0.2)
    save_file(weights, folder / "model-00001.safetensors")
    digest = hashlib.sha256((folder / "model-00001.safetensors").read_bytes()).hexdigest()
    config = {"vocabulary": words, "width": width, "layers": layers, "heads": 2, "length": LONGEST, "causal": causal}
    config |= {"mask_id": MASK, "separator_id": END, "sha256": digest}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@dataclass
class Server:
    """A running server, as those outside see it."""

    process: subprocess.Popen[str]
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, key: str = "unused", **options: object) -> openai.OpenAI:
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=0, timeout=LONG, **options)

    def stop(self, how: int = signal.SIGTERM, patience: float = 60) -> int:
        self.process.send_signal(how)
        return self.process.wait(patience)

    def memory(self) -> int:
        """Bytes of memory that the process holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    """A port that nobody uses, and that the system gives to no connection before a server takes it."""
    while True:
        port = 10_000 + secrets.randbelow(22_000)
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port


def websocket(port: int, **options: Any) -> Any:
    """A connection to a server's socket that waits as long as a busy machine needs."""
    fields = {"max_size": None, "max_queue": None, "open_timeout": LONG, "ping_interval": None} | options
    return connect(f"ws://127.0.0.1:{port}/ws", **fields)


def started(
    log: Path,
    *more: str,
    patience: float = LONG,
    before: Sequence[str] = (),
    port: int = 0,
    root: Path = ROOT,
    **environment: str,
) -> Server:
    """A server of a checkout with these arguments, run by the command `before` if there is one."""
    port = port or free_port()
    env = {k: v for k, v in os.environ.items() if not k.startswith("UNMASK_")}
    env |= {"UNMASK_KEEP_HOURS": "0"} | environment
    command = [*before, sys.executable, "-m", "dllm", "serve", "--port", str(port), *more]
    with log.open("w") as text:
        process = subprocess.Popen(command, cwd=root, env=env, stdout=text, stderr=text, text=True)
    assert answers(process, f"http://127.0.0.1:{port}/health", patience), log.read_text()
    return Server(process, port, log)
