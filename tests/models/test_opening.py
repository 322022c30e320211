"""What is refused at the door, and how: damaged files, foreign code, no network, no room, models of another kind."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.models.forge import MARKS, SHAPE, Forged, native, saved, spoil, words
from unmask.__main__ import main
from unmask.canvas import Canvas, blank
from unmask.config import serve_models
from unmask.errors import ConfigError, InvalidRequest, ModelError
from unmask.inference.decode import decode
from unmask.models import Denoiser, builtin_names, load, split_models
from unmask.models.hub import hardware, known_checkpoints, prepare, selftest, source
from unmask.run.settings import Settings
from unmask.run.spec import RunSpec
from unmask.run.state import start
from unmask.serve.served_models import served_models

Forge = Callable[[str], Forged]
CPU: dict[str, Any] = {"number": "fp32", "device": "cpu"}


def canvas_of(text: str, length: int, denoiser: Denoiser) -> Canvas:
    return RunSpec(prompt=text, length=length).canvas(denoiser.card, denoiser.tokenizer)


def test_a_truncated_file_is_named(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InvalidRequest, match=r"model\.safetensors is not a whole safetensors file"):
        load(str(folder), **CPU)


@pytest.mark.parametrize("raw", [b"", b"\xff" * 64, b"\x08\0\0\0\0\0\0\0not json"])
def test_a_file_that_is_no_safetensors_is_named(folder: Path, raw: bytes) -> None:
    (folder / "model.safetensors").write_bytes(raw)
    with pytest.raises(InvalidRequest, match="is not a whole safetensors file"):
        load(str(folder), **CPU)


def test_a_pickle_is_refused_and_nothing_of_it_runs(folder: Path) -> None:
    canary = folder / "canary"

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (canary,)

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InvalidRequest, match="a pickle, which can run code"):
        load(str(folder), **CPU)
    assert not canary.exists()


def test_code_that_lies_in_a_repository_never_runs(folder: Path) -> None:
    canary = folder / "canary"
    code = f"open({str(canary)!r}, 'w').close()\nclass LLaDAModelLM: pass\nclass LLaDAConfig: pass\nclass T: pass\n"
    for name in ("modeling_llada.py", "configuration_llada.py", "tokenization_llada.py"):
        (folder / name).write_text(code)
    spoil(
        folder, auto_map={"AutoConfig": "configuration_llada.LLaDAConfig", "AutoModel": "modeling_llada.LLaDAModelLM"}
    )
    words(folder, None)
    fields = json.loads((folder / "tokenizer_config.json").read_text())
    fields |= {"tokenizer_class": "T", "auto_map": {"AutoTokenizer": ["tokenization_llada.T", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps(fields))
    load(str(folder), **CPU)
    assert not canary.exists()


def test_missing_unknown_and_misshapen_keys_are_named(folder: Path) -> None:
    file = folder / "model.safetensors"
    weights = load_file(file)
    del weights["model.transformer.ln_f.weight"]
    weights["model.transformer.blocks.0.surprise.weight"] = torch.ones(2)
    save_file(weights, file)
    with pytest.raises(InvalidRequest, match=r"missing model\.norm\.weight; unknown .*surprise"):
        load(str(folder), **CPU)
    weights = {k: v for k, v in weights.items() if "surprise" not in k} | {
        "model.transformer.ln_f.weight": torch.ones(5)
    }
    save_file(weights, file)
    with pytest.raises(InvalidRequest, match=r"of another shape model\.norm\.weight|cannot be read"):
        load(str(folder), **CPU)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"architectures": ["SomethingElse"]}, "no family here knows 'SomethingElse'"),
        ({"architectures": ["BertModel"]}, "no family here knows 'BertModel'"),
        ({"n_heads": 0}, "lacks or garbles a field|cannot be"),
        ({"d_model": None}, "cannot be followed|lacks or garbles a field"),
        ({"mask_token_id": None}, "has no mask token"),
    ],
)
def test_a_config_that_cannot_be_followed_says_why(folder: Path, fields: dict[str, Any], says: str) -> None:
    spoil(folder, **fields)
    with pytest.raises(InvalidRequest, match=says):
        load(str(folder), **CPU)


def test_a_config_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "config.json").write_text("[1, 2")
    with pytest.raises(InvalidRequest, match=r"config\.json in LLaDA-8B cannot be read"):
        load(str(folder), **CPU)


def test_an_encoder_without_a_mask_token_is_no_denoiser(forged: Forge, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(forged("bert-base").folder, tmp_path / "bert"))
    spoil(bare, mask_token_id=None)
    with pytest.raises(InvalidRequest, match="has no mask token, so nothing can be open: name one with --mask-id"):
        load(str(bare), **CPU)
    assert load(str(bare), mask_id=5, **CPU).card.never == (5,)
    with pytest.raises(InvalidRequest, match="the mask 99 is not a token"):
        load(f"{bare}?mask_id=99", **CPU)


def test_an_autoregressive_model_is_offered_as_a_twin(forged: Forge) -> None:
    what = str(forged("Qwen3-0.6B").folder)
    with pytest.raises(InvalidRequest, match=f"as a twin it is 'causal:{what}'"):
        load(what, **CPU)
    twin = load(f"causal:{what}", **CPU)
    state = start(blank([[3, 4, 5], 6]), Settings(policy="left_to_right", passes=6))
    last = [s for s, _ in decode(twin, state)][-1]
    greedy = forged("Qwen3-0.6B").native.generate(
        torch.tensor([[3, 4, 5]]), max_new_tokens=6, do_sample=False, eos_token_id=99
    )
    assert twin.card.causal and last.canvas.tokens.tolist() == greedy[0].tolist()


def test_twins_say_how_fair_they_are(forged: Forge) -> None:
    assert "no autoregressive model is a fair twin" in load(str(forged("LLaDA-8B").folder), **CPU).card.fair
    a2d = load(str(forged("Qwen3-0.6B-diffusion-mdlm").folder), **CPU).card
    assert a2d.twin == "causal:Qwen/Qwen3-0.6B" and "a fair pair" in a2d.fair
    opdlm = load(str(forged("OPDLM-0.6B").folder), **CPU).card
    assert opdlm.twin == "causal:Qwen/Qwen3-0.6B" and "a fair pair" in opdlm.fair and opdlm.whole == 4
    assert opdlm.preset["preset"] == "fast-dllm" and opdlm.preset["settings"]["options"] == {"tau": 0.9}


def test_a_tokenizer_with_a_template_makes_a_conversation_and_one_without_a_text(folder: Path) -> None:
    words(folder, None)
    plain = load(str(folder), **CPU)
    assert not plain.card.chat
    assert plain.tokenizer.decode(canvas_of("a cat", 4, plain).tokens[:5].tolist()) == "a cat"
    words(folder, "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}<|bot|>")
    talks = load(str(folder), **CPU)
    made = canvas_of("a cat", 4, talks)
    assert talks.card.chat
    assert talks.tokenizer.decode(made.tokens[made.given].tolist()) == "<|user|>a cat<|bot|>"
    blanks = canvas_of("a ___ cat", 4, talks)  # to fill in is no question
    assert talks.tokenizer.decode(blanks.tokens[blanks.given].tolist()) == "a cat"
    words(folder, "{{ raise_exception('no') }}")
    with pytest.raises(InvalidRequest, match="chat template cannot be filled in"):
        broken = load(str(folder), **CPU)
        canvas_of("a cat", 4, broken)


def test_pieces_join_to_the_text(folder: Path) -> None:
    words(folder, None)
    tokenizer = load(str(folder), **CPU).tokenizer
    assert "".join(tokenizer.piece(t) for t in tokenizer.encode("the cat.")) == "the cat."
    assert tokenizer.piece(9999) == "\ufffd"


def test_a_folder_without_a_tokenizer_works_in_numbers(folder: Path) -> None:
    denoiser = load(str(folder), **CPU)
    assert canvas_of("5 6 7", 2, denoiser).tokens.tolist() == [5, 6, 7, -1, -1]


def test_weights_that_are_not_numbers_end_the_run_with_a_sentence(folder: Path) -> None:
    file = folder / "model.safetensors"
    weights = load_file(file)
    weights["model.transformer.ff_out.weight"][5] = float("nan")
    save_file(weights, file)
    with pytest.raises(InvalidRequest, match=r"ff_out\.weight in model\.safetensors holds numbers that are NaN"):
        load(str(folder), **CPU)
    denoiser = load(str(folder), engine="transformers", **CPU)
    assert "NaN" in denoiser.card.tested
    with pytest.raises(ModelError):
        list(decode(denoiser, start(blank([[3], 4]), Settings())))


def test_a_vocabulary_beyond_sixteen_bits_travels_whole(forged: Forge) -> None:
    from unmask.run.event import Stepped, event_to_dict

    denoiser: Any = load(str(forged("LLaDA-8B").folder), **CPU)

    class Wide(Denoiser):
        card = replace(denoiser.card, words=151_936, never=(151_935,))
        tokenizer = denoiser.tokenizer

        def logits(self, model_inputs: Any) -> list[torch.Tensor]:
            logits = torch.zeros(len(model_inputs[0].rows), 151_936)
            logits[:, 151_700] = 9
            return [logits]

    wide: Any = Wide()
    state, frame = next(iter(decode(wide, start(blank([[3], 4]), Settings(passes=1)))))
    assert state.canvas.tokens.tolist() == [3, *[151_700] * 4]
    assert frame.top_ids.max() >= 151_700
    assert "151700" in json.dumps(event_to_dict(Stepped(1, frame, 0.0, 0.0, 0.0, shared=False)))


@pytest.mark.parametrize("what", ["../../etc", "ORG/../NAME", "a/b/c", "https://example.org/x", "org/na me", "hub:x"])
def test_what_is_neither_a_folder_nor_an_id_is_refused_without_asking_anybody(what: str) -> None:
    with pytest.raises(InvalidRequest):
        load(what)


@pytest.mark.parametrize(
    ("tail", "says"),
    [
        ("?number=fp7", "no number type"),
        ("?cache=warm", "cache must be one of"),
        ("?device=tpu", "no device 'tpu'"),
        ("?speed=9", "no loading option 'speed'"),
        ("?mode=ar", "no autoregressive mode"),
        ("?block=-1", "whole number"),
    ],
)
def test_an_option_that_cannot_be_granted_says_so(folder: Path, tail: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        load(f"{folder}{tail}")


def test_bare_names_are_those_that_open(forged: Forge) -> None:
    assert {"denoiser", "twin", "fast", "toy", "permutations"} <= set(builtin_names())
    with pytest.raises(InvalidRequest, match=r"no model .treshold.; there are .*, a folder, or a hub id"):
        load("treshold")


# the machine, the menu and the command line


def test_the_number_type_follows_from_checkpoint_and_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopwatch once chose it at each start, so a busy machine gave another text for the same seed."""
    monkeypatch.setattr(hardware, "free_bytes", lambda _: 40_000_000_000)
    monkeypatch.setattr(hardware, "total_bytes", lambda _: 48_000_000_000)
    monkeypatch.setattr(hardware, "_has_half_units", lambda _: False)
    assert hardware.pick_dtype("", "cpu", 1_000_000_000, "BF16") == "fp32"
    assert hardware.pick_dtype("", "cpu", 15_000_000_000, "F32") == "bf16"
    monkeypatch.setattr(hardware, "_has_half_units", lambda _: True)
    assert hardware.pick_dtype("", "cpu", 1_000_000_000, "BF16") == "bf16"
    assert hardware.pick_dtype("", "cpu", 1_000_000_000, "F32") == "fp32"
    monkeypatch.setattr(hardware, "free_bytes", lambda _: 3_000_000_000)
    assert hardware.pick_dtype("", "cpu", 1_000_000_000, "F32") == "fp32"  # refused, never quietly in other numbers
    with pytest.raises(InvalidRequest, match=r"in fp32 .* as bf16 it would fit"):
        hardware.check_memory({n: hardware.required_bytes(1e9, n) for n in hardware.SIZES}, "fp32", "cpu")


def test_threads_are_those_that_the_process_may_use(
    monkeypatch: pytest.MonkeyPatch, configure: Callable[..., None]
) -> None:
    configure(OMP_NUM_THREADS="")
    monkeypatch.setattr(hardware.os, "sched_getaffinity", lambda _: {0, 2, 3, 5})
    monkeypatch.setattr(hardware.Path, "read_text", lambda _: "max 100000\n")
    assert hardware.threads() == 4
    configure(OMP_NUM_THREADS="3,1")
    assert hardware.threads() == 3
    monkeypatch.setattr(hardware.Path, "read_text", lambda _: "50000 100000\n")
    assert hardware.threads() == 1


def test_the_menu_says_what_fits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(hardware, "free_bytes", lambda _: 20_000_000_000)
    items = {i.name: i for i in known_checkpoints.known_checkpoints("cpu")}
    assert items["GSAI-ML/LLaDA-8B-Instruct"].fits and items["GSAI-ML/LLaDA-8B-Instruct"].number == "int8"
    assert items["google/diffusiongemma-26B-A4B-it"].fits and items["google/diffusiongemma-26B-A4B-it"].number == "int4"
    assert items["JetLM/SDAR-8B-Chat"].number == "int8"
    assert not items["inclusionAI/LLaDA2.0-flash"].fits
    assert all(i.says and i.licence for i in items.values())


def test_a_model_needs_what_its_weights_weigh() -> None:
    assert hardware.required_bytes(8e9, "bf16") == pytest.approx(16e9, rel=0.1)
    assert source.in_bytes({"BF16": 10, "F32": 1}) == 24


def test_check_prints_a_report_and_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--check", str(folder)]) == 0
    output = capsys.readouterr().out
    assert "all as it should be" in output and output.count("16 cells in") == 3
    wrong = {"attention": "full", "ids": [3, 60], "rows": [0], "logits_first": [[0.0] * 8], "max_abs": 1.0}
    wrong |= {"argmax": [1, 2], "aligned_argmax": [1, 2]}
    expected = {"mask_id": 60, "shift": False, "tolerance": 1e-4, "cases": [wrong]}
    (folder / "expected.json").write_text(json.dumps(expected))
    assert main(["models", "--check", str(folder)]) == 1
    assert "argmax DIFFERS" in capsys.readouterr().out
    spoil(folder, mask_token_id=None)
    assert main(["models", "--check", str(folder), "--mask-id", "60"]) == 1
    assert main(["models", "--check", str(folder / "nowhere")]) == 2


def test_on_a_processor_the_self_test_takes_no_turn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its forwards once had the device to themselves, so every run stood still for as long as they took."""
    tested: list[int] = []
    monkeypatch.setattr(selftest, "report", lambda *_: (tested.append(1), "fine")[1])
    finish = prepare("", str(folder), **CPU)
    assert tested == [1]
    denoiser = finish()
    assert denoiser.card.tested == "fine" and tested == [1]


def test_opening_takes_little_more_memory_than_the_weights(tmp_path: Path) -> None:
    """Peak memory beyond the program's own, for 60 MB of weights, in a process of its own."""
    shape = SHAPE | MARKS | {"hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 6, "rope_theta": 1e4}
    small = tmp_path / "Dream-v0"
    small.mkdir()
    net = native("Qwen2ForCausalLM", **shape, is_causal=False)
    saved(net, small, shape | {"architectures": ["DreamModel"], "mask_token_id": 60})
    code = f"""
    import json, resource
    import torch
    import transformers.models.qwen2.modeling_qwen2, unmask.models.hub.selftest, unmask.models.hub.hardware
    from unmask.models import load
    def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    before = peak()
    load({str(small)!r}, number="fp32", device="cpu")
    print(json.dumps([peak() - before, {(small / "model.safetensors").stat().st_size}]))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2])
    assert process.returncode == 0, process.stderr
    peak, weights = json.loads(process.stdout.splitlines()[-1])
    assert weights > 50e6
    assert peak < 1.1 * weights + 25e6  # libraries that are met for the first time weigh something too


def test_models_are_named_one_by_one_or_with_commas_and_a_folder_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "my models, new").mkdir()
    folder = str(tmp_path / "my models, new")
    assert split_models(["denoiser, twin", "a=org/name,toy", folder, f"b={folder}"]) == [
        "denoiser", "twin", "a=org/name", "toy", folder, f"b={folder}",
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="has a space or a comma in it"):
        serve_models([folder])


def test_an_option_of_a_served_model_is_no_name() -> None:
    assert served_models(["org/a?number=int8", "b=org/b?number=int8&block=4"]) == {
        "org/a?number=int8": "org/a?number=int8",
        "b": "org/b?number=int8&block=4",
    }
    with pytest.raises(InvalidRequest, match="cannot serve 'b'"):
        served_models(["b="])
