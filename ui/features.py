"""The features' parts of the page: scripts, style sheets, tabs and buttons, and what they say in other languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import gradio as gr

from unmask.serve.features import Feature, features
from unmask.ui.elements import PLACE, late, when_seen


def head(shown: Sequence[Feature] = ()) -> str:
    """The HTML that names the features' scripts and sheets, as JSON; `assets/looks/features.js` loads them."""
    rows = [_row(one) for one in shown or features() if one.script]
    return f'<script type="application/json" id="unmask-features">{json.dumps(rows)}</script>'


def _row(one: Feature) -> dict[str, Any]:
    place = f"{PLACE}/features/{one.name}"
    script = f"../../features/{one.name}/feature.js"  # as assets/looks/features.js sees it
    sheets = [f"{place}/{file.name}" for file in one.sheets]
    return {"script": script, "sheets": sheets, "elements": one.elements, "opens": one.opens}


def tabs(prompt: str, shown: Sequence[Feature] = ()) -> None:
    """Add the features' tabs. Gradio may make a tab's elements only when it is first opened, so none needs another."""
    for tab in (tab for one in shown or features() for tab in one.tabs):
        with gr.Tab(tab.title, render_children=True):
            when_seen(tab.element, **({"prompt": prompt} if tab.prompt else {}), plotly=f"{PLACE}/plotly/plotly.min.js")


def titles() -> list[str]:
    """The titles of the tabs, in their order."""
    return [tab.title for one in features() for tab in one.tabs]


def buttons(place: str) -> str:
    """The features' elements in the page's head, or in its menu."""
    return "".join(late(one.button.element) for one in features() if one.button and one.button.place == place)
