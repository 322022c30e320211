"""Other people's clients against a running server, each in an environment of its own under build/clients.

Only `make clients` runs this: pytest collects files that are called test_*, and this one where it is named."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.serve.process import ROOT, Server

BUILD = ROOT / "build" / "clients"
HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(1200)


def run(server: Server, *command: str | Path, cwd: Path = BUILD, **more: str) -> None:
    environment = os.environ | {"URL": server.url, **more}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    (BUILD / "last.txt").write_text(done.stdout)
    print(done.stdout[-2000:])
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize(
    ("name", "script"),
    [
        ("anthropic", "anthropic_sdk.py"),
        ("instructor", "instructor_library.py"),
        ("litellm", "litellm_library.py"),
        ("typesafe", "typesafe_client.py"),
    ],
)
def test_a_python_client_works_unchanged(server: Server, name: str, script: str) -> None:
    run(server, BUILD / name / "bin" / "python", HERE / script)


def test_langchain_s_standard_suite_passes(server: Server) -> None:
    options = ["-c", os.devnull, "--noconftest", "-p", "no:cacheprovider", "-q", "-rfE", "-o", "asyncio_mode=auto"]
    for name in ("test", "fixture"):  # their client keeps its connections, so all tests have one loop
        options += ["-o", f"asyncio_default_{name}_loop_scope=session"]
    run(server, BUILD / "langchain" / "bin" / "pytest", *options, HERE / "langchain_suite.py")


def test_the_server_keeps_to_its_document(server: Server, another: Callable[..., Server], offers: list[str]) -> None:
    single = another(*offers[2:4])
    run(server, BUILD / "schemathesis" / "bin" / "python", HERE / "schemathesis_document.py", SINGLE=single.url)


def test_llm_answers_and_keeps_to_a_schema(server: Server) -> None:
    run(server, "sh", HERE / "llm_tool.sh", BIN=str(BUILD / "llm" / "bin"))


def test_lm_eval_scores_and_generates_unchanged(another: Callable[..., Server]) -> None:
    """Log-likelihoods of the models that write in order; the denoiser generates."""
    server = another("--model", "denoiser", "--model", "twin", "--model", "fast")
    for model, tasks in (("twin", "records_name,records_town"), ("fast", "records_name"), ("denoiser", "records_town")):
        where = f"model={model},base_url={server.url}/v1/completions"
        results = BUILD / "lm-eval" / model
        command: list[str | Path] = [BUILD / "lm-eval" / "bin" / "lm_eval", "--model", "local-completions"]
        command += ["--model_args", where, "--output_path", results]
        command += ["--include_path", HERE / "lm_eval_tasks", "--tasks", tasks]
        shutil.rmtree(results, ignore_errors=True)
        run(server, *command, cwd=HERE / "lm_eval_tasks", HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
        (file,) = results.rglob("results_*.json")
        for task, found in json.loads(file.read_text())["results"].items():
            assert [v for k, v in found.items() if k.split(",")[0] in ("acc", "exact_match")] == [1.0], (model, task)


def test_a_run_shows_itself_in_a_notebook() -> None:
    done = subprocess.run(
        [BUILD / "notebook" / "bin" / "python", HERE / "notebook.py"], cwd=BUILD, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not here")
def test_openai_node_and_the_ai_sdk_work_unchanged(server: Server) -> None:
    folder = BUILD / "javascript"
    shutil.copy(HERE / "javascript.mjs", folder)  # Node looks for packages beside the file
    run(server, "node", folder / "javascript.mjs")
