"""The request for a preview. Its docstring becomes `docs/protocol.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from unmask.run.message import Flag, Messages, Text, Whole

MOST = 64  # edits of one preview


@dataclass(frozen=True)
class Preview:
    """What would follow from `edits` at a moment (with `keep`, together with the later ones), while nobody else needs
    the device; nothing of the run changes. Answered by `previewed` after each pass. A run that is then edited so goes
    on without computing these passes again. The connection's next preview ends it; one without edits does nothing else.
    For a run that is not here, as a recording's, `open` says how it began, with one side, and `weights` which model it
    must be."""

    session: Text = ""
    at: Whole = -1
    keep: Flag = False
    edits: Annotated[tuple[Mapping[str, Any], ...], Field(max_length=MOST)] = ()
    open: Mapping[str, Any] = field(default_factory=dict)
    weights: Text = ""


PREVIEWS: Messages[Preview] = Messages((Preview,), noun="preview")
