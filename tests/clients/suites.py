"""Runs the test suites of other people's clients against a server, and prints what passed: `make clients`.

`--at COMMIT` serves an earlier commit, to compare; `--suite NAME` runs one. It fails where a test fails that
`explained.toml` has no reason for."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as xml
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.serve.process import ROOT, Server, started

BUILD = ROOT / "build" / "clients"
SOURCES = BUILD / "sources"
HERE = Path(__file__).parent
BUNDLED = ROOT / "assets" / "models"
# the names that the suites ask for; a server here may call its models as it likes
NAMES = (
    "gpt-3.5-turbo-instruct", "gpt-6-astra", "claude-opus-5-5", "gpt-4.1-mini", "claude-haiku-4-5-20251001",
    "gpt-4o-mini-2024-07-18", "gpt-4o-mini", "model", "model_id", "text-embedding-3-small",
)  # fmt: skip
OPTIONS = ("-p", "no:cacheprovider", "-q", "--tb=line", "-o", "addopts=", "-o", "filterwarnings=")


@dataclass(frozen=True)
class Suite:
    """Tests of a client's own, and how they are told where the server is."""

    name: str
    environment: str  # a folder of build/clients
    files: Sequence[str]
    folder: Path = HERE
    options: Sequence[str] = ()
    variables: dict[str, str] = field(default_factory=dict)  # {url} stands for the server's address


LOOPS = [word for name in ("test", "fixture") for word in ("-o", f"asyncio_default_{name}_loop_scope=session")]
OPENAI = ("test_completions.py", "test_models.py", "test_embeddings.py", "test_responses.py", "chat", "responses")
ANTHROPIC = ("test_messages.py", "test_models.py", "messages")
SUITES = [
    Suite(
        "openai-python, resource tests",
        "openai",
        [f"tests/api_resources/{name}" for name in OPENAI],
        SOURCES / "openai",
        variables={"TEST_API_BASE_URL": "{url}/v1"},
    ),
    Suite(
        "Anthropic's client, resource tests",
        "anthropic-suite",
        [f"tests/api_resources/{name}" for name in ANTHROPIC],
        SOURCES / "anthropic",
        variables={"TEST_API_BASE_URL": "{url}"},
    ),
    Suite(
        "LangChain's standard tests",
        "langchain",
        ["langchain_suite.py"],
        options=("-c", os.devnull, "--noconftest", "-o", "asyncio_mode=auto", *LOOPS),
        variables={"URL": "{url}", "MODEL": "denoiser"},
    ),
    Suite(
        "instructor, providers' tests",
        "instructor-suite",
        ["tests/llm/test_core_providers"],
        SOURCES / "instructor",
        ("-o", "asyncio_mode=auto"),
        {"OPENAI_API_KEY": "unused", "OPENAI_BASE_URL": "{url}/v1"},
    ),
    Suite(
        "outlines, tests of OpenAI and vLLM",
        "outlines",
        ["tests/models/test_openai.py", "tests/models/test_vllm.py"],
        SOURCES / "outlines",
        ("-o", "asyncio_mode=auto", *LOOPS),
        {
            "OPENAI_API_KEY": "unused",
            "OPENAI_BASE_URL": "{url}/v1",
            "VLLM_SERVER_URL": "{url}/v1",
            "VLLM_MODEL_NAME": "denoiser",
        },
    ),
    Suite(
        "pydantic-ai, what its guide shows",
        "pydantic-ai",
        ["pydantic_ai_guide.py"],
        options=("-c", os.devnull, "--noconftest"),
        variables={"URL": "{url}"},
    ),
]


def results(suite: Suite, server: Server) -> dict[str, str]:
    """The tests of a suite, each with why it failed, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        variables = {name: value.replace("{url}", server.url) for name, value in suite.variables.items()}
        command = [BUILD / suite.environment / "bin" / "python", "-m", "pytest", *OPTIONS, *suite.options]
        done = subprocess.run(
            [*command, f"--junitxml={report}", *suite.files],
            cwd=suite.folder,
            env=os.environ | variables,
            capture_output=True,
            text=True,
        )
        if not report.exists():
            raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])
        return dict(outcomes(xml.parse(report)))


def outcomes(report: "xml.ElementTree[xml.Element]") -> Iterator[tuple[str, str]]:
    for case in report.iter("testcase"):
        why = ""
        for kind in ("failure", "error", "skipped"):
            found = case.find(kind)
            if found is None:
                continue
            why = f"{found.get('message', '')} {found.text or ''}"
            if kind == "skipped" and found.get("type") != "pytest.xfail":
                why = None  # the suite leaves it out for every provider
        if why is not None:
            yield f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}", why


def reasons() -> dict[str, list[dict[str, str]]]:
    return tomllib.loads((HERE / "explained.toml").read_text())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at", metavar="COMMIT", help="of the server; a checkout of it is made under build/clients")
    parser.add_argument("--suite", action="append", help="the folder of its environment under build/clients")
    parser.add_argument("--all", action="store_true", help="print failures that have a reason, too")
    given = parser.parse_args()
    models = [word for name in NAMES for word in ("--model", f"{name}=denoiser:{BUNDLED / 'denoiser'}")]
    models += ["--model", "denoiser", "--model", "twin"]
    with tempfile.TemporaryDirectory() as folder, checkout(given.at) as root:
        server = started(Path(folder) / "log", *models, root=root)
        try:
            unexplained = [one for suite in SUITES for one in report_on(suite, server, given)]
        finally:
            server.stop()
    sys.exit(1 if unexplained else 0)


@contextmanager
def checkout(commit: str | None) -> Iterator[Path]:
    """The folder of a commit, or this one."""
    if commit is None:
        yield ROOT
        return
    folder = BUILD / f"at-{commit}"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", "--force", folder, commit], cwd=ROOT, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def report_on(suite: Suite, server: Server, given: argparse.Namespace) -> Iterator[str]:
    """Prints a suite's row of the table, and returns the failures that nothing explains."""
    if given.suite and suite.environment not in given.suite:
        return
    found, known = results(suite, server), reasons().get(suite.environment, [])
    print(f"| {suite.name} | {sum(not why for why in found.values())} of {len(found)} |", flush=True)
    failed: dict[str, list[str]] = {}
    for test, why in found.items():
        if why:
            reason = next((r["because"] for r in known if re.search(r["test"], test) and re.search(r["why"], why)), "")
            failed.setdefault(reason or "?? " + " ".join(why.split())[:240], []).append(test)
    for reason, tests in failed.items():
        if given.all or reason.startswith("??"):
            print(
                f"    {len(tests)}: {reason} ({', '.join(dict.fromkeys(tests[:: max(1, len(tests) // 3)]))})",
                flush=True,
            )
        yield from tests if reason.startswith("??") else ()


if __name__ == "__main__":
    main()
