"""How much thinking an answer gets: OpenAI's and Mercury's words as a decoder that takes more passes or fewer."""

from __future__ import annotations

from typing import Any

from unmask.canvas import Card
from unmask.decide import named
from unmask.run.settings import Settings

# words a pass: every cell surer than this is written; None writes one cell a pass
SURE: dict[str, float | None] = {"instant": 0.5, "minimal": 0.7, "low": 0.8, "high": None, "xhigh": None}
NOISY = {"instant": 0.25, "minimal": 0.5, "low": 0.75, "high": 1.5, "xhigh": 2.0}  # shares of the authors' passes
SOON = 8  # cells in a block, where text is wanted soon


def changes(effort: str | None, realtime: bool, card: Card, own: Settings) -> dict[str, Any]:
    """What to change in a model's own settings; "none" and "medium" leave them as its authors have them."""
    needs = named(own.policy).needs
    if card.causal or needs.ahead:  # it writes from left to right at any effort
        return {}
    kept = {name: getattr(own, name) for name in ("block", "block_from", "sight", "precision", "end", "end_after")}
    if realtime and own.sight == "all":  # where a model sees block by block, the block is its own
        kept["block"] = SOON
    if card.noise:
        share = NOISY.get(effort or "")
        return {"passes": max(1, round(own.passes * share))} if share else {}
    if effort not in SURE:
        return {"policy": own.policy, "options": dict(own.options), "passes": own.passes, **kept} if realtime else {}
    sure = SURE[effort or ""]
    if needs.verify and sure is None:  # what is read afterwards is read at more effort too
        return {"policy": own.policy, "options": dict(own.options) | {"tau": 1.0}, "passes": 4096, **kept}
    if needs.verify:  # its drafts are bold anyway: at less effort nobody reads them
        sure = SURE["instant"]
    if sure is None:
        return {"policy": "confidence", "passes": kept["block"] or 4096, "passes_for": "block", **kept}
    return {"policy": "threshold", "options": {"tau": sure}, "passes": 4096, **kept}
