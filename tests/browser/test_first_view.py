"""The first view: few things in large letters, said when it is ready and when it runs, and one store for each stage."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, drawn, example, finished, pace, run, side, words
from tests.browser.things import things
from tests.browser.visit import Visitor
from tests.long import mostly_long

STAGE = "unmask-stage"


@pytest.mark.parametrize(("width", "height", "most"), mostly_long([(1440, 900, 15), (390, 844, 12)], [(390, 844, 12)]))
def test_few_things_stand_in_the_first_view(visitor: Visitor, width: int, height: int, most: int) -> None:
    page = visitor.open(width=width, height=height, reduced_motion="reduce", deep=False)
    page.evaluate("unmask.player.seek(Infinity)")
    expect(page.locator(STAGE)).to_have_attribute("data-state", "finished")
    drawn(page)
    counted = things(page)
    assert counted.pop("papers") == 2
    assert sum(counted.values()) <= most, counted


def test_a_run_says_that_it_goes_and_that_it_is_over(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    stage = page.locator(STAGE)
    assert stage.get_attribute("data-run") is None  # a recording is no run
    pace(page, "as it comes")
    at_once = page.evaluate(
        """() => {
            document.querySelector("#run").click();
            return document.querySelector("unmask-stage").dataset.run;
        }"""
    )
    assert at_once == "going"  # in the task of the press, before anything was asked
    expect(stage).to_have_attribute("data-run", "over")
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-done", "true")


@pytest.mark.parametrize("key", ["Enter", "Control+Enter", "Meta+Enter"])
def test_enter_in_the_prompt_runs_it(visitor: Visitor, key: str) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    pace(page, "as it comes")
    page.locator("#prompt textarea").fill("3 1 4 1")
    page.keyboard.press(key)
    finished(page)
    assert page.evaluate("unmask.sides[0].head.prompt") == "3 1 4 1"
    expect(page.locator(STAGE)).to_have_attribute("data-run", "over")


def test_words_of_the_run_before_are_not_shown_as_erased(visitor: Visitor) -> None:
    page = visitor.open(deep=False)
    page.evaluate("unmask.player.seek(Infinity)")
    page.wait_for_function("!document.querySelector('.paper .gone')")
    page.evaluate(
        """() => { const side = document.querySelector('.side[data-side="0"]');
            new MutationObserver(() => {
                if (side.dataset.source === "live") window.erased ??= side.querySelectorAll(".gone").length;
            }).observe(side, { attributes: true, attributeFilter: ["data-source"] }); }"""
    )
    run(page)
    page.wait_for_function("window.erased !== undefined")
    assert page.evaluate("window.erased") == 0


def test_every_shown_word_is_one_element_and_nothing_else_carries_its_mark(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    inside = "[...document.querySelectorAll('[data-cell]')].filter((node) => node.children.length).length"
    assert page.evaluate(inside) == 0
    outside = "[...document.querySelectorAll('[data-cell]')].filter((node) => !node.closest('.paper')).length"
    assert page.evaluate(outside) == 0
    tokens = page.evaluate("unmask.sides[0].moments.at(-1).tokens.length")
    assert 0 < len(words(page)) <= tokens


@pytest.mark.parametrize("invited", [False, True], ids=["at rest", "invited"])
def test_tab_goes_from_the_prompt_to_the_player_in_four_presses(visitor: Visitor, invited: bool) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    invitation = page.locator(".slip.mine")
    if invited:
        page.evaluate("unmask.player.seek(Infinity)")
        expect(invitation).to_contain_text("change a word yourself")
    prompt = page.get_by_label("Prompt", exact=True)
    prompt.focus()
    expect(prompt).to_be_focused()
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.player .play')"):
            break
    else:
        raise AssertionError("the player is further away")
    page.keyboard.press("Escape")  # closes the invitation, which is no stop of its own
    expect(invitation).to_be_hidden()


def test_two_stages_on_one_page_run_apart(page: Page) -> None:
    page.evaluate(
        """() => {
            const second = document.createElement("unmask-stage");
            const first = document.querySelector("unmask-stage");
            for (const [name, value] of Object.entries(first.dataset))
                if (["names", "values", "models"].includes(name)) second.dataset[name] = value;
            second.id = "second";
            document.body.append(second);
        }"""
    )
    second = page.locator("#second")
    expect(second).to_have_attribute("data-ready", "yes")
    own = page.locator(STAGE).first.locator("[data-cell]")
    before = own.all_text_contents()
    page.evaluate("void document.querySelector('#second').controller.run({ length: 24 }, true)")
    expect(second).to_have_attribute("data-run", "over")
    assert page.evaluate("document.querySelector('#second').controller !== unmask")
    assert own.all_text_contents() == before and page.locator(STAGE).first.get_attribute("data-run") is None
    # the second is steered: the first stays what it was
    word = second.locator('.side[data-side="0"] .cell.written > [data-cell]').last
    place = word.get_attribute("data-cell")
    word.click()
    second.get_by_role("dialog").get_by_role("button", name="my own word").click()
    second.get_by_label("Your own word").fill("7")
    second.get_by_role("button", name="Set it").click()
    expect(second.locator(f'.side[data-side="0"] .cell:has(> [data-cell="{place}"])')).to_have_class(
        re.compile(r"\bpinned\b")
    )
    expect(second).to_have_attribute("data-run", "over")
    assert own.all_text_contents() == before


def test_the_controls_find_the_stage_by_its_element(visitor: Visitor) -> None:
    """Tests have a name for the stage that the page itself has not: with it gone, examples and Run still work."""
    page = visitor.open(reduced_motion="reduce", deep=False)
    pace(page, "as it comes")
    page.evaluate("delete globalThis.unmask")
    assert page.evaluate("'unmask' in globalThis") is False
    example(page, "bold")  # words, and the toy knows only numbers
    expect(page.locator(".say .status.refused")).to_be_visible()
    page.get_by_label("Prompt", exact=True).fill("3 1 4")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(STAGE)).to_have_attribute("data-run", "over")


def test_the_dial_goes_from_careful_to_bold_and_says_what_was_measured(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    page.evaluate("unmask.player.seek(Infinity)")
    dial = page.get_by_role("slider", name="How it decides, from careful to bold")
    before = dial.get_attribute("aria-valuetext")
    dial.focus()
    page.keyboard.press("Home")
    expect(dial).not_to_have_attribute("aria-valuetext", before or "")
    card = page.locator("unmask-dial output")
    expect(card).to_contain_text("looks on average")
    assert page.evaluate("document.querySelector('unmask-decoders').chosen") == "llada"
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.locator("unmask-decoders .dial input:checked")).to_have_attribute("data-decoder", "llada")
