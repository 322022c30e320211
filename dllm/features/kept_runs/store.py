"""Runs on disk: the first state of each run, its edits, and the length of each branch.

Nothing that can be recomputed is stored: random draws are a function of the seed, so a run follows from its first state
and its edits. One SQLite file, written by a thread of its own; if writing fails, the server continues without it."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from secrets import compare_digest
from typing import Any, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")
KEPT_IN = "runs.sqlite"  # in the cache folder
LARGEST = 256 << 20  # bytes of the file; the oldest runs are deleted first
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


@dataclass(frozen=True)
class StoredRun:
    """A run as it was stored."""

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


class Store:
    """The SQLite file, open as long as the server runs."""

    def __init__(self, file: Path, hours: float) -> None:
        self.file, self.hours = file, hours
        self._batch, self._lock, self._waiting = _Batch(), threading.Lock(), False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None
        self._failed, self._tidied = False, 0.0
        self.tidy()

    def keep(self, name: str, keys: Mapping[str, str], visitor: str, model: str, first: str) -> None:
        """Add a run, in place of an earlier one of this name."""
        if time.monotonic() - self._tidied > TIDY:
            self.tidy()
        row = (name, json.dumps(dict(keys)), visitor, model, first, "{}", time.time())
        self._put("DELETE FROM moments WHERE run = ?", name)
        self._put("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)", *row)

    def rekey(self, name: str, keys: Mapping[str, str]) -> None:
        """Replace the keys of a run."""
        self._put("UPDATE runs SET keys = ? WHERE name = ?", json.dumps(dict(keys)), name)

    def add_moment(self, name: str, number: int, parent: int, edit: Mapping[str, Any] | None) -> None:
        """Add a moment to a run."""
        text = None if edit is None else json.dumps(edit, separators=(",", ":"))
        self._put("INSERT OR REPLACE INTO moments VALUES (?, ?, ?, ?)", name, number, parent, text)

    def set_heads(self, name: str, now: Mapping[str, Any]) -> None:
        """Store the heads of a run and whether it plays."""
        with self._lock:
            self._batch.now[name] = json.dumps(now, separators=(",", ":"))
        self._write_soon()

    def forget(self, name: str) -> None:
        """Delete a run: its owner closed it."""
        self._put("DELETE FROM moments WHERE run = ?", name)
        self._put("DELETE FROM runs WHERE name = ?", name)

    def find(self, name: str, key: str) -> Future[StoredRun | None]:
        """The run of this name, if `key` is one of its keys."""

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
        if self._connection is not None:
            self._thread.submit(self._connection.close)
        self._thread.shutdown(wait=True)

    def _put(self, statement: str, *values: Any) -> None:
        with self._lock:
            self._batch.rows.append((statement, values))
        self._write_soon()

    def _write_soon(self) -> None:
        with self._lock:
            if self._waiting:
                return
            self._waiting = True
        self._do(lambda _: None)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> Future[T | None]:
        def run() -> T | None:
            if self._failed:
                return None
            try:
                if self._connection is None:
                    self._connection = self._connect()
                self._write(self._connection)
                with self._connection:
                    return work(self._connection)
            except (sqlite3.Error, OSError) as error:  # a full disk, or a folder without write permission
                self._failed = True
                log.warning("storing runs failed, so no more runs are stored: %s", error)
                return None

        return self._thread.submit(run)

    def _write(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            batch, self._batch, self._waiting = self._batch, _Batch(), False
        if not batch.rows and not batch.now:
            return
        with connection:
            for statement, values in batch.rows:
                connection.execute(statement, values)
            rows = [(now, time.time(), name) for name, now in batch.now.items()]
            connection.executemany("UPDATE runs SET now = ?, touched = ? WHERE name = ?", rows)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file)
        os.chmod(self.file, 0o600)  # prompts are in it
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(SCHEMA)
        return connection

    def tidy(self) -> None:
        """Delete expired runs, and the oldest ones if the file is too large."""
        self._tidied = time.monotonic()
        self._do(self._expire)

    def _expire(self, connection: sqlite3.Connection) -> None:
        _delete(connection, "touched < ?", time.time() - 3600 * self.hours)
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


def _delete(connection: sqlite3.Connection, which: str, value: Any) -> int:
    # `which` is one of the two conditions in `_expire`, never text from a visitor
    connection.execute(f"DELETE FROM moments WHERE run IN (SELECT name FROM runs WHERE {which})", (value,))  # nosec B608
    return connection.execute(f"DELETE FROM runs WHERE {which}", (value,)).rowcount  # nosec B608


def _size(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
