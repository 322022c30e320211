"""Converts a checkpoint's network in a process of its own, so that the runs of this one go on at their pace.

It has a low priority. It reports several times a second, and ends when its reports are no longer read: the process that
opens the model has ended, or its visitor cancelled."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np

from unmask.canvas import Ints
from unmask.errors import InvalidRequest
from unmask.models.architecture import Architecture, Part
from unmask.models.checkpoint_weights import Array, CheckpointWeights, TensorFiles
from unmask.models.float_pass import divergence, float_logits
from unmask.models.graph_network import GraphNetwork, write_graph
from unmask.models.hub.converted import FILE, OpeningStep, Watch, converted, folder_of, is_whole, remove_parts
from unmask.models.rotated_weights import RotatedWeights

SMALL = 100_000_000  # bytes of a converted network that is made in this process: that takes less than a second
BEAT = 0.2  # seconds between two reports
NICENESS = 10  # of the process, so that it gives way
START = "import sys; sys.path[:] = sys.argv[2:]; from unmask.models.hub.conversion import main; main()"
ENDED = (
    "converting this model was ended from outside, perhaps because there is not enough free memory: close other models"
)


@dataclass(frozen=True)
class Conversion:
    """A network to convert. Both number types answer `canvas` when it is made in eight bits."""

    folder: Path  # of the checkpoint
    architecture: Architecture
    digest: str  # of the weights
    number: str
    threads: int
    canvas: Ints
    size: int  # bytes of its files

    def make(self, watch: Watch, wait: bool = True) -> Path:
        """The folder of the converted network, made in this process."""
        write = partial(self.write, watch)
        return converted(self.folder, self.digest, self.number, self.size, write, watch, wait)

    def write(self, watch: Watch, into: Path) -> dict[str, float]:
        """Writes the files into a folder."""
        read, shape = TensorFiles(sorted(self.folder.glob("*.safetensors"))).read, self.architecture
        watched = WatchedWeights(read, shape, watch)
        turned = RotatedWeights(watched, shape) if self.number == "int8" else watched
        write_graph(into / FILE, turned, shape, number=self.number)
        if self.number != "int8":
            return {}
        watch(OpeningStep("comparing", 0, 1))
        exact = float_logits(CheckpointWeights(read, shape.parts), shape, self.canvas, self.threads, into)
        narrow = GraphNetwork(shape, turned, self.threads, number=self.number, file=into / FILE)
        return {"divergence": divergence(exact, narrow.logits(self.canvas[None], np.arange(len(self.canvas)))[0])}


def convert(job: Conversion, watch: Watch) -> Path:
    """The folder of a converted network; a large one is made in another process if it is not there."""
    folder = folder_of(job.folder, job.digest, job.number)
    watch(OpeningStep("reading", 0, 1))
    if is_whole(folder):
        return folder
    if job.size < SMALL:
        with suppress(BlockingIOError):  # another process converts here: the child waits for it
            return job.make(watch, wait=False)
    flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # on Windows
    command = [sys.executable, "-c", START, str(NICENESS), *sys.path]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, creationflags=flags)
    try:
        with child:
            try:
                _follow(child, job, watch)
            finally:
                child.kill()
    finally:
        remove_parts(folder.parent, child.pid)
    return folder


def _follow(child: subprocess.Popen[bytes], job: Conversion, watch: Watch) -> None:
    """Hands the conversion to the process, and its reports on until it has ended."""
    assert child.stdin and child.stdout
    with suppress(BrokenPipeError), child.stdin as given:
        pickle.dump(job, given)
    for line in child.stdout:
        match json.loads(line):
            case ["step", *step]:
                watch(OpeningStep(*step))
            case ["refused", sentence]:
                raise InvalidRequest(sentence)
            case ["failed", trace]:
                raise RuntimeError(trace)
            case ["done"]:
                return
    raise InvalidRequest(ENDED)


def main() -> None:
    """The process that converts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the one that waits for it
    with suppress(AttributeError):  # not on Windows
        os.nice(int(sys.argv[1]))
    # what the process that started this one wrote
    job = pickle.load(sys.stdin.buffer)  # nosec B301
    reports = Reports()
    try:
        job.make(reports.step)
        reports.say("done")
    except InvalidRequest as error:
        reports.say("refused", str(error))
    except BaseException:
        reports.say("failed", traceback.format_exc())


class Reports:
    """Lines to the process that waits, at least one in `BEAT` seconds; this process ends when they cannot be sent."""

    def __init__(self) -> None:
        self.out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what a library prints is no report
        self.sending, self.last = Lock(), OpeningStep("reading", 0, 1)
        Thread(target=self._beat, daemon=True).start()

    def step(self, step: OpeningStep) -> None:
        self.last = step
        self.say("step", *astuple(step))

    def say(self, *words: Any) -> None:
        try:
            with self.sending:
                print(json.dumps(words), file=self.out, flush=True)
        except OSError:
            os._exit(1)

    def _beat(self) -> None:
        while True:
            time.sleep(BEAT)
            self.step(self.last)


class WatchedWeights(CheckpointWeights):
    """Weights that say which layer is read."""

    def __init__(self, read: Callable[[Part], Array], shape: Architecture, watch: Watch) -> None:
        super().__init__(read, shape.parts)
        self.layers, self.watch, self.at = shape.layers, watch, 0

    def __getitem__(self, role: str) -> Array:
        if role.startswith("layers."):
            self.at = int(role.split(".")[1]) + 1
        self._say()
        return super().__getitem__(role)

    def rows(self, role: str, begin: int, end: int) -> Array:
        self._say()
        return super().rows(role, begin, end)

    def _say(self) -> None:
        self.watch(OpeningStep("converting", self.at, self.layers) if self.at else OpeningStep("reading", 0, 1))
