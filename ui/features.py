"""The features' parts of the page: scripts, style sheets, tabs and buttons."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from unmask.serve.features import Feature, features
from unmask.ui.elements import PLACE, element, live


def head(shown: Sequence[Feature] = ()) -> str:
    """The HTML that loads the scripts and style sheets of all or some features."""
    return "".join(asset_tags(one.script, one.style) for one in shown or features() if one.script)


def asset_tags(script: str, style: tuple[str, ...]) -> str:
    """The HTML that loads a module below assets/ and its style sheets."""
    sheets = "".join(f'<link rel="stylesheet" href="{PLACE}/looks/{name}.css">' for name in style)
    return f'{sheets}<script type="module" src="{PLACE}/{script}"></script>'


def tabs(prompt: str, shown: Sequence[Feature] = ()) -> None:
    """Add the features' tabs. Gradio may make a tab's elements only when it is first opened, so none needs another."""
    for tab in (tab for one in shown or features() for tab in one.tabs):
        with gr.Tab(tab.title, render_children=True):
            live(tab.element, **({"prompt": prompt} if tab.prompt else {}), plotly=f"{PLACE}/plotly/plotly.min.js")


def titles() -> list[str]:
    """The titles of the tabs, in their order."""
    return [tab.title for one in features() for tab in one.tabs]


def buttons() -> str:
    """The features' elements in the page's header."""
    return "".join(element(one.button) for one in features() if one.button)
