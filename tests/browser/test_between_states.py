"""Nothing is lost between two states of the stage: what comes while something else is still on its way."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, finished, moment, pace, pinned, run, side, stop_at, words
from tests.browser.visit import Visitor
from unmask.models.toy import Toy
from unmask.serve.runtime import Runtime

# messages of the server wait until `release`; they come in their order then
HOLD = """() => {
  const { socket } = unmask.connection;
  const held = [];
  const take = socket.onmessage;
  socket.onmessage = (event) => void held.push(event);
  globalThis.release = () => { socket.onmessage = take; for (const event of held) take(event); };
}"""


def ask(page: Page, prompt: str) -> None:
    """Write a prompt, and press Run."""
    page.locator("#prompt textarea").fill(prompt)
    page.get_by_role("button", name="Run", exact=True).click()


def connected(page: Page) -> None:
    """The recording stands still, and the line to the server is open."""
    stop_at(page, 4)
    pace(page, "as it comes")
    page.evaluate("unmask.connection.open()")
    page.wait_for_function("unmask.connection.socket?.readyState === 1")


def expect_open(runtime: Runtime, model: str) -> None:
    """Wait until the server has opened a model."""
    until = time.monotonic() + 60
    while model not in runtime.loader.loaded:
        assert time.monotonic() < until, f"{model} was not opened"
        time.sleep(0.05)


def run_works(page: Page, prompt: str = "2 7 1") -> None:
    ask(page, prompt)
    page.wait_for_function("(prompt) => unmask.sides[0].head.prompt === prompt", arg=prompt)
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)


def test_a_run_goes_on_being_opened_while_another_prompt_is_declined(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for ever: the run that was being opened was taken for one that nobody wanted any more."""
    monkeypatch.setattr("unmask.inference.ood.ood_thresholds", lambda: {Toy().card.weights: {"limit": 0.01}})
    connected(page)
    page.evaluate(HOLD)
    page.evaluate("() => void unmask.run({ prompt: '3 4 5' }, true)")
    ask(page, "7 7 7 7 1")
    page.evaluate("release()")
    expect(page.locator(".outside")).to_contain_text("7 7 7 7 1")
    page.wait_for_function("unmask.sides[0].head.prompt === '3 4 5'")
    finished(page)


def test_a_request_that_is_lost_with_the_connection_is_sent_again(page: Page) -> None:
    connected(page)
    page.evaluate("unmask.connection.socket.send = () => {}")  # as in the last moment of a line
    page.evaluate("() => void unmask.run({ prompt: '3 4 5' }, true)")
    page.evaluate("unmask.connection.socket.close()")
    page.wait_for_function("unmask.sides[0].head.prompt === '3 4 5'")
    finished(page)


def test_a_recording_whose_taking_over_is_lost_with_the_connection_is_taken_over(page: Page) -> None:
    connected(page)
    page.evaluate(HOLD)  # what the server answers is lost
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 30, text: '7' })")
    page.evaluate("unmask.connection.socket.close()")
    pinned(cell(page, 30))
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)


def test_a_pause_while_a_recording_is_taken_over_leaves_the_recording(page: Page) -> None:
    """The stage stayed in between: the recording was gone, and no run came."""
    connected(page)
    before = words(page)
    page.evaluate(HOLD)
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 30, text: '7' })")
    page.evaluate("unmask.player.pause()")
    expect(page.locator(".say .status")).to_have_text("The recording stays as it was.")
    page.evaluate("release()")
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.locator("unmask-stage")).not_to_have_attribute("data-run", "going")
    assert words(page) == before
    assert page.evaluate("unmask.undo.past.length") == 0
    run_works(page)


def test_a_new_run_during_an_undo_is_not_held_up_by_it(page: Page) -> None:
    """No edit of the new run was spoken of: the stage was still waiting for the undo."""
    run(page)
    finished(page)
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 30, text: '7' })")
    pinned(cell(page, 30))
    page.evaluate(HOLD)
    page.evaluate("unmask.undo.back()")
    page.evaluate("() => void unmask.run({ prompt: '3 4 5' }, true)")
    page.evaluate("release()")
    page.wait_for_function("unmask.sides[0].head.prompt === '3 4 5'")
    finished(page)
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 40, text: '5' })")
    expect(page.locator(".say .status")).to_contain_text("Pinned “5” in cell 40.")


def test_an_edit_during_an_undo_is_made(page: Page) -> None:
    run(page)
    finished(page)
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 30, text: '7' })")
    pinned(cell(page, 30))
    page.evaluate(HOLD)
    page.evaluate("unmask.undo.back()")
    page.evaluate("unmask.steering.edit(0, { do: 'pin', at: 40, text: '5' })")
    page.evaluate("release()")
    pinned(cell(page, 40))
    page.wait_for_function("unmask.sides[0].moments.at(-1).kinds[30] !== 2")  # PINNED: that was undone
    run_works(page)


def test_two_presses_at_once_are_one_run(page: Page) -> None:
    connected(page)
    page.locator("#prompt textarea").fill("2 7 1")
    page.get_by_role("button", name="Run", exact=True).dblclick()
    page.wait_for_function("unmask.sides[0].head.prompt === '2 7 1'")
    finished(page)
    page.wait_for_function("!unmask.going && !unmask.next")


def test_a_refused_run_leaves_the_recording_that_plays(visitor: Visitor) -> None:
    page = visitor.open()
    page.wait_for_function("unmask.player.head.playing")
    page.evaluate("() => void unmask.run({ prompt: 'Sort: b a' }, true)")
    expect(page.locator(".say .status.refused")).to_contain_text("This model has no tokenizer")
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.locator("unmask-stage")).not_to_have_attribute("data-run", "going")
    assert moment(page) >= 0
    pace(page, "as it comes")
    run_works(page)


def test_a_page_that_is_loaded_again_while_a_run_is_opened_begins_anew(page: Page) -> None:
    connected(page)
    page.evaluate(HOLD)
    page.evaluate("() => void unmask.run({ prompt: '3 4 5' }, true)")
    page.reload()
    expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
    pace(page, "as it comes")
    run_works(page)


def test_a_model_that_another_visitor_closes_is_opened_again_by_run(page: Page, runtime: Runtime) -> None:
    connected(page)
    shelf = page.evaluate("new URL('shelf', document.baseURI).href")
    page.request.post(shelf, data={"model": "twin", "do": "open"})
    page.evaluate("unmask.setModels(['twin'])")
    expect_open(runtime, "twin")
    assert page.request.post(shelf, data={"model": "twin", "do": "close"}).ok
    assert "twin" not in runtime.loader.loaded
    page.evaluate("() => void unmask.run({ prompt: 'Story: Tom had a red hat.', length: 24 }, true)")
    page.wait_for_function("unmask.sides[0].head.prompt?.startsWith('Story') && unmask.sides[0].done", timeout=60_000)
