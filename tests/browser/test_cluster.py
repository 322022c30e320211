"""The page in front of lanes: it cannot tell the difference."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.recorded import pair
from tests.browser.steps import finished, run, words
from tests.browser.visit import Visitor, served
from unmask.serve.runtime import Runtime


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_page_writes_the_same_before_lanes(visitor: Visitor, tmp_path: Path) -> None:
    import ray

    here = visitor.open()
    run(here)
    finished(here)
    try:
        with (
            served(pair(tmp_path), runtime=Runtime.configured(None, "local")) as url,
            closing(visitor.open(at=url)) as there,
        ):
            run(there)
            finished(there)
            assert [words(there, side) for side in (0, 1)] == [words(here, side) for side in (0, 1)]
    finally:
        ray.shutdown()
