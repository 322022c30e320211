"""What a file or a model spells reaches a terminal as text: nothing in it moves the cursor or renames the window."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import begin
from unmask.canvas.text import printable
from unmask.inference.decode import nodes
from unmask.models.toy import Toy
from unmask.run import trace as traces
from unmask.run.timeline import new_timeline, with_pieces
from unmask.run.trace import Trace

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202eback\r"


def replayed(file: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "unmask", "replay", str(file), "--pace", "0"]
    return subprocess.run(command, capture_output=True, timeout=120)


def test_a_replay_in_a_terminal_shows_escapes_and_does_not_obey_them(tmp_path: Path) -> None:
    """ESC and OSC of a file's pieces once reached the terminal as they were."""
    toy = Toy()
    run = new_timeline(toy.card, begin(cells=4, passes=2), "x")
    for node in nodes(toy, run.head, watched=True):
        run = run.append(node)
    rows = [json.loads(line) for line in traces.lines(Trace((with_pieces(run, toy.tokenizer),)))]
    pieces = rows[0]["runs"][0]["pieces"]
    rows[0]["runs"][0]["pieces"] = {token: EVIL + text for token, text in pieces.items()}
    rows[0].pop("digest", None)
    file = tmp_path / "evil.trace.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    done = replayed(file)
    assert done.returncode == 0, done.stderr
    assert "␛]0;owned␇".encode() in done.stdout
    for wrong in (b"\x1b", b"\x07", "\x9b".encode(), "\u202e".encode()):
        assert wrong not in done.stdout + done.stderr


def test_a_refusal_shows_escapes_too(tmp_path: Path) -> None:
    file = tmp_path / "bad.trace.jsonl"
    file.write_text(json.dumps({"unmask": 2, "runs": [{"head": {}, "canvas": {"kinds": EVIL}}]}) + "\n{}")
    named = tmp_path / "\x1b]0;owned\x07"
    for done in (replayed(file), replayed(named)):
        assert done.returncode == 2
        assert b"\x1b" not in done.stderr and done.stderr


@pytest.mark.parametrize("text", ["plain, ü, 漢字, 👩‍👩‍👧", "two\nlines\tand a tab", ""])
def test_what_is_text_stays(text: str) -> None:
    assert printable(text) == text
