"""Trained weights of others: what they predict equals transformers', and is right."""

import os
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from unmask.inference.decode import timelines
from unmask.inference.model_report import report
from unmask.models import Denoiser, ModelInput, load
from unmask.models.array_ops import softmax
from unmask.models.hub.fit import fit
from unmask.run.spec import RunSpec
from unmask.run.stats import answer_text

SHARED = Path(__file__).parents[3] / "shared" / "checkpoints" / "real" / "sapiens_vh"
FOLDER = Path(os.environ.get("UNMASK_REAL", SHARED))
HEAVY = (
    "EVQLVESGGGLVQPGGSLRLSCAASGFTFSSYAMSWVRQAPGKGLEWVSAISGSGGSTYYADSVKGRFTISRDNSKNTLYLQMNSLRAEDTAVYYCAKDRGGYFDYWGQG"
    "TLVTVSS"
)
GAP = "MNSLRAED"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the trained weights are not here: make real")


@pytest.fixture(scope="module")
def antibody() -> Denoiser:
    return load(str(FOLDER), device="cpu")


def test_its_probabilities_equal_those_of_transformers(antibody: Denoiser) -> None:
    model = transformers.RobertaForMaskedLM.from_pretrained(FOLDER).eval()
    tokens, rng = np.array(antibody.tokenizer.encode(HEAVY)), np.random.default_rng(0)
    for share in (0.02, 0.15, 0.5, 0.8, 1.0):
        still_open = rng.random(len(tokens)) < share
        still_open[0] = True
        rows = np.flatnonzero(still_open)
        found = antibody.logits([ModelInput(tokens, still_open, rows, np.arange(len(tokens)))])[0]
        ids = torch.tensor([[0, *np.where(still_open, 24, tokens), 2]])
        with torch.no_grad():
            expected = model(ids).logits[0][rows + 1]
        assert np.abs(softmax(found) - softmax(expected.numpy())).max() <= 5e-6


@pytest.mark.parametrize("preset", ["llada", "fast-dllm", "dream", "eb-sampler", "klass"])
def test_a_gap_is_filled_with_the_right_letters(antibody: Denoiser, preset: str) -> None:
    prompt = HEAVY.replace(GAP, f"[MASK:{len(GAP)}]")
    *_, last = timelines(antibody, RunSpec(prompt, preset=preset))
    assert answer_text(antibody, last.head.canvas).replace(" ", "") == GAP


def test_nothing_but_letters_is_ever_proposed(antibody: Denoiser) -> None:
    *_, last = timelines(antibody, RunSpec("", length=142, preset="mdlm", changes={"temperature": 1.5}))
    assert {*antibody.tokenizer.decode(last.head.canvas.tokens.tolist())} <= {*"ACDEFGHIKLMNPQRSTVWY"}
    assert {*last.head.canvas.tokens.tolist()}.isdisjoint(antibody.card.never)


def test_its_report_and_its_fit(antibody: Denoiser) -> None:
    page = report(str(FOLDER), device="cpu")
    for part in (
        "142 cells at most",
        "## First belief",
        "## Passes",
        "self-test: Greedy tokens are the same",
        "## Machine",
    ):
        assert part in page
    assert "Each row speaks of its own cell." in page
    found = fit(str(FOLDER))
    assert found.verdict == "fits" and found.number == "fp32" and not found.download
