"""Own prompts over HTTP: scored, bounded, never code; a sweep taken away as a file and opened again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.until import soon
from unmask.features.lab import routes
from unmask.serve.runtime import Runtime

TASK = "\n".join(json.dumps({"prompt": f"{n} {n + 1}", "reference": "4"}) for n in range(1, 5))


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


@pytest.fixture(scope="module")
def client(runtime: Runtime) -> Iterator[Any]:
    with TestClient(Starlette(routes=routes.routes(runtime))) as client:
        yield client
        client.portal.call(runtime.close)


def request(**more: Any) -> dict[str, Any]:
    decoders = [{"preset": "llada", "changes": {"passes": n}} for n in (2, 8)]
    row = {"model": "toy", "twin": "", "decoders": decoders, "task": TASK, "task_name": "pairs"}
    return row | {"scorer": "exact_match", "measure": "score", "length": 12} | more


def ended(client: Any, key: str) -> dict[str, Any]:
    return dict(soon(lambda: (row := client.get(f"/lab/{key}").json())["state"] != "running" and row))


def test_own_prompts_are_scored_and_taken_away(client: Any) -> None:
    begun = client.post("/lab", json=request())
    assert begun.status_code == 201 and begun.json()["count"] == 8
    key = begun.json()["id"]
    row = ended(client, key)
    assert row["state"] == "done" and row["measure"] == "score" and row["scorer"] == "exact_match"
    assert all(point["values"]["score"] is not None for point in row["points"])
    assert "--scorer exact_match --reference" in client.get(f"/lab/{key}/table").text.splitlines()[-1]
    points = client.get(f"/lab/{key}/json").json()["points"]
    assert points[0]["command"] == "unmask sweep --open sweep.sweep.jsonl --repeat 'LLaDA, 2 passes'"
    file = client.get(f"/lab/{key}/file").text
    opened = client.post("/lab/open", json={"file": file}).json()["id"]
    again = client.get(f"/lab/{opened}").json()
    assert again["state"] == "done" and again["points"] == row["points"] and opened != key
    half = "\n".join(file.splitlines()[:5])
    opened = client.post("/lab/open", json={"file": half}).json()["id"]
    assert client.get(f"/lab/{opened}").json()["state"] == "stopped"
    client.post(f"/lab/{opened}", json={"do": "resume"})
    resumed = ended(client, opened)
    assert resumed["done"] == 8 and [p["values"] for p in resumed["points"]] == [p["values"] for p in row["points"]]


@pytest.mark.parametrize(
    "more, why",
    [
        ({"task": TASK + "\n{"}, "line 5 of 'pairs' is no JSON"),
        ({"task": TASK + '\n{"prompt": "1", "file": "/etc/passwd"}'}, "line 5 of 'pairs' has a field 'file'"),
        ({"task": "\n".join(json.dumps({"prompt": str(n)}) for n in range(501))}, "'pairs' has more than 500 prompts"),
        ({"task": "x" * (256 * 1024 + 1)}, "task must be a text of at most 262144 characters"),
        ({"scorer": "code_tests"}, "runs code, which the page never does"),
        ({"scorer": "../tasks"}, "no scorer '../tasks'; there are"),
        ({"scorer": "/etc/passwd"}, "no scorer '/etc/passwd'; there are"),
        ({"scorer": ""}, "to measure by score, give prompts with references"),
        ({"task": "", "prompts": ["1 2"]}, "to measure by score, give prompts with references"),
        ({"measure": "right"}, "no judge knows a text that begins '1 2'"),
    ],
)
def test_what_a_visitor_may_not_send_is_a_sentence(
    client: Any, configure: Callable[..., None], more: dict[str, Any], why: str
) -> None:
    """Visitors never run code, even where the operator lets `unmask sweep` do so."""
    configure(UNMASK_RUN_CODE="1")
    answer = client.post("/lab", json=request(**more))
    assert answer.status_code == 400 and why in answer.json()["why"]
    assert "code_tests" not in client.get("/lab").json()["scorers"]


def test_a_file_that_was_changed_can_name_no_code_and_no_model_of_this_machine(
    client: Any, configure: Callable[..., None], tmp_path: Path
) -> None:
    configure(UNMASK_RUN_CODE="1", UNMASK_HOSTS="lab.example")
    key = client.post("/lab", json=request()).json()["id"]
    ended(client, key)
    file = client.get(f"/lab/{key}/file").text
    for old, new, why in (
        ('"scorer": "exact_match"', '"scorer": "code_tests"', "which the page never does"),
        ('"model": "toy"', f'"model": "{tmp_path}"', "no model"),
        ('"changes": {"passes": 2}, "model": ""', f'"changes": {{}}, "model": "{tmp_path}"', "no model"),
        ('"format": 1', '"format": 7', "this file is in format 7"),
        ('"passes": 2}', '"passes": -2}', "passes"),
    ):
        assert old in file
        answer = client.post("/lab/open", json={"file": file.replace(old, new, 1)})
        assert answer.status_code == 400 and why in answer.json()["why"], (new, answer.json())


def test_a_scorer_that_fails_leaves_what_was_measured(
    client: Any, configure: Callable[..., None], tmp_path: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("def score(prompt, text, reference):\n  return 2 if prompt == '12' else 1")
    configure(UNMASK_SCORERS=str(tmp_path))
    task = "\n".join(json.dumps({"prompt": str(n), "reference": n}) for n in range(1, 13))
    key = client.post("/lab", json=request(scorer="mine", task=task)).json()["id"]
    row = ended(client, key)
    assert row["state"] == "failed" and 0 < row["done"] < 24
    assert row["why"] == "the scorer 'mine' returned 2, not a number from 0 to 1 on line 12 of 'pairs'"
    assert len(client.get(f"/lab/{key}/table").text.split("unmask sweep --again")) == row["done"] + 1
    mine.write_text("def score(prompt, text, reference):\n  return 1")
    assert "the files of the scorer differ" in client.post(f"/lab/{key}", json={"do": "resume"}).json()["why"]


def test_a_model_that_is_closed_meanwhile_is_named_and_opened_again(client: Any, runtime: Runtime) -> None:
    """A sweep went on with a model that was no longer listed, whose memory was never freed."""
    many = [{"preset": "llada", "changes": {"passes": n, "temperature": 0.9}} for n in range(1, 13)]
    key = client.post("/lab", json=request(decoders=many, seeds=20)).json()["id"]
    soon(lambda: client.get(f"/lab/{key}").json()["done"])
    assert client.portal.call(lambda: runtime.loader.unload("toy"))
    row = ended(client, key)
    assert row["state"] == "failed" and 0 < row["done"] < row["count"]
    assert row["why"] == "the model 'toy' was closed meanwhile: go on, and it is opened again"
    client.post(f"/lab/{key}", json={"do": "resume"})
    assert ended(client, key)["done"] == row["count"]
