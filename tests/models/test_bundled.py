"""The embedded pair's door, on small random weights in the layout that ships."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from pair.train.ship import ship
from pair.train.tokenizer import learn, marks
from unmask.canvas import blank
from unmask.errors import InvalidRequest
from unmask.inference.decode import decode
from unmask.models import load
from unmask.models.bundled import decoding_mode
from unmask.models.transformer import Transformer, TransformerConfig
from unmask.run.presets import preset
from unmask.run.settings import Settings
from unmask.run.state import start


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tokenizer: Tokenizer = learn(["Tom had a red kite. It was 12 o'clock, “late” for tea."] * 4, 400)
    tokenizer.save(str(folder / "tokenizer.json"))
    for kind in ("denoiser", "twin"):
        torch.manual_seed(1)
        network = Transformer(TransformerConfig(tokenizer.get_vocab_size(), 64, 2, 2, 64, kind == "twin"))
        for weight in network.parameters():
            if weight.ndim == 2:
                torch.nn.init.normal_(weight, 0, 0.3)
        ship(network, folder / kind, kind, "test", marks(tokenizer))
    return folder


def load_bundled(folder: Path, **options: Any) -> Any:
    """A model of these, with everything that is known of it inside."""
    return load(f"{folder.name}:{folder}", threads=1, **options)


@pytest.mark.parametrize("text", ["Tom had 12 kites.", "“tea”\n\n  été 🪁", "", "<|endoftext|> \x00 ​"])
def test_every_text_comes_back_as_it_was(models: Path, text: str) -> None:
    tokenizer = load_bundled(models / "denoiser").tokenizer
    assert "".join(tokenizer.backend.decode(tokenizer.encode(text), skip_special_tokens=False)) == text
    if text.isascii() and "<|" not in text:
        assert "".join(map(tokenizer.piece, tokenizer.encode(text))) == text


def test_a_cell_too_many_holds_no_text_and_is_said_by_nobody_who_has_no_gaps(models: Path) -> None:
    denoiser, twin, fast = (
        load_bundled(models / "denoiser"),
        load_bundled(models / "twin"),
        load_bundled(models / "twin", mode="block"),
    )
    skip = denoiser.tokenizer.backend.token_to_id("<|skip|>")
    assert denoiser.tokenizer.piece(skip) == "" and denoiser.tokenizer.decode([skip]) == ""
    assert skip not in denoiser.card.never and skip in twin.card.never and skip in fast.card.never


def test_drafted_and_verified_the_text_is_the_twins_and_takes_fewer_forwards_than_passes(models: Path) -> None:
    twin, fast = load_bundled(models / "twin"), load_bundled(models / "twin", mode="block")
    for words in ("Tom had", "It was", "a red"):
        opening = blank([twin.tokenizer.encode(words), 30])
        *_, (greedy, _) = decode(twin, start(opening, preset("autoregressive").over(30)))
        run = list(decode(fast, start(opening, preset("draft-and-verify").over(30))))
        assert run[-1][0].canvas.tokens.tolist() == greedy.canvas.tokens.tolist()
        assert sum(frame.cost for _, frame in run) < len(run)


@pytest.mark.parametrize("cells", [1, 2, 5, 12, 13, 40, 90])
def test_a_bad_draft_takes_no_more_passes_than_six_fifths_of_its_cells(models: Path, cells: int) -> None:
    """Weights that know nothing: hardly a drafted word holds, and the text is still the twin's."""
    twin, fast = load_bundled(models / "twin"), load_bundled(models / "twin", mode="block")
    for words in ("Tom had", "xyz 7"):
        opening = blank([twin.tokenizer.encode(words), cells])
        *_, (greedy, _) = decode(twin, start(opening, preset("autoregressive").over(cells)))
        run = list(decode(fast, start(opening, preset("draft-and-verify").over(cells))))
        assert run[-1][0].canvas.tokens.tolist() == greedy.canvas.tokens.tolist()
        assert len(run) <= 1.2 * cells + 1


def test_fast_is_the_twins_weights_with_their_own_preset(models: Path) -> None:
    """Opened by its bare name or from a folder, it drafts and verifies unless somebody asks for another decoder."""
    twin, fast = load_bundled(models / "twin"), load(f"fast:{models / 'twin'}", threads=1)
    assert fast.card.name == "Unmask fast" and fast.card.weights == twin.card.weights
    assert fast.card.preset["preset"] == "draft-and-verify" and fast.card.both and not twin.card.both
    with pytest.raises(InvalidRequest, match="there is canvas"):
        load(f"fast:{models / 'denoiser'}")


def test_a_page_begins_as_its_first_model_decodes() -> None:
    """What only a model with a reader can do is not asked of another."""
    assert decoding_mode("denoiser")["preset"] == "draft-and-proofread" == load("denoiser").card.preset["preset"]
    assert decoding_mode("toy")["preset"] == decoding_mode("org/another")["preset"] == "fast-dllm"


def test_a_denoisers_confidence_is_read_as_its_config_says(models: Path, tmp_path: Path) -> None:
    folder = copied(models, tmp_path) / "denoiser"
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"calibration": [1.0, 2.0]}))
    plain, cooler = load_bundled(models / "denoiser"), load_bundled(folder)
    state = start(blank([[5, 6, 7], 12]), Settings())
    from unmask.inference import infer

    (sure,), (doubting,) = infer(plain, [state]), infer(cooler, [state])
    assert cooler.card.calibration == (1.0, 2.0)
    assert np.array_equal(sure.token, doubting.token)
    assert (doubting.confidence[sure.known] < sure.confidence[sure.known]).all()


def test_the_twin_with_its_past_is_a_plain_greedy_loop(models: Path) -> None:
    twin = load_bundled(models / "twin")
    prompt = twin.tokenizer.encode("Tom had")
    *_, (state, _) = decode(twin, start(blank([prompt, 20]), preset("autoregressive").over(20)))
    (separator,), (mask, skip) = twin.card.ends, twin.card.never
    loop = [separator, *prompt]
    with torch.inference_mode():
        for _ in range(20):
            logits = twin.network.logits(torch.tensor([loop]), torch.tensor([len(loop) - 1]))[0, 0]
            logits[[mask, skip]] = -torch.inf
            loop.append(int(logits.argmax()))
    assert state.canvas.tokens.tolist() == loop[1:]
    assert twin.pasts.hits == 19  # every step but the first went on from what was kept
    again = load_bundled(models / "twin")
    again.pasts.room = 0
    *_, (uncached, _) = decode(again, start(blank([prompt, 20]), preset("autoregressive").over(20)))
    assert uncached.canvas.same(state.canvas)


@pytest.mark.parametrize("number", ["fp32", "bf16", "int8"])
def test_each_number_type_thinks_alone_as_in_company(models: Path, number: str) -> None:
    denoiser = load_bundled(models / "denoiser", number=number)
    from unmask.inference import infer

    states = [start(blank([[5, 6, k], 12]), Settings()) for k in (7, 8, 9)]
    together = infer(denoiser, states)
    for state, belief in zip(states, together, strict=True):
        (alone,) = infer(denoiser, [state])
        assert np.array_equal(alone.token, belief.token)


def test_the_number_type_is_the_releases_and_no_clock_is_looked_at(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A race at each start once chose it, so a restart on a busy machine wrote another text for the same seed."""
    monkeypatch.setattr("time.perf_counter", lambda: 1 / 0)
    for kind in ("denoiser", "twin"):
        card = load(f"{kind}:{models / kind}").card
        assert card.number == "fp32" and card.threads >= 1 and len(card.weights) == 64


def copied(models: Path, to: Path) -> Path:
    shutil.copytree(models, to / "m")
    return to / "m"


def test_a_damaged_shard_is_a_sentence(models: Path, tmp_path: Path) -> None:
    folder = copied(models, tmp_path) / "denoiser"
    shard = next(folder.glob("*.safetensors"))
    shard.write_bytes(shard.read_bytes()[:-9])
    with pytest.raises(InvalidRequest, match="denoiser"):
        load(f"denoiser:{folder}")


def test_other_weights_than_named_are_a_sentence(models: Path, tmp_path: Path) -> None:
    folder = copied(models, tmp_path) / "denoiser"
    config = json.loads((folder / "config.json").read_text()) | {"sha256": "0" * 64}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InvalidRequest, match="their hash differs"):
        load(f"denoiser:{folder}")


@pytest.mark.parametrize("lost", ["tokenizer.json", "denoiser/config.json", "denoiser"])
def test_what_is_missing_is_a_sentence(models: Path, tmp_path: Path, lost: str) -> None:
    folder = copied(models, tmp_path)
    target = folder / lost
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    with pytest.raises(InvalidRequest) as error:
        load(f"denoiser:{folder / 'denoiser'}")
    assert "\n" not in str(error.value)


def test_bytes_that_are_part_of_a_letter_are_marked_and_everything_else_is_itself(models: Path) -> None:
    tokenizer = load_bundled(models / "denoiser").tokenizer
    tokens = tokenizer.encode("Tom 😀 é")
    shown = [tokenizer.display_piece(token) for token in tokens]
    assert "".join(shown).startswith("Tom ") and "\ufffd" not in "".join(shown)
    raw = b"".join(tokenizer.token_bytes(token) for token in tokens)
    assert raw.decode() == "Tom 😀 é" and any("<0xF0>" in piece for piece in shown)


def test_the_card_counts_its_numbers_and_says_what_they_were_trained_on(models: Path) -> None:
    card = load_bundled(models / "denoiser").card
    assert card.parameters == card.size // 8 > 10_000 and "stories" in card.knows  # its reader is as large


def test_the_engine_is_an_option_of_the_name(models: Path) -> None:
    """ONNX Runtime by default, torch where it is asked for or has the only such number type."""
    text = blank([[5, 6, 7], 12])
    names = ["", "?engine=torch", "?dtype=bf16", "?number=fp32&threads=2"]
    plain, torchs, half, wide = (load(f"denoiser:{models / 'denoiser'}{options}") for options in names)
    assert [type(one.network).__name__ for one in (plain, torchs, half, wide)] == [  # type: ignore[attr-defined]
        "GraphNetwork",
        "TransformerNetwork",
        "TransformerNetwork",
        "GraphNetwork",
    ]
    assert half.card.number == "bf16" and wide.card.threads == 2
    runs = [list(decode(one, start(text, Settings(passes=6))))[-1][0] for one in (plain, torchs, wide)]
    assert runs[0].canvas.same(runs[1].canvas) and runs[0].canvas.same(runs[2].canvas)


@pytest.mark.parametrize(
    "options", ["engine=none", "number=fp16", "engine=onnx&number=bf16", "engine=onnx&device=meta", "threads=two"]
)
def test_an_engine_that_cannot_do_it_is_refused_in_a_sentence(models: Path, options: str) -> None:
    with pytest.raises(InvalidRequest):
        load(f"denoiser:{models / 'denoiser'}?{options}")


def test_models_of_the_same_weights_share_a_session() -> None:
    twin, fast, denoiser = load("twin"), load("fast"), load("denoiser")
    assert twin.network.session is fast.network.session is denoiser.reader.session  # type: ignore[attr-defined]
    assert denoiser.network.session is not twin.network.session  # type: ignore[attr-defined]
    assert load("twin", threads=2).network.session is not twin.network.session  # type: ignore[attr-defined]
