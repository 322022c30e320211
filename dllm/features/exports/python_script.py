"""A run as a Python script that repeats it exactly, with the decoder's published call as a comment, if there is one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pprint import pformat
from typing import Any

import numpy as np

from unmask.canvas import Canvas
from unmask.run import command
from unmask.run.presets import presets
from unmask.run.settings import Settings
from unmask.run.timeline import Node, Timeline

# by preset: the call in its authors' repository; a name in braces is a setting of the run
CALLS: Mapping[str, str] = {
    "llada": """# https://github.com/ML-GSAI/LLaDA, generate.py
from generate import generate

out = generate(model, input_ids, steps={passes}, gen_length={length}, block_length={block}, temperature={temperature},
               cfg_scale={guidance}, remasking="low_confidence")""",
    "llada-random": """# https://github.com/ML-GSAI/LLaDA, generate.py
from generate import generate

out = generate(model, input_ids, steps={passes}, gen_length={length}, block_length={block}, temperature={temperature},
               cfg_scale={guidance}, remasking="random")""",
    "dream": """# https://huggingface.co/Dream-org/Dream-v0-Instruct-7B
out = model.diffusion_generate(input_ids, attention_mask=attention_mask, max_new_tokens={length}, steps={passes},
                               temperature={temperature}, top_p={top_p}, alg="entropy", alg_temp=0.0)""",
    "dream-margin": """# https://huggingface.co/Dream-org/Dream-v0-Instruct-7B
out = model.diffusion_generate(input_ids, attention_mask=attention_mask, max_new_tokens={length}, steps={passes},
                               temperature={temperature}, top_p={top_p}, alg="topk_margin", alg_temp=0.0)""",
    "fast-dllm": """# https://github.com/NVlabs/Fast-dLLM, llada/generate.py
from generate import generate

out, nfe = generate(model, input_ids, steps={passes}, gen_length={length}, block_length={block},
                    temperature={temperature}, remasking="low_confidence", threshold={tau})""",
}

SCRIPT = '''"""{title}"""

{imports}from unmask.canvas import blank
from unmask.models import load
from unmask.run import command
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step
from unmask.inference import infer

denoiser = load({model!r})
canvas = blank({parts})  # tokens that are given, and counts of open cells
{own}settings = Settings().with_changes(
{settings}
)
{noise}MOMENTS = {moments}  # passes, and the edits between them
EDITS = {edits}  # by the moment that each led to

state = start(canvas, settings)
for moment in range(1, MOMENTS + 1):
    if moment in EDITS:
        state = apply(state, command.parse_command(EDITS[moment]), denoiser.card.words)
    else:
        (belief,) = infer(denoiser, [state])
        state, frame = step(state, belief)
print(denoiser.tokenizer.decode(state.canvas.tokens[state.canvas.answer & ~state.canvas.open].tolist()))
'''


def script(timeline: Timeline, model: str) -> str:
    """A script of the current branch, from its first canvas to its newest moment; `model` is a name for `load`."""
    path = timeline.head.path()
    first = path[0]
    edits = {node.at: command.command_to_dict(node.edit) for node in path if node.edit is not None}
    passes = sum(node.frame is not None for node in path)
    text = SCRIPT.format(
        title=f"A run of {model} in Unmask: {passes} passes, {len(edits)} edits, seed {first.settings.seed}.",
        model=model,
        parts=_format(_blank_parts(first.canvas)),
        own=_own_words(first.canvas),
        settings=_format_indented(_changes(first.settings)),
        imports="from dataclasses import replace\n\n" if first.settings.noise else "",
        noise=f"settings = replace(settings, noise={first.settings.noise})\n" if first.settings.noise else "",
        moments=path[-1].at,
        edits=_format(edits),
    )
    return text + _authors_call(first)


def _blank_parts(canvas: Canvas) -> list[list[int] | int]:
    """The arguments from which `blank` makes this canvas."""
    breaks = np.flatnonzero(np.diff(canvas.given.astype(int))) + 1
    ends = [0, *breaks.tolist(), len(canvas)]
    return [canvas.tokens[a:b].tolist() if canvas.given[a] else b - a for a, b in pairwise(ends) if a < b]


def _own_words(canvas: Canvas) -> str:
    """The line that pins a person's own words, if there are any."""
    cells = (canvas.given & canvas.pinned).nonzero()[0].tolist()
    return f"canvas = canvas.pin({cells}, canvas.tokens[{cells}])  # a person's own words\n" if cells else ""


def _changes(settings: Settings) -> dict[str, Any]:
    """The settings that differ from the defaults, and the policy."""
    standard = Settings().to_dict()
    kept = {name for name, value in settings.to_dict().items() if value != standard.get(name)} - {"noise"}
    return {name: value for name, value in settings.to_dict().items() if name in kept | {"policy"}}


def _authors_call(first: Node) -> str:
    """The authors' own call as a comment; empty if there is none or the run's settings differ from it."""
    settings, length = first.settings, int(first.canvas.answer.sum())
    for name, call in CALLS.items():
        preset = presets().get(name)
        if preset is None:
            continue
        own = {"passes", "block", "temperature", "guidance", "options", "seed", "top_p"} | {"end", "end_after", "noise"}
        theirs, ours = preset.over(length).to_dict(), settings.to_dict()
        if all(ours[k] == v for k, v in theirs.items() if k not in own) and set(settings.options) == set(
            theirs.get("options", {})
        ):
            values = ours | dict(settings.options) | {"length": length, "block": min(settings.block or length, length)}
            lines = call.format_map(values).splitlines()
            return "\n# As its authors call it:\n" + "".join(f"# {line}".rstrip() + "\n" for line in lines)
    return ""


def _format(value: Any) -> str:
    return pformat(value, width=100, compact=True, sort_dicts=False)


def _format_indented(value: Any) -> str:
    return "\n".join("    " + line for line in _format(value).splitlines())
