"""Rules under which the model would hardly write a good text are known before the run."""

from typing import Any

import pytest

from unmask.inference.rule_doubt import RuleDoubt, note_before, rule_doubt
from unmask.models import load
from unmask.models.toy import Toy
from unmask.pair.worlds.record import FIELDS

STORY = "Story: Irene was at the park when something squeaked."
RECORD = "Text: Lily is 7 years old and lives in Oakham.\nJSON:"
DENOISER = load("denoiser")


def schema(*fields: str) -> dict[str, Any]:
    return {"kind": "schema", "schema": {"type": "object", "properties": {field: {} for field in fields}}}


@pytest.mark.parametrize(
    ("prompt", "rule", "doubt"),
    [
        (STORY, {"kind": "contains", "text": "rabbit"}, None),
        (STORY, {"kind": "contains", "text": "volcano"}, RuleDoubt("word", "volcano")),
        (STORY, {"kind": "every", "of": [{"kind": "contains", "text": "tiger"}]}, RuleDoubt("word", "tiger")),
        (STORY, {"kind": "avoids", "text": "rabbit"}, None),
        (STORY, {"kind": "regex", "pattern": r"[A-Z][a-z ]+\."}, None),
        (STORY, {"kind": "regex", "pattern": r"[0-9]+"}, RuleDoubt("begin")),
        (STORY, {"kind": "choice", "options": ["{}", "[]"]}, RuleDoubt("begin")),
        (STORY, schema("name"), RuleDoubt("json")),
        (STORY, {"kind": "json_object"}, RuleDoubt("json")),
        (RECORD, schema("name", "age"), None),
        (RECORD, schema("name", "who"), RuleDoubt("field", "who")),
        (STORY, {"kind": "regex", "pattern": "("}, None),  # the run refuses it
        (STORY, {}, None),
    ],
)
def test_a_rule_is_doubted_where_the_model_writes_no_such_text(
    prompt: str, rule: dict[str, Any], doubt: RuleDoubt | None
) -> None:
    """Only JSON was, and only in the terminal and on `/v1`: a story with a volcano was spoiled without a word."""
    assert rule_doubt(DENOISER, prompt, rule) == doubt


def test_fields_that_are_known_are_those_of_the_training_texts() -> None:
    assert {*DENOISER.card.fields} == {name for kind in FIELDS.values() for name in kind}


def test_a_sentence_says_so_and_weights_that_were_not_measured_say_nothing() -> None:
    assert "“volcano”" in note_before(DENOISER, STORY, {"kind": "contains", "text": "volcano"})
    assert "small stories" in note_before(DENOISER, "import numpy as np", {})
    assert note_before(DENOISER, STORY, {}) == note_before(Toy(), "1 2 3", schema("who")) == ""
