"""The example of a Space, on a tiny checkpoint with code of its own: it decodes, and a pin reaches the loop."""

from __future__ import annotations

import json
import runpy
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gradio_client import Client

from unmask.run.trace import parse_trace

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

EXAMPLE = Path(__file__).parents[2] / "examples" / "space_llada.py"
MASK, CELLS = 126336, 16
WORDS = "a red cat sat on the old mat and saw two men go by in rain".split()
CODE = """
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import MaskedLMOutput


class TinyConfig(PretrainedConfig):
    model_type = "tiny_llada"


class TinyModel(PreTrainedModel):
    config_class = TinyConfig

    def __init__(self, config):
        super().__init__(config)
        self.table = torch.nn.Embedding(64, 16)
        self.post_init()

    def forward(self, ids):
        places = torch.arange(ids.shape[1]) % 16
        logits = torch.full((*ids.shape, 126337), -9.0)
        logits[0, :, :16] = torch.nn.functional.one_hot(places, 16) * (3.0 + places[:, None] / 16)
        return MaskedLMOutput(logits=logits)
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llada")
    (folder / "tiny.py").write_text(CODE)
    auto = {"AutoConfig": "tiny.TinyConfig", "AutoModel": "tiny.TinyModel"}
    row = {"model_type": "tiny_llada", "architectures": ["TinyModel"], "auto_map": auto}
    (folder / "config.json").write_text(json.dumps(row))
    from safetensors.torch import save_file

    save_file({"table.weight": torch.zeros(64, 16)}, folder / "model.safetensors", {"format": "pt"})
    table = {word: token for token, word in enumerate(WORDS)} | {"[UNK]": len(WORDS)}
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(table, unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    template = "{% for one in messages %}{{ one.content }} {% endfor %}"
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", chat_template=template)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture
def space(checkpoint: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    monkeypatch.setenv("MODEL", str(checkpoint))
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    names = runpy.run_path(str(EXAMPLE))
    names["answer"].__globals__["LENGTH"] = CELLS  # over so many words a pass takes a while
    yield names


def test_the_space_answers_over_its_api(space: dict[str, Any]) -> None:
    demo = space["demo"]
    _, address, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        message = json.loads(Client(address, verbose=False).predict("the cat", api_name="/answer"))
    finally:
        demo.close(verbose=False)
    run = parse_trace(message["trace"]).first
    tokens = run.head.canvas.tokens.tolist()
    assert MASK not in tokens and tokens[2:] == [n % 16 for n in range(2, 2 + CELLS)]
    assert len(run.head.path()) == CELLS // 2 + 1, "two words a pass"


def test_a_pin_reaches_the_loop_of_its_visitor(space: dict[str, Any]) -> None:
    visitor, other = SimpleNamespace(session_hash="one"), SimpleNamespace(session_hash="two")
    runs, edited, calls = space["answer"]("the cat", visitor), threading.Event(), iter(range(99))

    def hold(*_: Any) -> None:
        if next(calls) > 1:  # the first passes go on
            assert edited.wait(60)

    space["model"].register_forward_pre_hook(hold)
    next(runs)
    space["pins"][other.session_hash] = {}
    space["edited"](SimpleNamespace(cell=9, token=7, word=" mat"), visitor)
    space["edited"](SimpleNamespace(cell=9, token=-1, word="rain"), other)
    edited.set()
    *_, last = runs
    assert last.timelines[0].head.canvas.tokens.tolist()[9] == 7
    assert space["pins"]["two"] == {9: WORDS.index("rain")}
