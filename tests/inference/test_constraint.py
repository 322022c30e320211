"""The laws of constraints: whatever the decoder, the order and the luck, the end is valid or was refused before."""

import json
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.lettered import Lettered
from tests.long import mostly_long
from tests.support import lawful, run
from unmask.canvas import blank
from unmask.decide import get_policy, policy_names
from unmask.decide.constraint import constraint_kinds, parse_constraint
from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.run.command import Erase, Pin, Stretch
from unmask.run.constraint_check import check_constraint
from unmask.run.edit import apply
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.step import step

TOY = Lettered(seed=3)
PHONE = {"kind": "regex", "pattern": r"[0-9]{3}-[0-9]{4}"}
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "contains": ({"kind": "contains", "text": "cab"}, lambda t: re.search(r"\bcab\b", t)),
    "avoids": ({"kind": "avoids", "text": "a"}, lambda t: "a" not in t),
    "choice": ({"kind": "choice", "options": ["abba", "true"]}, lambda t: t.removeprefix(" ") in ("abba", "true")),
    "length": ({"kind": "length", "least": 3, "most": 5, "unit": "letters"}, lambda t: 3 <= len(t) <= 5),
    "regex": (PHONE, lambda t: re.fullmatch(" ?[0-9]{3}-[0-9]{4}", t)),
    "grammar": (
        {"kind": "grammar", "text": 'root ::= pair ("," pair)*\npair ::= [ab] "-" [ab]'},
        lambda t: re.fullmatch(" ?[ab]-[ab](,[ab]-[ab])*", t),
    ),
    "schema": (
        {"kind": "schema", "schema": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}},
        lambda t: isinstance(json.loads(t)["a"], bool),
    ),
    "every": (
        {"kind": "every", "of": [{"kind": "contains", "text": "b"}, {"kind": "regex", "pattern": "[ab ]{4,6}"}]},
        lambda t: re.search(r"\bb\b", t) and re.fullmatch(" ?[ab ]{4,6}", t),
    ),
    "json_object": ({"kind": "json_object"}, lambda t: isinstance(json.loads(t), dict)),
    "calls": (
        {"kind": "calls", "tools": [{"name": "f", "parameters": {"type": "object", "properties": {}}}]},
        lambda t: json.loads(t) == {"name": "f", "arguments": {}},
    ),
}
CELLS = {"calls": 32}  # the others need no more than 16
# three decoders that write much at once, take back, and draw by luck
DECODERS: list[dict[str, Any]] = [
    {"policy": "random", "passes": 5, "temperature": 1.0},
    {"policy": "edit", "passes": 8, "options": {"tau": 0.3, "tau_edit": 0.3, "post": 4}},
    {"policy": "remask", "passes": 6, "temperature": 1.0, "options": {"rate": 0.3}},
]


def begin(constraint: dict[str, Any], cells: int = 16, prompt: str = "go", **more: Any) -> State:
    canvas = blank([TOY.tokenizer.encode(prompt), cells])
    return start(canvas, Settings(constraint=constraint, **{"passes": 6} | more))


def finished(state: State) -> State:
    check_constraint(TOY.card, TOY.tokenizer, state)
    before = state.canvas
    passes = run(TOY, state)
    lawful(before, passes[-1][0].canvas)
    assert len(passes) < 400
    return passes[-1][0]


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(constraint_kinds())


EVERY = [*product(policy_names(), CASES)]
OFTEN = EVERY[:: len(CASES) - 1]  # each policy once or twice, each time with the next kind


def test_often_has_every_policy_and_every_kind() -> None:
    assert {p for p, _ in OFTEN} == {*policy_names()} and {k for _, k in OFTEN} == {*CASES}


@pytest.mark.parametrize(("policy", "kind"), mostly_long(EVERY, OFTEN))
def test_every_policy_ends_valid_under_every_kind(policy: str, kind: str) -> None:
    constraint, valid = CASES[kind]
    noise = policy == "uniform"
    toy = Lettered(seed=5, noise=noise)
    for seed, temperature in ((0, 0.0), (1, 1.0)):
        more = {"temperature": temperature, "seed": seed, "noise": len(toy.tokenizer.pieces) - 1 if noise else 0}
        state = begin(constraint, CELLS.get(kind, 16), policy=policy, **more)
        check_constraint(toy.card, toy.tokenizer, state)
        passes = run(toy, state)
        assert passes[-1][0].done and valid(toy.text(passes[-1][0].canvas)), toy.text(passes[-1][0].canvas)
        lawful(state.canvas, passes[-1][0].canvas)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("decoder", DECODERS, ids=lambda d: d["policy"])
def test_a_rewind_under_a_constraint_is_exact(decoder: dict[str, Any], kind: str) -> None:
    states = [begin(CASES[kind][0], cells=CELLS.get(kind, 24), **decoder)]
    frames = []
    for state, frame in run(TOY, states[0], watched=True):
        states.append(state)
        frames.append(frame)
    for i in reversed(range(len(frames))):
        _, frame = step(states[i], *infer(TOY, [states[i]], [True]))
        assert frame.same(frames[i])


REGEXES = st.recursive(
    st.sampled_from(["a", "b", "c", "[a-f]", "[0-9]", "[^x]", r"\d", r"\w", ".", " ", "tru", '"', "é"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda options: f"({'|'.join(options)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,5}", "{3,}"])).map(lambda p: f"(?:{p[0]}){p[1]}"),
    ),
    max_leaves=12,
)
SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "boolean"},
            {"type": "integer"},
            {"type": "null"},
            {"type": "string", "maxLength": 4},
            {"enum": ["ab", 12, None]},
            {"type": "integer", "minimum": 0, "maximum": 20},
            {"type": "string", "pattern": "^[a-f]{1,3}$"},
        ]
    ),
    lambda inner: st.one_of(
        st.tuples(st.dictionaries(st.sampled_from("abcd"), inner, max_size=3), st.booleans()).map(
            lambda p: {"type": "object", "properties": p[0], "required": list(p[0]) if p[1] else []}
        ),
        st.tuples(inner, st.integers(0, 2)).map(
            lambda p: {"type": "array", "items": p[0], "minItems": p[1], "maxItems": 3}
        ),
        st.lists(inner, min_size=1, max_size=2).map(lambda options: {"anyOf": options}),
    ),
    max_leaves=4,
)
# a few in every run of the tests; the whole number where there is time for it
FEW, MANY = (
    settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    for count in (30, 200)
)
IN_ANY_ORDER = pytest.mark.parametrize("decoder", DECODERS, ids=lambda d: d["policy"])
PATTERN = given(pattern=REGEXES, cells=st.integers(1, 24), seed=st.integers(0, 99))
SCHEMA = given(schema=SCHEMAS, cells=st.integers(2, 48), seed=st.integers(0, 99))


def ends_valid(constraint: dict[str, Any], valid: Any, cells: int, seed: int, decoder: dict[str, Any]) -> None:
    state = begin(constraint, cells, seed=seed, **decoder)
    try:
        check_constraint(TOY.card, TOY.tokenizer, state)
    except InvalidRequest:
        return
    text = TOY.text(finished(state).canvas)
    assert valid(text), text


def meets_pattern(decoder: dict[str, Any], pattern: str, cells: int, seed: int) -> None:
    row = {"kind": "regex", "pattern": pattern}
    ends_valid(row, lambda text: re.fullmatch(f" ?(?:{pattern})", text), cells, seed, decoder)


def meets_schema(decoder: dict[str, Any], schema: dict[str, Any], cells: int, seed: int) -> None:
    row = {"kind": "schema", "schema": schema}
    ends_valid(row, lambda text: fits(schema, json.loads(text)), cells, seed, decoder)


@IN_ANY_ORDER
@PATTERN
@FEW
def test_random_patterns_are_met_in_any_order(decoder: dict[str, Any], pattern: str, cells: int, seed: int) -> None:
    meets_pattern(decoder, pattern, cells, seed)


@IN_ANY_ORDER
@SCHEMA
@FEW
def test_random_schemas_are_met_in_any_order(
    decoder: dict[str, Any], schema: dict[str, Any], cells: int, seed: int
) -> None:
    meets_schema(decoder, schema, cells, seed)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)  # work, not a wait: two hundred runs of a decoder
@IN_ANY_ORDER
@PATTERN
@MANY
def test_200_random_patterns_are_met_in_any_order(decoder: dict[str, Any], pattern: str, cells: int, seed: int) -> None:
    meets_pattern(decoder, pattern, cells, seed)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)  # work, not a wait: two hundred runs of a decoder
@IN_ANY_ORDER
@SCHEMA
@MANY
def test_200_random_schemas_are_met_in_any_order(
    decoder: dict[str, Any], schema: dict[str, Any], cells: int, seed: int
) -> None:
    meets_schema(decoder, schema, cells, seed)


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a document fits, by the schema and not by its pattern; keys in the schema's order."""
    if "anyOf" in schema:
        return any(fits(option, value) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "object":
            if not isinstance(value, dict):
                return False
            spec = [name for name in schema["properties"] if name in value]
            named_right = list(value) == spec and set(schema["required"]) <= set(value)
            return named_right and all(fits(schema["properties"][k], v) for k, v in value.items())
        case "array":
            return (
                isinstance(value, list)
                and schema["minItems"] <= len(value) <= 3
                and all(fits(schema["items"], v) for v in value)
            )
        case "string":
            return isinstance(value, str) and (
                bool(re.fullmatch("[a-f]{1,3}", value)) if "pattern" in schema else len(value) <= 4
            )
        case "integer":
            right = isinstance(value, int) and not isinstance(value, bool)
            return right and schema.get("minimum", value) <= value <= schema.get("maximum", value)
        case "boolean":
            return isinstance(value, bool)
    return value is None


def test_an_edit_is_checked_again_and_refused_with_the_reason() -> None:
    state = begin(PHONE, cells=9)
    check_constraint(TOY.card, TOY.tokenizer, state)
    digit, dash = TOY.tokenizer.encode("7-")
    pinned = apply(state, Pin((5,), (dash,)))
    check_constraint(TOY.card, TOY.tokenizer, pinned)
    assert re.fullmatch(" ?[0-9]{3}-[0-9]{4}", TOY.text(finished(pinned).canvas))
    with pytest.raises(InvalidRequest, match="with these words in place, no answer can meet the constraint"):
        check_constraint(TOY.card, TOY.tokenizer, apply(state, Pin((2,), (dash,))))
    with pytest.raises(InvalidRequest, match="no answer of 3 cells meets the constraint: the shortest takes"):
        check_constraint(TOY.card, TOY.tokenizer, apply(state, Stretch(5, -6)))
    longer = apply(pinned, Stretch(3, 2))
    check_constraint(TOY.card, TOY.tokenizer, apply(longer, Erase((7,))))
    assert digit >= 0


def test_an_order_carries_a_constraint_and_one_that_cannot_be_met_is_refused_before_anything_starts() -> None:
    spec = RunSpec.from_dict({"prompt": "go", "length": 12, "preset": "remdm", "changes": {"constraint": PHONE}})
    state = spec.start(TOY.card, TOY.tokenizer)
    assert re.fullmatch(" ?[0-9]{3}-[0-9]{4}", TOY.text(finished(state).canvas))
    assert RunSpec.from_dict(spec.to_dict()).start(TOY.card, TOY.tokenizer).settings.constraint == PHONE
    for pattern, says in (("[0-9]{40}", "no answer of 12 cells"), (r"(a|b)*a(a|b){20}", "more than 2000 states")):
        wrong = RunSpec.from_dict(
            {"prompt": "go", "length": 12, "changes": {"constraint": PHONE | {"pattern": pattern}}}
        )
        with pytest.raises(InvalidRequest, match=says):
            wrong.start(TOY.card, TOY.tokenizer)


def test_the_cells_say_how_many_words_they_may_hold() -> None:
    (belief,) = infer(TOY, [begin(PHONE, cells=8)])
    assert belief.allowed[2] == 10 + 1 + 2 and (belief.allowed[:2] == -1).all()  # a digit, a space, "12" and "00"
    assert not infer(TOY, [begin({})])[0].allowed.size


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"kind": "rhyme"}, "names its `kind`: one of avoids, calls, choice"),
        ({"kind": "regex"}, "needs 'pattern'"),
        ({"kind": "regex", "pattern": 7}, "'pattern' must be a text"),
        ({"kind": "regex", "patern": "a"}, "has no 'patern'; it has pattern, slot"),
        ({"kind": "choice", "options": "ab"}, "'options' must be a list"),
        ({"kind": "regex", "pattern": "a", "slot": -1}, "slot counts the blanks"),
        ({"kind": "every", "of": [{"kind": "x"}]}, "names its `kind`"),
        ({"kind": "regex", "pattern": {1}}, "plain values only"),
    ],
)
def test_a_wrong_constraint_is_refused_with_the_settings(row: Any, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        Settings().with_changes({"constraint": row})


def test_settings_carry_a_constraint_as_plain_values() -> None:
    made = Settings(constraint=PHONE)
    assert json.loads(json.dumps(made.to_dict()))["constraint"] == PHONE == parse_constraint(PHONE)
    assert made.with_changes({"constraint": {}}).constraint == {}
    assert np.array_equal([get_policy("edit").revises], [True])
