"""lm-eval, as it is on the package index, with `--model unmask` in its own process and an environment of its own."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PLACE = ROOT / "build" / "lm-eval"
TASKS = ROOT / "tests" / "clients" / "lm_eval_tasks"
PYTHON = PLACE / "bin" / "python"


@pytest.fixture(scope="module")
def python() -> Path:
    """The Python of an environment that has what `.[lm-eval]` needs, and no more."""
    if not (PLACE / ".done").exists():
        subprocess.run([sys.executable, "-m", "venv", PLACE], check=True, timeout=120)
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        wanted = [*project["dependencies"], *project["optional-dependencies"]["lm-eval"]]
        pip = [PYTHON, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *wanted]
        subprocess.run(pip, check=True, timeout=1200)
        (PLACE / ".done").touch()
    return PYTHON


@pytest.mark.long
@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("model", "more", "how"),
    [("denoiser", ",samples=16", "a bound of 16 samples each"), ("twin", "", "exact")],
)
def test_lm_eval_scores_and_generates_in_process(python: Path, tmp_path: Path, model: str, more: str, how: str) -> None:
    command = [python, "-m", "unmask.features.lab.harness", "--model", "unmask", "--output_path", tmp_path]
    command += ["--model_args", f"model={model}{more}", "--include_path", TASKS, "--tasks", "records_name,records_town"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, cwd=TASKS, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"unmask: 4 log-likelihoods, {how}" in done.stderr
    spent = re.search(r"unmask: 2 texts, ([\d.]+) passes a text, ([\d.]+) tokens a forward", done.stderr)
    assert spent and float(spent[1]) >= 1 and (float(spent[2]) > 2) == (model == "denoiser")
    (file,) = tmp_path.rglob("results_*.json")
    for task, found in json.loads(file.read_text())["results"].items():
        assert [v for k, v in found.items() if k.split(",")[0] in ("acc", "exact_match")] == [1.0], (model, task)
    torch = subprocess.run([python, "-c", "import torch"], capture_output=True, timeout=120)
    assert torch.returncode != 0  # none of it needed PyTorch
