"""What a person can ask for: as values that travel, and as edits that are done or refused with a sentence."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lettered import PIECES, Lettered
from tests.support import NoisyToy, begin, run
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.models.toy import Toy
from unmask.run import command
from unmask.run.command import EDITS, TRANSPORT, Ban, Boost, Edit, Erase, Pin, Play, Release, Stretch, Tune
from unmask.run.edit import Steering, apply
from unmask.run.message import LONGEST
from unmask.run.settings import Settings
from unmask.run.state import State, start

WHOLE = st.integers(-(2**53), 2**53)
CELLS = st.lists(WHOLE, max_size=5).map(tuple)
REAL = st.floats(allow_nan=False, allow_infinity=False)
FORMS = {
    "Whole": WHOLE,
    "Text": st.text(max_size=5),
    "Number": REAL,
    "Flag": st.booleans(),
    "Wholes": CELLS,
    "Mapping[str, Any]": st.dictionaries(st.text(max_size=5), WHOLE | REAL | st.text(max_size=5), max_size=3),
}
COMMANDS = st.one_of(
    [
        st.builds(kind, **{name: FORMS[str(f.type)] for name, f in kind.__dataclass_fields__.items()})
        for kind in (EDITS.kinds | TRANSPORT.kinds).values()
    ]
)


@given(COMMANDS)
def test_a_command_survives_json(one: Any) -> None:
    assert command.parse_command(json.loads(json.dumps(command.command_to_dict(one)))) == one


@given(
    st.dictionaries(
        st.sampled_from(["do", "cells", "tokens", "token", "at", "by", "to", "lift", "amount", "changes", "passes"]),
        st.sampled_from([*EDITS.kinds, *TRANSPORT.kinds])
        | st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text()
        | st.lists(st.integers() | st.text(), max_size=3)
        | st.dictionaries(st.text(), st.integers(), max_size=2),
    )
)
def test_junk_is_refused_and_never_crashes(row: dict[str, Any]) -> None:
    state = begin(cells=4)
    try:
        parsed = command.parse_command(row)
        if isinstance(parsed, tuple(EDITS.kinds.values())):
            apply(state, parsed, 50)
    except InvalidRequest as refused:
        assert str(refused)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"do": "jump"}, "no command 'jump'; there are pin, release"),
    ({}, "no command 'None'"),
    ({"do": "pin", "cells": [6]}, "'pin' needs tokens"),
    ({"do": "pin", "cells": "6", "tokens": [1]}, "cells must be a list of whole numbers"),
    ({"do": "pin", "cells": [6.5], "tokens": [1]}, "cells must be a list of whole numbers"),
    ({"do": "erase", "cells": [True]}, "cells must be a list of whole numbers"),
    ({"do": "seek", "to": 1e9}, "to must be a whole number"),
    ({"do": "seek", "to": 2**60}, "to must be a whole number"),
    ({"do": "play", "slow": float("inf")}, "slow must be a number"),
    ({"do": "ban", "token": 3, "lift": "false"}, "lift must be true or false"),
    ({"do": "tune", "changes": [1]}, "changes must be names with values"),
]


@pytest.mark.parametrize(("row", "says"), WRONG, ids=[str(r) for r, _ in WRONG])
def test_a_malformed_command_is_a_sentence(row: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        command.parse_command(row)
    assert says in str(refused.value)


REFUSED: list[tuple[Edit, str]] = [
    (Pin((99,), (1,)), "there is no cell 99: the canvas has 9, counted from 0"),
    (Pin((-1,), (1,)), "there is no cell -1"),
    (Pin((0,), (1,)), "cell 0 belongs to the prompt and cannot be pinned"),
    (Pin((), ()), "no cells to be pinned"),
    (Pin((5, 6), (1,)), "one cell for each token, not 2 for 1"),
    (Pin((5, 5), (1, 2)), "cell 5 cannot be pinned to two different tokens at once"),
    (Pin((5,), (50,)), "there is no token 50: they go from 0 to 49"),
    (Pin((5,), (-1,)), "there is no token -1"),
    (Pin((5,), (13,)), "that word is banned; lift the ban first"),
    (Release((5,)), "cell 5 is not pinned"),
    (Release((0,)), "belongs to the prompt"),
    (Erase((9,)), "there is no cell 9"),
    (Ban(77), "there is no token 77"),
    (Ban(33), "that word is pinned in the canvas; release it first"),
    (Boost(3, 101), "boosts must be numbers from -100 to 100, not 101"),
    (Boost(-3, 1), "there is no token -3"),
    (Stretch(1, 3), "from cell 3 to 9, not at 1"),
    (Stretch(10, 3), "from cell 3 to 9, not at 10"),
    (Stretch(5, 0), "say how many cells"),
    (Stretch(5, LONGEST), "say how many cells"),
    (Stretch(5, -9), "there are not 9 cells of the answer to remove"),
    (Stretch(3, -6), "at least one cell of the answer must stay"),
    (Tune({"bans": [50]}), "there is no token 50"),
    (Tune({"boosts": {"50": 1.0}}), "there is no token 50"),
    (Tune({"pases": 3}), "no setting 'pases'"),
    (Tune({"noise": 3}), "no setting 'noise'"),
]


@pytest.mark.parametrize(("edit", "says"), REFUSED, ids=[str(e) for e, _ in REFUSED])
def test_an_impossible_edit_is_a_sentence(edit: Edit, says: str) -> None:
    state = apply(start(blank([[3, 1, 4], 6]), Settings(bans=(13,))), Pin((8,), (33,)))
    before = state.canvas
    with pytest.raises(InvalidRequest) as refused:
        apply(state, edit, 50)
    assert says in str(refused.value)
    assert state.canvas is before


def halfway() -> State:
    return run(Toy(seed=4), begin(passes=4))[1][0]


def test_a_pin_is_never_rewritten_and_a_release_gives_it_back() -> None:
    state = apply(halfway(), Pin((5, 20), (11, 12)), 50)
    last = run(Toy(seed=4), state)[-1][0]
    assert last.canvas.tokens[[5, 20]].tolist() == [11, 12]
    loose = apply(last, Release((5,)))
    assert loose.done and loose.canvas.tokens[5] == 11 and loose.canvas.free[5]


def test_an_erased_pin_is_no_pin_any_more() -> None:
    state = apply(apply(halfway(), Pin((5,), (11,))), Erase((5,)))
    assert state.canvas.open[5] and not state.canvas.pinned.any()


def test_a_ban_opens_where_the_word_stands_and_a_lift_allows_it() -> None:
    last = run(Toy(seed=4), begin(passes=4))[-1][0]
    word = int(last.canvas.tokens[9])
    stands = (last.canvas.tokens == word) & last.canvas.free
    banned = apply(last, Ban(word), 50)
    assert np.array_equal(banned.canvas.open, stands) and banned.settings.bans == (word,)
    again = run(Toy(seed=4), banned)[-1][0]
    assert not (again.canvas.tokens[again.canvas.answer] == word).any()
    assert apply(again, Ban(word, lift=True), 50).settings.bans == ()


def test_a_boost_of_nothing_is_no_boost() -> None:
    state = apply(halfway(), Boost(3, 2.5), 50)
    assert dict(state.settings.boosts) == {3: 2.5}
    assert dict(apply(state, Boost(3, 0), 50).settings.boosts) == {}


def test_inserted_cells_are_open_and_the_rest_moves_along() -> None:
    state = halfway()
    longer = apply(state, Stretch(8, 4))
    assert longer.canvas.open[8:12].all()
    assert np.array_equal(np.delete(longer.canvas.tokens, range(8, 12)), state.canvas.tokens)
    assert apply(longer, Stretch(8, -4)).canvas.same(state.canvas)
    assert longer.memory is None and longer.seen is None


def test_inserted_cells_that_begin_a_sentence_hold_another_one() -> None:
    """Within a sentence the model may leave them empty."""
    model = Lettered()
    steering = Steering(replace(model.card, skips=(PIECES.index(""),)), model.tokenizer)
    text = 'Hi. "No!" ab'

    def differently(at: int, by: int = 3) -> bool:
        edit = steering.resolved(state, Stretch(at, by))
        assert isinstance(edit, Stretch)
        return edit.differently

    cells = [*model.tokenizer.encode(text), PIECES.index("")]
    state = start(blank([[1], len(cells)]), Settings(passes=8))
    state = replace(state, canvas=state.canvas.write(state.canvas.open, np.array([1, *cells])))
    assert [at for at in range(len(cells) + 2) if differently(at)] == [4, 5, 9, 10, 11]
    assert not differently(4, -1) and not differently(-1) and not differently(99, 1)
    lined = replace(state, canvas=state.canvas.pin((3,), (PIECES.index("\n"),)))
    assert steering.resolved(lined, Stretch(4, 1)) == Stretch(4, 1, differently=True)


def test_an_edit_throws_noise_where_it_opens_and_nowhere_else() -> None:
    toy = NoisyToy()
    state = run(toy, start(blank([12]), Settings("uniform", passes=6, noise=50)))[-1][0]
    opened = apply(state, Erase((3, 4)))
    assert (opened.canvas.tokens >= 0).all()
    assert np.array_equal(np.delete(opened.canvas.tokens, [3, 4]), np.delete(state.canvas.tokens, [3, 4]))
    assert apply(opened, Tune({"passes": 9})).canvas.same(opened.canvas)


def test_a_command_has_defaults() -> None:
    assert command.parse_command({"do": "play"}) == Play()
    assert command.parse_command({"do": "play", "slow": 2, "colour": "red"}) == Play(slow=2.0)
