"""A model that a server runs: its beliefs and runs are those of the local model, and every fault is a sentence."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.serve.process import Server, started
from unmask.__main__ import main
from unmask.canvas import blank
from unmask.errors import InvalidRequest, ModelError
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.models.remote.server import Server as ServerAddress
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.spec import RunSpec
from unmask.run.state import State, start
from unmask.run.trace import Seal
from unmask.run.trace import load as load_trace

PROMPTS = ("Story: Lily had a red kite.", "Story: Ben found a key.", "Sort: 52 17 90 36\n")
DECODERS: list[dict[str, Any]] = [
    {"policy": "confidence", "passes": 8},
    {"policy": "threshold", "options": {"tau": 0.9}},
    {"policy": "margin", "passes": 8},
    {"policy": "confidence", "passes": 8, "block": 16},
    {"policy": "left_to_right"},
]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = started(
        tmp_path_factory.mktemp("door") / "log", "--model", "denoiser", "--model", "twin", "--model", "toy"
    )
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def attached(door: Server) -> Denoiser:
    return load(f"attach:{door.url}/v1")


@pytest.fixture(scope="module")
def local() -> Denoiser:
    return load("denoiser")


def begin(denoiser: Denoiser, prompt: str, cells: int = 40, **changes: Any) -> State:
    settings = RunSpec(changes=changes).settings(denoiser.card, cells)
    return start(blank([denoiser.tokenizer.encode(prompt), cells]), settings)


def test_the_card_says_what_the_server_has(attached: Denoiser, local: Denoiser, door: Server) -> None:
    card = attached.card
    assert card.words == local.card.words and card.ends == local.card.ends and card.never == local.card.never
    assert card.longest == local.card.longest and str(door.port) in card.name
    assert card.preset["preset"] == "fast-dllm"  # its own decoder proofreads with a second model


def test_text_goes_through_the_server_s_tokenizer(attached: Denoiser, local: Denoiser) -> None:
    for prompt in PROMPTS:
        tokens = attached.tokenizer.encode(prompt)
        assert tokens == local.tokenizer.encode(prompt)
        assert attached.tokenizer.decode(tokens) == local.tokenizer.decode(tokens)
        assert attached.tokenizer.piece(tokens[3]) == local.tokenizer.piece(tokens[3])


def test_the_space_before_a_word_survives_a_server_that_drops_it_at_the_start_of_a_text(door: Server) -> None:
    """The toy's text of one token has no space, so all words were one, and a word of one's own replaced them all."""
    there, here = (load(name).tokenizer for name in (f"attach:{door.url}/v1?model=toy", "toy"))
    assert [there.piece(token) for token in range(49)] == [here.piece(token) for token in range(49)]
    assert there.piece(7) == " 7"


def test_beliefs_of_the_likeliest_tokens_are_exact(attached: Denoiser, local: Denoiser) -> None:
    for prompt in PROMPTS:
        there, here = (
            infer(d, [begin(d, prompt, policy="confidence", candidates=20)], [True])[0] for d in (attached, local)
        )
        cells = here.top_probs[:, 0] > 0
        np.testing.assert_array_equal(there.top_ids[cells, 0], here.top_ids[cells, 0])
        by_id = [dict(zip(i, p, strict=True)) for i, p in zip(there.top_ids, there.top_probs, strict=True)]
        for cell in np.flatnonzero(cells):
            for token, probability in zip(here.top_ids[cell], here.top_probs[cell], strict=True):
                assert by_id[cell].get(token, probability) == pytest.approx(probability, abs=1e-5)


@pytest.mark.parametrize("changes", DECODERS, ids=lambda c: "-".join(map(str, c.values())))
def test_runs_are_those_of_the_local_model(attached: Denoiser, local: Denoiser, changes: dict[str, Any]) -> None:
    for prompt in PROMPTS:
        one, other = ([*decode(d, begin(d, prompt, **changes))] for d in (attached, local))
        assert len(one) == len(other)
        np.testing.assert_array_equal(one[-1][0].canvas.tokens, other[-1][0].canvas.tokens)


def test_a_pin_and_a_ban_are_followed_as_by_the_local_model(attached: Denoiser, local: Denoiser) -> None:
    word = local.tokenizer.encode(" blue")[0]
    ends = []
    for denoiser in (attached, local):
        state = begin(denoiser, PROMPTS[0], policy="threshold", bans=(int(local.tokenizer.encode(" red")[0]),))
        state = apply(state, Pin((state.canvas.origin + 9,), (word,)), denoiser.card.words)
        ends.append([*decode(denoiser, state)][-1][0].canvas.tokens)
    np.testing.assert_array_equal(*ends)


RULES: list[dict[str, Any]] = [
    {"kind": "regex", "pattern": "( (red|blue|green))+[.]"},
    {"kind": "contains", "text": "umbrella"},
    {"kind": "choice", "options": [" yes", " no", " maybe"]},
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["kind"])
def test_a_rule_is_kept_through_the_tokens_it_names(attached: Denoiser, local: Denoiser, rule: dict[str, Any]) -> None:
    """What a rule leaves is seldom among the likeliest: the server is asked for those tokens by name."""
    ends = []
    for denoiser in (attached, local):
        state = begin(denoiser, PROMPTS[0], 12, policy="confidence", passes=6, constraint=rule)
        ends.append([*decode(denoiser, state)][-1][0].canvas)
    if rule["kind"] != "contains":  # which leaves thousands of words to a cell: more than can be named
        np.testing.assert_array_equal(*(canvas.tokens for canvas in ends))
    answer = ends[0].tokens[ends[0].origin :].tolist()
    text = local.tokenizer.decode(answer[: next((i for i, t in enumerate(answer) if t in local.card.ends), None)])
    kept = {"regex": r" ?( (red|blue|green))+\.", "contains": ".*umbrella.*", "choice": " (yes|no|maybe)"}
    assert re.fullmatch(kept[rule["kind"]], text, re.DOTALL), text


def test_another_model_is_named_and_a_causal_one_refused(door: Server) -> None:
    toy = load(f"attach:{door.url}/v1?model=toy")
    assert toy.card.words == 50
    with pytest.raises(ModelError, match="from left to right"):
        load(f"attach:{door.url}/v1?model=twin")
    with pytest.raises(ModelError, match="no model 'missing'; there are"):
        load(f"attach:{door.url}/v1?model=missing")


def test_a_model_that_writes_in_order_is_the_local_one(door: Server) -> None:
    there, here = load(f"attach:{door.url}/v1?model=twin&mode=ar"), load("twin")
    assert there.card.causal and there.card.preset["preset"] == "autoregressive"
    for prompt in PROMPTS[:2]:
        one, other = ([*decode(d, begin(d, prompt, cells=12, policy="left_to_right"))] for d in (there, here))
        np.testing.assert_array_equal(one[-1][0].canvas.tokens, other[-1][0].canvas.tokens)


def test_texts_of_tokens_are_fetched_together(door: Server, local: Denoiser, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = load(f"attach:{door.url}/v1")
    paths: list[str] = []
    post = ServerAddress.post

    def counted(self: ServerAddress, path: str, body: Any) -> Any:
        paths.append(path)
        return post(self, path, body)

    monkeypatch.setattr(ServerAddress, "post", counted)
    state = begin(fresh, PROMPTS[0], policy="confidence", candidates=20)
    belief = infer(fresh, [state], [True])[0]
    assert paths.count("/detokenize") <= 4
    paths.clear()
    ids = [int(token) for token in np.unique(belief.top_ids[belief.top_probs[:, 0] > 0])]
    ids = [token for token in ids if token not in local.card.ends]  # a server leaves special tokens out
    assert [fresh.tokenizer.piece(token) for token in ids] == [local.tokenizer.piece(token) for token in ids]
    assert not paths


def test_the_command_says_what_works(door: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attach", f"{door.url}/v1?model=denoiser"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "works: a masked (token 1) canvas of 128 cells, 4,581 tokens, the 20 likeliest" in lines[0]
    assert lines[1] == "The same canvas gives the same belief."
    assert main(["attach", f"{door.url}/v1?model=twin"]) != 0
    assert "from left to right" in capsys.readouterr().err


def test_the_terminal_decodes_as_with_the_local_model(door: Server, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for model in (f"attach:{door.url}/v1", "denoiser"):
        assert main(["decode", PROMPTS[0], "--model", model, "--preset", "fast-dllm", "--length", "48"]) == 0
        texts.append(capsys.readouterr().out)
    assert (
        texts[0].splitlines()[-2:] == texts[1].splitlines()[-2:] or texts[0].split("\n")[0] == texts[1].split("\n")[0]
    )


def test_a_decoder_that_needs_more_than_a_canvas_is_refused_in_a_sentence(attached: Denoiser) -> None:
    for policy, why in (("revoke", "hides one word at a time"), ("proofread", "also decodes from left to right")):
        with pytest.raises(InvalidRequest, match=why):
            [*decode(attached, begin(attached, PROMPTS[0], policy=policy, passes=8))]


def test_a_server_that_restarts_is_found_again(tmp_path: Path) -> None:
    first = started(tmp_path / "one", "--model", "toy")
    toy = load(f"attach:{first.url}/v1")
    state = begin(toy, "3 1 4", 24, policy="confidence", passes=8)
    run = decode(toy, state)
    after, _ = next(run)
    port = first.port
    first.stop(signal.SIGKILL)
    with pytest.raises(ModelError, match=f"127.0.0.1:{port} cannot be reached"):
        next(run)
    again = started(tmp_path / "two", "--model", "toy", port=port)
    try:
        ended = [*decode(toy, after)][-1][0]  # from the last pass on
        assert not ended.canvas.open.any()
        np.testing.assert_array_equal(ended.canvas.tokens, [*decode(toy, state)][-1][0].canvas.tokens)
    finally:
        again.stop()


# the server's own decoder


def test_the_server_s_own_decoder_is_recorded(door: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same run, asked for after one pass, after two, …: as our own decoder of the same model would write it."""
    path = tmp_path / "own.trace.jsonl"
    command = ["attach", f"{door.url}/v1?model=toy", "--watch", "3 1 4", "--length", "16", "--trace", str(path)]
    assert main(command) == 0
    assert "passes of its own decoder" in capsys.readouterr().out
    recorded = load_trace(path)
    assert recorded.seal is Seal.WHOLE
    timeline, toy = recorded.first, load("toy")
    state = RunSpec("3 1 4", length=16).start(toy.card, toy.tokenizer)
    run = [*decode(toy, state)]
    np.testing.assert_array_equal(timeline.head.canvas.tokens, run[-1][0].canvas.tokens)
    nodes = timeline.head.path()[1:]
    assert 1 < len(nodes) <= len(run) and nodes[-1].frame is not None and nodes[-1].frame.done
    first = nodes[0].frame
    assert first is not None and sum(len(node.frame.cells) for node in nodes if node.frame) == 16
    belief = infer(toy, [state], [True])[0]
    np.testing.assert_array_equal(first.guess[state.canvas.origin :], belief.top_ids[state.canvas.origin :, 0])
    assert "no longer changed" in timeline.about["model"]["note"]
