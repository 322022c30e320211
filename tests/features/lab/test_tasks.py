"""Prompts of one's own as JSONL: what is wrong is named by file and line."""

import json
from pathlib import Path

import pytest

from unmask.errors import InvalidRequest
from unmask.features.lab.tasks import LETTERS, read_task, read_tasks

GOOD = '{"prompt": "1 + 1 =", "reference": 2}'


def test_lines_become_prompts_with_their_references() -> None:
    one, two = read_task(f'\n{GOOD}\r\n{{"prompt": "Say hi"}}\n', "sums")
    assert (one.prompt, one.reference, one.place) == ("1 + 1 =", 2, "line 2 of 'sums'")
    assert two.reference is None and two.line == 3


@pytest.mark.parametrize(
    "line, why",
    [
        ("{", "line 2 of 'sums' is no JSON: "),
        ("[" * 100_000, "line 2 of 'sums' is no JSON: "),
        ("[1]", "line 2 of 'sums' has no prompt"),
        ('{"prompt": 3}', "line 2 of 'sums' has no prompt"),
        ('{"prompt": " "}', "line 2 of 'sums' has no prompt"),
        ('{"prompt": "a", "file": "/etc/passwd"}', "line 2 of 'sums' has a field 'file': only prompt and reference"),
        (GOOD, "line 2 of 'sums' has the prompt of line 1 of 'sums' again"),
        (json.dumps({"prompt": "a" * (LETTERS + 1)}), "has a prompt of 8,001 characters; 8,000 are possible"),
        (json.dumps({"prompt": "a", "reference": ["b" * LETTERS]}), "has a reference of 8,004 characters"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, why: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_task(f"{GOOD}\n{line}", "sums")
    assert why in str(refused.value)


def test_empty_and_long_tasks_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="'sums' has no prompt"):
        read_task("\n\n", "sums")
    with pytest.raises(InvalidRequest, match="'sums' has more than 2 prompts"):
        read_task("\n".join(json.dumps({"prompt": str(n)}) for n in range(3)), "sums", rows=2)


def test_files_that_cannot_be_read_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "sums.jsonl", tmp_path / "b" / "sums.jsonl"
    for file in (first, second):
        file.parent.mkdir()
        file.write_text(GOOD)
    with pytest.raises(InvalidRequest, match=r"two tasks are called 'sums': .*a/sums.jsonl and .*b/sums.jsonl"):
        read_tasks([first, second])
    with pytest.raises(InvalidRequest, match=r"nothing.jsonl cannot be read: No such file"):
        read_tasks([tmp_path / "nothing.jsonl"])
    first.write_bytes(b'{"prompt": "\xff"}')
    with pytest.raises(InvalidRequest, match=r"sums.jsonl is no text in UTF-8: byte 12"):
        read_tasks([first])
