"""Training: both kinds learn, the same seed learns the same, a stopped run goes on, and the files open again."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
import torch

from pair.train import __main__ as command
from pair.train import data
from pair.train.ship import ship, unpacked
from pair.train.tokenizer import Marks, learn, marks, whole
from pair.train.train import TrainConfig, train
from pair.train.vocab_transfer import seated
from unmask.models import load
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.pair.worlds import document
from unmask.pair.worlds.words import KINDS, NAMED, PLACES

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def made() -> tuple[TrainConfig, dict[int, data.Rows], dict[str, data.Rows]]:
    tokenizer = learn((document(seed).text for seed in range(400)), 400)
    rows = data.prepare(tokenizer, 6_000, 1, [], lengths=(96,))
    validation = {"worlds": data.prepare(tokenizer, 96 * 4, 2, [], "held", lengths=(96,))[96]}
    shape = TransformerConfig(tokenizer.get_vocab_size(), 16, 2, 2, 256, False)
    recipe = TrainConfig("denoiser", shape, marks(tokenizer), steps=10, batch=960, compiled=False, look_every=5)
    return recipe, rows, validation


Made = tuple[TrainConfig, dict[int, data.Rows], dict[str, data.Rows]]


@pytest.mark.parametrize(
    "width, steps, rate, less", [(16, 10, 0.3, 0.15), pytest.param(32, 24, 0.02, 0.05, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", ["denoiser", "twin"])
def test_a_few_steps_teach_something(
    made: Made, tmp_path: Path, kind: str, width: int, steps: int, rate: float, less: float
) -> None:
    recipe, rows, validation = made
    twice = 2 if kind == "twin" else 1  # a twin reads each row twice
    shape = replace(recipe.shape, width=width, causal=kind == "twin")
    rates = {"matrix_rate": rate, "other_rate": 0.15 * rate}
    recipe = replace(recipe, kind=kind, shape=shape, batch=twice * recipe.batch, steps=steps, **rates)
    _, log = train(recipe, rows, validation, tmp_path, quiet=True)
    assert log[-1]["worlds"] < log[0]["worlds"] - less
    assert (tmp_path / "log.csv").read_text().count("\n") == len(log) + 1


def test_a_run_may_go_on_with_more_words_and_words_told_apart() -> None:
    plain = learn((document(seed).text for seed in range(800)), 600)
    tokenizer = whole(plain, NAMED, 2 * len(NAMED))
    pieces, torch_rng = tokenizer.get_vocab(), torch.Generator().manual_seed(0)
    old = torch.randn(plain.get_vocab_size(), 64, generator=torch_rng)
    torch.manual_seed(0)
    before = seated(old, tokenizer, KINDS)
    assert before.shape == (len(pieces), 64)
    kept = [t for piece, t in pieces.items() if t < len(old) and piece.removeprefix("Ġ") not in NAMED]
    assert torch.equal(before[kept], old[kept])

    def alike(rows: torch.Tensor, one: str, other: str) -> float:
        return float(torch.cosine_similarity(rows[pieces[one]], rows[pieces[other]], dim=-1))

    assert alike(before, "Tom", "ĠTom") > alike(before, "Tom", "ĠMia") + 0.2
    places = [pieces[f"Ġ{place}"] for place in PLACES]
    alone = torch.cat([old, before[len(old) :]])
    alone[places] = alone[places].mean(0) + 0.01 * alone[places]  # guessed by fashion: all of them have grown alike
    after = seated(alone, tokenizer, KINDS)
    assert alike(alone, "Ġpark", "Ġmill") > 0.95 and alike(after, "Ġpark", "Ġmill") < 0.5
    assert alike(after, "park", "Ġpark") > alike(after, "park", "Ġmill") + 0.2


def test_the_same_seed_learns_the_same(made: Made, tmp_path: Path) -> None:
    one, _ = train(*made, tmp_path / "a", quiet=True)
    two, _ = train(*made, tmp_path / "b", quiet=True)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_a_stopped_run_goes_on_as_if_nothing_had_been(made: Made, tmp_path: Path) -> None:
    recipe, rows, validation = made
    steady = replace(recipe, repeats=(0.0, 0.0))  # nothing that depends on when the run ends
    for steps, folder in ((5, "b"), (10, "b"), (10, "a")):
        whole, log = train(replace(steady, steps=steps, stable=0.999), rows, validation, tmp_path / folder, quiet=True)
        if folder == "b":
            resumed, _ = whole, log
    assert log[-1]["step"] == 10
    for a, b in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.allclose(a, b, atol=2e-2)


def test_a_checkpoint_of_another_shape_is_refused(made: Made, tmp_path: Path) -> None:
    recipe, rows, validation = made
    train(replace(recipe, steps=1), rows, validation, tmp_path, quiet=True)
    with pytest.raises(ValueError, match="another shape"):
        train(replace(recipe, shape=replace(recipe.shape, width=32)), rows, validation, tmp_path, quiet=True)


def test_what_is_shipped_opens_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pair.train.ship.ROOM", 20_000)
    network = Transformer(TransformerConfig(100, 32, 2, 2, 256, True))
    ship(network, tmp_path, "twin", "1", Marks(0, 1, 2))
    shards = sorted(tmp_path.glob("*.safetensors"))
    assert len(shards) > 1 and all(shard.stat().st_size < 30_000 for shard in shards)
    again = unpacked(tmp_path)
    ids = torch.randint(0, 100, (1, 9))
    assert torch.allclose(again.read(ids)[0], network.bfloat16().float().read(ids)[0], atol=1e-5)
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["kind"] == "twin" and config["mask_id"] == 1 and config["separator_id"] == 0
    assert config["skip_id"] == 2 and config["both"]


def test_a_damaged_shard_is_refused(tmp_path: Path) -> None:
    ship(Transformer(TransformerConfig(100, 32, 2, 2, 256, True)), tmp_path, "twin", "1", Marks(0, 1, 2))
    shard = next(tmp_path.glob("*.safetensors"))
    raw = bytearray(shard.read_bytes())
    raw[-1] ^= 1
    shard.write_bytes(raw)
    with pytest.raises(ValueError, match="not those its config"):
        unpacked(tmp_path)


def smoke(folder: Path, tales: Path, *more: str) -> None:
    """`--smoke` with a narrow network; the whole of it is `make train-smoke`."""
    place = ["--out", str(folder), "--assets", str(folder / "models"), "--dataset", str(tales)]
    arguments = ["pair.train", "--smoke", *place, *more]
    with patch.object(sys, "argv", arguments), patch.object(command.memory, "tune_malloc"):
        command.main()


@pytest.fixture
def tales(tmp_path: Path) -> Path:
    file = tmp_path / "tales.txt"
    texts = (f"Once there was a fox of {age} who could not sleep. " * 6 for age in range(data.APART + 20))
    file.write_text("\n<|endoftext|>\n".join(texts))
    return file


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "more, steps, left",
    [
        ("--shape 512 16 2 2 --batch 1920 --tokens 8000 --rate 0.3", 10, 0.985),
        pytest.param("--shape 1024 32 2 2 --tokens 100000 --rate 0.05", 120, 0.9, marks=pytest.mark.long),
    ],
    ids=["ten steps", "a narrow network"],
)
def test_the_smoke_run_trains_both_kinds_from_nothing(
    tmp_path: Path, tales: Path, more: str, steps: int, left: float
) -> None:
    smoke(tmp_path, tales, "--steps", str(steps), *more.split())
    for kind in ("twin", "denoiser"):
        log = [line.split(",") for line in (tmp_path / kind / "log.csv").read_text().splitlines()]
        at = log[0].index("worlds")
        assert log[-1][0] == str(steps)
        assert float(log[-1][at]) < left * float(log[1][at])
        assert (tmp_path / kind / "curves.png").exists()
        model = load(f"{kind}:{tmp_path / 'models' / kind}")  # the door of the shipped weights
        assert model.card.causal == (kind == "twin")
