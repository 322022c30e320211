"""What goes to a lane: states and functions as bytes, models by their names."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from unmask.errors import InvalidRequest
from unmask.inference import infer
from unmask.live.cluster.start import parse_range
from unmask.live.cluster.wire import DenoiserStub, pickle_refs, unpickle_refs
from unmask.models import Denoiser
from unmask.models.toy import Toy
from unmask.run.spec import RunSpec


def name_of(denoiser: Denoiser) -> str:
    return denoiser.card.name


def test_a_model_goes_by_its_name_and_is_the_real_one_on_the_other_side() -> None:
    real = Toy()
    far = DenoiserStub("toy", real.info, real.has_carry)
    data, models = pickle_refs([partial(name_of, far), lambda: (far, 3)])
    assert models == ("toy",)
    one, two = unpickle_refs(data, {"toy": real})
    assert one() == real.card.name and two()[0] is real


def test_a_state_thinks_the_same_after_the_way() -> None:
    toy = Toy()
    changes: dict[str, Any] = {"policy": "threshold", "options": {"tau": 0.7}, "temperature": 1.0}
    state = RunSpec("1 2 3", length=12, changes=changes, seed=5).start(toy.card, toy.tokenizer)
    data, _ = pickle_refs(state)
    (here,), (there,) = infer(toy, [state]), infer(toy, [unpickle_refs(data, {})])
    assert np.array_equal(here.token, there.token) and np.array_equal(here.confidence, there.confidence)
    (back,) = unpickle_refs(pickle_refs((here,))[0], {})
    assert np.array_equal(back.top_probs, here.top_probs)


def test_here_a_remote_model_computes_nothing() -> None:
    toy = Toy()
    with pytest.raises(TypeError, match="runs on its replicas"):
        DenoiserStub("toy", toy.info, False).logits([])


def test_a_number_of_lanes_is_one_or_from_one_to_another() -> None:
    assert parse_range("2") == (2, 2) and parse_range("1-8") == (1, 8)
    for wrong in ("", "0", "3-2", "x", "2-", "-2", "1-x"):
        with pytest.raises(InvalidRequest, match="such as 2, or a range such as 1-8"):
            parse_range(wrong)
