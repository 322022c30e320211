"""What one can ask: the model in one breath, prompts it does not know, shapes with blanks to type over."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import another, finished, pace, run, side, stop_at
from tests.browser.visit import PROMPT
from unmask.models.toy import Toy

NOTE = ".outside"


@pytest.fixture
def strict_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing that the toy reads were of its kind."""
    monkeypatch.setattr("unmask.inference.ood.ood_thresholds", lambda: {Toy().card.weights: {"limit": 0.01}})


def test_the_model_is_described_under_the_prompt_and_what_is_empty_is_explained(page: Page) -> None:
    line = page.locator("unmask-ask .about")
    expect(line).to_contain_text(re.compile("A model of|was not trained|made by others"))
    field = page.locator("#prompt textarea")
    field.fill("")
    expect(line).to_contain_text("No prompt yet: with none, the model writes something at random")
    field.fill("3 ___ 5")
    expect(line).to_contain_text("Only the blank will be written: 3 tokens")
    field.fill(PROMPT)
    expect(line).not_to_contain_text("blank will be")


def test_a_prompt_of_another_kind_is_answered_before_the_run(page: Page, strict_limit: None) -> None:
    stop_at(page, 2)
    pace(page, "as it comes")
    page.locator("#prompt textarea").fill("7 7 7 7 1")
    page.get_by_role("button", name="Run", exact=True).click()
    note = page.locator(NOTE)
    expect(note).to_contain_text("“7 7 7 7 1” is nothing this small model was trained on")
    expect(note).to_contain_text("Or with the pair of this page")  # a model of the Hub may answer it
    expect(note.locator(".near .kind")).to_have_count(0)
    expect(side(page)).to_have_attribute("data-source", "replay")  # nothing ran, and what stood stays
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(page.locator(".say .status")).to_have_text("These texts belong to the prompt before. Press Run for yours.")
    page.get_by_role("button", name="Run", exact=True).click()
    note.get_by_role("button", name="Run it anyway").click()
    expect(side(page)).to_have_attribute("data-source", "live")
    expect(note).to_be_hidden()
    finished(page)


def test_a_first_sentence_becomes_a_story_in_one_press(page: Page) -> None:
    stop_at(page, 2)
    pace(page, "as it comes")
    page.evaluate("unmask.setModels(['denoiser', 'twin'])")  # the shipped pair, with its own limit
    page.locator("#prompt textarea").fill("A fox and a rabbit share a boat.")
    page.get_by_role("button", name="Run", exact=True).click()
    note = page.locator(NOTE)
    expect(note).to_contain_text("Or with the pair of this page:", timeout=60_000)
    offer = note.locator(".near .kind")
    expect(offer).to_have_text("Story: One day Fox and Rabbit were playing with a red boat at the park.")
    offer.click()
    expect(page.locator("#prompt textarea")).to_have_value(
        "Story: One day Fox and Rabbit were playing with a red boat at the park."
    )
    expect(note).to_be_hidden()
    page.wait_for_function("unmask.sides[0].head.prompt?.startsWith('Story: One day Fox and Rabbit')", timeout=60_000)


def test_a_text_that_makes_little_sense_is_told_while_it_is_written(page: Page) -> None:
    """ "A string took it… A Noenenenen laughed" stood in large letters after 109 looks, without a remark."""
    stop_at(page, 2)
    pace(page, "as it comes")
    page.evaluate("unmask.setModels(['denoiser', 'twin'])")
    page.locator("#prompt textarea").fill("Story: A dragon lost his hat.")
    remark = page.locator(".say .status")
    remark.evaluate(
        """(node) => new MutationObserver(() => {
            if (node.textContent.includes('little sense'))
                globalThis.stoppable ??= unmask.sides.some((side) => !side.done);
        }).observe(node, {childList: true, characterData: true, subtree: true})"""
    )
    page.get_by_role("button", name="Run", exact=True).click()
    expect(remark).to_have_text("This text makes little sense: the model is guessing.", timeout=60_000)
    assert page.evaluate("globalThis.stoppable"), "it was told when nothing could be stopped any more"
    page.locator(".say .offer").click()
    expect(page.locator("#prompt textarea")).to_have_value("Story: Tom had a red hat.")
    expect(remark).not_to_contain_text("little sense")


def test_run_is_one_message_and_an_unfamiliar_prompt_leaves_what_runs(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace(page, "as it comes")
    page.evaluate(
        """() => { window.sent = []; const send = unmask.connection.send.bind(unmask.connection);
            unmask.connection.send = (message) => { sent.push(message); send(message); } }"""
    )
    field, button = page.locator("#prompt textarea"), page.get_by_role("button", name="Run", exact=True)
    field.fill("1 2 3 4")
    button.click()
    finished(page)
    sent = (
        "sent.filter((one) => ['open', 'familiar'].includes(one.do) && !one.id.startsWith('warm')).map((one) => one.do)"
    )
    assert page.evaluate(sent) == ["open"]  # besides the one that opens the models while the recording plays
    before = page.evaluate("unmask.sides.map((side) => side.session)")
    monkeypatch.setattr("unmask.inference.ood.ood_thresholds", lambda: {Toy().card.weights: {"limit": 0.01}})
    field.fill("7 7 7 7 1")
    button.click()
    expect(page.locator(NOTE)).to_contain_text("7 7 7 7 1")
    assert page.evaluate("unmask.live.map((side) => side.session)") == before  # and they can still be steered


def test_what_the_recording_says_needs_no_looking_at(page: Page, strict_limit: None) -> None:
    run(page)
    finished(page)
    expect(page.locator(NOTE)).to_be_hidden()


def test_a_shape_is_typed_over_and_becomes_the_prompt(page: Page) -> None:
    another(page)
    page.get_by_role("button", name="What can I ask?").click()
    row = page.locator('form.shape[aria-label="Sort"]')
    row.get_by_role("textbox").fill("3 1 2")
    row.get_by_role("button", name="Write it").click()
    expect(page.locator("#prompt textarea")).to_have_value("Sort: 3 1 2\n")
    expect(page.locator(".palette")).to_be_hidden()
    assert page.evaluate("unmask.values.prompt") == "Sort: 3 1 2\n"
    assert page.evaluate("Number(unmask.values.length)") == page.evaluate(
        "Number(document.querySelector('#length input[type=number]').value)"
    )


def test_a_run_of_nothing_is_explained_and_still_possible(page: Page) -> None:
    pace(page, "as it comes")
    page.get_by_label("Prompt", exact=True).fill("  ")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".say .status.refused")).to_contain_text("Write how the text begins first")
    expect(side(page)).to_have_attribute("data-source", "replay")  # what was there stays
    page.get_by_role("button", name="Write something at random").click()
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)
