"""Files, links, messages and requests of an older version open and read the same for ever. See `old/README.md`."""

from __future__ import annotations

import asyncio
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.contract.reading import FOLDERS, Row, calling, digest, folder_of, loaded, posted, runtime, same, summary, v1
from unmask.live.scheduled_edits import scheduled_edits
from unmask.run import command, event
from unmask.run import trace as traces
from unmask.run.command import EDITS, TRANSPORT
from unmask.run.event import Waiting
from unmask.run.spec import RunSpec
from unmask.run.trace import Seal
from unmask.serve.doors import socket
from unmask.serve.protocol import protocol

SUMMARIES: dict[str, Row] = {f"{version}/traces/{name}": row for version, (name, row) in loaded("traces.json")}
LINKS: list[Row] = [link | {"name": f"{version}: {link['name']}"} for version, link in loaded("links.json")]
TALKS: list[Row] = [talk | {"name": f"{version}: {talk['name']}"} for version, talk in loaded("messages.json")]
REQUESTS: dict[str, Row] = {f"{version}: {name}": row for version, (name, row) in loaded("v1.json")}


@pytest.mark.parametrize("version", FOLDERS)
def test_none_of_the_files_is_gone_and_none_was_changed(version: str) -> None:
    """They are never made again: a test that fails says that the code reads less than it did."""
    folder = folder_of(version)
    digests = {str(f.relative_to(folder)): digest([f.read_text("utf-8")]) for f in sorted(folder.rglob("*.json*"))}
    digests.pop("digests.json")
    assert digests == {name: value for where, (name, value) in loaded("digests.json") if where == version}


@pytest.mark.parametrize("name", SUMMARIES)
def test_an_old_trace_reads_the_same(name: str) -> None:
    trace = traces.load(folder_of(f"{name}.trace.jsonl"))
    found = {"seal": trace.seal.name, "runs": [summary(run) for run in trace.runs]}
    same(SUMMARIES[name], found, name)
    again = traces.parse_trace("\n".join(traces.lines(trace)))
    assert again.seal is Seal.WHOLE
    same(SUMMARIES[name]["runs"], [summary(run) for run in again.runs], name)


@pytest.mark.parametrize("link", [link for link in LINKS if link.get("open")], ids=lambda link: link["name"])
async def test_what_an_old_link_opens_comes_out_the_same(link: Row) -> None:
    """Of the toys: token for token. Of the embedded pair, whose weights change: as an order and its edits."""
    for side in link["open"]["sides"]:
        spec = RunSpec.from_dict(
            {"prompt": link["open"]["prompt"], "length": side["length"], "changes": side["settings"]}
        )
        settings = {name: value for name, value in side["settings"].items() if name != "seed"}
        same(settings, spec.to_dict().get("changes", {}), link["name"])
        made = scheduled_edits(side["edits"])
        for at, edit in side["edits"]:
            due = made.due(at - 1)
            assert due is not None
            same(edit, command.command_to_dict(due), link["name"])
            made.next()
    if not all(side["model"].startswith("toy") for side in link["open"]["sides"]):
        return
    async with calling(runtime()) as caller:
        caller.say("a", link["open"])
        for side in link["run"]["sides"]:
            while (row := await caller.hear("a"))["did"] != "opened":
                assert row["did"] != "refused", row
            run = caller.runtime.sessions.alive[caller.names.real(row["session"])]
            caller.say("a", {"do": "play", "session": row["session"]})
            await played(run, side["at"])
            tokens = ",".join(map(str, run.head.ancestor(side["at"]).canvas.tokens.tolist()))
            assert sha256(tokens.encode()).hexdigest()[:10] == side["digest"]


async def played(run: Any, at: int) -> None:
    """Until a run has come to a moment."""
    async with asyncio.timeout(60):
        while run.end < at:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: talk["name"])
async def test_old_requests_are_answered_the_same(talk: Row, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in sys.modules.values():  # a class tells its news less often than a test waits
        if module.__name__.startswith("unmask.features.") and hasattr(module, "NEWS"):
            monkeypatch.setattr(module, "NEWS", 0.02)
    async with calling(runtime(tmp_path)) as caller:
        for exchange in talk["exchange"]:
            caller.say(exchange["who"], exchange["in"])
            for who, rows in exchange["out"].items():
                now = [await caller.hear(who) for _ in rows]
                same(rows, now, f"{exchange['in']['do']} {who}")


SENT = {*EDITS.kinds, *TRANSPORT.kinds} - {"find"}  # which a run makes by itself


def test_the_talks_hold_every_kind_of_message() -> None:
    requests = [exchange["in"] for talk in TALKS for exchange in talk["exchange"]]
    events = [row for talk in TALKS for one in talk["exchange"] for rows in one["out"].values() for row in rows]
    assert len(requests) >= 30 and len(events) >= 30
    for name in {row["do"] for row in requests} - {"jump"}:
        assert f"| `{name}` |" in protocol()
    assert {row["do"] for row in requests} >= SENT
    assert {row["did"] for row in events} >= {*event.NAMES.values()} - {"waiting"}


@pytest.mark.parametrize("name", sorted(SENT))
def test_old_commands_are_read_and_written_the_same(name: str) -> None:
    rows = [one["in"] for talk in TALKS for one in talk["exchange"] if one["in"]["do"] == name]
    rows = [row for row in rows if "text" not in row]
    assert rows
    for row in rows:
        known = {key: value for key, value in row.items() if key not in ("session", "ref", "at_moment")}
        same(known, command.command_to_dict(command.parse_command(row)), name)


async def test_signs_of_life_and_of_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes when a clock says so, and is in no talk."""
    assert event.event_to_dict(Waiting(2, 3.5)) == {"did": "waiting", "place": 2, "seconds": 3.5}
    monkeypatch.setattr(socket, "LOADING", 0.0)
    monkeypatch.setattr(socket, "BEAT", 0.01)
    async with calling(runtime()) as caller:
        caller.say("a", {"do": "open", "prompt": "1", "length": 2, "sides": [{"model": "toy:4"}], "id": "mine 1"})
        assert await caller.hear("a") == {"did": "loading", "model": "toy:4", "id": "mine 1"}
        assert await caller.beat("a") == {"did": "beat"}


async def test_old_requests_to_v1_are_answered_the_same() -> None:
    wrong: list[str] = []
    async with v1() as client:
        for name, row in REQUESTS.items():
            old = {part: row[part] for part in ("status", "answer", "events") if part in row}
            same(old, await posted(client, row["path"], row["body"]), name, wrong.append)
    assert not wrong
    refused = [row["answer"]["error"] for row in REQUESTS.values() if row["status"] != 200]
    assert len(refused) >= 15 and sum(bool(error.get("param")) for error in refused) >= 12
