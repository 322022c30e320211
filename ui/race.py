"""The Race tab and the Claims page: two elements of ours, which speak to the race's own socket."""

from __future__ import annotations

import gradio as gr

from ui.elements import PLACE, live


def race(prompt: str = "Story: Lily had a red kite.") -> None:
    """What stands in the Race tab."""
    live("race", prompt=prompt, plotly=f"{PLACE}/plotly/plotly.min.js")


def claims() -> None:
    """What stands on the Claims page."""
    live("claims", plotly=f"{PLACE}/plotly/plotly.min.js")


def head() -> str:
    """What the document loads for both."""
    sheet = f'<link rel="stylesheet" href="{PLACE}/looks/race.css">'
    return f'{sheet}<script type="module" src="{PLACE}/race/race.js"></script>'


def tabs(prompt: str = "Story: Lily had a red kite.") -> None:
    """Both, inside the page's tabs; they are there from the start, so that claims and races find each other."""
    with gr.Tab("Race", render_children=True):
        race(prompt)
    with gr.Tab("Claims", render_children=True):
        claims()
