"""The controls: what a person may ask of a run, built from policies, knobs and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from dllm.canvas import Card, Refused, blank
from dllm.decide import Knob, Pick, named, names, schedule
from dllm.run.order import Order
from dllm.run.plan import planned
from dllm.run.presets import preset, presets
from dllm.run.settings import Settings
from dllm.run.state import start
from ui.canvas import control

MOST_PASSES = 256  # on the slider; the engine takes more
STRETCHES = 16  # of a run that a hand may draw, as in assets/steer/strokes.js
BARS = "▁▂▃▄▅▆▇█"
ANY = Card("any model", "none", words=2, longest=1 << 16)  # a plan is shown before a model is there


@dataclass
class Controls:
    """The controls by name, in the order in which the stage receives their values."""

    parts: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, gr.Column] = field(default_factory=dict)  # a policy's knobs
    strip: gr.Column | None = None  # where a schedule is drawn

    @property
    def all(self) -> list[Any]:
        return list(self.parts.values())

    @property
    def values(self) -> list[Any]:
        return [part.value for part in self.all]

    @property
    def settings(self) -> dict[str, Any]:
        """The parts that are settings of the engine, or knobs of a policy."""
        return {name: part for name, part in self.parts.items() if name not in ("prompt", "length", "preset")}


def ask(controls: Controls, prompt: str) -> gr.Button:
    """What to write about, and the button that starts."""
    with gr.Row(elem_id="ask"):
        controls.parts["prompt"] = gr.Textbox(
            prompt,
            label="Prompt",
            placeholder="How it begins; put [MASK:6] where six cells are to be filled between fixed words",
            lines=1,
            max_lines=6,
            elem_id="prompt",
            scale=1,
        )
        return gr.Button("Run", variant="primary", elem_id="run", scale=0)


def decoder(controls: Controls, length: int, chosen: str, changes: Mapping[str, Any], longest: int = 256) -> None:
    """How long, how many passes, which decoder; and everything else for those who open it."""
    begin = preset(chosen).over(length, **changes)
    with gr.Row():
        controls.parts["preset"] = gr.Dropdown(
            [(f"{p.title}: {p.says}", p.name) for p in presets().values()],
            value=chosen,
            label="Decoder",
            info="A published way of deciding where to write next.",
            elem_id="preset",
        )
        controls.parts["length"] = gr.Slider(
            8, longest, length, step=8, label="Length", info="Open cells behind the prompt.", elem_id="length"
        )
        controls.parts["passes"] = gr.Slider(
            1,
            MOST_PASSES,
            begin.passes,
            step=1,
            label="Passes",
            info="Fewer is faster, and bolder.",
            elem_id="passes",
        )
    with gr.Accordion("Every knob", open=False, elem_id="knobs"):
        _policy(controls, begin)
        _plan(controls, begin)
        _words(controls, begin)


def _policy(controls: Controls, begin: Settings) -> None:
    with gr.Row():
        controls.parts["policy"] = gr.Dropdown(
            names(),
            value=begin.policy,
            label="Where to write next",
            info=_line(begin.policy),
            elem_id="policy",
        )
        for name in names():
            policy = named(name)
            if not policy.knobs:
                continue
            values = begin.options if name == begin.policy else policy.defaults
            with gr.Column(visible=name == begin.policy) as controls.groups[name]:
                for knob, spec in policy.knobs.items():
                    controls.parts[f"{name}.{knob}"] = _knob(name, knob, spec, values[knob], policy.defaults[knob])


def _knob(policy: str, name: str, spec: Knob | Pick, value: Any, default: Any) -> Any:
    """A slider for a number, a menu for a choice."""
    mark = f"{policy}-{name}"
    if isinstance(spec, Pick):
        return gr.Dropdown(list(spec.ways), value=value, label=name, info=_sentence(spec.help), elem_id=mark)
    step = 1 if isinstance(default, int) else 0.005 if spec.high - spec.low <= 2 else 0.05
    return gr.Slider(spec.low, spec.high, value, step=step, label=name, info=_sentence(spec.help), elem_id=mark)


def _plan(controls: Controls, begin: Settings) -> None:
    parts = controls.parts
    with gr.Row():
        parts["schedule"] = gr.Dropdown(
            [("drawn by hand" if n == "drawn" else n, n) for n in schedule.NAMES],
            value=begin.schedule,
            label="Schedule",
            info="How many cells to decide at each pass.",
            elem_id="schedule",
        )
        parts["bend"] = gr.Slider(
            0.1, 8, begin.bend, step=0.1, label="Bend", info="Shapes the power and geometric schedules.", elem_id="bend"
        )
        parts["block"] = gr.Slider(
            0,
            256,
            begin.block,
            step=1,
            label="Block",
            info="Cells decided before going on to the next; 0: all at once.",
        )
        parts["guidance"] = gr.Slider(
            0, 4, begin.guidance, step=0.1, label="Guidance", info="Leans on the prompt; each pass then costs two."
        )

    with gr.Column(visible=begin.schedule == "drawn") as controls.strip:
        gr.Markdown(
            "**Your schedule.** How much of the text each stretch of the run decides; draw it, or use arrow keys."
        )
        parts["shares"] = control("schedule", [0.5] * STRETCHES)


def _words(controls: Controls, begin: Settings) -> None:
    parts = controls.parts
    with gr.Row():
        parts["temperature"] = gr.Slider(
            0,
            2,
            begin.temperature,
            step=0.05,
            label="Temperature",
            info="0 takes the likeliest word; more takes chances.",
        )
        parts["top_k"] = gr.Slider(
            0, 100, begin.top_k, step=1, label="Top k", info="Only the k likeliest words; 0: all."
        )
        parts["top_p"] = gr.Slider(
            0, 1, begin.top_p, step=0.01, label="Top p", info="Only the fewest words that hold this share."
        )
    with gr.Row():
        parts["end"] = gr.Dropdown(
            [
                ("may end where it likes", "allow"),
                ("ends unwillingly", "penalise"),
                ("may not end", "forbid"),
                ("stops at the end", "stop"),
            ],
            value=begin.end,
            label="End of text",
            info="What becomes of the cells after it.",
        )
        parts["end_penalty"] = gr.Slider(
            0,
            20,
            begin.end_penalty,
            step=0.5,
            label="End penalty",
            info="For ‘ends unwillingly’: taken from its logit.",
        )
        parts["end_after"] = gr.Slider(
            0, 256, begin.end_after, step=1, label="No end before", info="For ‘may not end’: these many cells; 0: all."
        )
        parts["seed"] = gr.Number(begin.seed, precision=0, minimum=0, label="Seed", info="The same luck again.")


def chosen(name: str, length: float) -> dict[str, Any]:
    """What a preset puts into the controls, by name."""
    settings = preset(name).over(int(length))
    values = {key: getattr(settings, key) for key in _OF_SETTINGS}
    values["passes"] = min(settings.passes, MOST_PASSES)
    return values | {f"{settings.policy}.{key}": value for key, value in settings.options.items()}


_OF_SETTINGS = ("passes policy schedule bend block guidance temperature top_k top_p end end_penalty end_after").split()


def shape(values: Mapping[str, Any]) -> str:
    """The engine's own plan in a picture of characters and a sentence, before anything runs."""
    length, drawn = int(values["length"]), values["schedule"] == "drawn"
    changes: dict[str, Any] = {name: int(values[name]) for name in ("passes", "block")}
    changes |= {"schedule": values["schedule"], "bend": float(values["bend"])}
    order = Order(
        length=length, preset=str(values["preset"]), changes=changes | ({"shares": values["shares"]} if drawn else {})
    )
    try:
        plan = planned(start(blank([length]), order.settings(ANY, length)))
    except Refused as refused:
        return str(refused)
    row = [cells for cells in plan.quotas if cells] or [0]
    high = max(row)
    shown = [row[i * len(row) // 48] for i in range(48)] if len(row) > 48 else row
    bars = "".join(BARS[min(7, round(7 * cells / max(high, 4)))] for cells in shown)
    each = "one cell" if high == 1 else f"{high} cells" if min(row) == high else f"{min(row)} to {high} cells"
    typewriter = plan.blocks == length > 1
    fewer = "like a typewriter" if typewriter else "a decoder that writes all that is sure needs fewer"
    return f"`{bars}` **The plan:** at most {plan.passes} passes, {each} a pass; {fewer}."


def _line(policy: str) -> str:
    return _sentence(named(policy).says.split("\n")[0])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
