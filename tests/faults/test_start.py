"""A start where something is missing: it starts with what there is, and says in one sentence what is not there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.serve.process import ROOT, free_port, started
from tests.until import LONG, answers
from unmask.serve.process import NO_FOLDER, USING_MEMORY

HIDE = "import runpy, sys, tempfile; tempfile._candidate_tempdir_list = lambda: ['/proc/none', '/none']; "
RUN = "sys.argv = ['app.py', '--port', sys.argv[1]]; runpy.run_path('app.py', run_name='__main__')"


@pytest.mark.long
def test_without_a_folder_for_temporary_files_it_starts_in_memory_and_says_so(tmp_path: Path) -> None:
    """It once ended with a traceback. Here the cache and the home cannot be written to either."""
    port = free_port()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("UNMASK_", "GRADIO_"))}
    env |= {"HOME": "/proc/none", "XDG_CACHE_HOME": "/proc/none/cache", "TMPDIR": "/none", "HF_HUB_OFFLINE": "1"}
    env |= {"UNMASK_MODELS": "toy", "GRADIO_ANALYTICS_ENABLED": "False"}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", HIDE + RUN, str(port)], cwd=ROOT, env=env, stdout=log, stderr=log
        )
    try:
        assert answers(process, f"http://127.0.0.1:{port}/")
        for path in ("/", "/config", "/theme.css", "/menu"):
            assert httpx.get(f"http://127.0.0.1:{port}{path}", timeout=LONG).status_code == 200
        body = {"model": "toy", "prompt": "1 2", "max_tokens": 4}
        assert httpx.post(f"http://127.0.0.1:{port}/v1/completions", json=body, timeout=LONG).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
    text = (tmp_path / "log").read_text()
    assert text.count(USING_MEMORY) == 1 and "Traceback" not in text


def test_where_there_is_no_folder_at_all_it_says_what_to_do() -> None:
    hide = HIDE + "import unmask.serve.process as t; t.MEMORY = '/proc/none'; "
    command = [sys.executable, "-c", hide + RUN, str(free_port())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and done.stderr.strip() == NO_FOLDER


READ_ONLY = ("unshare", "--mount", "sh", "-c", 'mount -o remount,ro,bind / && exec "$@"', "sh")


@pytest.mark.skipif(
    subprocess.run([*READ_ONLY, "true"], capture_output=True).returncode != 0, reason="this machine allows no mounts"
)
def test_on_a_read_only_root_it_serves(tmp_path: Path) -> None:
    """As in a container with `--read-only`: only the memory's folder can be written to."""
    server = started(tmp_path / "log", "--model", "toy", before=READ_ONLY, UNMASK_KEEP_HOURS="12")
    try:
        body = {"model": "toy", "prompt": "1 2", "max_tokens": 4}
        assert httpx.post(f"{server.url}/v1/completions", json=body, timeout=LONG).status_code == 200
        assert server.stop() == 0
    finally:
        server.process.kill()
    text = (tmp_path / "log").read_text()
    assert "Traceback" not in text, text
