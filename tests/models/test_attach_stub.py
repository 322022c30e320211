"""A server with vLLM's stated rules, and every fault that it may have: each is a sentence, and the run can go on."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.models.test_attach import begin
from unmask.errors import InvalidRequest, ModelError
from unmask.inference.decode import decode
from unmask.inference.server_sampler import watch
from unmask.models import load
from unmask.models.attach import Attached
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.spec import RunSpec
from unmask.serve.api_error import ApiError
from unmask.serve.v1.parse import parse
from unmask.serve.v1.prediction import predicted_text
from unmask.serve.v1.request import Chat
from unmask.serve.v1.structure import Structure

# a stub with vLLM's stated rules, and faults


XARGS = {"seed_canvas", "pinned", "max_steps", "read_only", "canvas_length", "constrained"}
NOT_FOR_DIFFUSION = {"seed", "min_p", "min_tokens", "logit_bias", "bad_words", "allowed_token_ids"}
WORDS, WIDTH = 90, 32


def wrong_with(body: dict[str, Any], masked: bool) -> list[str]:
    """What vLLM refuses in a request, by its documents and its tests of parameters."""
    xargs: dict[str, Any] = {name.removeprefix("diffusion_"): value for name, value in body["vllm_xargs"].items()}
    seed, width, named = xargs.get("seed_canvas"), xargs.get("canvas_length", WIDTH), body.get("logprob_token_ids", [])
    rules = {
        "an empty prompt": not body["prompt"],
        "unknown fields": not xargs.keys() <= XARGS,
        "sampling parameters not yet supported with diffusion": bool(NOT_FOR_DIFFUSION & body.keys()),
        "temperature 0 for a masked canvas, 1 for noise": body["temperature"] == masked,
        "the canvas grows by 16 cells, up to 32": width % 16 > 0 or not 0 < width <= WIDTH,
        "seed of another width": seed is not None and len(seed) != width,
        "ids must be in [0, 90)": any(not 0 <= token < WORDS for token in [*(seed or ()), *body["prompt"], *named]),
        "pins need a seed": "pinned" in xargs and seed is None,
        "max_steps is a positive integer": type(xargs.get("max_steps", 1)) is not int or xargs.get("max_steps", 1) < 1,
        "read_only is a boolean": type(xargs.get("read_only", False)) is not bool,
        "at most 20 log probabilities": body["logprobs"] > 20,
        "at most 128 named tokens": len(named) > 128,
        "max_tokens beyond the canvas": masked and body["max_tokens"] > width,
    }
    return [why for why, broken in rules.items() if broken]


def distribution(cell: int) -> np.ndarray:
    """The log probabilities of a cell."""
    logits = -0.1 * ((7 * np.arange(WORDS) + 3 * cell) % WORDS)
    found: np.ndarray = logits - np.log(np.exp(logits).sum())
    return found


class Stub(BaseHTTPRequestHandler):
    """A canvas of 32 cells, in steps of 16; `fault` changes what it answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer goes out in one piece: two would wait for each other
    fault: Callable[[Any], Any] | None = None
    seen: ClassVar[list[dict[str, Any]]] = []
    masked, template = True, False

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        row = {"id": "nemotron", "object": "model", "owned_by": "vllm", "root": "nemotron", "max_model_len": 512}
        self.reply(200, {"object": "list", "data": [row]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tokenize":
            return self.tokenize(body)
        if self.path == "/detokenize":
            return self.reply(200, {"prompt": "".join(chr(97 + t % 26) for t in body["tokens"])})
        self.seen.append(body)
        if "vllm_xargs" in body and (wrong := wrong_with(body, Stub.masked)):
            return self.reply(400, {"error": {"message": ", ".join(wrong)}})
        if Stub.fault is not None:
            return Stub.fault(self)
        width = body.get("vllm_xargs", {}).get("diffusion_canvas_length", WIDTH)
        self.reply(200, self.answer(min(width, body["max_tokens"]), body.get("logprob_token_ids", [])))

    def tokenize(self, body: dict[str, Any]) -> None:
        """Letters are tokens; a prompt begins with 80, and the chat template puts 81 and 82 around a message."""
        if "messages" in body and not Stub.template:
            return self.reply(400, {"error": {"message": "no chat template"}})
        text = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        found = [ord(c) % 80 for c in text]
        begin = [80] if "messages" in body or body["add_special_tokens"] else []
        self.reply(200, {"tokens": [*begin, 81, *found, 82] if "messages" in body else [*begin, *found]})

    def answer(self, width: int, named: list[int]) -> dict[str, Any]:
        """The likeliest 20 of each cell, or in their place the named tokens and the likeliest one."""
        rows, tokens = [], []
        for cell in range(width):
            logprobs = distribution(cell)
            listed = [int(logprobs.argmax()), *named] if named else np.argsort(-logprobs, kind="stable")[:20].tolist()
            rows.append({f"token_id:{token}": float(logprobs[token]) for token in listed})
            tokens.append(f"token_id:{listed[0]}")
        logprobs = {"tokens": tokens, "top_logprobs": rows}
        return {"choices": [{"index": 0, "text": "", "logprobs": logprobs, "finish_reason": "length"}]}

    def reply(self, status: int, body: Any, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"content-length": str(len(raw))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture
def stub() -> Iterator[str]:
    Stub.fault, Stub.masked, Stub.template = None, True, False
    Stub.seen.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


def test_vllm_s_rules_are_kept(stub: str) -> None:
    denoiser = load(f"attach:{stub}?mask=89&words=90&end=5")
    state = begin(denoiser, "abc", 20, policy="confidence", passes=4)
    *_, (ended, _) = decode(denoiser, state)
    assert not ended.canvas.open.any()
    request = Stub.seen[-1]
    xargs = request["vllm_xargs"]
    assert len(xargs["diffusion_seed_canvas"]) == 32 and "diffusion_canvas_length" not in xargs  # the served width
    assert xargs["diffusion_seed_canvas"][20:] == [89] * 12  # cells behind the answer are open
    assert "diffusion_pinned" not in xargs
    with pytest.raises(ModelError, match=r"add \?words=N"):
        load(f"attach:{stub}?mask=89")


# The requests that vLLM's documents show, with the numbers of this stub: a masked canvas of 32 cells that is read
# (Nemotron Labs Diffusion, "Structured decision reads"), and a continuation of tokens on a canvas of 16 cells of noise
# (structured_diffusion/structured_server.py, one_read_continuation).
DOCUMENTED: dict[str, dict[str, Any]] = {
    "masked": {
        "model": "nemotron",
        "prompt": [80, 72, 101 % 80, 28, 28, 31],
        "max_tokens": 32,
        "temperature": 0,
        "logprobs": 20,
        "return_tokens_as_token_ids": True,
        "vllm_xargs": {
            "diffusion_read_only": True,
            "diffusion_seed_canvas": [89] * 32,
            "diffusion_max_steps": 1,
        },  # the example leaves the steps out
    },
    "noise": {
        "model": "nemotron",
        "prompt": [80, 7, 8],
        "max_tokens": 16,
        "temperature": 1,  # the default, which ours names
        "logprobs": 20,
        "logprob_token_ids": [3, 4],
        "return_tokens_as_token_ids": True,
        "vllm_xargs": {
            "diffusion_seed_canvas": [*range(10, 26)],
            "diffusion_canvas_length": 16,
            "diffusion_max_steps": 1,
            "diffusion_read_only": True,
            "diffusion_pinned": [2, 5],  # in the example only beyond one step
        },
    },
}


def test_requests_are_those_of_the_documents_field_by_field(stub: str) -> None:
    masked = load(f"attach:{stub}?mask=89&words=90")
    assert isinstance(masked, Attached)
    masked.try_out(32)
    assert Stub.seen[-1] == DOCUMENTED["masked"]
    Stub.masked = False
    noise = load(f"attach:{stub}?words=90")
    assert isinstance(noise, Attached)
    still_open = np.ones(16, bool)
    still_open[[2, 5]] = False
    noise.read([80, 7, 8], np.arange(10, 26), still_open, (3, 4))
    first, second = Stub.seen[-2:]
    assert first == DOCUMENTED["noise"]
    assert second == {name: value for name, value in first.items() if name != "logprob_token_ids"}
    for body, kind in ((DOCUMENTED["masked"], True), (DOCUMENTED["noise"], False)):
        assert not wrong_with(body, kind)
    assert wrong_with({**DOCUMENTED["noise"], "seed": 1}, False) == [
        "sampling parameters not yet supported with diffusion"
    ]


def test_named_tokens_come_beside_the_likeliest(stub: str) -> None:
    """vLLM sends the tokens that are named in place of the likeliest: both are asked for, and both are exact."""
    denoiser = load(f"attach:{stub}?mask=89&words=90")
    assert isinstance(denoiser, Attached)
    named = [int(np.argsort(distribution(0))[k]) for k in range(3)]  # the least likely
    table = denoiser.read([80], np.zeros(32, np.int64), np.ones(32, bool), named)
    for cell in (0, 9, 31):
        expected = distribution(cell)
        exact = [*named, *np.argsort(-expected, kind="stable")[:20]]
        np.testing.assert_allclose(table[cell][exact], expected[exact], atol=1e-5)


def test_a_prompt_is_a_message_where_the_server_has_a_chat_template(stub: str) -> None:
    plain = load(f"attach:{stub}?mask=89&words=90")
    assert not plain.card.chat and plain.tokenizer.encode_prompt("AB") == [80, 65, 66]
    assert plain.tokenizer.encode("AB") == [65, 66]
    Stub.template = True
    chat = load(f"attach:{stub}?mask=89&words=90")
    assert chat.card.chat and chat.tokenizer.encode_prompt("AB") == [80, 81, 65, 66, 82]
    assert Stub.seen[-1]["prompt"] == [80, 81, 72, 21, 28, 28, 31, 82]
    assert not load(f"attach:{stub}?mask=89&words=90&chat=0").card.chat


def test_the_twin_may_be_another_server(stub: str) -> None:
    """vLLM writes from left to right in a mode of its own (`ar_mode`), so that the twin is a second server."""
    same = load(f"attach:{stub}?mask=89&words=90").card.twin
    assert same == f"attach:{stub}?model=nemotron&mask=89&words=90&mode=ar"
    other = load(f"attach:{stub}?mask=89&words=90&twin=http://other:8001/v1").card.twin
    assert other == "attach:http://other:8001/v1?mask=89&words=90&mode=ar"
    twin = load(same)
    assert twin.card.causal and Stub.seen[-1] == {
        "model": "nemotron",
        "prompt": [80, 72, 21, 28, 28, 31],
        "logprobs": 20,
        "return_tokens_as_token_ids": True,
        "max_tokens": 1,
        "temperature": 0,
    }


def test_a_longer_answer_is_written_block_by_block(stub: str) -> None:
    """A canvas has at most the served width: what is decided goes in front of the next one, as a part of the prompt."""
    denoiser = load(f"attach:{stub}?mask=89&words=90&end=5")
    assert denoiser.card.canvas == 32
    Stub.seen.clear()
    state = begin(denoiser, "abc", 80, policy="confidence", passes=10)
    assert (state.settings.block, state.settings.sight) == (32, "block")
    states = [state, *(after for after, _ in decode(denoiser, state))]
    assert not states[-1].canvas.open.any()
    sent = [(len(one["prompt"]), len(one["vllm_xargs"]["diffusion_seed_canvas"])) for one in Stub.seen]
    assert sorted(set(sent)) == [(3, 32), (35, 32), (67, 16)] and sent == sorted(sent)
    tokens = states[-1].canvas.tokens.tolist()
    assert Stub.seen[-1]["prompt"] == tokens[:67]
    assert RunSpec("abc", length=80).settings(denoiser.card, 80).block == 32  # with any decoder
    assert RunSpec("abc", length=80, preset="dus").settings(denoiser.card, 80).sight == "block"
    pinned = apply(state, Pin((state.canvas.origin + 70,), (7,)), denoiser.card.words)
    assert [*decode(denoiser, pinned)][-1][0].canvas.tokens[73] == 7


def test_noise_is_pinned_where_it_is_decided(stub: str) -> None:
    with pytest.raises(ModelError, match="temperature 0"):  # the stub is masked, and mask= is missing
        load(f"attach:{stub}?words=90")
    Stub.masked = False
    denoiser = load(f"attach:{stub}?words=90")
    assert isinstance(denoiser, Attached) and denoiser.card.noise
    denoiser.read([1], np.arange(32), np.arange(32) > 3)
    xargs = Stub.seen[-1]["vllm_xargs"]
    assert xargs["diffusion_pinned"] == [0, 1, 2, 3] and xargs["diffusion_seed_canvas"] == [*range(32)]


def rows(change: Callable[[list[dict[str, float]]], Any]) -> Callable[[Any], None]:
    """A fault that changes the rows."""

    def fault(self: Any) -> None:
        answer = self.answer(32, [])
        logprobs = answer["choices"][0]["logprobs"]
        logprobs["top_logprobs"] = change(logprobs["top_logprobs"])
        self.reply(200, answer)

    return fault


def endless(self: Any) -> None:
    self.send_response(200)
    self.send_header("transfer-encoding", "chunked")
    self.end_headers()
    try:
        while True:
            self.wfile.write(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
    except OSError:
        return


def halved(self: Any) -> None:
    self.send_response(200)
    self.send_header("content-length", "100000")
    self.end_headers()
    self.wfile.write(b"{")
    self.close_connection = True


FAULTS: list[tuple[str, Callable[[Any], Any], str]] = [
    (
        "full",
        lambda self: self.reply(429, {"error": {"message": "later"}}, retry_after="0"),
        r"full or not ready \(429\)",
    ),
    ("starting", lambda self: self.reply(503, {}, retry_after="0"), r"full or not ready \(503\)"),
    ("error", lambda self: self.reply(500, {"error": "boom"}), r"refused \(500\): boom"),
    ("redirect", lambda self: self.reply(302, b"", location="http://169.254.169.254/"), "is not followed"),
    ("text", lambda self: self.reply(200, b"<html>"), "not JSON"),
    ("nothing", lambda self: self.reply(200, {"choices": []}), "no log probabilities"),
    ("fewer rows", rows(lambda found: found[:9]), "9 rows for a canvas of 20 cells"),
    ("NaN", rows(lambda found: [{"token_id:1": float("nan")} for _ in found]), "not JSON"),
    ("above 1", rows(lambda found: [{"token_id:1": 3.0} for _ in found]), "log probabilities that are none"),
    ("unknown token", rows(lambda found: [{"token_id:90": -1.0} for _ in found]), "does not have"),
    ("negative token", rows(lambda found: [{"token_id:-3": -1.0} for _ in found]), "does not have"),
    ("pieces", rows(lambda found: [{"hello": -1.0} for _ in found]), "no log probabilities"),
    ("empty row", rows(lambda found: [{} for _ in found]), "without tokens"),
    ("endless", endless, "more than 16 MB"),
    ("cut", halved, "cannot be reached"),
]


@pytest.mark.parametrize(("fault", "why"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_fault_is_a_sentence_and_the_run_goes_on(stub: str, fault: Callable[[Any], Any], why: str) -> None:
    denoiser = load(f"attach:{stub}?mask=89&words=90")
    run = decode(denoiser, begin(denoiser, "abc", 20, policy="confidence", passes=4))
    after, _ = next(run)
    Stub.fault = fault
    with pytest.raises(ModelError, match=why):
        next(run)
    Stub.fault = None
    *_, (ended, _) = decode(denoiser, after)
    assert not ended.canvas.open.any()


@pytest.mark.parametrize("address", ["attach:", "attach:host", "attach:ftp://h/v1", "attach:http://user:secret@h/v1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(InvalidRequest):
        load(address)


def test_a_key_is_sent_and_shown_nowhere(stub: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNMASK_ATTACH_KEY", "sk-secret")
    keys: list[str] = []
    Stub.fault = lambda self: (keys.append(self.headers["authorization"]), self.reply(200, self.answer(32, [])))
    denoiser = load(f"attach:{stub}?mask=89&words=90")
    assert keys[-1] == "Bearer sk-secret"
    assert "secret" not in repr(denoiser.card) + repr(vars(denoiser)) + denoiser.tokenizer.digest


@pytest.mark.parametrize("masked", [True, False])
def test_the_server_s_own_decoder_is_watched_without_a_seed_for_its_sampler(stub: str, masked: bool) -> None:
    """vLLM refuses `seed` for diffusion models: what makes the runs the same is the canvas that they begin with."""
    Stub.masked = masked
    denoiser = load(f"attach:{stub}?words=90" + "&mask=89" * masked)
    assert isinstance(denoiser, Attached)
    Stub.seen.clear()

    def eight_a_pass(self: Any) -> None:
        xargs = Stub.seen[-1]["vllm_xargs"]
        answer, decided = self.answer(32, []), 8 * xargs.get("diffusion_max_steps", 4)
        tokens = [i if i < decided else (i + decided) % 89 for i in range(32)]
        answer["choices"][0]["logprobs"]["tokens"] = [f"token_id:{token}" for token in tokens]
        self.reply(200, answer)

    Stub.fault = eight_a_pass
    timeline = watch(denoiser, "abc", 32, seed=4)
    frames = [node.frame for node in timeline.head.path()[1:]]
    assert [len(frame.cells) for frame in frames if frame] == [8, 8, 8, 8]
    assert timeline.head.canvas.tokens[-32:].tolist() == [*range(32)]
    canvases = {tuple(body["vllm_xargs"]["diffusion_seed_canvas"]) for body in Stub.seen}
    assert len(canvases) == 1 and (canvases == {(89,) * 32}) == masked
    assert not any(wrong_with(body, masked) for body in Stub.seen)


def test_a_server_that_repeats_nothing_cannot_be_watched(stub: str) -> None:
    denoiser = load(f"attach:{stub}?mask=89&words=90")
    assert isinstance(denoiser, Attached)
    turns = iter(range(1000))

    def other(self: Any) -> None:
        answer, turn = self.answer(32, []), next(turns)
        answer["choices"][0]["logprobs"]["tokens"] = [f"token_id:{(i + turn) % 89}" for i in range(32)]
        self.reply(200, answer)

    Stub.fault = other
    with pytest.raises(ModelError, match="does not repeat a run"):
        watch(denoiser, "abc", 32)


def test_a_model_on_another_server_refuses_a_prediction(stub: str) -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "A"}],
        "prediction": {"type": "content", "content": "A B"},
    }
    for mode in ("", "&mode=ar"):
        denoiser = load(f"attach:{stub}?mask=89&words=90{mode}")
        with pytest.raises(ApiError, match="this model is on another machine") as refused:
            predicted_text(denoiser, parse(Chat, body), 1, Structure())
        assert (refused.value.status, refused.value.param) == (400, "prediction")
