"""No door computes on the event loop: what grows with an input or a run is handed to the scheduler, with its owner."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "dllm"
DOORS = ("serve", "features")
# functions whose cost grows with an input or with the length of a run
COSTLY = {
    "analyse_drafts", "advice", "check_sweep", "checked_sweep", "compare_branches", "comparison", "conversation",
    "describe_differences", "encode_conversation", "is_nonsense_so_far", "list_branches", "nats",
    "nonsense_note", "note_before", "offers", "order_probability", "peeked", "plan_run", "play_game",
    "prompt_surprisal", "prompts", "recompute", "rivals", "rule_doubt", "strict", "text_surprise", "unfamiliar_note",
}  # fmt: skip
AS_FUNCTIONS = {"best", "chunks", "infer", "load", "points", "script", "table"}  # methods of these names are cheap
OF_A_WHOLE_RUN = {"path", "nodes"}  # without a moment from which to begin
ON_A_SPEC = {"start", "parts"}  # they tokenize a prompt and compile its constraint
THREADS = {"to_thread", "run_in_executor", "Thread", "ThreadPoolExecutor"}
# what is the server's own: its thread, the file of runs, freeing memory, an import, limited answers of remote models;
# a scorer's process that is waited for, and a sweep that a program runs without a server
OWN = {
    "serve/lifespan.py", "serve/sessions.py", "features/kept_runs/store.py", "features/race/racers.py",
    "features/race/providers/client.py", "features/lab/scoring.py", "features/lab/plan_runner.py",
}  # fmt: skip


def offences(source: str, own: bool = False) -> Iterator[str]:
    """The calls of a source that compute on the event loop, or on a thread that the scheduler does not know."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node) in THREADS and not own:
            yield f"{node.lineno}: {name_of(node)}"
        if isinstance(node, ast.AsyncFunctionDef):
            yield from (f"{call.lineno}: {ast.unparse(call.func)}" for call in on_the_loop(node) if is_costly(call))


def on_the_loop(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that a coroutine makes itself: not those in functions that it hands on."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from on_the_loop(child)


def name_of(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )


def is_costly(call: ast.Call) -> bool:
    name, of = name_of(call), call.func.value if isinstance(call.func, ast.Attribute) else None
    return (
        name in COSTLY
        or (name in AS_FUNCTIONS and of is None)
        or (name in OF_A_WHOLE_RUN and not call.args and not call.keywords)
        or (name in ON_A_SPEC and isinstance(of, ast.Name) and of.id.endswith("spec"))
    )


def test_no_door_computes_on_the_loop() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{offence}"
        for folder in DOORS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for offence in offences(path.read_text(), str(path.relative_to(ROOT)) in OWN)
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "await asyncio.to_thread(play_game, oracle, 0, [])",
        "await loop.run_in_executor(None, work)",
        "await self.send(comparison(timeline, one, two))",
        "return json(play_game(oracle, 0, turns).to_dict())",
        "rows = [event for event in session.head.path()]",
        "state = spec.start(card, tokenizer)",
        "verdict = judge().strict(prompt, text)",
        "await self.send(event_to_dict(session.peeked(question)))",
    ],
)
def test_an_offence_is_found(line: str) -> None:
    assert list(offences(f"async def door(self):\n    {line}\n"))


@pytest.mark.parametrize(
    "line",
    [
        "await runtime.work.run(who, lambda: comparison(timeline, one, two))",
        "await runtime.device.run(partial(prompt_surprisal, denoiser, prompt), client)",
        "await runtime.device.infer(client, denoiser, state, True)",
        "def compute():\n        return play_game(oracle, 0, turns)",
    ],
)
def test_what_is_handed_on_is_none(line: str) -> None:
    assert not list(offences(f"async def door(self):\n    {line}\n"))
