"""Every published decision is ours too, and a difference is named."""

import json
from pathlib import Path

import pytest

from unmask.__main__ import main
from unmask.errors import InvalidRequest
from unmask.inference.parity import check

FILE = Path(__file__).parents[1] / "parity" / "published.json"
CASES = json.loads(FILE.read_text())


def test_every_case_is_equal_in_tokens_sights_and_passes() -> None:
    verdicts = check(FILE)
    assert len(verdicts) == len(CASES) == 74
    assert [v for v in verdicts if v.differs] == []


@pytest.mark.parametrize("what", ["tokens", "passes", "seen"])
def test_a_planted_difference_is_found_and_named(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = json.loads(json.dumps(CASES[0]))
    if what == "tokens":
        case["tokens"][-1] = (case["tokens"][-1] + 1) % 49
    elif what == "passes":
        case["passes"] += 1
    else:
        case["seen"][3] = {"9": 1}
    planted = tmp_path / "planted.json"
    planted.write_text(json.dumps([case]))
    assert main(["parity", str(planted)]) == 1
    assert {"tokens": "ends in other tokens", "passes": "passes, published", "seen": "pass 3 sees"}[
        what
    ] in capsys.readouterr().out


def test_a_file_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(InvalidRequest, match="cannot read parity cases"):
        check(tmp_path / "x.json")
