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

# a stub with vLLM's stated rules, and faults


class Stub(BaseHTTPRequestHandler):
    """A masked canvas of 32 cells, in steps of 16; `fault` changes what it answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer goes out in one piece: two would wait for each other
    fault: Callable[[Any], Any] | None = None
    seen: ClassVar[list[dict[str, Any]]] = []
    masked = True

    def log_message(self, *_: Any) -> None:
        return

    def do_GET(self) -> None:
        self.reply(200, {"object": "list", "data": [{"id": "nemotron", "max_model_len": 512}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/tokenize":
            return self.reply(200, {"tokens": [ord(c) % 90 for c in body["prompt"]]})
        if self.path == "/detokenize":
            return self.reply(200, {"prompt": "".join(chr(97 + t % 26) for t in body["tokens"])})
        self.seen.append(body)
        xargs = body["vllm_xargs"]
        seed, width = xargs.get("diffusion_seed_canvas"), xargs.get("diffusion_canvas_length", 32)
        wrong = [
            "the canvas grows by 16 cells" if width % 16 else "",
            "seed of another width" if seed is not None and len(seed) != width else "",
            "pins need a seed" if xargs.get("diffusion_pinned") and seed is None else "",
            "the canvas has 32 cells" if width > 32 else "",
            "at most 20 log probabilities" if body["logprobs"] > 20 else "",
            "temperature 0 for a masked canvas, 1 for noise" if body["temperature"] == Stub.masked else "",
        ]
        if any(wrong):
            return self.reply(400, {"error": {"message": ", ".join(filter(None, wrong))}})
        if Stub.fault is not None:
            return Stub.fault(self)
        self.reply(200, self.answer(width, seed))

    def answer(self, width: int, seed: list[int]) -> dict[str, Any]:
        rows = [{f"token_id:{(7 * i + k) % 90}": float(np.log(0.5 / 2**k)) for k in range(5)} for i in range(width)]
        return {"choices": [{"index": 0, "text": "", "logprobs": {"top_logprobs": rows}, "finish_reason": "length"}]}

    def reply(self, status: int, body: Any, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"content-length": str(len(raw))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture
def stub() -> Iterator[str]:
    Stub.fault, Stub.seen, Stub.masked = None, [], True
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
    assert request["prompt"] == [97 % 90, 98 % 90, 99 % 90] and request["return_tokens_as_token_ids"]
    xargs = request["vllm_xargs"]
    assert len(xargs["diffusion_seed_canvas"]) == 32 and "diffusion_canvas_length" not in xargs  # the served width
    assert xargs["diffusion_seed_canvas"][20:] == [89] * 12  # cells behind the answer are open
    assert "diffusion_pinned" not in xargs
    with pytest.raises(ModelError, match=r"add \?words=N"):
        load(f"attach:{stub}?mask=89")


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
