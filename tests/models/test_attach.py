"""A model that a server runs: its beliefs and runs are those of the local model, and every fault is a sentence."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.serve.process import Server, started
from unmask.__main__ import main
from unmask.canvas import blank
from unmask.errors import InvalidRequest, ModelError
from unmask.inference import infer
from unmask.inference.decode import decode
from unmask.models import Denoiser, load
from unmask.models.attach import Attached
from unmask.models.attach import Server as ServerAddress
from unmask.run.command import Pin
from unmask.run.edit import apply
from unmask.run.spec import RunSpec
from unmask.run.state import State, start

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
    with pytest.raises(ModelError, match="choose a decoder that needs nothing else"):
        [*decode(attached, begin(attached, PROMPTS[0], policy="revoke", passes=8))]


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


# a stub with vLLM's stated rules, and faults


class Stub(BaseHTTPRequestHandler):
    """A masked canvas of 32 cells, in steps of 16; `fault` changes what it answers."""

    protocol_version = "HTTP/1.1"
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
    ("NaN", rows(lambda found: [{"token_id:1": float("nan")} for _ in found]), "log probabilities that are none"),
    ("above 1", rows(lambda found: [{"token_id:1": 3.0} for _ in found]), "log probabilities that are none"),
    ("unknown token", rows(lambda found: [{"token_id:90": -1.0} for _ in found]), "does not have"),
    ("negative token", rows(lambda found: [{"token_id:-3": -1.0} for _ in found]), "does not have"),
    ("pieces", rows(lambda found: [{"hello": -1.0} for _ in found]), "no log probabilities"),
    ("empty row", rows(lambda found: [{} for _ in found]), "does not have"),
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
