"""A talk with a model that has a chat template: its words are hidden, each answer is a run, and a question goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import side
from tests.models.forge import FAMILIES, PARENT, spoil, words

CHAT = (
    "{% for m in messages %}<|im|>{{ m.role }}\n{{ m.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im|>assistant\n{% endif %}"
)
OVER = "unmask.over && !unmask.next && !unmask.runs.pending && !unmask.runs.meeting"
CELLS = 12  # of an answer
TALK = "unmask.sides.map(({ head }) => head.talk ?? [])"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A diffusion model and its twin, with random weights and a chat template."""
    folders = tmp_path_factory.mktemp("talks") / "Qwen3-0.6B-diffusion-mdlm", tmp_path_factory.mktemp("twins") / "Qwen3"
    for folder, make in zip(folders, (FAMILIES[folders[0].name], PARENT), strict=True):
        folder.mkdir()
        make(folder)
        words(folder, CHAT)
        spoil(folder, max_position_embeddings=1024)  # room for three answers
    return folders


def ask(page: Page, question: str, button: str) -> None:
    page.locator("#prompt textarea").fill(question)
    expect(page.locator("#run")).to_have_text(button)
    page.locator("#run").click()
    page.wait_for_function(f"(question) => {OVER} && unmask.sides[0].head.prompt === question", arg=question)


def test_a_further_question_goes_on_with_the_talk_and_each_answer_is_a_run(page: Page, pair: tuple[Path, Path]) -> None:
    page.locator("#prompt textarea").fill("what is it")
    page.evaluate(f"unmask.setValues({{ ...unmask.values, length: {CELLS} }})")
    page.evaluate("([one, two]) => unmask.answerWith([one, `causal:${two}`])", [str(folder) for folder in pair])
    page.wait_for_function(f"{OVER} && unmask.sides.every(({{ head }}) => head.turns)")
    assert page.evaluate("unmask.values.length") == CELLS
    paper, first = side(page).locator(".paper"), page.evaluate("unmask.sides[0].session")
    expect(paper).to_contain_text("what")
    expect(paper).not_to_contain_text("|")
    page.get_by_role("button", name="asked in its chat form").first.click()
    expect(side(page).locator(".form")).to_contain_text("<|im|>user ⏎ what is it<|end|>")
    page.get_by_role("button", name="hide its chat form").click()
    expect(side(page).locator(".form")).to_be_hidden()

    page.locator(".say .offer").click()  # beside the sentence: the place to type
    expect(page.locator("#prompt textarea")).to_be_focused()
    page.keyboard.type("and then")
    run, tabs = page.locator("#run"), page.locator(".talk [role=tab]")
    expect(run).to_have_text("Ask further")
    expect(page.locator("unmask-stage")).not_to_have_attribute("data-stale", "")
    ask(page, "and then", "Ask further")
    expect(run).to_have_text("Run")
    one, two = page.evaluate(TALK)
    assert [turn[0] for turn in (*one, *two)] == ["what is it"] * 2 and one != two  # each side goes on with its own
    expect(tabs).to_have_text(["1 what is it", "2 and then"], use_inner_text=True)
    tabs.first.click()
    expect(tabs.first).to_have_attribute("aria-selected", "true")
    assert page.evaluate("unmask.sides[0].session") == first and page.evaluate(TALK) == [[], []]
    tabs.first.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    second = page.evaluate("unmask.sides[0].session")
    assert page.evaluate("unmask.sides[0].source") == "live"

    run.click()  # the same question again, in the same talk
    page.wait_for_function(f"(before) => {OVER} && unmask.sides[0].session !== before", arg=second)
    assert page.evaluate(TALK) == [one, two]
    tabs.first.click()
    ask(page, "four", "Ask further")  # it goes on from the answer that was shown
    assert [turn[0] for turn in page.evaluate(TALK)[0]] == ["what is it"]
    expect(tabs).to_have_text(["1 what is it", "2 four"], use_inner_text=True)

    page.locator("#prompt textarea").fill("who is it")
    page.get_by_role("button", name="new talk").click()
    ask(page, "who is it", "Run")
    assert page.evaluate(TALK) == [[], []]
    expect(page.locator(".talk")).to_be_hidden()
