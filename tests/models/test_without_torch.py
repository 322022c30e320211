"""`.[app,hub]` is enough for the models that it opens: PyTorch and transformers are hidden here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.models.forge import FAMILIES, PARENT, words
from tests.models.run_of_a_model import canvases

ROOT = Path(__file__).parents[2]
DENSE = (
    "LLaDA-8B", "Dream-v0", "SDAR-4B", "Fast_dLLM_v2", "Stable-DiffCoder-8B", "Qwen3-0.6B-diffusion-mdlm",
    "Qwen3-0.6B-diffusion-bd3lm", "WeDLM-8B", "Nemotron-3B", "bert-base", "roberta-base", "ModernBERT-base",
)  # fmt: skip
CACHES = {"LLaDA-8B": ("dual", "prefix"), "Dream-v0": ("dual",), "SDAR-4B": ("none",)}
REST = ("LLaDA-MoE", "LLaDA2.0-mini", "SDAR-30B-A3B", "RND1-Base", "diffusiongemma", "mdlm-owt")
TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}{% if add_generation_prompt %}a:{% endif %}"
HIDDEN = """
import importlib.util, json, sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ModuleNotFoundError(f"{name} is hidden", name=name)
sys.meta_path.insert(0, Hidden())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in ("torch", "transformers") else found(name, *more)
"""


def run_hidden(code: str, *arguments: str) -> Any:
    """What a Python without both packages prints last, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", HIDDEN + code, *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=240, env={"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {name: tmp_path_factory.mktemp("dense") / name for name in (*DENSE, "parent", *REST)}
    for name, folder in made.items():
        folder.mkdir()
        (PARENT if name == "parent" else FAMILIES[name])(folder)
        words(folder, TEMPLATE)
    return made


def test_each_dense_family_decodes_the_same_text(folders: dict[str, Path]) -> None:
    """It needed both, gigabytes on Linux, and took twice as long."""
    opened = [(str(folders[name]), {"cache": cache}) for name in DENSE for cache in ("exact", *CACHES.get(name, ()))]
    opened += [(f"causal:{folders['parent']}", {}), (f"nemotron:{folders['Nemotron-3B']}?mode=ar", {})]
    code = (
        "from tests.models.run_of_a_model import canvases\n"
        "print(json.dumps([canvases(name, **options) for name, options in json.loads(sys.argv[1])]))"
    )
    found = run_hidden(code, json.dumps(opened))
    for (name, options), texts in zip(opened, found, strict=True):
        assert texts == canvases(name, engine="transformers", **options), (name, options)
        assert len(texts) > 8, name


def test_any_other_model_is_refused_with_the_command_that_installs_what_it_needs(folders: dict[str, Path]) -> None:
    code = (
        "from unmask.errors import ModelError\n"
        "from unmask.models import load\n"
        "reasons = []\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        load(name)\n"
        "    except ModelError as error:\n"
        "        reasons.append(str(error))\n"
        "print(json.dumps(reasons))"
    )
    names = [str(folders[name]) for name in REST] + [
        f"{folders['Dream-v0']}?engine=transformers",
        "denoiser?engine=torch",
    ]
    reasons = run_hidden(code, *names)
    assert len(reasons) == len(names)
    assert all(one.endswith("pip install 'unmask[torch]'") and one.count("\n") == 0 for one in reasons), reasons


def test_the_page_s_list_and_the_estimate_need_neither(folders: dict[str, Path]) -> None:
    code = (
        "from unmask.models.hub import known_checkpoints as known\n"
        "from unmask.models.hub.fit import fit\n"
        "small = known.small_checkpoints()\n"
        "print(json.dumps([len(small), str(fit(sys.argv[1]))]))"
    )
    count, reasons = run_hidden(code, str(folders["Dream-v0"]))
    assert count >= 4 and "fits" in reasons and "a pass over 128 open cells" in reasons
