"""A stage in a small Gradio app: a host's loop plays live, a pin reaches it, and a page loaded again shows it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
import pytest
from gradio_client import Client
from playwright.sync_api import Browser, FrameLocator, Page, expect

import unmask
from unmask.gradio import Stage, follow
from unmask.run.trace import Trace, parse_trace

MASK, LENGTH = 30, 12
WORDS = dict(enumerate("the cat sat on a red mat and saw two old men go by in rain with their hats on".split()))


class Words:
    """A tokenizer of whole words."""

    def decode(self, ids: list[int]) -> str:
        return "".join(f" {WORDS.get(token, f'w{token}')}" for token in ids)


class Host:
    """An app's own model and loop: a pass waits until the test lets it go on."""

    def __init__(self) -> None:
        self.go, self.pins, self.edits = threading.Semaphore(0), dict[int, int](), list[Any]()
        self.ends: list[Any] = []
        self.given: Trace | None = None

    def __call__(self, ids: Any) -> Any:
        scores = np.zeros((1, LENGTH, MASK + 1), np.float32)
        cells = np.arange(LENGTH)
        scores[0, cells, cells] = 4
        scores[0, cells, cells + 3] = 3
        return scores

    def answer(self) -> Iterator[Any]:
        ids = np.full((1, LENGTH), MASK)
        ids[0, 0] = 0
        with unmask.record(self, Words(), mask=MASK) as run:
            for cell in range(1, LENGTH):
                yield run
                assert self.go.acquire(timeout=60)
                best = run.model(ids)[0].argmax(-1)
                ids[0, cell] = best[cell]
                for place, token in self.pins.items():
                    ids[0, place] = token
        yield run

    def edited(self, edit: gr.EventData) -> str:
        self.edits.append(dict(edit._data))
        self.pins[edit.cell] = edit.token
        return f"{edit.kind} {edit.cell} {edit.word.strip()}"

    def app(self) -> gr.Blocks:
        with gr.Blocks() as demo:
            button, answered, ask = gr.Button("Decode"), gr.Textbox(label="Said"), gr.Button("Ask")
            stage = Stage()
            Stage()
            button.click(self.answer, None, stage, api_name="answer")
            stage.edit(self.edited, None, answered)
            stage.end(lambda: self.ends.append(True))
            ask.click(lambda run: setattr(self, "given", run), stage, None)
        return demo


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def at(host: Host) -> Iterator[str]:
    demo = host.app()
    _, address, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    yield address
    demo.close(verbose=False)


def stage_of(page: Page, number: int = 0) -> FrameLocator:
    return page.frame_locator("iframe").nth(number)


def words(stage: FrameLocator) -> Any:
    return stage.locator(".side[data-side='0'] [data-cell]")


@pytest.fixture
def opened(chromium: Browser, at: str) -> Iterator[Callable[..., Page]]:
    wrong: list[str] = []
    contexts = []

    def visit(**options: Any) -> Page:
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(at)
        expect(stage_of(page).locator("unmask-stage")).to_have_attribute("data-ready", "yes", timeout=60_000)
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not wrong


def test_a_host_s_loop_plays_live_and_follows_a_pin(opened: Callable[..., Page], host: Host, at: str) -> None:
    page = opened()
    page.get_by_role("button", name="Decode", exact=True).click()
    stage = stage_of(page)
    host.go.release(3)
    expect(words(stage).nth(2)).to_have_text("sat", timeout=60_000)
    expect(stage.locator("unmask-stage")).to_have_attribute("data-following", "true")
    assert words(stage_of(page, 1)).count() == 0, "the other stage of the page has its own runs"
    words(stage).nth(2).click()
    stage.locator(".slip").get_by_role("button", name="red", exact=False).first.click()
    expect(page.get_by_label("Said")).to_have_value("pin 2 red", timeout=60_000)
    (edit,) = host.edits
    assert (edit["cell"], edit["token"], edit["kind"], edit["was"].strip()) == (2, 5, "pin", "sat")
    host.go.release(LENGTH)
    expect(words(stage).nth(LENGTH - 1)).to_have_text(WORDS[LENGTH - 1], timeout=60_000)
    expect(words(stage).nth(2)).to_have_text("red")
    expect(stage.locator("unmask-stage")).to_have_attribute("data-state", "finished", timeout=60_000)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.reload()
    expect(words(stage).nth(2)).to_have_text("red", timeout=60_000)
    assert host.given is not None and host.given.first.head.canvas.tokens.tolist()[2] == 5


def test_a_client_gets_the_run_whole(host: Host, at: str) -> None:
    host.go.release(LENGTH)
    message = json.loads(Client(at, verbose=False).predict(api_name="/answer"))
    run = parse_trace(message["trace"]).first
    assert run.head.at == LENGTH - 1 and run.head.canvas.tokens.tolist() == list(range(LENGTH))


def test_two_visitors_see_their_own_runs(opened: Callable[..., Page], host: Host) -> None:
    first, second = opened(), opened()
    host.go.release(LENGTH)
    first.get_by_role("button", name="Decode", exact=True).click()
    expect(words(stage_of(first)).nth(LENGTH - 1)).to_have_text(WORDS[LENGTH - 1], timeout=60_000)
    assert words(stage_of(second)).count() == 0


def test_a_function_that_decodes_is_followed_pass_by_pass() -> None:
    host, ids = Host(), np.full((1, LENGTH), MASK)
    ids[0, 0] = 0

    def generate(steps: int) -> Any:
        for cell in range(1, steps):
            ids[0, cell] = host(ids)[0, cell].argmax()
        return ids

    def decode() -> Iterator[int]:
        with unmask.record(host, Words(), mask=MASK) as run:
            out = yield from (len(one.passes) for one in follow(run, generate, LENGTH))
        assert out is None
        yield len(run.passes)

    seen = list(decode())
    assert seen[-1] == LENGTH - 1 and seen == sorted(seen)


def test_an_error_of_the_function_is_the_host_s_own() -> None:
    with unmask.record(Host(), Words(), mask=MASK) as run, pytest.raises(ZeroDivisionError):
        list(follow(run, lambda: 1 / 0))


def test_no_file_is_written_beside_the_source() -> None:
    import unmask.gradio as module

    assert not Path(module.__file__).with_suffix(".pyi").exists()


def test_the_api_says_what_a_stage_takes_and_gives() -> None:
    assert "trace" in Stage().api_info()["description"]
