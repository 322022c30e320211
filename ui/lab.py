"""The Lab tab: one element of ours, which speaks to the Lab's own door."""

from __future__ import annotations

import gradio as gr

from ui.elements import PLACE, live


def tab() -> None:
    """The Lab, inside the page's tabs."""
    with gr.Tab("Lab", render_children=True):
        live("lab", plotly=f"{PLACE}/plotly/plotly.min.js")


def head() -> str:
    """What the document loads for it."""
    sheet = f'<link rel="stylesheet" href="{PLACE}/looks/lab.css">'
    return f'{sheet}<script type="module" src="{PLACE}/lab/lab.js"></script>'
