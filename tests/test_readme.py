"""The README is true: its snippets run, its tree is the tree, its commands exist."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gradio as gr
import pytest

from unmask.decide import get_policy, policy_names
from unmask.inference.decode import decode
from unmask.models import load
from unmask.run.spec import RunSpec
from unmask.ui.decoders import decoders
from unmask.ui.panels import Controls, decoder

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TREE = (ROOT / "docs" / "architecture.md").read_text().split("```")[1]
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


def listed(tree: str, folder: str) -> set[str]:
    """The names that a printed tree has directly in a folder."""
    indent = re.search(rf"^( *){re.escape(folder)}/ ", tree, re.M)
    assert indent, f"the tree has no line for {folder}/"
    below = tree[indent.end() :].split("\n", 1)[1]
    inside = re.match(rf"(?:{indent[1]} +.*\n)*", below)
    assert inside
    return set(re.findall(rf"^{indent[1]}  (\S+?)/? {{2,}}", inside[0], re.M))


def there(folder: str) -> set[str]:
    return {path.name for path in (ROOT / folder).iterdir() if not path.name.startswith("__")}


@pytest.mark.parametrize("folder", ["dllm", "dllm/features"])
def test_the_printed_tree_has_every_folder_and_no_other(folder: str) -> None:
    assert listed(TREE, folder.split("/")[-1]) - {"__main__.py"} == there(folder)


def test_a_line_that_is_missing_from_the_printed_tree_is_found() -> None:
    without = "".join(line for line in TREE.splitlines(keepends=True) if " race/ " not in line and " run/ " not in line)
    assert there("dllm/features") - listed(without, "features") == {"race"}
    assert there("dllm") - listed(without, "dllm") == {"run"}


def test_every_top_folder_of_the_printed_tree_is_there() -> None:
    top = re.findall(r"^(\S+) {2,}", TREE, re.M)
    assert len(top) > 8 and [name for name in top if not (ROOT / name).exists()] == []


def test_every_command_of_the_readme_exists() -> None:
    from unmask.__main__ import main

    for command in set(re.findall(r"python -m unmask (\w+)", README)):
        with pytest.raises(SystemExit) as end:
            main([command, "--help"])
        assert end.value.code == 0
