"""`from unmask.gradio import Stage`: the stage as a component of any Gradio app, with the app's own model."""

from __future__ import annotations

import queue
import threading
from abc import ABCMeta
from collections.abc import Callable, Generator
from typing import Any

import gradio as gr
from gradio.component_meta import ComponentMeta, updateable
from gradio.components.base import server

from unmask.embed.page import packed_page, script, version
from unmask.embed.runs import Runs
from unmask.run.trace import Trace

__all__ = ["Stage", "follow"]

SCRIPTS = ("hosts/mount", "hosts/page", "hosts/gradio")
EXAMPLE = "mine.trace.jsonl"


class _NoStubFile(ComponentMeta):  # type: ignore[misc]
    """Gradio writes a `.pyi` file beside the source of each component; this one has its events from `gr.HTML`."""

    def __new__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> type:
        if "__init__" in attrs:
            attrs["__init__"] = updateable(attrs["__init__"])
        return ABCMeta.__new__(cls, name, bases, attrs)


class Stage(gr.HTML, metaclass=_NoStubFile):  # type: ignore[misc]
    """Shows a run pass by pass: a `Run`, `Timeline` or `Trace`, a trace file, or a recorder while its loop decodes.

    Its events are `tick` (a pass is shown), `edit` (a person pins, erases or bans a word) and `end`; a handler reads
    `gr.EventData`: of an edit `kind`, `cell`, `word` and `token`, of all `run` and `n`, the number of the pass.
    An input gets the run as a `Trace`. `keep` runs of at most `megabytes` together stay on the server, for pages that
    are loaded again."""

    def __init__(
        self,
        value: Any = None,
        *,
        label: str = "A run, pass by pass",
        height: int = 400,
        keep: int = 32,
        megabytes: float = 64,
        **options: Any,
    ) -> None:
        self.runs, self.height, self.keep, self.megabytes = Runs(keep, megabytes), height, keep, megabytes
        super().__init__(
            value,
            label=label,
            html_template="",
            js_on_load=_on_load(),
            apply_default_css=False,
            height=height,
            title=label,
            version=version(),
            place="",
            steered=False,
            **options,
        )

    def postprocess(self, value: Any) -> str | None:
        """The message that shows a run."""
        if value is None or (isinstance(value, str) and value.startswith('{"run":')):  # of an example that was cached
            return value
        return self.runs.message(value) or None

    def preprocess(self, payload: str | None) -> Trace | None:
        """The run that is shown; of one that is not over, what has come of it."""
        return self.runs.trace(payload) if payload else None

    @server  # type: ignore[untyped-decorator]
    def player(self, _: Any = None) -> str:
        """The page in the stage's frame, which a browser fetches once."""
        return packed_page()

    @server  # type: ignore[untyped-decorator]
    def since(self, lacking: list[Any]) -> str:
        """What a browser lacks of a run: its key and the number of passes there."""
        run, n = lacking
        return self.runs.since(str(run), max(0, int(n)))

    def api_info(self) -> dict[str, Any]:
        what = (
            "A run as JSON: its key `run`, `n` passes, and `trace`, the text of a trace file; before its end, a `pass`"
        )
        return {"type": "string", "description": what}

    def example_payload(self) -> Any:
        return None

    def example_value(self) -> Any:
        return None

    def get_config(self) -> dict[str, Any]:
        listened = _listens(self, "edit")
        self.props |= {"place": self.elem_id or str(self._id), "steered": listened}
        config: dict[str, Any] = super().get_config()
        return config


def _on_load() -> str:
    call = "inGradio({ element, trigger, props, server, watch });"
    lines = script(*SCRIPTS).splitlines()
    return "\n".join([*(line for line in lines if not line.startswith("import ")), call])


def _listens(block: Any, event: str) -> bool:
    """Whether the app has a handler for an event of a component."""
    root = block
    while getattr(root, "parent", None) is not None:
        root = root.parent
    functions = getattr(root, "fns", {})
    return any((block._id, event) in function.targets for function in functions.values())


def follow(run: Any, function: Callable[..., Any], *arguments: Any, **named: Any) -> Generator[Any, None, Any]:
    """Call a function that decodes, and yield its recorder after each pass; the result of the function is returned.

        with unmask.record(model, tokenizer, mask=126336) as run:
            yield from follow(run, generate, model, ids, steps=64)
        yield run

    The function runs in a thread of its own, and only its calls are recorded: two visitors may use one model."""
    passes: queue.SimpleQueue[bool] = queue.SimpleQueue()
    result: list[Any] = []
    failed: list[BaseException] = []

    def call() -> None:
        run.thread = threading.get_ident()
        try:
            result.append(function(*arguments, **named))
        except BaseException as error:  # raised again where the passes are awaited
            failed.append(error)
        passes.put(False)

    run.on_pass = lambda: passes.put(True)
    thread = threading.Thread(target=call, name="unmask-follow", daemon=True)
    thread.start()
    while passes.get():
        while not passes.empty():  # the page shows the newest
            if not passes.get():
                passes.put(False)
                break
        yield run
    thread.join()
    run.on_pass = lambda: None
    if failed:
        raise failed[0]
    return result[0]
