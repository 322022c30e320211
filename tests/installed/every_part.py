"""The installed wheel: run by `make installed` in an environment of its own, from another folder."""

from __future__ import annotations

import json
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


def test_neither_the_pair_nor_a_dense_model_brings_torch() -> None:
    from importlib.util import find_spec

    assert find_spec("torch") is None and find_spec("transformers") is None


def test_the_command_line() -> None:
    assert re.fullmatch(r"unmask \d+\.\d+\.\d+", ran("--version").strip())
    assert "tokens in" in ran("decode", "Story: Tom had a red kite.")
    assert "Fast-dLLM" in ran("policies")
    assert "unmask[torch]" in ran("decode", "--model", "denoiser?engine=torch", "Story: ", status=2)


def test_a_model_of_a_folder(tmp_path: Path) -> None:
    """A denoiser with random weights, whose words are token numbers."""
    import numpy as np
    from safetensors.numpy import save_file

    names = {f"self_attn.{part}_proj": (32, 32) for part in "qkvo"}
    names |= {"mlp.gate_proj": (64, 32), "mlp.up_proj": (64, 32), "mlp.down_proj": (32, 64)}
    names |= {"input_layernorm": (32,), "post_attention_layernorm": (32,)}
    shapes = {f"model.layers.{at}.{name}.weight": shape for at in range(2) for name, shape in names.items()}
    shapes |= {"model.embed_tokens.weight": (60, 32), "lm_head.weight": (60, 32), "model.norm.weight": (32,)}
    rng = np.random.default_rng(0)
    save_file({n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}, tmp_path / "model.safetensors")
    config = {"architectures": ["A2DLlamaLMHeadModel"], "hidden_size": 32, "intermediate_size": 64, "vocab_size": 60}
    config |= {"num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 128, "mask_token_id": 59}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert "all as it should be" in ran("models", "--check", str(tmp_path))
    assert "tokens in" in ran("decode", "--model", str(tmp_path), "1 2 3", "--length", "16")


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
