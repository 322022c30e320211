"""The environment has one place: it is read there alone, written down, and says what it cannot read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from unmask.config import FORMER, inherited_environment, lines, parse_environment, table
from unmask.errors import ConfigError

ROOT = Path(__file__).parents[1]


def test_the_table_of_the_docs_is_the_codes() -> None:
    assert table() in (ROOT / "docs" / "config.md").read_text(), "print unmask.config.table() into docs/config.md"


def test_the_environment_is_read_in_one_place_only() -> None:
    files = [*(ROOT / "dllm").rglob("*.py"), *(ROOT / "ui").rglob("*.py"), ROOT / "app.py"]
    readers = {
        str(f.relative_to(ROOT)) for f in files if re.search(r"os\.(environ|getenv)\b(?!\.setdefault)", f.read_text())
    }
    assert readers == {"dllm/config.py", "dllm/cli/config.py"}  # the command line hands it on to be printed


@pytest.mark.parametrize(
    ("name", "text"),
    [("UNMASK_RUNS", "many"), ("UNMASK_RUNS", "-1"), ("UNMASK_IDLE", "nan"), ("UNMASK_GRACE", "inf")],
)
def test_what_cannot_be_read_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} '{text}'"):
        parse_environment({name: text})


def test_values_come_typed_and_empty_ones_are_defaults() -> None:
    one = parse_environment(
        {
            "UNMASK_MODELS": "toy, small=org/name",
            "UNMASK_RUNS": " 7 ",
            "UNMASK_IDLE": "",
            "UNMASK_ORIGINS": "https://A.b/",
        }
    )
    assert (one.models, one.runs, one.idle, one.origins) == (("toy", "small=org/name"), 7, 1800.0, ("https://a.b",))


@pytest.mark.parametrize("name", FORMER)
def test_a_former_name_is_read_where_the_new_one_is_not_set(name: str) -> None:
    former, text, other = FORMER[name], "3", "4"
    assert parse_environment({former: text}) == parse_environment({name: text}) != parse_environment({})
    assert parse_environment({former: text, name: other}) == parse_environment({name: other})


def test_no_key_is_printed() -> None:
    environment = {"UNMASK_API_KEYS": "first-secret second-secret"}
    assert "secret" not in "\n".join(lines(environment)) + repr(parse_environment(environment))
    assert any("UNMASK_API_KEYS" in line and "2 set" in line for line in lines(environment))


def test_the_command_prints_every_variable() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unmask", "config"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert all(name in done.stdout for name in re.findall(r"^\| `(\w+)`", table(), re.M))


def test_what_is_handed_on_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNMASK_API_KEYS", "a secret")
    monkeypatch.setenv("UNMASK_MODELS", "toy")
    assert inherited_environment()["UNMASK_MODELS"] == "toy" and "UNMASK_API_KEYS" not in inherited_environment()
