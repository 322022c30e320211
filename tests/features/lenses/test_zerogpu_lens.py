"""A lens on a device that is lent by the call answers as here."""

from functools import partial

import numpy as np

from tests.live.test_zerogpu import toy  # noqa: F401
from unmask.canvas import blank
from unmask.features.lenses.attribution import leave_one_out
from unmask.inference import infer
from unmask.live import zerogpu
from unmask.models import Denoiser
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.step import step


async def test_what_a_word_leans_on_is_asked_in_the_worker_as_here(toy: Denoiser) -> None:  # noqa: F811
    first = start(blank([[1, 2], 6]), Settings(passes=3, seed=2))
    state = step(first, infer(toy, [first])[0])[0]
    word = int(np.flatnonzero(state.canvas.answer & ~state.canvas.open)[0])
    work = partial(leave_one_out, toy, state, word, np.array([0, 1]))
    np.testing.assert_equal(zerogpu.run_on_gpu(work), work())
