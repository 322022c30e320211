"""The controls for a rule on the text: what it must be, and the checks that read along."""

from __future__ import annotations

from typing import Any

import gradio as gr

from unmask.run.check import check_names, get_check
from unmask.ui.elements import when_seen

# the constraints that the page offers; the other kinds are for programs
KINDS = (
    ("no rule", ""),
    ("contain this text", "contains"),
    ("not contain this text", "avoids"),
    ("be one of these lines", "choice"),
    ("match this pattern", "regex"),
    ("be of this grammar", "grammar"),
    ("be JSON of this schema", "schema"),
    ("be a JSON object", "json_object"),
)
# placeholders of the empty field
EXAMPLES = {
    "contains": "kite",
    "avoids": "sad",
    "choice": "yes\nno",
    "regex": "[A-Z][a-z]+ has [0-9]+ kites[.]",
    "grammar": 'root ::= "It is " ("red" | "blue") "."',
    "schema": '{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}',
}
INFO = "Any order of writing keeps to it, or the run is refused before it begins."
CHECKS = "May go wrong while it is written: what a check finds is opened again, and what comes back three times stands."
WHEN = (("once the text is whole", "end"), ("after each look", "pass"))


def example_of(kind: str) -> Any:
    """The placeholder for the chosen kind of constraint."""
    return gr.update(placeholder=f"for example {EXAMPLES[kind]}" if kind in EXAMPLES else "")


def rule(parts: dict[str, Any]) -> None:
    """Add the kind of constraint and its text, pattern or schema, and the checks. `assets/wire/rule.js` joins the first
    two."""
    with gr.Accordion("A rule for the text", open=False, elem_id="rules"):
        with gr.Row():
            parts["constraint"] = gr.Dropdown(
                list(KINDS), value="", label="The text must", info=INFO, elem_id="constraint", scale=1
            )
            label = "Text, pattern, grammar or schema"
            parts["rule"] = gr.Textbox("", label=label, lines=2, max_lines=12, elem_id="rule", scale=2)
        when_seen("rule-note")
        choices = [(get_check(name).says, name) for name in check_names()]
        with gr.Row():
            parts["checks"] = gr.CheckboxGroup(choices, value=[], label="Check", info=CHECKS, elem_id="checks", scale=2)
            parts["check_when"] = gr.Dropdown(list(WHEN), value="end", label="Read it", elem_id="check-when", scale=1)
