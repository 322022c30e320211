"""The installed wheel: run by `make installed` in an environment of its own, from another folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

UNMASK = str(Path(sys.executable).with_name("unmask"))
PORT = 7873
README = Path(os.environ["README"]).read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.S)


def ran(*words: str, status: int = 0, **environment: str) -> str:
    done = subprocess.run([UNMASK, *words], capture_output=True, text=True, timeout=300, env=os.environ | environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_wheel_has_one_package_beside_another_dllm() -> None:
    import dllm
    import unmask

    assert dllm.NAME == "the trainer"
    assert "site-packages" in str(unmask.__file__)
    assert {str(file).split("/")[0] for file in files("unmask") or ()} <= {"unmask", "..", *dist_info()}


def dist_info() -> set[str]:
    return {str(file).split("/")[0] for file in files("unmask") or () if ".dist-info" in str(file)}


def test_nothing_that_runs_the_pair_brings_torch() -> None:
    from importlib.util import find_spec

    assert find_spec("torch") is None


def test_the_command_line() -> None:
    assert re.fullmatch(r"unmask \d+\.\d+\.\d+", ran("--version").strip())
    assert "tokens in" in ran("decode", "Story: Tom had a red kite.")
    assert "Fast-dLLM" in ran("policies")
    assert "unmask[hub]" in ran("decode", "--model", "org/name", "1", status=2)


def test_python() -> None:
    done = subprocess.run([sys.executable, "-c", SNIPPETS[0]], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_a_decoder_of_the_readme(tmp_path: Path) -> None:
    (tmp_path / "every_other.py").write_text(SNIPPETS[2])
    assert "every_other" in ran("policies", UNMASK_POLICIES=str(tmp_path))
    assert "tokens in" in ran("decode", "Story: a cat", "--policy", "every_other", UNMASK_POLICIES=str(tmp_path))


@pytest.fixture(scope="module")
def page() -> Iterator[str]:
    process = subprocess.Popen([UNMASK, "run", "--port", str(PORT)], stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{PORT}/"
    for _ in range(600):
        try:
            urllib.request.urlopen(address, timeout=5)
            break
        except OSError:
            assert process.poll() is None
            time.sleep(0.2)
    yield address
    process.terminate()
    assert process.wait(60) == 0


def test_a_run_and_a_word_in_the_browser(page: str) -> None:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        tab = browser.new_page()
        wrong: list[str] = []
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.goto(page)
        stage = tab.locator("unmask-stage")
        expect(stage).to_have_attribute("data-ready", "yes", timeout=60_000)
        tab.get_by_label("Prompt", exact=True).fill("Story: Mia lost a blue ball.")
        tab.get_by_role("button", name="Run", exact=True).click()
        expect(stage).to_have_attribute("data-run", "over", timeout=120_000)
        words = tab.locator(".side[data-side='0'] [data-cell]").all_text_contents()
        assert len(words) > 20 and not wrong
        browser.close()
