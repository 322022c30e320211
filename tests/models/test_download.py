"""A download from a small hub on this machine: the library's own client, bars and cache, nothing played."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.models.forge import Forged, larger
from tests.models.local_hub import SHA, LocalHub, environment, local_hub
from tests.until import LONG, soon

ROOT = Path(__file__).parents[2]
LARGE = "ORG/Qwen3-0.6B-diffusion-mdlm"
COMMAND = [sys.executable, "-m", "unmask", "models", "--fetch", LARGE]


@pytest.fixture(scope="module")
def hub(forged: Callable[[str], Forged]) -> Iterator[LocalHub]:
    """A hub with one repository, in which code lies."""
    folder = forged("LLaDA-8B").folder
    (folder / "modeling_llada.py").write_text("raise SystemExit('code of a repository ran')")
    with local_hub({"ORG/LLaDA-8B": folder}) as made:
        yield made
    (folder / "modeling_llada.py").unlink()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where models are kept: what is fetched there opens without a network."""
    return tmp_path_factory.mktemp("home")


def printed_by(script: str, hub: LocalHub, home: Path, **more: str) -> Any:
    """What a process of its own prints, which has a secret and does not print it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    env |= environment(hub, home) | {"HF_TOKEN": "hf_secret"} | more
    command = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=LONG, cwd=ROOT, env=env)
    assert process.returncode == 0, process.stderr
    assert "hf_secret" not in process.stdout + process.stderr
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def fetched(hub: LocalHub, home: Path) -> Any:
    """What a process knows of a model that it fetched, and of one that is not there."""
    script = """
    import json
    from unmask.errors import InvalidRequest
    from unmask.models import load
    from unmask.models.hub.source import cached
    seen = []
    card = load("ORG/LLaDA-8B", watch=seen.append, number="fp32", device="cpu").card
    seen = [step for step in seen if not step.stage]  # of the download
    try:
        load("ORG/nothing")
    except InvalidRequest as refused:
        no = str(refused)
    print(json.dumps([card.revision, card.licence, card.tested, seen[-1].done, seen[-1].total, cached()[0][0], no]))
    """
    return printed_by(script, hub, home)


def test_a_model_is_fetched_watched_and_cached(hub: LocalHub, fetched: Any) -> None:
    revision, licence, tested, done, total, here, no = fetched
    assert (revision, licence, here) == (SHA, "mit", "ORG/LLaDA-8B")
    assert "the same twice" in tested and done == total > 90_000
    assert "the hub has no 'ORG/nothing'" in no
    assert not [a for a in hub.requests if a.endswith(".py")]


def test_without_a_network_it_opens_from_the_cache(hub: LocalHub, home: Path, fetched: Any) -> None:
    script = """
    import json
    from unmask.models import load
    print(json.dumps(load("ORG/LLaDA-8B", number="fp32", device="cpu").card.revision))
    """
    assert fetched
    assert printed_by(script, hub, home, HF_HUB_OFFLINE="1") == SHA


def listens() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Fetching:
    """`models --fetch` of a model large enough to be stopped in the middle."""

    def __init__(self, hub: LocalHub, home: Path) -> None:
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | environment(hub, home)
        self.env["HF_HUB_DOWNLOAD_TIMEOUT"] = str(10 * int(LONG))  # who waits for the network waits for ever

    def begun(self) -> subprocess.Popen[str]:
        # a shell that starts something behind itself lets it ignore Ctrl-C, and so would its children
        return subprocess.Popen(
            COMMAND, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=self.env,
            preexec_fn=listens,
        )  # fmt: skip

    @staticmethod
    def stopped(process: subprocess.Popen[str]) -> None:
        """Press Ctrl-C, and wait for the end: far less long than the network would be waited for."""
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONG)
        assert process.returncode == 130 and "stopped; run the same command again" in err and "Traceback" not in err

    def done(self) -> None:
        whole = subprocess.run(COMMAND, capture_output=True, text=True, timeout=LONG, cwd=ROOT, env=self.env)
        assert whole.returncode == 0, whole.stderr
        assert "is here now" in whole.stdout and "100 %" in whole.stderr


@pytest.fixture(scope="module")
def large_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "Qwen3-0.6B-diffusion-mdlm"
    folder.mkdir()
    larger(folder)
    return folder


@pytest.fixture
def large(large_folder: Path) -> Iterator[LocalHub]:
    with local_hub({LARGE: large_folder}) as hub:
        yield hub


@pytest.mark.long
def test_ctrl_c_ends_a_silent_download_at_once_and_it_is_gone_on_with(large: LocalHub, tmp_path: Path) -> None:
    """It waited for the network, and tried again when that was over. What had come is not fetched again."""
    large.pause_after = 11 << 20
    fetching = Fetching(large, tmp_path)
    with fetching.begun() as first:
        assert large.paused.wait(LONG)
        part = next((tmp_path / "hf").rglob("*.part"))
        soon(lambda: part.stat().st_size >= 10 << 20)
        fetching.stopped(first)
    come = part.stat().st_size
    large.go_on.set()
    large.pause_after, large.begun = 0, []
    fetching.done()
    assert ("model.safetensors", come) in large.begun


def test_ctrl_c_ends_a_wait_for_the_first_answer_too(large: LocalHub, tmp_path: Path) -> None:
    large.silent = True
    fetching = Fetching(large, tmp_path)
    with fetching.begun() as first:
        assert large.paused.wait(LONG)
        fetching.stopped(first)


def test_a_line_that_breaks_is_opened_again_from_there(large: LocalHub, tmp_path: Path) -> None:
    large.break_after = 5 << 20
    Fetching(large, tmp_path).done()
    begun = [at for name, at in large.begun if name == "model.safetensors" and at]
    assert begun == sorted(begun) and begun[-1] > 4 << 20


def test_without_a_network_it_says_what_is_here(tmp_path: Path) -> None:
    """A hub that nobody answers for ended in the library's own error."""
    env = dict(os.environ) | {"HF_ENDPOINT": "http://127.0.0.1:1", "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "0"}
    report = subprocess.run(COMMAND, capture_output=True, text=True, timeout=LONG, cwd=ROOT, env=env)
    assert report.returncode == 2
    assert report.stderr == f"unmask: no network, and '{LARGE}' is not in the cache; it holds nothing\n"
