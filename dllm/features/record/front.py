"""Recording from Python: `with unmask.record(model, tokenizer, mask=126336) as run: generate(model, …)`."""

from __future__ import annotations

from unmask.features.record.hook import record
from unmask.features.record.recorder import Recorder

__all__ = ["Recorder", "record"]
