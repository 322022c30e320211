"""What a visitor may open: the server's own models, and those of the bundled pair in eight bits."""

from __future__ import annotations

import pytest

from unmask.errors import InvalidRequest
from unmask.serve.model_list import in_eight_bits, resolve_model


def test_the_bundled_pair_can_be_had_in_eight_bits_by_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"denoiser?number=int8", "twin?number=int8"} <= {*in_eight_bits()}
    for name in in_eight_bits():
        assert resolve_model(name, at_home=False) == name
    for name in ("denoiser?number=int4", "denoiser?threads=64", "toy?number=int8", "/etc?number=int8"):
        with pytest.raises(InvalidRequest):
            resolve_model(name, at_home=False)
    monkeypatch.setattr("unmask.serve.model_list.served_models", lambda: {"mine": "denoiser", "toy": "toy"})
    assert in_eight_bits() == []
