"""Effort is a number of passes: each word means what docs/api.md says, and takes more of them than the one before."""

from typing import Any

import openai
import pytest

from tests.serve.process import ROOT
from unmask.models import load
from unmask.run.spec import LENGTH, RunSpec
from unmask.serve.v1.run_spec import effort_changes as changes

MODELS = {"toy": load("toy").card}


def test_each_effort_is_a_decoder_that_the_page_names() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    own = RunSpec().settings(MODELS["toy"], LENGTH)
    taus = [changes(e, False, MODELS["toy"], own)["options"]["tau"] for e in ("instant", "minimal", "low")]
    assert taus == sorted(taus) and all(f"above {tau:g}" in page for tau in taus)
    for effort in ("none", "medium", None):
        assert changes(effort, False, MODELS["toy"], own) == {}
    assert changes("high", False, MODELS["toy"], own)["passes_for"] == "block"
    assert changes(None, True, MODELS["toy"], own)["block"] == 8


def passes(client: openai.OpenAI, **fields: Any) -> int:
    answer = client.completions.create(model="denoiser", prompt="Story: Lily had a red kite.", max_tokens=64, **fields)
    return int(answer.usage.x_diffusion["passes"])


@pytest.mark.slow
def test_more_effort_takes_more_passes(another: Any) -> None:
    client = another("--model", "denoiser").client()
    spent = [passes(client, seed=1, extra_body={"reasoning_effort": e}) for e in ("instant", "low", "medium", "high")]
    assert spent == sorted(spent) and spent[0] < spent[-1]
