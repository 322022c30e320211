"""What cannot be opened is refused in a sentence that says what helps, from a hub on this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.models.forge import Forged, larger
from tests.models.local_hub import LocalHub, environment, local_hub
from tests.until import LONG

ROOT = Path(__file__).parents[2]
WEIGHTS, SMALL = 26_000_000, 1_000_000  # bytes of the larger model, and of what is read before its download

REFUSED = {
    "ORG/none": "the hub has no 'ORG/none', or only for those who may see it (HF_TOKEN): check its name",
    "ORG/plain@2": "'ORG/plain' has no revision '2': leave it out for the newest",
    "ORG/gated": "'ORG/gated' is gated: accept its terms at huggingface.co/ORG/gated, then set HF_TOKEN to your token",
    "ORG/pickles": "'ORG/pickles' has no safetensors; pickles can run code and are not opened: choose a copy in "
    "safetensors",
    "ORG/gguf": "'ORG/gguf' has only GGUF files: choose the repository that they were made from",
    "ORG/pictures": "'ORG/pictures' makes pictures or sound (its files are of diffusers): choose a model that writes "
    "text",
    "ORG/bare": "'ORG/bare' has no config.json, which says what network it is",
    "ORG/garbled": "config.json in ORG/garbled cannot be read: ",
    "ORG/code": "no family here knows 'TheirOwnModel'; ... Its own code is never run. docs/models.md says how",
    "ORG/huge": "this model needs 7... GB of memory, and ... are free here: choose a smaller model",
}


@pytest.fixture(scope="module")
def hub(forged: Callable[[str], Forged], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalHub]:
    """A hub with one model that can be opened, and many that cannot."""
    home, good = tmp_path_factory.mktemp("hub"), forged("Qwen3-0.6B-diffusion-mdlm").folder

    def copied(name: str, config: str | None = "") -> Path:
        folder = Path(shutil.copytree(good, home / name))
        if config is None:
            (folder / "config.json").unlink()
        elif config:
            (folder / "config.json").write_text(config)
        return folder

    def repository(name: str, *files: str) -> Path:
        (home / name).mkdir()
        for file in files:
            (home / name / file).write_text("{}")
        return home / name

    own = {"architectures": ["TheirOwnModel"], "auto_map": {"AutoModel": "modeling_theirs.TheirOwnModel"}}
    (home / "large").mkdir()
    larger(home / "large")
    repositories = {
        "ORG/plain": good,
        "ORG/gated": good,
        "ORG/huge": good,
        "ORG/large": home / "large",
        "ORG/pickles": repository("pickles", "config.json", "pytorch_model.bin"),
        "ORG/gguf": repository("gguf", "model-q4.gguf"),
        "ORG/pictures": repository("pictures", "model_index.json"),
        "ORG/bare": copied("bare", None),
        "ORG/garbled": copied("garbled", "[1"),
        "ORG/code": copied("code", json.dumps(own)),
    }
    with local_hub(repositories) as made:
        made.gated.add("ORG/gated")
        made.about["ORG/huge"] = {"safetensors": {"parameters": {"BF16": 70 * 10**9}, "total": 70 * 10**9}}
        made.about["ORG/plain"] = {"cardData": {}}
        yield made


def printed_by(script: str, hub: LocalHub, home: Path, *arguments: str) -> Any:
    """What a process of its own prints as its last line."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | environment(hub, home)
    command = [sys.executable, "-c", textwrap.dedent(script), *arguments]
    process = subprocess.run(command, capture_output=True, text=True, timeout=LONG, cwd=ROOT, env=env)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def sentences(hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each model is refused with: before its download, and by the command that downloads it."""
    script = """
    import contextlib, io, json, sys
    from unmask.__main__ import main
    from unmask.errors import InvalidRequest
    from unmask.models.hub.fit import fit
    from unmask.models.hub import hardware
    hardware.free_bytes = lambda _: 12_000_000_000
    found = {}
    for name in json.loads(sys.argv[1]):
        try:
            before = str(fit(name))
        except InvalidRequest as refused:
            before = str(refused)
        with contextlib.redirect_stderr(io.StringIO()) as err:
            status = main(["models", "--fetch", name])
        found[name] = before, status, err.getvalue()
    print(json.dumps(found))
    """
    return printed_by(script, hub, tmp_path_factory.mktemp("home"), json.dumps([*REFUSED]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_opened_says_why_and_what_helps(sentences: Any, name: str) -> None:
    before, status, printed = sentences[name]
    parts = REFUSED[name].split("...")
    assert status == 2 and all(part in printed for part in parts), printed
    assert all(part in before for part in parts) or (name == "ORG/huge" and "does not fit" in before), before
    assert "Traceback" not in printed


def test_a_model_without_a_licence_says_so(hub: LocalHub, tmp_path: Path) -> None:
    script = """
    import json
    from unmask.models import load
    print(json.dumps(load("ORG/plain", number="fp32", device="cpu").card.licence))
    """
    assert printed_by(script, hub, tmp_path) == "no licence is named on its page"


def test_a_disk_that_is_full_at_the_end_keeps_what_came(hub: LocalHub, tmp_path: Path) -> None:
    """At 99 %: the sentence says how much is missing, and the next download begins there."""
    script = """
    import errno, json
    from unmask.errors import InvalidRequest
    from unmask.models import prepare
    from unmask.models.hub import fetch
    add = fetch._Transfer.add
    def full(self, size):
        add(self, size)
        if self.done >= 0.99 * self.total:
            raise OSError(errno.ENOSPC, "No space left on device")
    fetch._Transfer.add = full
    try:
        prepare("ORG/large")
    except InvalidRequest as refused:
        why = str(refused)
    fetch._Transfer.add = add
    prepare("ORG/large")
    print(json.dumps(why))
    """
    hub.sent = 0
    why = printed_by(script, hub, tmp_path)
    assert why.startswith("the disk is full: 'ORG/large' needs ") and "are kept: delete something" in why
    assert hub.sent < WEIGHTS * 1.05 + SMALL, "bytes came twice"


def test_a_model_that_is_deleted_goes_on_while_it_is_open_and_is_then_fetched_again(
    hub: LocalHub, tmp_path: Path
) -> None:
    script = """
    import json, shutil
    import numpy as np
    from huggingface_hub.constants import HF_HUB_CACHE
    from unmask.canvas import blank
    from unmask.errors import InvalidRequest
    from unmask.models import full_input, load, prepare
    from unmask.models.hub import engine
    model = load("ORG/plain", number="fp32", device="cpu")
    canvas = blank([[10] * 4, 8])
    before = model.logits([full_input(canvas)])[0]
    shutil.rmtree(HF_HUB_CACHE)
    same = bool(np.array_equal(np.asarray(before), np.asarray(model.logits([full_input(canvas)])[0])))
    load_graph = engine.load_graph
    def deleted(folder, *rest):
        shutil.rmtree(HF_HUB_CACHE)
        return load_graph(folder, *rest)
    engine.load_graph = deleted
    try:
        prepare("ORG/plain", number="fp32", device="cpu")
        why = ""
    except InvalidRequest as refused:
        why = str(refused)
    engine.load_graph = load_graph
    print(json.dumps([same, why, load("ORG/plain", number="fp32", device="cpu").card.name]))
    """
    same, why, again = printed_by(script, hub, tmp_path)
    assert same and again == "ORG/plain"
    assert why == "files of 'ORG/plain' were deleted while it was opened: open it again"
