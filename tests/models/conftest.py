"""Checkpoints that several tests share: each is made once, when first asked for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

from tests.models.forge import FAMILIES, PARENT, Forged
from unmask.config import config

SHARED = Path(__file__).parents[3] / "shared" / "checkpoints"  # used where it lies there


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What models remember of their first opening stays out of the real home; one thread, so that numbers repeat."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("OMP_NUM_THREADS", "1")
        config.cache_clear()
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        yield
        torch.set_num_threads(threads)
    config.cache_clear()


@pytest.fixture(scope="session")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Forged]:
    """A tiny checkpoint by its name."""
    made: dict[str, Forged] = {}

    def find(name: str) -> Forged:
        if name not in made:
            folder = tmp_path_factory.mktemp("hub") / name
            folder.mkdir()
            made[name] = (FAMILIES | {"Qwen3-0.6B": PARENT})[name](folder)
        return made[name]

    return find


@pytest.fixture
def folder(forged: Callable[[str], Forged], tmp_path: Path) -> Path:
    """A sound checkpoint, to be spoiled."""
    return Path(shutil.copytree(forged("LLaDA-8B").folder, tmp_path / "LLaDA-8B"))
