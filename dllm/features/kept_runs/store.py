"""Runs on disk: the first state of each run, its edits, and the length of each branch.

Nothing that can be recomputed is stored: random draws are a function of the seed, so a run follows from its first state
and its edits. One SQLite file, written by a thread of its own. If it cannot be written (a full disk, a lock), what is
new waits in memory up to a limit and writing is tried again; a damaged file is set aside."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import compare_digest
from typing import Any, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")
KEPT_IN = "runs.sqlite"  # in the cache folder
LARGEST = 256 << 20  # bytes of the file; the oldest runs are deleted first
WAITING = 16 << 20  # bytes that wait in memory for the file to be writable again
PAUSES = 0.5, 30.0  # seconds between two tries, the first and the longest
LOCKED = 2.0  # seconds to wait for another program's lock
TIDY = 300.0  # seconds between two deletions of expired runs
SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    name TEXT PRIMARY KEY, keys TEXT NOT NULL, visitor TEXT NOT NULL, model TEXT NOT NULL,
    first TEXT NOT NULL, now TEXT NOT NULL, touched REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS moments (
    run TEXT NOT NULL, number INTEGER NOT NULL, parent INTEGER NOT NULL, edit TEXT,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS oldest ON runs (touched);
"""


FORGET_MOMENTS = "DELETE FROM moments WHERE run = ?"
FORGET = "DELETE FROM runs WHERE name = ?"
REKEY = "UPDATE runs SET keys = ? WHERE name = ?"
NEEDED = (FORGET_MOMENTS, FORGET, REKEY)


@dataclass(frozen=True)
class StoredRun:
    name: str
    keys: Mapping[str, str]
    visitor: str
    model: str  # by the name that its visitor used
    first: str  # the first line of its trace
    now: Mapping[str, Any]  # the heads, the current one, whether it was playing, and the number of its last event
    moments: tuple[tuple[int, str | None], ...]  # for each moment but the first: its parent's number, and its edit


@dataclass
class _Batch:
    """Statements that wait to be written, in order; of a run's heads only the newest."""

    rows: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    now: dict[str, str] = field(default_factory=dict)
    size: int = 0  # bytes, about

    def add(self, statement: str, values: tuple[Any, ...]) -> None:
        self.rows.append((statement, values))
        self.size += 200 + sum(len(value) for value in values if isinstance(value, str))

    def without_runs(self) -> _Batch:
        """Only the deletions and the changes of keys: without them a run would come back that must not."""
        kept = _Batch()
        for statement, values in self.rows:
            if statement in NEEDED:
                kept.add(statement, values)
        return kept


class Unavailable(Exception):
    """The file cannot be read or written at present."""


class Store:
    """The SQLite file, open as long as the server runs."""

    def __init__(self, file: Path, hours: float) -> None:
        self.file, self.hours = file, hours
        self.trouble = ""  # why nothing can be stored at present
        self.generation = 0  # counts how often rows were lost: then each run must be stored again from its beginning
        self._batch, self._lock, self._waiting = _Batch(), threading.Lock(), False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None
        self._retry: threading.Timer | None = None
        self._pause, self._tidied, self._closed = PAUSES[0], 0.0, False
        self._began = time.time() - time.monotonic()
        self.tidy()

    def keep(self, name: str, keys: Mapping[str, str], visitor: str, model: str, first: str) -> None:
        """Add a run, in place of an earlier one of this name."""
        if time.monotonic() - self._tidied > TIDY:
            self.tidy()
        row = (name, json.dumps(dict(keys)), visitor, model, first, "{}", self._now())
        self._put(FORGET_MOMENTS, name)
        self._put("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def _now(self) -> float:
        """Seconds since 1970, by a clock that does not jump while the server runs: a run must not expire by that."""
        return self._began + time.monotonic()

    def rekey(self, name: str, keys: Mapping[str, str]) -> None:
        """Replace the keys of a run."""
        self._put(REKEY, json.dumps(dict(keys)), name)

    def add_moment(self, name: str, number: int, parent: int, edit: Mapping[str, Any] | None) -> None:
        text = None if edit is None else json.dumps(edit, separators=(",", ":"))
        self._put("INSERT OR REPLACE INTO moments VALUES (?, ?, ?, ?)", name, number, parent, text)

    def set_heads(self, name: str, now: Mapping[str, Any]) -> None:
        """Store the heads of a run and whether it plays."""
        with self._lock:
            self._batch.now[name] = json.dumps(now, separators=(",", ":"))
        self._write_soon()

    def forget(self, name: str) -> None:
        """Delete a run: its owner closed it."""
        self._put(FORGET_MOMENTS, name)
        self._put(FORGET, name)

    def find(self, name: str, key: str) -> Future[StoredRun | None]:
        """The run of this name, if `key` is one of its keys; the future raises `Unavailable` if nothing can be read."""

        def look(connection: sqlite3.Connection) -> StoredRun | None:
            statement = "SELECT keys, visitor, model, first, now FROM runs WHERE name = ?"
            row = connection.execute(statement, (name,)).fetchone()
            if row is None:
                return None
            keys = json.loads(row[0])
            given = key.encode("utf-8", "replace")
            # all are compared, so that the time says nothing about the key
            if not sum(compare_digest(given, ours.encode()) for ours in keys.values()):
                return None
            found = connection.execute("SELECT parent, edit FROM moments WHERE run = ? ORDER BY number", (name,))
            return StoredRun(name, keys, row[1], row[2], row[3], json.loads(row[4]), tuple(found.fetchall()))

        return self._do(look)

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self._do(lambda _: None).exception()  # every job first writes the waiting batch
        self._closed = True
        if self._retry is not None:
            self._retry.cancel()
        self._thread.submit(self._disconnect)
        self._thread.shutdown(wait=True)

    def _put(self, statement: str, *values: Any) -> None:
        with self._lock:
            self._batch.add(statement, values)
            if self.trouble and self._batch.size > WAITING:
                self._lose_runs()
        self._write_soon()

    def _lose_runs(self) -> None:
        """Drop the waiting rows of all runs; their journals store them again later."""
        self._batch = self._batch.without_runs()
        self.generation += 1

    def _write_soon(self) -> None:
        with self._lock:
            if self._waiting or self.trouble or self._closed:
                return
            self._waiting = True
        self._do(lambda _: None)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> Future[T]:
        def run() -> T:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                self._write(self._connection)
                with self._connection:
                    found = work(self._connection)
            except sqlite3.OperationalError as error:  # locked, full, or without write permission
                raise self._wait(error) from None
            except sqlite3.DatabaseError as error:
                self._set_aside(error)
                raise Unavailable(str(error)) from None
            except OSError as error:
                raise self._wait(error) from None
            if self.trouble:
                log.warning("runs can be written to disk again")
                with self._lock:
                    self.trouble = ""
                self._write_soon()  # what came while the others were written found the trouble, and waited
            self._pause = PAUSES[0]
            return found

        return self._thread.submit(run)

    def _wait(self, error: Exception) -> Unavailable:
        """Try again after a while; says so in the log once."""
        if not self.trouble:
            log.warning("runs cannot be stored, which is tried again until it works: %s", error)
        self.trouble = str(error) or type(error).__name__
        self._disconnect()
        if not self._closed and (self._retry is None or self._retry.finished.is_set()):
            self._retry = threading.Timer(self._pause, self._again)
            self._retry.daemon = True
            self._retry.start()
            self._pause = min(2 * self._pause, PAUSES[1])
        return Unavailable(self.trouble)

    def _again(self) -> None:
        with suppress(RuntimeError):  # closed meanwhile
            self._do(lambda _: None)

    def _set_aside(self, error: Exception) -> None:
        """Rename a damaged file, in place of the one that was set aside before, and begin a new one."""
        log.warning("the file with the runs is damaged, so it is set aside as %s.damaged: %s", self.file.name, error)
        self._disconnect()
        with suppress(OSError):
            os.replace(self.file, f"{self.file}.damaged")
        for rest in ("-wal", "-shm"):
            Path(f"{self.file}{rest}").unlink(missing_ok=True)
        with self._lock:
            self._lose_runs()
        self._again()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _write(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            batch, self._batch, self._waiting = self._batch, _Batch(), False
        if not batch.rows and not batch.now:
            return
        try:
            with connection:
                for statement, values in batch.rows:
                    _execute(connection, statement, values)
                for name, now in batch.now.items():
                    _execute(
                        connection, "UPDATE runs SET now = ?, touched = ? WHERE name = ?", (now, self._now(), name)
                    )
        except sqlite3.Error:
            with self._lock:
                newer = self._batch
                self._batch = _Batch([*batch.rows, *newer.rows], batch.now | newer.now, batch.size + newer.size)
            raise

    def _connect(self) -> sqlite3.Connection:
        # the file and its folder may be gone
        self.file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.file, timeout=LOCKED, check_same_thread=False)
        try:
            os.chmod(self.file, 0o600)  # prompts are in it
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(SCHEMA)
        except (sqlite3.Error, OSError):
            connection.close()
            raise
        return connection

    def tidy(self) -> None:
        """Delete expired runs, and the oldest ones if the file is too large."""
        self._tidied = time.monotonic()
        self._do(self._expire)

    def _expire(self, connection: sqlite3.Connection) -> None:
        _delete(connection, "touched < ?", self._now() - 3600 * self.hours)
        connection.execute("DELETE FROM moments WHERE run NOT IN (SELECT name FROM runs)")
        while _size(connection) > LARGEST:
            if not _delete(connection, "name IN (SELECT name FROM runs ORDER BY touched LIMIT ?)", 16):
                return


def open_store(file: Path, hours: float) -> Store | None:
    """The store; None if `hours` is 0 or the folder cannot be made."""
    if not hours:
        return None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        log.warning("runs are not stored: the folder cannot be made: %s", error)
        return None
    return Store(file, hours)


def _execute(connection: sqlite3.Connection, statement: str, values: tuple[Any, ...]) -> None:
    """Run a statement; one whose values cannot be stored is left out, so that it does not keep out all others."""
    try:
        connection.execute(statement, values)
    except (sqlite3.InterfaceError, sqlite3.ProgrammingError, ValueError, OverflowError) as error:
        log.warning("a moment of a run cannot be stored: %s", type(error).__name__)


def _delete(connection: sqlite3.Connection, which: str, value: Any) -> int:
    # `which` is one of the two conditions in `_expire`, never text from a visitor
    connection.execute(f"DELETE FROM moments WHERE run IN (SELECT name FROM runs WHERE {which})", (value,))  # nosec B608
    return connection.execute(f"DELETE FROM runs WHERE {which}", (value,)).rowcount  # nosec B608


def _size(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
