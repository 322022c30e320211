"""What the page shows of each feature in the engine's list: its script, its style, its tabs, its button."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from ui.elements import PLACE, element, live
from unmask.serve.features import Feature, features


def head(shown: Sequence[Feature] = ()) -> str:
    """What the document loads for them, or for some of them."""
    return "".join(loaded(one.script, one.style) for one in shown or features() if one.script)


def loaded(script: str, style: tuple[str, ...]) -> str:
    """A module below assets/ and its sheets."""
    sheets = "".join(f'<link rel="stylesheet" href="{PLACE}/looks/{name}.css">' for name in style)
    return f'{sheets}<script type="module" src="{PLACE}/{script}"></script>'


def tabs(prompt: str, shown: Sequence[Feature] = ()) -> None:
    """Their tabs; all are there from the start, so that elements in different tabs find each other."""
    for tab in (tab for one in shown or features() for tab in one.tabs):
        with gr.Tab(tab.title, render_children=True):
            live(tab.element, **({"prompt": prompt} if tab.prompt else {}), plotly=f"{PLACE}/plotly/plotly.min.js")


def buttons() -> str:
    """Their elements in the page's head."""
    return "".join(element(one.button) for one in features() if one.button)
