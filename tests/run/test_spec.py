"""An order is the one way to start a run: text to canvas, a decoder's name to settings, the same from every door."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.canvas import NOTHING, Card
from unmask.decide import policy_names
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.models.toy import Toy
from unmask.run.codec import canvas_to_dict
from unmask.run.command import Ban, Erase, Pin, Release, Stretch, Tune
from unmask.run.edit import apply, resolve_preset
from unmask.run.plan import plan_run
from unmask.run.presets import presets
from unmask.run.spec import RunSpec
from unmask.run.state import State

TOY = Toy()
CARD, TOKENIZER = TOY.card, TOY.tokenizer
CAUSAL = replace(CARD, causal=True)
NOISY = replace(CARD, noise=True)


def test_cells_open_behind_the_prompt() -> None:
    canvas = RunSpec("1 2 3", length=4).canvas(CARD, TOKENIZER)
    assert canvas.tokens.tolist() == [1, 2, 3, *[NOTHING] * 4]
    assert canvas.open.tolist() == [False] * 3 + [True] * 4


def test_blanks_are_open_and_nothing_else_is() -> None:
    canvas = RunSpec("1 ___ 2 [MASK:2] 3", length=9).canvas(CARD, TOKENIZER)
    assert canvas.open.tolist() == [False, True, True, True, False, True, True, False]


def test_before_a_suffix_underscores_are_text() -> None:
    class Letters(type(TOKENIZER)):  # type: ignore[misc]
        def encode(self, text: str) -> list[int]:
            return [ord(c) % 40 for c in text]

    canvas = RunSpec("a___", length=2, suffix="b").canvas(CARD, Letters(50))
    assert canvas.open.tolist() == [False] * 4 + [True] * 2 + [False]


def kinds(state: State) -> str:
    return str(canvas_to_dict(state.canvas)["kinds"])


def test_a_text_of_ones_own_behind_the_prompt_is_kept_by_the_model_and_opened_by_its_writer() -> None:
    spec = RunSpec("1 2 3 4 [MASK:2] 5 6", own_from=3)
    state = spec.start(CARD, TOKENIZER)
    assert kinds(state) == "ggyyooyy" and state.canvas.origin == 4
    opened = apply(state, Erase((3, 6)))
    assert kinds(opened) == "ggyooooy" and opened.canvas.tokens[[3, 6]].tolist() == [NOTHING, NOTHING]
    with pytest.raises(InvalidRequest, match="cell 1 belongs to the prompt"):
        apply(state, Erase((1,)))
    replaced = apply(state, Pin((2,), (9,)))
    assert kinds(replaced) == kinds(state) and replaced.canvas.tokens[2] == 9
    assert kinds(apply(state, Release((7,)))) == "ggyyooyw"
    assert kinds(apply(state, Stretch(3, 2))) == "ggyooyooyy"  # a gap within one's own words
    assert kinds(apply(state, Stretch(6, -1))) == "ggyyooy"
    for edit in (Stretch(1, 1), Stretch(1, -1), Stretch(4, -2)):  # into the prompt, of it, and nothing would be open
        with pytest.raises(InvalidRequest):
            apply(state, edit)
    assert 3 in apply(state, Ban(3)).settings.bans  # one's own words may hold what the model must not write


@pytest.mark.parametrize("name", sorted(set(policy_names()) - {"self_speculate", "uniform"}))
def test_whatever_the_decoder_a_text_of_ones_own_stays_and_what_is_opened_of_it_is_written(name: str) -> None:
    spec = RunSpec(
        "1 2 3 4 [MASK:4] 5 6 7", own_from=3, changes={"policy": name, "options": {}, "block": 3, "passes": 9}
    )
    state = spec.start(CARD, TOKENIZER)
    state = list(decode(TOY, state))[-1][0]
    assert state.canvas.tokens[[0, 1, 2, 3, 8, 9, 10]].tolist() == [1, 2, 3, 4, 5, 6, 7]
    state = apply(state, Erase((3, 9)))
    assert not state.done
    state = list(decode(TOY, state))[-1][0]
    assert state.done and state.canvas.tokens[[0, 1, 2, 8, 10]].tolist() == [1, 2, 3, 5, 7]


def test_where_a_text_of_ones_own_begins_is_checked() -> None:
    assert kinds(RunSpec("1 2 [MASK:2] 3", own_from=4).start(CARD, TOKENIZER)) == "ggooy"
    assert kinds(RunSpec("1 2 3", length=2, own_from=0).start(CARD, TOKENIZER)) == "yyyoo"
    assert kinds(RunSpec("1 2 3 [MASK:4] 4", length=3, own_from=2).start(CAUSAL, TOKENIZER)) == "gyyooo"
    for wrong in ({"own_from": 9}, {"own_from": -1}, {"own_from": 1, "suffix": "7"}):
        with pytest.raises(InvalidRequest, match="own_from"):
            RunSpec.from_dict({"prompt": "1 2 3"} | wrong)
    with pytest.raises(InvalidRequest, match="own_from is too large"):
        RunSpec("1 [MASK:2] 3", own_from=12).start(CARD, TOKENIZER)


def test_a_causal_model_writes_on_from_what_stands_before_the_first_blank() -> None:
    canvas = RunSpec("1 2 [MASK:2] 3", length=5).canvas(CAUSAL, TOKENIZER)
    assert canvas.open.tolist() == [False] * 2 + [True] * 5


def test_a_prompt_that_is_spelled_already_is_taken_as_it_is() -> None:
    assert RunSpec(tokens=(7, 8), length=1).canvas(CARD, TOKENIZER).tokens.tolist() == [7, 8, NOTHING]
    with pytest.raises(InvalidRequest, match="50 is not a token"):
        RunSpec(tokens=(50,), length=1).canvas(CARD, TOKENIZER)


def test_what_does_not_fit_is_refused_before_anything_starts() -> None:
    with pytest.raises(InvalidRequest, match="at most 4096"):
        RunSpec("1", length=4096).canvas(CARD, TOKENIZER)
    with pytest.raises(InvalidRequest, match="at least 1"):
        RunSpec("1", length=0)


def test_without_a_decoder_the_model_is_decoded_as_its_authors_do() -> None:
    card = replace(CARD, preset={"preset": "fast-dllm", "settings": {"block": 8, "end": "stop", "end_after": 24}})
    settings = RunSpec("1", length=16).settings(card, 16)
    assert (settings.policy, settings.block, settings.end, settings.end_after) == ("threshold", 8, "stop", 8)
    assert RunSpec(changes={"options": {"tau": 0.7}}).settings(card, 16).options["tau"] == 0.7


def test_how_a_text_ends_is_the_models_own_whichever_decoder_writes_it() -> None:
    card = replace(CARD, preset={"preset": "fast-dllm", "settings": {"block": 8, "end": "stop", "end_after": 4}})
    settings = RunSpec(preset="dream").settings(card, 16)
    assert (settings.policy, settings.block, settings.end) == ("entropy", 0, "stop")
    assert RunSpec(preset="dream", changes={"end": "allow"}).settings(card, 16).end == "allow"


def test_a_causal_model_writes_from_left_to_right_whatever_is_asked() -> None:
    settings = RunSpec(preset="wino", changes={"temperature": 0.5, "passes": 2}).settings(CAUSAL, 16)
    assert (settings.policy, settings.temperature, settings.passes) == ("left_to_right", 0.5, 16)


def test_a_model_without_a_mask_starts_from_its_own_noise_and_takes_no_guidance() -> None:
    state = RunSpec("1 2", length=8, seed=3).start(NOISY, TOKENIZER)
    assert state.settings.noise == 50 and (state.canvas.tokens[2:] >= 0).all()
    with pytest.raises(InvalidRequest, match="guidance"):
        RunSpec(changes={"guidance": 1.0}).settings(NOISY, 8)


PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "prompt": st.text(max_size=9),
        "model": st.sampled_from(["twin", "toy"]),
        "length": st.integers(1, 99),
        "preset": st.sampled_from(sorted(presets())),
        "changes": st.sampled_from([{}, {"passes": 3}, {"boosts": {"3": 1.5}}, {"options": {"tau": 0.5}}]),
        "seed": st.integers(0, 2**53),
        "suffix": st.text(max_size=3),
        "tokens": st.lists(st.integers(0, 49), max_size=4),
    },
)


@given(PLAIN)
def test_an_order_survives_json(row: dict[str, object]) -> None:
    spec = RunSpec.from_dict(row)
    again = RunSpec.from_dict(json.loads(json.dumps(spec.to_dict())))
    assert again == spec


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"length": "9"}, "length must be a whole number"),
        ({"length": True}, "length must be a whole number"),
        ({"prompt": 5}, "prompt must be a text"),
        ({"changes": [1]}, "changes must be names with values"),
        ({"tokens": "12"}, "tokens must be a list of whole numbers"),
        ({"seed": 0.5}, "seed must be a whole number"),
    ],
)
def test_a_field_of_the_wrong_kind_is_refused_by_name(row: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        RunSpec.from_dict(row)


PAIRS = [(a, b) for a in sorted(presets()) for b in sorted(presets()) if a != b]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_another_decoder_in_a_live_run_is_exactly_that_decoder(old: str, new: str) -> None:
    """Of 48 switches, 43 once left settings of the old decoder behind."""
    live = RunSpec("1 2 3", length=112, preset=old, seed=5).start(CARD, TOKENIZER)
    fresh = RunSpec("1 2 3", length=112, preset=new, seed=5).start(CARD, TOKENIZER)
    edit = resolve_preset(live, Tune(preset=new), CARD)
    switched = apply(live, edit, CARD.words)
    assert switched.settings == fresh.settings
    assert plan_run(switched) == plan_run(fresh)
    assert np.array_equal(switched.canvas.tokens, fresh.canvas.tokens)


def test_a_switch_keeps_the_seed_and_what_a_person_banned() -> None:
    live = RunSpec("1 2 3", length=8, preset="llada", seed=5, changes={"bans": [7], "boosts": {"8": 2}}).start(
        CARD, TOKENIZER
    )
    switched = apply(live, resolve_preset(live, Tune(preset="dream"), CARD), CARD.words)
    assert (switched.settings.seed, switched.settings.bans, dict(switched.settings.boosts)) == (5, (7,), {8: 2.0})


def test_a_decoders_name_is_made_into_settings_before_it_is_applied() -> None:
    with pytest.raises(InvalidRequest, match="made into settings"):
        apply(RunSpec("1").start(CARD, TOKENIZER), Tune(preset="dream"), CARD.words)


def test_every_door_gives_a_card_to_an_order() -> None:
    assert isinstance(CARD, Card)
