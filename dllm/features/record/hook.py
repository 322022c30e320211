"""`record`: a context around a loop that calls a model. The loop and the model stay as they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType, TracebackType
from typing import Any

from unmask.errors import InvalidRequest
from unmask.features.record.arrays import is_array, is_ids
from unmask.features.record.logits import logits_in
from unmask.features.record.placement import past_length
from unmask.features.record.recorder import Recorder

IDS = ("input_ids", "ids", "x", "tokens", "xt", "inputs", "indices")
PASTS = ("past_key_values", "past", "cache", "kv_cache")


def record(
    model: Any,
    tokenizer: Any = None,
    mask: int | None = None,
    *,
    shift: bool | None = None,
    prompt: int | None = None,
    name: str = "",
) -> Recording:
    """Record every forward of a model inside a `with` block.

        with unmask.record(model, tokenizer, mask=126336) as run:
            ids = generate(model, prompt)
        run.save("mine.trace.jsonl")

    `model` is a torch module or another object that is called with token ids; for a plain function, call `run.model`.
    `mask`, `shift`, `prompt` and `name` are those of `Recorder`."""
    return Recording(model, tokenizer, mask, shift=shift, prompt=prompt, name=name or _name_of(model))


class Recording(Recorder):
    """A recorder that watches a model while its `with` block runs."""

    def __init__(self, model: Any, tokenizer: Any = None, mask: int | None = None, **options: Any) -> None:
        super().__init__(tokenizer, mask, **options)
        self.model = model
        self._calls: dict[int, tuple[float, int]] = {}  # by thread: when a call began, and the cells in its cache then
        self._restore: Callable[[], None] = lambda: None
        self.thread: int | None = None  # the only one whose calls are recorded: another may call the same model

    def __enter__(self) -> Recording:
        if hasattr(self.model, "register_forward_hook"):
            handles = (
                self.model.register_forward_pre_hook(
                    lambda module, args, named: self._before(args, named), with_kwargs=True
                ),
                self.model.register_forward_hook(
                    lambda module, args, named, output: self._after(args, named, output), with_kwargs=True
                ),
            )

            def remove() -> None:
                for handle in handles:
                    handle.remove()

            self._restore = remove
        elif isinstance(self.model, FunctionType | MethodType) or not _can_change_class(self.model):
            self.model = self._wrapped(self.model)
        else:
            model, kind = self.model, type(self.model)
            called = self._wrapped(kind.__call__)
            model.__class__ = type(kind.__name__, (kind,), {"__call__": called, "__module__": kind.__module__})
            self._restore = lambda: setattr(model, "__class__", kind)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        self.ended = True
        with self._guarded():
            if self.stopped:
                return
            if self._known is None:
                self._note(
                    "the model was not called: a loop that calls model.forward(…) or a part of the model goes around it"
                )
            self._read_last_write()

    def _wrapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self._before(args, named)
            output = function(*args, **named)
            self._after(args, named, output)
            return output

        return call

    def _before(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        if self.thread not in (None, threading.get_ident()):
            return
        with self._guarded():
            past = next((named[name] for name in PASTS if named.get(name) is not None), None)
            self._calls[threading.get_ident()] = (time.perf_counter(), past_length(past))

    def _after(self, args: tuple[Any, ...], named: Mapping[str, Any], output: Any) -> None:
        now = time.perf_counter()
        if self.thread not in (None, threading.get_ident()):
            return
        with self._guarded():
            began, past = self._calls.pop(threading.get_ident(), (now, 0))
            ids = next((named[name] for name in IDS if is_ids(named.get(name))), None)
            if ids is None:
                ids = next((arg for arg in args if is_ids(arg)), None)
            if ids is None:
                raise InvalidRequest("a call has no array of token ids")
            logits = logits_in(output)
            self.observe(ids, named, past, logits if is_array(logits) else None, now - began)


def _can_change_class(model: Any) -> bool:
    kind = type(model)
    try:
        model.__class__ = type(kind.__name__, (kind,), {})
        model.__class__ = kind
    except TypeError:
        return False
    return True


def _name_of(model: Any) -> str:
    named = getattr(getattr(model, "config", None), "_name_or_path", "") or getattr(model, "__name__", "")
    return str(named or type(model).__name__).replace("<lambda>", "")
