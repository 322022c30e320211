"""A checkpoint's network as it is computed here: converted once, and kept beside the download.

The folder's name has the hash of the weights, the number type and the version of the conversion, so that models of one
file share it. It gets this name when it is complete; what an ended process left is removed by the next one."""

from __future__ import annotations

import errno
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models.int8_graph import saturates

VERSION = 2  # of the conversion: a new one makes all files anew
NAME = ".unmask"  # the folder beside the weights
MANIFEST = "converted.json"
CHUNK = 1 << 24  # bytes whose checksum is computed at once

FILE = "network.onnx"  # in the folder; its constants are beside it

Facts = Mapping[str, Any]  # what is known of a converted network
Write = Callable[[Path], Facts]  # writes a network's files into a folder


@dataclass(frozen=True)
class OpeningStep:
    """How far the opening of a model on this machine has come."""

    stage: Literal["reading", "converting", "comparing", "opening", "testing"]
    done: int  # of `total`: layers, or steps
    total: int
    seconds_left: float | None = None


Watch = Callable[[OpeningStep], None]  # may stop the opening by raising


def converted(
    weights: Path, digest: str, number: str, size: int, write: Write, watch: Watch, wait: bool = True
) -> Path:
    """The folder of a converted network, made by `write` if there is none; `facts` reads what it said.

    `weights` is the checkpoint's folder, `size` what the files will take. While another process converts, this waits,
    or raises BlockingIOError."""
    folder = folder_of(weights, digest, number)
    watch(OpeningStep("reading", 0, 1))
    if is_whole(folder):
        return folder
    place = folder.parent
    with _alone(place, wait):
        if not is_whole(folder):  # another process may have made it meanwhile
            _clean(place, digest)
            _check_disk(place, size)
            _make(folder, number, write)
    return folder


def folder_of(weights: Path, digest: str, number: str) -> Path:
    """Where the converted network of a checkpoint is, or would be."""
    names = [f"{digest[:32]}-{number}-{VERSION}"]
    if number == "int8" and saturates():  # a signed file, which opens slowly, is used if it is there
        names.insert(0, f"{digest[:32]}-{number}-unsigned-{VERSION}")
    places = [_place(weights, name) / name for name in names]
    return next(filter(is_whole, places), places[0])


def facts(folder: Path) -> Facts:
    """What `write` said of a converted network."""
    found: Facts = json.loads((folder / MANIFEST).read_text())["facts"]
    return found


def _place(weights: Path, name: str) -> Path:
    """Where the converted files of a checkpoint are: in its folder on the Hub's cache or in its own, if it may be
    written or has them already, as in a container's image; they go when it goes."""
    folder = weights.parents[1] if weights.parent.name == "snapshots" else weights
    inside = folder / NAME
    own = (inside / name).is_dir() or os.access(inside if inside.is_dir() else folder, os.W_OK)
    return inside if own else config().cache / "converted"


def _make(folder: Path, number: str, write: Write) -> None:
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    try:
        part.mkdir(parents=True)
        about = write(part)
        files = {}
        for file in sorted(part.iterdir()):
            found = _checksum(file, sync=True)
            files[file.name] = [file.stat().st_size, file.stat().st_mtime_ns, found]
        (part / MANIFEST).write_text(json.dumps({"files": files, "facts": dict(about)}))
        shutil.rmtree(folder, ignore_errors=True)  # damaged; who has it open keeps it
        part.rename(folder)
    except BaseException as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise InvalidRequest(f"the disk is full: there is no room for this model in {number}") from None
        if isinstance(error, MemoryError):
            raise InvalidRequest("there is not enough free memory to convert this model") from None
        raise
    finally:
        with suppress(OSError):
            folder.parent.rmdir()  # if nothing was made


def is_whole(folder: Path) -> bool:
    """Whether all files are there as they were written; one whose time has changed is read to the end."""
    try:
        files = json.loads((folder / MANIFEST).read_text())["files"]
        for name, (size, changed, checksum) in files.items():
            file = folder / name
            if file.stat().st_size != size:
                return False
            if file.stat().st_mtime_ns != changed and _checksum(file) != checksum:
                return False
        return True
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _checksum(file: Path, sync: bool = False) -> int:
    found = 0
    with file.open("rb") as raw:
        if sync:
            os.fsync(raw.fileno())
        while part := raw.read(CHUNK):
            found = zlib.crc32(part, found)
    return found


def _clean(place: Path, digest: str) -> None:
    """Removes what processes left that were ended, and what older versions made of these weights."""
    for old in place.glob("*.part"):
        shutil.rmtree(old, ignore_errors=True)
    for old in place.glob(f"{digest[:32]}-*"):
        if not old.name.endswith(f"-{VERSION}"):
            shutil.rmtree(old, ignore_errors=True)


def remove_parts(place: Path, process: int) -> None:
    """Removes what a process left that has ended."""
    for part in place.glob(f"*.{process}.part"):
        shutil.rmtree(part, ignore_errors=True)
    with suppress(OSError):
        place.rmdir()  # if nothing else is there


def _check_disk(place: Path, size: int) -> None:
    while not place.exists():
        place = place.parent
    if (free := shutil.disk_usage(place).free) < size:
        raise InvalidRequest(f"the converted model takes {size / 1e9:.1f} GB of disk, and {free / 1e9:.1f} GB are free")


@contextmanager
def _alone(place: Path, wait: bool) -> Iterator[None]:
    """While this process alone converts here; the system ends this when the process ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows: then two processes may do the same work
        yield
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(place.parent, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(lock)
