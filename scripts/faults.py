"""Writes `docs/faults.md`: every fault, the tests that inject it, and their last results. `make faults` runs them all.

`python -m scripts.faults --write` only rewrites the page, with the results that it has."""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as Xml  # nosec B405: the file is written by pytest
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "faults.md"


@dataclass(frozen=True)
class Row:
    """A fault: what happens, what the visitor must see, and the tests that check it."""

    number: str
    happens: str
    seen: str
    tests: tuple[str, ...]
    missing: str = ""


def read() -> tuple[Row, ...]:
    """The rows of faults.toml."""
    rows = tomllib.loads((Path(__file__).parent / "faults.toml").read_text(encoding="utf-8"))["row"]
    return tuple(Row(**row | {"tests": tuple(row["tests"])}) for row in rows)


ROWS = read()


@cache
def where(test: str) -> str:
    """The test file that defines a test."""
    pattern = re.compile(rf"^((async )?def|class) {test}\b|^{test} = ", re.M)
    files = [
        str(f.relative_to(ROOT)) for f in sorted((ROOT / "tests").rglob("test_*.py")) if pattern.search(f.read_text())
    ]
    if len(files) != 1:
        raise LookupError(f"{test} is in {files or 'no file'}")
    return files[0]


def known() -> dict[str, str]:
    """The last results by test, read from docs/faults.md."""
    if not PAGE.exists():
        return {}
    return dict(re.findall(r"`(\w+)` in `[^`]+` \(([^)]*)\)", PAGE.read_text()))


def page(results: dict[str, str]) -> str:
    """The text of docs/faults.md."""
    return "\n".join([*_head(), *(_line(one, results) for one in ROWS), ""])


def _head() -> Iterator[str]:
    yield "# Faults"
    yield ""
    yield "<!-- written by `make faults`, which runs every test named here; a test compares rows and tests -->"
    yield ""
    yield "What can go wrong, what must happen then, and the tests that inject it, with their last results."
    yield "F1 to F11 were found by an attack on the running app and are not covered by another row."
    yield ""
    yield "| | fault | what must happen | tests and their last results |"
    yield "|---|---|---|---|"


def _line(one: Row, results: dict[str, str]) -> str:
    tests = "<br>".join(f"`{t}` in `{where(t)}` ({results.get(t, 'not run yet')})" for t in one.tests)
    missing = f"<br>*missing: {one.missing}*" if one.missing else ""
    return f"| {one.number} | {one.happens} | {one.seen} | {tests}{missing} |"


def run(done: Container[str] = ()) -> dict[str, str]:
    """Run the tests of all rows, except those in `done`; returns the result and date of each."""
    today, ended = datetime.date.today().isoformat(), dict[str, str]()
    names = sorted({test for one in ROWS for test in one.tests if test not in done})
    if not names:
        return {}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "results.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            f"--junitxml={file}",
            *sorted(f"{where(t)}::{t}" for t in names),
        ]
        subprocess.run(command, cwd=ROOT)
        for case in Xml.parse(file).iter("testcase"):  # nosec B314
            kinds = {child.tag for child in case}
            how = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            base = str(case.get("name")).split("[")[0]
            name = base if base in names else str(case.get("classname")).rsplit(".", 1)[-1]
            worst = {"failed": 2, "skipped": 1, "passed": 0}
            if name not in ended or worst[how] > worst[ended[name].split()[0]]:
                ended[name] = f"{how} {today}"
    return ended


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="run nothing")
    parser.add_argument("--missing", action="store_true", help="run what was not run yet, or failed")
    arguments = parser.parse_args()
    passed = {test for test, how in known().items() if how.startswith("passed")}
    ended = {} if arguments.write else run(passed if arguments.missing else ())
    PAGE.write_text(page(known() | ended), encoding="utf-8")
    bad = sorted(test for test, how in ended.items() if not how.startswith("passed"))
    print("not passed:", ", ".join(bad) or "none")
    sys.exit(bool(bad))
