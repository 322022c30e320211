"""Checks by name in /v1: what they find is opened again; an unknown name, or one that runs code, is refused."""

from typing import Any

import openai
import pytest


def test_a_sum_is_mended_and_a_name_that_is_unknown_is_refused(client: openai.OpenAI) -> None:
    fields: dict[str, Any] = {"model": "tiny", "prompt": "Story: 1 + 1", "max_tokens": 24, "seed": 1}
    answer = client.completions.create(**fields, extra_body={"checks": ["sums", "quotes"]})
    assert answer.choices[0].text is not None
    for name, why in (("nothing", "no check 'nothing'"), ("tests", "UNMASK_RUN_CODE")):
        with pytest.raises(openai.BadRequestError, match=why) as refused:
            client.completions.create(**fields, extra_body={"checks": [name]})
        assert refused.value.param == "checks"
