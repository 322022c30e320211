"""The README is true: its snippets run, its tree is the tree, its commands exist."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import gradio as gr
import pytest
from PIL import Image

from tests.serve.process import started
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


JUDGED = {
    'unmask decode "Story: Lily had a red kite."': r"Lily .*\.\n.* open 0\n?",
    'unmask decode "Story: Tom had ___ in his bag." --quiet': r"(a|the|his|some) \w+( \w+)?\n",
    'unmask decode "Story: a cat" --preset llada --trace run.trace.jsonl': r"[.\"] *\n.*open 0",
    "unmask replay run.trace.jsonl": r"[.\"] *\n",
    "unmask film run.trace.jsonl run.gif": r"run.gif: \d+ KB",
    "unmask policies": r"(?s)fast-dllm.*tau",
    "unmask models": r"(?s)denoiser.*twin",
    "unmask parity tests/parity/published.json": r"(\d+) of \1",
}


@pytest.mark.long
def test_each_command_of_the_terminal_prints_what_one_would_show(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.S)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("unmask ") and line != "unmask run"]
    assert commands == list(JUDGED)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "COLUMNS": "120"}
    for command in commands:
        words = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, env=environment)
        assert done.returncode == 0, (command, done.stderr)
        assert re.search(JUDGED[command], done.stdout + done.stderr), (command, done.stdout[-800:] + done.stderr[-400:])


def test_decoding_from_python_prints_a_story() -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[0]], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *story, first, second, third = done.stdout.strip().split("\n")
    assert "Lily" in " ".join(story) and "∎" not in done.stdout
    assert first.startswith("Frame(pass 1: wrote ") and third.startswith("Frame(pass 3: ") and second != third


def test_a_sampler_is_recorded_as_the_readme_says(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    for command in (["-c", PYTHON[1]], ["-m", "unmask", "check", "mine.trace.jsonl"]):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=120, env=environment
        )
        assert done.returncode == 0, done.stderr
    assert "24 passes, 24 of them with beliefs, 24 forwards" in done.stdout and "unmask.record" in done.stdout


def test_the_openai_client_gets_a_story(tmp_path: Path) -> None:
    server = started(tmp_path / "log", "--model", "denoiser")
    try:
        code = PYTHON[2].replace("7860", str(server.port))
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    finally:
        server.stop()
    assert done.returncode == 0 and "Lily" in done.stdout and done.stdout.strip().endswith((".", "!", '"')), done


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    linked = set(re.findall(r"\((\w+\.md)\)", index))
    assert linked == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_the_decoder_of_the_readme_stands_in_the_list_and_runs_by_its_name(
    tmp_path: Path, configure: Callable[..., None]
) -> None:
    (tmp_path / "every_other.py").write_text(PYTHON[3])
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


def test_the_check_of_the_readme_opens_words_again() -> None:
    done = subprocess.run([sys.executable, "-c", PYTHON[4]], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "Lily" in done.stdout and "than said', 'reopened')" in done.stdout, done


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


def test_the_picture_moves_and_rests_on_its_last_frame() -> None:
    (name,) = re.findall(r"\]\((assets/\S+\.gif)\)", README)
    assert (ROOT / name).stat().st_size <= 2 << 20
    with Image.open(ROOT / name) as film:
        assert film.n_frames > 20
        film.seek(film.n_frames - 1)
        assert film.info["duration"] >= 2000
