"""The controls of a run, built from policies, knobs and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gradio as gr

from unmask.canvas import Card, blank
from unmask.decide import EnumKnob, Knob, get_policy, policy_names, schedule
from unmask.errors import InvalidRequest
from unmask.run.plan import plan_run
from unmask.run.presets import preset, presets
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.ui.decoders import cached_picture, decoders, dial
from unmask.ui.elements import control, live, when_seen
from unmask.ui.rule import rule
from unmask.ui.sliders import LONGEST, MOST_PASSES, SHORTEST, sliders

STRETCHES = 16  # of a drawn schedule or temperature, as in assets/steer/strokes.js
BARS = "▁▂▃▄▅▆▇█"
ANY = Card("any model", "none", words=2, longest=1 << 16)  # for the plan, which is shown before a model is loaded


@dataclass
class Controls:
    """The controls by name, in the order in which the stage receives their values."""

    parts: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, gr.Column] = field(default_factory=dict)  # a policy's knobs
    strip: gr.Column | None = None  # where a schedule is drawn
    heat: gr.Column | None = None  # where a temperature is drawn

    @property
    def all(self) -> list[Any]:
        return list(self.parts.values())

    @property
    def values(self) -> list[Any]:
        return [part.value for part in self.all]

    @property
    def settings(self) -> dict[str, Any]:
        """The controls of settings and of policies' knobs."""
        return {name: part for name, part in self.parts.items() if name not in ("prompt", "length", "preset", "rule")}


def ask(controls: Controls, prompt: str) -> gr.Button:
    """Add the prompt and the Run button."""
    with gr.Row(elem_id="ask"):
        controls.parts["prompt"] = gr.Textbox(
            prompt,
            label="Prompt",
            placeholder="How the text begins; ___ leaves a gap",
            lines=1,
            max_lines=6,
            elem_id="prompt",
            scale=1,
        )
        live("another")
        return gr.Button("Run", variant="primary", elem_id="run", scale=0)


def decoder(controls: Controls, length: int, chosen: str, changes: Mapping[str, Any]) -> None:
    """Add the decoders, the knobs of the chosen one, length, passes, and a closed accordion with all other settings."""
    begin = preset(chosen).over(length, **changes)
    controls.parts["preset"] = control("decoders", chosen, list=decoders(), dial=dial(), chosen=chosen)
    _policy(controls, begin)
    with gr.Row(elem_classes="numbers"):
        sliders(controls.parts, length=length, passes=begin.passes)
    when_seen("decoder-list")
    with gr.Accordion("More settings", open=False, elem_id="knobs"):
        _plan(controls, begin)
        _words(controls, begin)
    rule(controls.parts)


def _policy(controls: Controls, begin: Settings) -> None:
    """Add the chosen decoder's policy, as a hidden control, and the knobs of each policy."""
    controls.parts["policy"] = gr.Dropdown(
        policy_names(), value=begin.policy, label="Rule", elem_id="policy", visible="hidden"
    )
    for name in policy_names():
        policy = get_policy(name)
        if not policy.knobs:
            continue
        values = begin.options if name == begin.policy else policy.defaults
        shown = gr.Column(visible=name == begin.policy, elem_classes="numbers")
        with shown as controls.groups[name], gr.Row():
            for knob, spec in policy.knobs.items():
                controls.parts[f"{name}.{knob}"] = _knob(name, knob, spec, values[knob], policy.defaults[knob])


def _knob(policy: str, name: str, spec: Knob | EnumKnob, value: Any, default: Any) -> Any:
    """A slider for a number, a dropdown for an enum."""
    mark = f"{policy}-{name}"
    if isinstance(spec, EnumKnob):
        return gr.Dropdown(
            list(spec.choices), value=value, label=_sentence(spec.help), info=name, elem_id=mark, elem_classes="knob"
        )
    step = 1 if isinstance(default, int) else 0.005 if spec.high - spec.low <= 2 else 0.05
    return gr.Slider(
        spec.low,
        spec.high,
        value,
        step=step,
        label=_sentence(spec.help),
        info=name,
        elem_id=mark,
        elem_classes="knob",
    )


def _plan(controls: Controls, begin: Settings) -> None:
    parts = controls.parts
    with gr.Row():
        parts["schedule"] = gr.Dropdown(
            [("drawn by hand" if n == "drawn" else n, n) for n in schedule.NAMES],
            value=begin.schedule,
            label="Schedule",
            info="How many words to write in each look. Only some decoders follow it.",
            elem_id="schedule",
        )
        sliders(parts, bend=begin.bend, block=begin.block, guidance=begin.guidance)
    sliders(parts, room=begin.room)

    with gr.Column(visible=begin.schedule == "drawn") as controls.strip:
        gr.Markdown(
            "**Your schedule.** How much of the text each part of the run writes: draw it, or use the arrow keys. "
            "Left is the beginning. The line below shows the plan before you run it.",
            elem_id="schedule-aid",
        )
        parts["shares"] = control("schedule", [0.5] * STRETCHES)
        when_seen("governs")


def _words(controls: Controls, begin: Settings) -> None:
    parts = controls.parts
    with gr.Row():
        sliders(parts, temperature=begin.temperature, top_k=begin.top_k, top_p=begin.top_p)
    parts["warmth"] = gr.Checkbox(
        False, label="Draw the temperature", info="Another temperature in each part of the run.", elem_id="warmth"
    )
    with gr.Column(visible=False) as controls.heat:
        gr.Markdown("**Your temperature.** From 0 to 2, part by part; left is the beginning.")
        parts["heats"] = control("schedule", [0.0] * STRETCHES, "heat", most=2, name="temperature", empty=True)
    with gr.Row():
        parts["end"] = gr.Dropdown(
            [
                ("it may end anywhere", "allow"),
                ("an end is made less likely", "penalise"),
                ("it may not end", "forbid"),
                ("stop when the text has ended", "stop"),
            ],
            value=begin.end,
            label="End of text",
            info="What the model may do about ending the text.",
        )
        sliders(parts, end_penalty=begin.end_penalty, end_after=begin.end_after)
        parts["seed"] = gr.Number(
            begin.seed, precision=0, minimum=0, label="Seed", info="Same seed, same random choices."
        )


def decoder_values() -> dict[str, dict[str, Any]]:
    """The values that each preset gives to the controls, for `assets/stage/decoder_values.js`."""
    return {
        name: {
            "values": _values(chosen.over(LONGEST)),
            "per_cell": chosen.per_cell,
            "governed": cached_picture(name)["governed"],
        }
        for name, chosen in presets().items()
    }


def control_values(row: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a spec gives to the controls; `own` is the decoder of a spec without a preset."""
    spec = RunSpec.from_dict(row)
    settings = spec.settings(replace(ANY, preset=own), spec.length)
    values = {"prompt": spec.prompt, "length": min(max(spec.length, SHORTEST), LONGEST), "seed": spec.seed}
    values |= {"preset": spec.preset or own["preset"], "warmth": bool(settings.heats)}
    values |= {name: [*found] for name in ("shares", "heats") if (found := getattr(settings, name))}
    return values | _values(settings)


def _values(settings: Settings) -> dict[str, Any]:
    values = {key: getattr(settings, key) for key in _OF_SETTINGS}
    values["checks"] = [*settings.checks]
    values["passes"] = min(settings.passes, MOST_PASSES)
    return values | {f"{settings.policy}.{key}": value for key, value in settings.options.items()}


_OF_SETTINGS = (
    "passes policy schedule bend block guidance temperature top_k top_p end end_penalty end_after checks check_when"
).split()


def shape(values: Mapping[str, Any]) -> str:
    """The plan of passes before a run, as a bar chart of characters and a sentence."""
    length, drawn = int(values["length"]), values["schedule"] == "drawn"
    changes: dict[str, Any] = {name: int(values[name]) for name in ("passes", "block")}
    changes |= {"schedule": values["schedule"], "bend": float(values["bend"])}
    spec = RunSpec(
        length=length, preset=str(values["preset"]), changes=changes | ({"shares": values["shares"]} if drawn else {})
    )
    try:
        plan = plan_run(start(blank([length]), spec.settings(ANY, length)))
    except InvalidRequest as refused:
        return str(refused)
    typewriter = plan.blocks == length > 1
    if not typewriter and not cached_picture(spec.preset or "")["counted"]:
        return f"**The plan:** none beforehand. {_unplanned(spec, length)}{_warmth(values)}"
    row = [cells for cells in plan.quotas if cells] or [0]
    high = max(row)
    shown = [row[i * len(row) // 48] for i in range(48)] if len(row) > 48 else row
    bars = "".join(BARS[min(7, round(7 * cells / max(high, 4)))] for cells in shown)
    each = "1 token" if high == 1 else f"{high} tokens" if min(row) == high else f"{min(row)} to {high} tokens"
    fewer = "one after another" if typewriter else "a decoder that writes all it is sure of needs fewer"
    if drawn and high == 1:
        fewer = "that leaves your schedule nothing to decide, and *Looks* set lower does"
    return f"`{bars}` **The plan:** at most {plan.passes} looks, {each} a look; {fewer}.{_warmth(values)}"


def _unplanned(spec: RunSpec, length: int) -> str:
    """A sentence about the passes of a decoder that follows no plan."""
    most = (
        ""
        if get_policy(spec.settings(ANY, length).policy).revises
        else f", at most one for each of the {length} tokens"
    )
    return f"This decoder takes as many looks as its rule needs{most}; *Looks* does not count."


def _warmth(values: Mapping[str, Any]) -> str:
    """The drawn temperature as a bar chart of characters."""
    if not values.get("warmth"):
        return ""
    bars = "".join(BARS[min(7, round(7 * heat / 2))] for heat in values.get("heats") or ())
    return f" **Temperature:** `{bars}` from 0 to 2."


def _sentence(text: str) -> str:
    """A knob as a sentence that its number ends: "Write a word once its probability is above"."""
    return _label(text).removesuffix(" this")


def _label(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
