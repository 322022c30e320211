"""A converted network is made once, whole or not at all, whatever ends the process that makes it."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from tests.until import soon
from unmask.errors import InvalidRequest
from unmask.models import float_pass, load
from unmask.models.hub import conversion, engine
from unmask.models.hub import converted as module
from unmask.models.hub.converted import FILE, OpeningStep, converted, facts

DIGEST = "a" * 64
SPAWN = multiprocessing.get_context("spawn")


def write(folder: Path) -> dict[str, float]:
    (folder / FILE).write_bytes(b"graph" * 100)
    return {"divergence": 0.25}


def make(place: Path, by: Callable[[Path], Any] = write, digest: str = DIGEST, number: str = "int8") -> Path:
    return converted(place, digest, number, 1000, by, lambda _: None)


def left(place: Path) -> list[str]:
    """What lies beside the weights."""
    return sorted(str(file.relative_to(place)) for file in place.rglob("*"))


def slow(folder: Path) -> dict[str, float]:
    (folder / "begun").write_text("")
    time.sleep(60)
    return {}


def make_slowly(place: Path) -> None:
    make(place, slow)


def make_counted(place: Path, log: Path) -> None:
    def counted(folder: Path) -> dict[str, float]:
        with log.open("a") as opened:
            opened.write("made\n")
        time.sleep(0.5)
        return write(folder)

    make(place, counted)


def children(parent: int) -> list[int]:
    """The processes with which a process converts."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            owner, command = stat.read_text().rpartition(")")[2].split()[1], (stat.parent / "cmdline").read_bytes()
            if int(owner) == parent and conversion.START.encode() in command:
                found.append(int(stat.parent.name))
    return found


def alive(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.fixture
def aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of any size are converted in another process, which gives way a little: tests run on busy machines."""
    monkeypatch.setattr(conversion, "SMALL", 0)
    monkeypatch.setattr(conversion, "NICENESS", 1)


@pytest.fixture
def model(forged: Any, tmp_path: Path) -> Path:
    """A checkpoint that nobody has converted."""
    folder = tmp_path / "model"
    shutil.copytree(forged("LLaDA-8B").folder, folder, ignore=shutil.ignore_patterns(module.NAME))
    return folder


def never(_: Path) -> dict[str, float]:
    raise AssertionError("it is there already")


def test_it_is_made_once_and_shared(tmp_path: Path) -> None:
    folder = make(tmp_path)
    assert facts(folder)["divergence"] == 0.25
    assert make(tmp_path, never) == folder
    assert make(tmp_path, number="fp32") != folder


@pytest.mark.parametrize("damage", ["cut", "changed", "no manifest", "garbled manifest"])
def test_a_damaged_one_is_made_anew(tmp_path: Path, damage: str) -> None:
    folder = make(tmp_path)
    whole = (folder / FILE).read_bytes()
    match damage:
        case "cut":
            os.truncate(folder / FILE, 100)
        case "changed":
            (folder / FILE).write_bytes(b"G" + whole[1:])
        case "no manifest":
            (folder / module.MANIFEST).unlink()
        case _:
            (folder / module.MANIFEST).write_text("{")
    assert (make(tmp_path) / FILE).read_bytes() == whole


def test_an_older_version_goes_when_a_new_one_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, other = make(tmp_path), make(tmp_path, digest="b" * 64)
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert make(tmp_path) != old and not old.exists() and other.exists()


def test_a_signed_file_is_used_where_unsigned_ones_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the image of a container that was built on a processor with VNNI; that one does not use unsigned files."""
    for signed_first in (True, False):
        monkeypatch.setattr(module, "saturates", lambda signed_first=signed_first: not signed_first)
        place = tmp_path / str(signed_first)
        place.mkdir()
        first = make(place)
        monkeypatch.setattr(module, "saturates", lambda signed_first=signed_first: signed_first)
        assert (make(place) == first) == signed_first


def test_a_process_that_is_killed_leaves_nothing_for_long(tmp_path: Path) -> None:
    process = SPAWN.Process(target=make_slowly, args=(tmp_path,))
    process.start()
    while not list(tmp_path.rglob("begun")):
        assert process.is_alive()
        time.sleep(0.05)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    folder = make(tmp_path)
    assert not list(tmp_path.rglob("begun")) and facts(folder)["divergence"] == 0.25


def open_and_die(folder: Path, moment: str, temporary: Path, small: int) -> None:
    """Opens a model in eight bits, in a process that is killed at this moment."""

    def die(*_: Any, **__: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    tempfile.tempdir, conversion.SMALL, conversion.NICENESS = str(temporary), small, 1
    if moment == "in a layer":  # while a layer in fp32 is on the disk
        float_pass.open_session = die
    if moment == "renaming":
        Path.rename = die  # type: ignore[assignment]

    def watch(step: OpeningStep) -> None:
        if moment == f"{step.stage} {step.done}":
            (temporary / ".children").write_text(json.dumps(children(os.getpid())))
            die()

    load(f"{folder}?number=int8", watch=watch)


MOMENTS = ["reading 0", "converting 1", "converting 2", "comparing 0", "testing 0"]


@pytest.mark.parametrize(
    ("moment", "small"),
    [(moment, conversion.SMALL) for moment in (*MOMENTS, "in a layer", "renaming")]
    + [("converting 1", 0), ("comparing 0", 0)],
)
def test_a_model_opens_after_a_process_was_killed_that_opened_it(
    model: Path, tmp_path: Path, moment: str, small: int
) -> None:
    """A layer in fp32 once stayed in the folder for temporary files: 63 MB of a model of 0.6 B."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = SPAWN.Process(target=open_and_die, args=(model, moment, temporary, small))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    steps: list[OpeningStep] = []
    assert load(f"{model}?number=int8", watch=steps.append).card.number == "int8"
    late = small == 0  # the process that converts may have reached the end before it noticed
    assert late or ("converting" in {step.stage for step in steps}) == (moment != "testing 0")
    if small == 0:
        soon(lambda: not any(map(alive, json.loads((temporary / ".children").read_text()))))
    (whole,) = (model / module.NAME).iterdir()
    assert sorted(file.name for file in whole.iterdir()) == [module.MANIFEST, "network.bin", FILE]
    assert not [file for file in temporary.rglob("*") if not file.name.startswith(".")]


@pytest.mark.usefixtures("aside")
@pytest.mark.parametrize("stage", ["reading", "converting", "comparing"])
def test_cancel_ends_the_process_that_converts_and_leaves_nothing(model: Path, stage: str) -> None:
    running: list[int] = []

    def stop(step: OpeningStep) -> None:
        if step.stage == stage and (found := children(os.getpid())):
            running.extend(found)
            raise InvalidRequest("stopped")

    with pytest.raises(InvalidRequest, match="stopped"):
        load(f"{model}?number=int8", watch=stop)
    assert running and not any(alive(child) for child in running) and not (model / module.NAME).exists()


@pytest.mark.usefixtures("aside")
def test_a_process_that_the_system_ends_is_a_sentence_and_leaves_nothing(model: Path) -> None:
    """The system ends the process with the most memory where memory ends."""

    def kill(step: OpeningStep) -> None:
        if step.stage == "converting":
            for child in children(os.getpid()):
                os.kill(child, signal.SIGKILL)

    with pytest.raises(InvalidRequest, match="ended from outside, perhaps because there is not enough free memory"):
        load(f"{model}?number=int8", watch=kill)
    assert not (model / module.NAME).exists()
    assert load(f"{model}?number=int8").card.number == "int8"


@pytest.mark.usefixtures("aside")
def test_another_process_gives_way_and_writes_the_same_files(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nice: list[int] = []

    def watch(step: OpeningStep) -> None:
        nice.extend(os.getpriority(os.PRIO_PROCESS, child) for child in children(os.getpid()))

    load(f"{model}?number=int8", watch=watch)
    assert max(nice) - os.getpriority(os.PRIO_PROCESS, 0) == conversion.NICENESS
    (made,) = (model / module.NAME).iterdir()
    aside, about = {file.name: file.read_bytes() for file in made.glob(f"{Path(FILE).stem}.*")}, facts(made)
    shutil.rmtree(made)
    monkeypatch.setattr(conversion, "SMALL", 1 << 40)
    load(f"{model}?number=int8")
    assert {file.name: file.read_bytes() for file in made.glob(f"{Path(FILE).stem}.*")} == aside
    assert facts(made) == about


@pytest.mark.usefixtures("aside")
def test_what_another_process_refuses_is_the_same_sentence(model: Path) -> None:
    file = model / "model.safetensors"
    weights = load_file(file)
    weights["model.transformer.ff_out.weight"][5] = float("nan")
    save_file(weights, file)
    with pytest.raises(InvalidRequest, match=r"ff_out\.weight in model\.safetensors holds numbers that are NaN"):
        load(f"{model}?number=int8")
    assert not (model / module.NAME).exists()


def hold(place: Path, ready: Path) -> None:
    with module._alone(place, True):
        ready.write_text("")
        time.sleep(600)


@pytest.mark.parametrize("small", [conversion.SMALL, 0])
def test_waiting_for_another_process_can_be_cancelled(
    model: Path, tmp_path: Path, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversion, "SMALL", small)
    monkeypatch.setattr(conversion, "NICENESS", 1)
    process = SPAWN.Process(target=hold, args=(model / module.NAME, tmp_path / "ready"))
    process.start()
    steps: list[OpeningStep] = []

    def watch(step: OpeningStep) -> None:
        steps.append(step)
        if len(steps) == 5:
            raise InvalidRequest("stopped")

    try:
        soon((tmp_path / "ready").exists)
        with pytest.raises(InvalidRequest, match="stopped"):
            load(f"{model}?number=int8", watch=watch)
        assert {step.stage for step in steps} == {"reading"}
    finally:
        process.kill()
        process.join()
    assert load(f"{model}?number=int8").card.number == "int8"


def test_two_processes_make_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    place = tmp_path / "model"
    place.mkdir()
    both = [SPAWN.Process(target=make_counted, args=(place, log)) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert [one.exitcode for one in both] == [0, 0] and log.read_text() == "made\n"
    make(place, never)


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), MemoryError(), InvalidRequest("cancelled"), KeyError()]
)
def test_nothing_is_left_where_it_fails(tmp_path: Path, error: Exception) -> None:
    def fail(folder: Path) -> dict[str, float]:
        (folder / FILE).write_bytes(b"half")
        raise error

    with pytest.raises(KeyError if isinstance(error, KeyError) else InvalidRequest) as raised:
        make(tmp_path, fail)
    assert left(tmp_path) == []
    if isinstance(error, OSError):
        assert "the disk is full" in str(raised.value)
    if isinstance(error, MemoryError):
        assert "not enough free memory" in str(raised.value)


def test_the_disk_is_checked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(InvalidRequest, match=r"of disk, and 0\.0 GB are free"):
        make(tmp_path, never)
    assert left(tmp_path) == []


def test_a_folder_that_may_not_be_written_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(module, "config", lambda: SimpleNamespace(cache=tmp_path / "cache"))
    folder = make(tmp_path / "model")
    assert folder.is_relative_to(tmp_path / "cache") and not (tmp_path / "model" / module.NAME).exists()


def test_in_the_hubs_cache_it_goes_with_the_model(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--org--name" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    assert make(snapshot).is_relative_to(tmp_path / "models--org--name")
    assert not (snapshot / module.NAME).exists()


def test_opening_says_what_it_does_and_stops_at_any_step(forged: Any) -> None:
    folder = forged("LLaDA-8B").folder
    steps: list[OpeningStep] = []
    load(f"{folder}?number=int8", watch=steps.append)
    assert list(dict.fromkeys(one.stage for one in steps)) == [
        "reading", "converting", "comparing", "opening", "testing",
    ]  # fmt: skip
    assert {(one.done, one.total) for one in steps if one.stage == "converting"} == {(1, 2), (2, 2)}
    shutil.rmtree(folder / module.NAME)

    def stop(step: OpeningStep) -> None:
        if step.stage == "converting" and step.done == 2:
            raise InvalidRequest("stopped")

    with pytest.raises(InvalidRequest, match="stopped"):
        load(f"{folder}?number=int8", watch=stop)
    assert not (folder / module.NAME).exists()
    again: list[OpeningStep] = []
    load(f"{folder}?number=int8", watch=again.append)  # a clean retry
    load(f"{folder}?number=int8", watch=again.append)
    assert [one.stage for one in again][-3:] == ["reading", "opening", "testing"]


def test_a_model_whose_eight_bits_are_too_coarse_is_opened_in_fp32(
    forged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = forged("LLaDA-8B").folder
    monkeypatch.setattr(engine, "INT8_FROM", 1)
    card = load(str(folder)).card
    assert card.number == "int8" and "differ from fp32 by 0.0" in card.note
    monkeypatch.setattr(engine, "FARTHEST", 0.0)
    assert load(str(folder)).card.number == "fp32"
    assert load(f"{folder}?number=int8").card.number == "int8"  # as it was asked for
