"""The README is true: its snippets run, its tree is the tree, its commands exist."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gradio as gr
import pytest

from ui.decoders import decoders
from ui.panels import Controls, decoder
from unmask.decide import get_policy, policy_names
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.spec import RunSpec

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)


def test_the_two_commands_come_first() -> None:
    first = re.search(r"```sh\n(.*?)```", README, re.S)
    assert first and [line.split("#")[0].strip() for line in first[1].splitlines()] == ["make run", "make test"]


def test_decoding_from_python_runs_as_printed() -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[0]], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split("\n")[-2].split()) == 27  # the prompt's three numbers, and twenty-four


def test_the_decoder_of_the_readme_stands_in_the_list_and_runs_by_its_name(
    tmp_path: Path, configure: Callable[..., None]
) -> None:
    (tmp_path / "every_other.py").write_text(PYTHON[1])
    configure(UNMASK_POLICIES=str(tmp_path))
    assert "every_other" in policy_names()
    assert get_policy("every_other").defaults == {"tau": 0.5}
    with gr.Blocks():
        decoder(controls := Controls(), 32, "fast-dllm", {})
    assert "every_other" in [item["name"] for row in decoders() for item in row["items"]]
    assert "every_other.tau" in controls.parts
    toy = load("toy")
    spec = RunSpec.from_dict(
        {"prompt": "1 2", "length": 12, "preset": "every_other", "changes": {"options": {"tau": 0.7}}}
    )
    state = spec.start(toy.card, toy.tokenizer)
    assert state.settings.policy == "every_other" and state.settings.options == {"tau": 0.7}
    assert [*decode(toy, state)][-1][0].done


def test_the_tree_is_the_tree() -> None:
    tree = README.split("dllm/                   the engine")[1].split("\nui/")[0]
    listed = set(re.findall(r"^  (\S+?)/? {2,}", tree, re.M))
    there = {p.name for p in (ROOT / "dllm").iterdir() if not p.name.startswith("__")}
    assert there - listed == set() and listed - there - {"__main__.py"} == set()


def test_every_command_of_the_readme_exists() -> None:
    from unmask.__main__ import main

    for command in set(re.findall(r"python -m unmask (\w+)", README)):
        with pytest.raises(SystemExit) as end:
            main([command, "--help"])
        assert end.value.code == 0
