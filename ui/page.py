"""Builds the page from its controls and elements, and connects them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import gradio as gr

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.models.bundled import builtin_card, decoding_mode
from unmask.paths import ASSETS
from unmask.run.settings import Settings
from unmask.serve.served_models import served_models
from unmask.ui import features, gallery
from unmask.ui.course import BUTTON
from unmask.ui.elements import control, element, glue, live, prompted, recorded, when_seen
from unmask.ui.examples import Example, examples, shapes
from unmask.ui.panels import Controls, ask, control_values, decoder, decoder_values, shape
from unmask.ui.prompt_templates import working_templates
from unmask.ui.rule import example_of

QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
CONTROLLER = "document.querySelector('unmask-stage')?.controller"  # in JavaScript
MASTHEAD = (
    '<header id="masthead"><h1>Un<i>mask</i></h1>'
    "<p>Watch a language model write everywhere at once, and take part.</p>"
    f"{BUTTON}{{features}}"
    "<unmask-menu><div>{gallery}{menu}<unmask-tools></unmask-tools>"
    "<unmask-themes></unmask-themes></div></unmask-menu>{links}</header>"
)


def page(
    traces: Path = ASSETS / "traces",
    models: tuple[str, ...] = (),
    prompt: str = "",
    tools: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> gr.Blocks:
    """The page as a Gradio app, with the tools that programs may call. It is built without loading a model."""
    prompt = prompt or prompted(traces, "Story:")
    models = models or tuple(served_models())[:2]
    controls, own = Controls(), decoding_mode(models[0])
    with gr.Blocks(title="Unmask", analytics_enabled=False, fill_width=True) as blocks:
        with gr.Column(elem_id="view") as view:
            gr.HTML(html_template=_masthead(), js_on_load=None, apply_default_css=False)
            run = ask(controls, prompt)
            known = [prompt, *(example.prompt for example in examples())]
            buttons = _examples()
            live("ask", shapes=working_templates(shapes()), card=builtin_card(models[0]), known=known)
            shows = gr.Markdown("", elem_id="shows")
        with gr.Column(elem_id="deep"):
            live("dock")  # it takes in the parts below
            with gr.Column(elem_id="controls"):
                decoder(controls, 112, own["preset"], own["settings"])
                order = control("order", "")
                plan = gr.Markdown(shape(dict(zip(controls.parts, controls.values, strict=True))), elem_id="plan")
            with gr.Tabs(elem_id="views"):
                with gr.Tab("Map"):
                    when_seen("maps")
                with gr.Tab("Curves"):
                    when_seen("curves")
            with gr.Column(elem_id="runs"):
                when_seen("many-runs", parts=features.titles())
                with gr.Tabs(elem_id="more"):
                    features.tabs(prompt)
        with view:
            live(
                "stage",
                names=list(controls.parts),
                values=controls.values,
                models=list(models),
                replay=recorded(traces),
                faster="fast" in served_models(),
                decoders=decoder_values(),
                own=own,
            )
        _connect(controls, own, run, buttons, shows, plan)
        # the spec of a run that is opened on the stage (from the Lab or a lesson); it fills in the controls
        order.input(_fill_spec(controls, own), order, controls.all, **QUIET).then(
            None, controls.all, None, js=glue("known"), **QUIET
        )
        for name, tool in tools.items():
            gr.api(tool, api_name=name)
    return blocks


def _masthead() -> str:
    # a link holds the settings that differ from the defaults; its element is invisible
    links = element("links", defaults=Settings().to_dict(), space=config().space)
    return (
        MASTHEAD.replace("{links}", links)
        .replace("{gallery}", gallery.button())
        .replace("{features}", features.buttons("head"))
        .replace("{menu}", features.buttons("menu"))
    )


def _examples() -> list[tuple[Example, gr.Button]]:
    with gr.Row(elem_id="examples"):
        return [(example, gr.Button(example.opening, size="sm", min_width=60)) for example in examples()]


def _connect(
    controls: Controls,
    own: Mapping[str, Any],
    run: gr.Button,
    buttons: list[tuple[Example, gr.Button]],
    shows: gr.Markdown,
    plan: gr.Markdown,
) -> None:
    """Connect the controls: their values go to the stage by JavaScript; Python only fills in forms."""
    parts, values = controls.parts, controls.all
    changed, start = glue("change"), glue("run")
    for name, part in parts.items():
        if name == "preset":
            continue
        event = part.submit if name == "prompt" else part.blur if name == "rule" else part.input
        event(None, values, None, js=start if name == "prompt" else changed, **QUIET)
        if isinstance(part, gr.Slider):  # its final value; the stage ignores one that it knows
            part.release(None, values, None, js=changed, **QUIET)
    run.click(None, values, None, js=start, **QUIET)
    for event in (run.click, parts["prompt"].submit):  # a person's own run has no example's description
        event(None, None, shows, js='() => ""', **QUIET)
    # a preset fills in the controls, a policy shows its knobs, and the plan is updated
    parts["preset"].input(None, values, values, js=glue("decoder"), **QUIET)
    groups = list(controls.groups.values())
    parts["policy"].change(lambda name: _show_knobs(controls, name), parts["policy"], groups, **QUIET)
    parts["schedule"].change(
        lambda name: gr.update(visible=name == "drawn"), parts["schedule"], controls.strip, **QUIET
    )
    parts["warmth"].change(lambda drawn: gr.update(visible=drawn), parts["warmth"], controls.heat, **QUIET)
    parts["constraint"].change(example_of, parts["constraint"], parts["rule"], **QUIET)
    planned = ("length", "preset", "passes", "block", "schedule", "bend", "shares", "warmth", "heats")
    for name in planned:
        (parts[name].input if isinstance(parts[name], gr.HTML) else parts[name].change)(
            lambda *values: shape(dict(zip(planned, values, strict=True))), [parts[n] for n in planned], plan, **QUIET
        )
    for example, button in buttons:
        begin = f"(...values) => void {CONTROLLER}?.runs.example({json.dumps(about(example))}, values)"
        button.click(_fill_example(controls, own, example), None, [*values, shows], **QUIET).then(
            None, values, None, js=begin, **QUIET
        )


def about(example: Example) -> dict[str, Any]:
    """An example for the stage: its name, whether to play it slowly, and what to try after it."""
    after = {"text": "Now 16 looks", "changes": {"passes": 16}} if example.name == "bold" else None
    return {"name": example.name, "slow": example.slow, "after": after}


def _fill_spec(controls: Controls, own: Mapping[str, Any]) -> Any:
    def fill(text: str) -> list[Any]:
        values: dict[str, Any] = {}
        with suppress(InvalidRequest, json.JSONDecodeError):  # the stage shows the error
            values = control_values(json.loads(text), own)
        return [values.get(key, gr.skip()) for key in controls.parts]

    return fill


def _show_knobs(controls: Controls, policy: str) -> Any:
    shown = [gr.update(visible=name == policy) for name in controls.groups]
    return shown if len(shown) > 1 else shown[0]


def _fill_example(controls: Controls, own: Mapping[str, Any], example: Example) -> Any:
    row = {name: getattr(example, name) for name in ("prompt", "length", "preset", "changes")}

    def fill() -> list[Any]:
        values = control_values(row, own)
        return [*(values.get(key, gr.skip()) for key in controls.parts), example.shows]

    return fill
