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

import pytest

from tests.models.forge import Forged, larger
from tests.models.local_hub import SHA, LocalHub, environment, local_hub


@pytest.fixture
def hub(forged: Callable[[str], Forged]) -> Iterator[LocalHub]:
    """A hub with one repository, in which code lies."""
    folder = forged("LLaDA-8B").folder
    (folder / "modeling_llada.py").write_text("raise SystemExit('code of a repository ran')")
    with local_hub({"ORG/LLaDA-8B": folder}) as made:
        yield made
    (folder / "modeling_llada.py").unlink()


def test_a_model_is_fetched_watched_cached_and_opened(hub: LocalHub, tmp_path: Path) -> None:
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
    env |= environment(hub, tmp_path) | {"HF_TOKEN": "hf_secret"}
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
    assert not [a for a in hub.requests if a.endswith(".py")]
    assert reports[1] == SHA  # without a network, from the cache


def listens() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_download_that_broke_off_is_gone_on_with(tmp_path: Path) -> None:
    """From the command line, ended by Ctrl-C in the middle: what had come is not fetched again."""
    folder = tmp_path / "Qwen3-0.6B-diffusion-mdlm"
    folder.mkdir()
    larger(folder)
    size = (folder / "model.safetensors").stat().st_size
    assert size > 24 << 20  # the library writes ten MB at once
    with local_hub({"ORG/Qwen3-0.6B-diffusion-mdlm": folder}) as hub:
        hub.pause_after = 11 << 20
        env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | environment(hub, tmp_path)
        command = [sys.executable, "-m", "dllm", "models", "--fetch", "ORG/Qwen3-0.6B-diffusion-mdlm"]
        root = Path(__file__).parents[2]
        # a shell that starts something behind itself lets it ignore Ctrl-C, and so would its children
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=root, env=env, preexec_fn=listens
        ) as first:
            assert hub.paused.wait(60) and first.stderr is not None
            while first.stderr.read(1) != "%":  # ten MB have come
                assert first.poll() is None
            first.send_signal(signal.SIGINT)
            hub.go_on.set()
            _, err = first.communicate(timeout=60)
        assert first.returncode == 130 and "stopped; ask again to go on" in err and "Traceback" not in err
        hub.pause_after, hub.begun = 0, []
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=root, env=env)
        assert done.returncode == 0, done.stderr
        assert "is here now" in done.stdout and "100 %" in done.stderr
        assert ("model.safetensors", 10 << 20) in hub.begun  # ten MB were here
