"""What is pushed to a Space: front matter that fits the pins, files of each kind, requirements that resolve there."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from scripts import space
from tests.models.forge import larger
from tests.models.local_hub import environment, local_hub
from tests.serve.process import free_port
from tests.until import LONG, soon

ROOT = Path(__file__).parents[1]
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHONS = ("3.11", "3.12", "3.13")
SHORT = 60  # letters that a Space's description may have
LINUX = ("--python-platform", "x86_64-unknown-linux-gnu")


def fields(kind: str) -> dict[str, Any]:
    row: dict[str, Any] = yaml.safe_load(space.front(kind).strip("-\n"))
    return row


def uv(*command: str) -> str:
    """The resolver's answer; it reads what the index says of packages, and downloads none."""
    run = subprocess.run([sys.executable, "-m", "uv", "pip", *command], cwd=ROOT, capture_output=True, text=True)
    if run.returncode and re.search(r"dns error|connect|timed out|Network", run.stderr, re.I):
        pytest.skip("no package index answers here")
    assert run.returncode == 0, run.stderr
    return run.stdout + run.stderr


@pytest.mark.parametrize("kind", ["docker", "gradio", "static"])
def test_front_matter_is_of_its_kind(kind: str) -> None:
    row = fields(kind)
    assert row["sdk"] == kind and row["license"] == "apache-2.0"
    assert len(row["short_description"]) <= SHORT and row["title"] and row["emoji"]


def test_the_repository_is_a_docker_space_as_it_stands() -> None:
    assert (ROOT / "README.md").read_text().startswith(space.front("docker"))
    assert fields("docker")["app_port"] == int(re.findall(r"EXPOSE (\d+)", (ROOT / "Dockerfile").read_text())[0])


def test_a_gradio_space_has_the_gradio_that_is_pinned() -> None:
    pinned = re.findall(r"^gradio\[mcp\]==(.+)$", (ROOT / "requirements.txt").read_text(), re.M)
    assert [fields("gradio")["sdk_version"]] == pinned
    assert set(fields("gradio")["preload_from_hub"]) <= set(fields("gradio")["models"])


@pytest.mark.browser
@pytest.mark.long
def test_each_kind_is_a_folder_to_push(tmp_path: Path) -> None:
    for kind in ("docker", "gradio"):
        space.write(kind, tmp_path / kind)
        assert (tmp_path / kind / "app.py").exists() and not (tmp_path / kind / "tests").exists()
        assert (tmp_path / kind / "assets" / "models" / "denoiser").is_dir()
        text = (tmp_path / kind / "README.md").read_text()
        assert text.startswith(space.with_thumbnail(space.front(kind), "USER/unmask"))
        assert text.count("\n# Unmask\n") == 1
        row = yaml.safe_load(text.split("---\n")[1])
        assert row["thumbnail"] == "https://huggingface.co/spaces/USER/unmask/resolve/main/thumbnail.png"
        assert row["hf_oauth"] is True and row["hf_oauth_scopes"] == ["inference-api"]
        picture = (tmp_path / kind / "thumbnail.png").read_bytes()
        assert struct.unpack(">II", picture[16:24]) == (1200, 630) and len(picture) <= 100 << 10
    assert (tmp_path / "docker" / "Dockerfile").exists() and not (tmp_path / "gradio" / "Dockerfile").exists()
    wants = (tmp_path / "gradio" / "requirements.txt").read_text()
    assert "torch>=2.8,<2.12" in wants and "spaces==" in wants and "torch==" not in wants and "transformers==" in wants


@pytest.mark.browser
def test_a_recorded_run_is_one_page_that_leads_to_the_live_one(tmp_path: Path) -> None:
    space.write("static", tmp_path / "static", "ORG/unmask")
    page = (tmp_path / "static" / "index.html").read_text()
    assert "huggingface.co/spaces/ORG/unmask" in page and "<\\/script" not in page
    runs = re.findall(r'id="runs">(.*?)</script>', page, re.S)[0]
    assert len(runs) > 10_000 and "<" not in runs
    assert not re.search(r'(src|href)="(?!data:|https://huggingface\.co/spaces/)', page)


@pytest.mark.slow
def test_the_image_s_packages_are_there_by_their_hashes(tmp_path: Path) -> None:
    """The Dockerfile's own step, replayed."""
    steps = (ROOT / "Dockerfile").read_text()
    assert "pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock" in steps
    version = re.findall(r"FROM python:(\d+\.\d+)-slim", steps)[0]
    command = ("install", "--dry-run", "--no-deps", "--require-hashes", "--python-version", version, *LINUX)
    answer = uv(*command, "--target", str(tmp_path / "x"), "-r", "requirements.lock")
    assert re.search(r"Would install \d+ packages", answer)


@pytest.mark.slow
@pytest.mark.parametrize("python", [HERE, *(pytest.param(p, marks=pytest.mark.long) for p in PYTHONS if p != HERE)])
def test_the_pins_resolve_on_each_python(python: str, tmp_path: Path) -> None:
    command = ("compile", "--quiet", "--python-version", python, *LINUX, "--only-binary", ":all:", "--no-header")
    assert "gradio==" in uv(*command, "requirements.txt", "requirements-torch.txt")


@pytest.mark.long
def test_a_remote_gpu_s_pins_resolve_on_its_python(tmp_path: Path) -> None:
    """ZeroGPU had torch 2.8 to 2.11 and Python 3.12 in August 2026."""
    (tmp_path / "requirements.txt").write_text(space.requirements())
    python = str(fields("gradio")["python_version"])
    command = ("compile", "--quiet", "--python-version", python, *LINUX, "--only-binary", ":all:", "--no-header")
    answer = uv(*command, str(tmp_path / "requirements.txt"))
    assert re.search(r"^torch==2\.(8|9|10|11)\.", answer, re.M) and "spaces==" in answer


MODEL = "ORG/Qwen3-0.6B-diffusion-mdlm?number=int8"  # in eight bits, as one of its real size


def image_steps(home: Path) -> tuple[str, dict[str, str]]:
    """The Dockerfile's command that fetches models, and its variables, with its folders under `home`."""
    steps = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    moved = steps.replace("/tmp", "/home/unmask/tmp").replace("/home/unmask", str(home))
    fetch = re.findall(r"^RUN (for model in .*)$", moved, re.M)[0]
    pairs = [
        pair for line in re.findall(r"^ENV (.*)$", moved, re.M) for pair in re.findall(r'(\w+)=("[^"]*"|\S+)', line)
    ]
    echo = "; ".join(f"echo {name}={value}" for name, value in pairs)
    printed = subprocess.run(["sh", "-c", echo], env={"MODELS": MODEL}, capture_output=True, text=True, check=True)
    return fetch, dict(line.split("=", 1) for line in printed.stdout.splitlines())


def test_models_in_the_image_are_open_on_a_disk_that_is_read_only_and_without_a_network(tmp_path: Path) -> None:
    """The Dockerfile's steps with MODELS, and what `docker run --read-only --tmpfs /tmp` starts."""
    folder = tmp_path / "hub"
    folder.mkdir()
    larger(folder)
    (tmp_path / "tmp").mkdir()
    fetch, variables = image_steps(tmp_path)
    assert variables["UNMASK_MODELS"] == f"denoiser twin {MODEL}"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with local_hub({MODEL.partition("?")[0]: folder}) as hub:
        fetching = environment(hub, tmp_path) | {"HF_HOME": variables["HF_HOME"], "MODELS": MODEL, "PATH": path}
        subprocess.run(["sh", "-ec", fetch], cwd=ROOT, env=fetching, check=True, timeout=LONG)
    shutil.rmtree(tmp_path / "tmp")
    (tmp_path / "tmp").mkdir()
    subprocess.run(["chmod", "-R", "a-w", variables["HF_HOME"]], check=True)
    environ = variables | {"PATH": path, "HF_ENDPOINT": "http://127.0.0.1:1", "GRADIO_SERVER_NAME": "127.0.0.1"}
    port = free_port()
    # root, who may write everywhere, without that right
    user = [] if os.getuid() else ["setpriv", "--bounding-set=-dac_override", "--"]
    command = [*user, "python", "app.py", "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL) as app:
        try:

            def is_open() -> bool:
                assert app.poll() is None
                with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/menu", timeout=LONG) as answer:
                    return MODEL in json.load(answer)["opened"]
                return False

            soon(is_open)
            size = sum(file.stat().st_size for file in (tmp_path / "tmp").rglob("*") if file.is_file())
            assert size < 64e6 and not list((tmp_path / "tmp").rglob("network.onnx"))
        finally:
            app.terminate()
            app.wait(LONG)
            subprocess.run(["chmod", "-R", "u+w", variables["HF_HOME"]], check=True)
