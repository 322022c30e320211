"""What a visitor may open: the server's own models, and those of the bundled pair in eight bits."""

from __future__ import annotations

import pytest

from unmask.config import config
from unmask.errors import InvalidRequest
from unmask.serve.model_list import in_eight_bits, resolve_model
from unmask.serve.served_models import served_models


def test_the_bundled_pair_can_be_had_in_eight_bits_by_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"denoiser?number=int8", "twin?number=int8"} <= {*in_eight_bits()}
    for name in in_eight_bits():
        assert resolve_model(name, at_home=False) == name
    for name in ("denoiser?number=int4", "denoiser?threads=64", "toy?number=int8", "/etc?number=int8"):
        with pytest.raises(InvalidRequest):
            resolve_model(name, at_home=False)
    monkeypatch.setattr("unmask.serve.model_list.served_models", lambda: {"mine": "denoiser", "toy": "toy"})
    assert in_eight_bits() == []


def test_a_name_is_looked_up_without_reading_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file read let a computing thread go first: a flood of `open` made the event loop wait for seconds."""
    assert resolve_model("denoiser", at_home=False) == "denoiser"

    def fail(*args: object, **options: object) -> None:
        raise AssertionError(f"a file is read: {args}")

    with monkeypatch.context() as patch:
        for name in ("os.stat", "os.listdir", "os.scandir", "io.open"):
            patch.setattr(name, fail)
        assert resolve_model("denoiser", at_home=False) == "denoiser"
        assert resolve_model("fast", at_home=True) == "fast" and in_eight_bits()


def test_a_host_names_the_servers_that_it_attaches_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNMASK_ATTACH", "http://10.0.0.7:8000/v1?mask=100,big=https://gpu.example/v1?mode=ar")
    config.cache_clear()
    try:
        served = served_models()
        assert served["10.0.0.7:8000"] == "attach:http://10.0.0.7:8000/v1?mask=100" and "denoiser" in served
        assert resolve_model("big", at_home=False) == "attach:https://gpu.example/v1?mode=ar"
        with pytest.raises(InvalidRequest, match="no model 'attach:http:"):
            resolve_model("attach:http://10.0.0.7:8000/v1", at_home=False)
        monkeypatch.setenv("UNMASK_ATTACH", "gpu")
        config.cache_clear()
        with pytest.raises(InvalidRequest, match="UNMASK_ATTACH has 'gpu'"):
            served_models()
    finally:
        config.cache_clear()
