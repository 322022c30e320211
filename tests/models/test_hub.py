"""What the hub answers, played: what is refused before a byte of weights comes, what it says, what needs no network."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import numpy as np
import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.models.forge import FAMILIES, Forged, spoil, words
from unmask.__main__ import main
from unmask.canvas import Card
from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models import get_family, load
from unmask.models.family import match_family
from unmask.models.hub import hardware, known_checkpoints, selftest, source
from unmask.models.hub.native import unknown_weights

Forge = Callable[[str], Forged]
CPU: dict[str, Any] = {"number": "fp32", "device": "cpu"}


class Hub:
    """Plays the hub: what it answers, and what was fetched."""

    def __init__(
        self, patch: pytest.MonkeyPatch, folder: Path, parameters: int, error: Exception | None = None
    ) -> None:
        self.folder, self.fetched = folder, False
        siblings = [SimpleNamespace(rfilename=p.name, size=p.stat().st_size) for p in folder.iterdir()]
        self.info = SimpleNamespace(
            sha="0" * 40,
            siblings=siblings,
            safetensors=SimpleNamespace(parameters={"BF16": parameters}),
            card_data={"license": "mit"},
        )
        self.error = error
        patch.setattr(huggingface_hub, "HfApi", lambda: self)
        patch.setattr(huggingface_hub, "hf_hub_download", lambda _, name, **__: str(folder / name))
        patch.setattr(huggingface_hub, "snapshot_download", lambda *_, **options: self.snapshot(options))
        patch.setattr(source.fetch, "weights", self.weights)

    def model_info(self, *_: Any, **__: Any) -> Any:
        if self.error:
            raise self.error
        return self.info

    def parse_safetensors_file_metadata(self, _: str, name: str, **__: Any) -> Any:
        with safe_open(self.folder / name, "pt") as weights:
            return SimpleNamespace(tensors=dict.fromkeys(weights.keys()))

    def weights(self, *_: Any) -> None:
        self.fetched = True

    def snapshot(self, options: dict[str, Any]) -> str:
        assert options["ignore_patterns"] == ["*/*"]
        return str(self.folder)


def test_a_download_pins_its_revision_and_brings_its_licence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, folder, 1000)
    card = load("GSAI-ML/LLaDA-8B-Instruct", **CPU).card
    assert hub.fetched and card.name == "GSAI-ML/LLaDA-8B-Instruct"
    assert card.revision == "0" * 40 and card.licence == "mit"


def test_what_does_not_fit_is_refused_before_it_is_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, folder, 8_000_000_000)
    monkeypatch.setattr(hardware, "free_bytes", lambda _: 12_000_000_000)
    with pytest.raises(
        InvalidRequest, match=r"in bf16 this model needs 16\.\d GB .* 12\.0 GB are free here; as int8 it would fit"
    ):
        load("GSAI-ML/LLaDA-8B-Instruct", number="bf16", device="cpu")
    monkeypatch.setattr(source.shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(InvalidRequest, match="GB more of disk"):
        load("GSAI-ML/LLaDA-8B-Instruct?number=int8", device="cpu")
    assert not hub.fetched


def test_what_nobody_here_knows_is_not_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(folder, architectures=["Qwen3ForCausalLM"], auto_map=None)
    hub = Hub(monkeypatch, folder, 1000)
    with pytest.raises(InvalidRequest, match=r"as a twin it is 'causal:Qwen/Qwen3-0\.6B'"):
        load("Qwen/Qwen3-0.6B", **CPU)
    assert not hub.fetched


def test_a_gated_repository_says_what_to_do_and_no_token_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import httpx
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    answer = httpx.Response(
        403, request=httpx.Request("GET", "https://huggingface.co", headers={"Authorization": "hf_secret"})
    )
    Hub(monkeypatch, folder, 1000, GatedRepoError("403 for hf_secret", response=answer))
    with pytest.raises(
        InvalidRequest, match=r"is gated: accept its terms at huggingface\.co/google/.*, then set HF_TOKEN"
    ) as error:
        load("google/diffusiongemma-26B-A4B-it")
    assert "hf_secret" not in str(error.value) and error.value.__cause__ is None
    Hub(monkeypatch, folder, 1000, RepositoryNotFoundError("404 for hf_secret", response=answer))
    assert main(["models", "--check", "google/nothing"]) == 2
    output = capsys.readouterr()
    assert "the hub has no 'google/nothing'" in output.err and "hf_secret" not in output.err + output.out


def test_without_a_network_what_is_in_the_cache_opens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Hub(monkeypatch, folder, 1000, ConnectionError("no route"))
    files = [SimpleNamespace(file_name="model.safetensors")]
    kept = SimpleNamespace(commit_hash="2" * 40, refs={"main"}, last_modified=1.0, snapshot_path=folder, files=files)
    row = SimpleNamespace(repo_id="ORG/kept", repo_type="model", size_on_disk=5, revisions=[kept])
    monkeypatch.setattr(huggingface_hub, "scan_cache_dir", lambda: SimpleNamespace(repos=[row]))
    card = load("ORG/kept", **CPU).card
    assert card.name == "ORG/kept" and card.revision == "2" * 40
    assert load("ORG/kept@main", **CPU).card.revision == "2" * 40
    for other in ("ORG/gone", "ORG/kept@333"):
        with pytest.raises(InvalidRequest, match=r"no network, and .* is not in the cache; it holds ORG/kept"):
            load(other, **CPU)


def test_a_read_only_home_or_a_cut_off_note_hinders_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    config.cache_clear()
    assert "the same twice" in load(str(folder), **CPU).card.tested
    home.unlink()
    (home / "unmask").mkdir(parents=True)
    (home / "unmask" / "selftests.json").write_text('{"half')
    assert "for the first time" in load(str(folder), **CPU).card.tested
    assert "As at its first opening" in load(str(folder), **CPU).card.tested


def test_a_second_opening_is_compared_with_the_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config.cache_clear()
    assert "for the first time" in load(str(folder), **CPU).card.tested
    assert "As at its first opening" in load(str(folder), **CPU).card.tested
    notes = tmp_path / "unmask" / "selftests.json"
    (key,) = json.loads(notes.read_text())
    notes.write_text(json.dumps({"another": "x", key: "other"}))  # in one line, as older versions wrote
    assert "not those of its first opening" in load(str(folder), **CPU).card.tested


def test_notes_of_several_processes_are_all_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once read all notes and wrote them back, so one of two that opened models at once was lost."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config.cache_clear()
    together = threading.Barrier(8)

    def compare(number: int, tokens: int) -> str:
        model: Any = SimpleNamespace(card=Card(f"m{number}", "dream", 8, 8, weights=str(number), number="fp32"))
        together.wait()
        return selftest._compare_with_first(model, "", np.array([tokens]))

    with ThreadPoolExecutor(8) as pool:
        for number in range(0, 80, 8):
            list(pool.map(compare, range(number, number + 8), [1] * 8))
        for number in range(0, 80, 8):
            assert set(pool.map(compare, range(number, number + 8), [1] * 8)) == {"As at its first opening."}
        assert "not those" in min(pool.map(compare, range(8), [2] * 8))


def test_what_lies_in_the_cache_needs_no_disk(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that was here whole was refused, since its 16 GB were not free a second time."""
    load(str(folder), **CPU)  # the converted file is there: this is about the download
    hub = Hub(monkeypatch, folder, 1000)
    size = (folder / "model.safetensors").stat().st_size
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    for sibling in hub.info.siblings:
        sibling.lfs = SimpleNamespace(sha256="abc") if sibling.rfilename == "model.safetensors" else None
    blobs = tmp_path / "models--GSAI-ML--LLaDA-8B-Instruct" / "blobs"
    blobs.mkdir(parents=True)
    monkeypatch.setattr(source.shutil, "disk_usage", lambda _: SimpleNamespace(free=size // 2 + 10))
    with pytest.raises(InvalidRequest, match="more of disk"):
        load("GSAI-ML/LLaDA-8B-Instruct", **CPU)
    (blobs / "abc.part").write_bytes(bytes(size // 2))  # a download that broke off half way
    assert load("GSAI-ML/LLaDA-8B-Instruct", **CPU).card.revision == "0" * 40
    monkeypatch.setattr(source.shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    hub.fetched = False
    with pytest.raises(InvalidRequest, match="more of disk"):
        load("GSAI-ML/LLaDA-8B-Instruct", **CPU)
    assert not hub.fetched
    (blobs / "abc.part").rename(blobs / "abc")
    assert load("GSAI-ML/LLaDA-8B-Instruct", **CPU).card.revision == "0" * 40


def test_weights_of_other_names_are_refused_before_a_download(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nemotron's were refused when all of it had been fetched."""
    weights = load_file(folder / "model.safetensors")
    save_file({f"body.{key}": value for key, value in weights.items()}, folder / "model.safetensors")
    hub = Hub(monkeypatch, folder, 1000)
    with pytest.raises(InvalidRequest, match=r"do not fit LlamaForCausalLM: unknown body\..* and \d+ more"):
        load("GSAI-ML/LLaDA-8B-Instruct", **CPU)
    assert not hub.fetched


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_the_names_of_a_familys_weights_are_known(forged: Forge, name: str) -> None:
    made = forged(name)
    config = json.loads((made.folder / "config.json").read_text())
    make = get_family(match_family(config)).checkpoint_spec
    assert make is not None
    with safe_open(made.folder / "model.safetensors", "pt") as weights:
        assert unknown_weights(weights.keys(), make(config, name)) == []


def test_caches_and_tables_count_beside_the_weights() -> None:
    llada = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 126_464}
    assert (
        hardware.overhead_bytes(llada, "bf16", cached=True) - hardware.overhead_bytes(llada, "bf16", cached=False)
        >= 2**29
    )
    assert hardware.overhead_bytes(llada, "bf16", cached=False) > 256 * 126_464 * 2


def test_a_prompt_is_begun_as_the_authors_begin_it(forged: Forge, tmp_path: Path) -> None:
    """A2D models were asked with thinking on, which they never learned."""
    a2d = Path(shutil.copytree(forged("Qwen3-0.6B-diffusion-mdlm").folder, tmp_path / "Qwen3-0.6B-diffusion-mdlm"))
    words(a2d, "{{ 'thinks' if enable_thinking is not defined or enable_thinking else 'answers' }}")
    tokenizer = load(str(a2d), **CPU).tokenizer
    assert tokenizer.decode(tokenizer.encode_prompt("a cat")) == "answers"


def test_a_class_of_its_own_says_more_than_a_parents_name(forged: Forge, tmp_path: Path) -> None:
    """Stable-DiffCoder was told that it writes from left to right only."""
    folder = Path(shutil.copytree(forged("Stable-DiffCoder-8B").folder, tmp_path / "Stable-DiffCoder-8B"))
    spoil(
        folder,
        architectures=["LlamaForCausalLM"],
        auto_map={"AutoModelForCausalLM": "modeling_seed_diffcoder.SeedDiffcoderForCausalLM"},
    )
    card = load(str(folder), **CPU).card
    assert card.family == "stable_diffcoder" and card.whole == 4 and card.licence == "MIT"


def test_licences_are_the_checkpoints_own() -> None:
    items = {i.name: i.licence for i in known_checkpoints.known_checkpoints("cpu")}
    assert items["google/diffusiongemma-26B-A4B-it"] == "Apache-2.0"
    assert "Apple" in items["apple/DiffuCoder-7B-Instruct"] and items["Dream-org/Dream-v0-Base-7B"] == "Apache-2.0"
