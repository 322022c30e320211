"""The scorers, by file name: those of this package and of the folders of UNMASK_SCORERS; and the process of one."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.features.lab.tasks import Item

HERE = Path(__file__).parent
SECONDS, START_SECONDS, MEMORY_MB = 30.0, 60.0, 1024


@dataclass(frozen=True)
class Scorer:
    """A file with a function `score`."""

    name: str
    file: Path
    says: str  # the first line of the file
    runs_code: bool  # it runs what a model wrote: only with UNMASK_RUN_CODE, and never for a visitor

    @property
    def digest(self) -> str:
        """A hash of the file, so that scores of two versions are not mixed."""
        return sha256(self.file.read_bytes()).hexdigest()[:16]


def scorers() -> Mapping[str, Scorer]:
    """Every scorer. Two files of one name are refused."""
    found: dict[str, Scorer] = {}
    for folder in (HERE / "scorers", *config().scorers):
        for file in sorted(folder.glob("[!_]*.py")):
            if file.stem in found:
                raise InvalidRequest(f"two scorers are called '{file.stem}': {found[file.stem].file} and {file}")
            found[file.stem] = _scorer(file)
    return found


def get_scorer(name: str, visiting: bool = False) -> Scorer:
    """The scorer of this name; one that runs code is refused to visitors, and without the operator's switch."""
    found = scorers()
    if name not in found:
        raise InvalidRequest(f"no scorer '{name[:40]}'; there are {', '.join(found)}", "scorer")
    if found[name].runs_code and visiting:
        raise InvalidRequest(f"the scorer '{name}' runs code, which the page never does: use unmask sweep", "scorer")
    if found[name].runs_code and not config().run_code:
        raise InvalidRequest(f"the scorer '{name}' runs code that a model wrote: set UNMASK_RUN_CODE=1 first", "scorer")
    return found[name]


def _scorer(file: Path) -> Scorer:
    """What a file says of itself; nothing of it is run."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise InvalidRequest(f"the scorer file '{file}' is no Python: {error}") from None
    runs_code = any(
        isinstance(one, ast.Assign)
        and any(isinstance(to, ast.Name) and to.id == "RUNS_CODE" for to in one.targets)
        and isinstance(one.value, ast.Constant)
        and bool(one.value.value)
        for one in tree.body
    )
    says = (ast.get_docstring(tree) or file.stem.replace("_", " ")).split("\n")[0]
    return Scorer(file.stem, file, says, runs_code)


class ScoreProcess:
    """A scorer in a process of its own, with limits of time and memory; started with the first text."""

    def __init__(self, scorer: Scorer, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self.scorer, self.seconds, self.memory_mb = scorer, seconds, memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def score(self, item: Item, text: str) -> float:
        """The score of an answer, from 0 to 1; InvalidRequest names the scorer and the prompt where there is none."""
        with self._turn:
            if self._process is None:
                self._process = self._started()
            row = {"prompt": item.prompt, "text": text, "reference": item.reference}
            answer = self._ask(row, self.seconds, f"on {item.place}")
            if "why" in answer:
                raise InvalidRequest(f"the scorer '{self.scorer.name}' {answer['why']} on {item.place}")
            return float(answer["score"])

    def close(self) -> None:
        """End the process; the next text starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        root = str(HERE.parents[2])
        command = [sys.executable, "-P", str(HERE / "score_worker.py"), str(self.scorer.file), str(self.memory_mb)]
        self._process = subprocess.Popen([*command, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        answer = self._ask(None, START_SECONDS, "when its file was read")
        if "why" in answer:
            self.close()
            raise InvalidRequest(f"the scorer file '{self.scorer.file}' {answer['why']}")
        return self._process

    def _ask(self, row: Mapping[str, Any] | None, seconds: float, when: str) -> dict[str, Any]:
        """The worker's next line; a worker that gives none in time, or has ended, is closed."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            if row is not None:
                process.stdin.write(json.dumps(row).encode() + b"\n")
                process.stdin.flush()
            line = process.stdout.readline()
            return dict(json.loads(line))
        except (OSError, ValueError):
            self.close()
            what = f"took more than {seconds:g} s" if late.is_set() else "ended its process"
            raise InvalidRequest(f"the scorer '{self.scorer.name}' {what} {when}") from None
        finally:
            timer.cancel()


class Scoring:
    """A scorer with the prompts of a sweep; the waiting is done on a thread of its own."""

    def __init__(self, scorer: Scorer, items: Iterable[Item]) -> None:
        self.scorer = scorer
        self._items = {one.prompt: one for one in items}
        self._started: tuple[ScoreProcess, ThreadPoolExecutor] | None = None

    def task(self, prompt: str) -> str:
        return self._items[prompt].task

    async def score(self, prompt: str, text: str) -> float:
        """The score of an answer."""
        if self._started is None:
            self._started = ScoreProcess(self.scorer), ThreadPoolExecutor(1, "scorer")
        process, thread = self._started
        return await asyncio.get_running_loop().run_in_executor(thread, process.score, self._items[prompt], text)

    def close(self) -> None:
        """End the process and its thread; texts that wait are not scored."""
        if self._started is not None:
            (process, thread), self._started = self._started, None
            thread.shutdown(wait=False, cancel_futures=True)
            process.close()
