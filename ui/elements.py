"""HTML of the page's custom elements, which `assets/main.js` defines. Text of a model is never put into it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from unmask.paths import ASSETS
from unmask.ui.lessons import languages

STAGE = ("colours", "controls", "stage", "marks", "below", "inspector", "maps", "branches", "clock")
PAGE = (
    "page",
    "view",
    "dock",
    "many",
    "beside",
    "prompt",
    "ask",
    "decoders",
    "embed",
    "write",
)
PLACE = "unmask"  # path of the page's files, since Gradio uses /assets
SCRIPTS = f"{PLACE}/assets"


def live(name: str, /, **data: Any) -> gr.HTML:
    """A custom element on the page."""
    return gr.HTML(html_template=element(name, **data), js_on_load=None, apply_default_css=False)


def when_seen(name: str, /, **data: Any) -> gr.HTML:
    """A custom element that is loaded when it is first seen."""
    return gr.HTML(html_template=late(name, **data), js_on_load=None, apply_default_css=False)


def late(name: str, /, **data: Any) -> str:
    """The same as a Gradio template (`Part` in `assets/looks/features.js`)."""
    return f"<unmask-part>{element(name, **data)}</unmask-part>"


def element(name: str, /, **data: Any) -> str:
    """`<unmask-name data-…>` as a Gradio template."""
    return f"<unmask-{name}{_attributes(data)}></unmask-{name}>"


def control(name: str, value: Any, mark: str = "", /, **data: Any) -> gr.HTML:
    """A custom element that is a form control with a value. What is not in the first view is loaded when it is seen."""
    return gr.HTML(
        value,
        html_template=(element if name == "decoders" else late)(name, **data),
        js_on_load=glue(mark or name),
        apply_default_css=False,
        elem_id=mark or name,
    )


def _attributes(data: Mapping[str, Any]) -> str:
    """HTML attributes, with the characters escaped that have a meaning in Gradio's templates."""
    kept = {ord(mark): f"&#{ord(mark)};" for mark in "\\{}$`"}
    return "".join(f' data-{key}="{escape(json.dumps(value)).translate(kept)}"' for key, value in data.items())


def glue(name: str) -> str:
    """The JavaScript that connects a Gradio control to the stage."""
    return (ASSETS / "steer" / "glue" / f"{name}.js").read_text().split("\n", 1)[1].rstrip().rstrip(";")


def head() -> str:
    """The HTML head: style sheets and the main script."""
    # hidden until the stage is set up (assets/stage/stage.js), for at most 5 seconds
    veil = (
        "<style>body:not([data-stands]) .gradio-container{visibility:hidden;animation:unmask-veil 0s 5s forwards}"
        "@keyframes unmask-veil{to{visibility:visible}}</style>"
    )
    language = f'<meta name="unmask-languages" content="{" ".join(languages())}" data-place="{PLACE}">'
    return f'{language}{veil}{sheets(*STAGE, *PAGE)}<script type="module" src="{SCRIPTS}/main.js"></script>'


def sheets(*names: str) -> str:
    """The HTML that loads style sheets."""
    return "".join(f'<link rel="stylesheet" href="{SCRIPTS}/looks/{name}.css">' for name in names)


def recorded(folder: Path) -> list[str]:
    """Addresses of a recorded pair to open the page with: a diffusion and an autoregressive run of one prompt."""
    found: dict[bool, dict[str, str]] = {False: {}, True: {}}
    for file in sorted(folder.glob("*.trace.jsonl")):
        head = _head(file)
        found[bool(head.get("causal"))].setdefault(str(head.get("prompt")), file.name)
    both = [prompt for prompt in found[False] if prompt in found[True]]
    for prompt in both or list(found[False])[:1]:
        names = [found[kind][prompt] for kind in (False, True) if prompt in found[kind]]
        return [f"{PLACE}/traces/{name}" for name in names]
    return []


def prompted(folder: Path, otherwise: str) -> str:
    """The prompt of the recorded pair, or another one if nothing is recorded."""
    for address in recorded(folder)[:1]:
        return str(_head(folder / Path(address).name).get("prompt") or otherwise).strip()
    return otherwise


def _head(file: Path) -> Mapping[str, Any]:
    with file.open(encoding="utf-8") as lines:
        first = json.loads(next(iter(_first(lines)), "{}"))
    head = (first.get("runs") or [first])[0].get("head", {})
    return head if isinstance(head, dict) else {}


def _first(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        yield line
        return
