"""Log-likelihoods: counted in a world without error, exact for the twin, bounded and repeatable for the denoiser."""

import numpy as np
import pytest

from unmask.inference.infer import surprises
from unmask.inference.likelihood import is_likeliest, log_likelihood
from unmask.models import load
from unmask.models.oracle import Oracle


def test_the_bound_is_the_likelihood_where_the_model_makes_no_error() -> None:
    """Each of the 24 permutations of four has the probability 1/24, in whatever order it is written."""
    oracle = load("permutations")
    assert isinstance(oracle, Oracle)
    text = oracle.texts[0].tolist()
    assert log_likelihood(oracle, [], text, samples=4000) == pytest.approx(-np.log(24), abs=0.05)
    assert log_likelihood(oracle, text[:2], text[2:], samples=2000) == pytest.approx(-np.log(2), abs=0.03)
    assert log_likelihood(oracle, text[:3], text[3:]) == pytest.approx(0, abs=1e-6)
    assert is_likeliest(oracle, text[:3], text[3:]) and not is_likeliest(oracle, text[:3], text[:1])
    assert log_likelihood(oracle, [], []) == 0


def test_a_causal_model_is_read_exactly() -> None:
    twin = load("twin")
    tokens = twin.tokenizer.encode("Story: Lily had a red kite. She went to the park.")
    each = surprises(twin, tokens)
    assert log_likelihood(twin, tokens[:5], tokens[5:]) == pytest.approx(-each[5:].sum(), abs=1e-4)
    assert log_likelihood(twin, [], tokens) == pytest.approx(-each.sum(), abs=1e-4)


def test_the_bound_of_the_denoiser_prefers_what_fits_and_repeats_itself() -> None:
    denoiser = load("denoiser")
    encode = denoiser.tokenizer.encode
    context = encode("Sum: 71 + 43\n")
    right, wrong = (encode(f"70 + 40 = 110\n1 + 3 = 4\n110 + 4 = {n}\nAnswer: {n}") for n in (114, 123))
    found = log_likelihood(denoiser, context, right, samples=32)
    assert found == log_likelihood(denoiser, context, right, samples=32)
    assert 0 > found > log_likelihood(denoiser, context, wrong, samples=32) + 1
    assert is_likeliest(denoiser, context, right) and not is_likeliest(denoiser, context, wrong)
