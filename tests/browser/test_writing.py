"""A person writes a text, opens a span, and the model fills a gap that grows; every other word stays."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, another, cell, run, side
from tests.browser.test_reach import AXE

TEXT = "40 46 18 7 1 2 3 4 21 46 45 32 27"


def test_a_span_of_ones_own_text_is_written_anew_in_a_gap_that_grows(page: Page) -> None:
    another(page)
    page.get_by_role("button", name="Write or edit a text").click()
    form = page.get_by_role("form", name="Write or edit a text")
    text = form.get_by_label("Your text")
    expect(text).to_be_focused()
    page.keyboard.type(TEXT)
    expect(form.locator(".status")).to_contain_text("Select words and open them")
    begins = TEXT.index("1 2 3 4")
    text.evaluate(f"(field) => field.setSelectionRange({begins}, {begins + 7})")
    form.get_by_role("button", name="Open the selected words").click()
    expect(text).to_have_value("40 46 18 7 [MASK:4] 21 46 45 32 27")
    expect(form.locator(".status")).to_have_text("The model writes one gap of 4 cells. Every other word stays yours.")
    page.evaluate(AXE.read_text())
    assert page.evaluate("axe.run('unmask-ask', {resultTypes: ['violations']})")["violations"] == []

    form.get_by_role("button", name="Fill the gaps").click()
    expect(form).to_be_hidden()
    page.wait_for_function("unmask.sides[0].source === 'live' && unmask.sides[0].done")
    first, last = page.evaluate("[0, -1].map((at) => unmask.sides[0].moments.at(at).tokens.length)")
    assert first == 13 and last > first
    options = page.evaluate("unmask.sides[0].moments.filter((one) => one.event?.edit?.own).length")
    assert options >= 1
    page.evaluate("unmask.player.seek(Infinity)")
    expect(side(page).locator(".cell")).to_have_count(last)
    # a word behind the gap is one element all the time: it is moved aside, not written again
    page.evaluate("unmask.player.seek(0)")
    expect(side(page).locator(".cell")).to_have_count(first)
    side(page).locator(".cell").nth(first - 1).evaluate("(place) => { place.dataset.kept = 'last'; }")
    page.evaluate("unmask.player.seek(Infinity)")
    expect(side(page).locator(".cell")).to_have_count(last)
    expect(side(page).locator(".cell").nth(last - 1)).to_have_attribute("data-kept", "last")
    expect(cell(page, last - 1)).to_have_count(1)
    expect(side(page).locator(".cell.given.own")).to_have_count(9)
    for place, word in ((0, "40"), (3, "7"), (last - 5, "21"), (last - 1, "27")):
        expect(cell(page, place)).to_have_class(re.compile(r"\bown\b"))
        expect(cell(page, place).locator("span")).to_have_text(word)
    # a word of one's own is opened on the stage, and written by the model
    page.wait_for_function("unmask.over && !unmask.player.head.playing")
    page.evaluate("unmask.player.seek(Infinity)")
    cell(page, 0).click()
    expect(page.locator(".inspector .why")).to_have_text("Part of your own text: Erase opens it for the model.")
    page.locator(".steer [data-act=erase]").click()
    expect(cell(page, 0)).to_have_class(re.compile(r"\berased\b"))
    page.evaluate("unmask.player.toggle()")
    page.wait_for_function("unmask.sides[0].done && unmask.sides[0].moments.at(-1).kinds[0] === 3")
    page.evaluate("unmask.player.seek(Infinity)")
    expect(cell(page, 0)).to_have_class(re.compile(r"\bwritten\b"))
    expect(side(page).locator(".cell.own")).to_have_count(8)
    page.keyboard.press("Escape")
    # the text that stands there is taken up again
    another(page)
    page.get_by_role("button", name="Write or edit a text").click()
    form.get_by_role("button", name="Take the text from the stage").click()
    expect(text).to_have_value(re.compile(r"^\d+ 46 18 7 .+ 21 46 45 32 27$"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Write or edit a text")).to_be_focused()


def test_a_word_of_the_prompt_is_opened_in_a_text_of_ones_own(page: Page) -> None:
    run(page, length=SHORT)
    cell(page, 2).click()
    page.locator(".steer [data-act=erase]").click()
    expect(page.locator(".say .status")).to_have_text("The prompt stays as it is.")
    page.get_by_role("button", name="Open it in a text of your own").click()
    form = page.get_by_role("form", name="Write or edit a text")
    expect(form.get_by_label("Your text")).to_have_value(re.compile(r"^3 14 \[MASK:1\] 9 "))
    expect(form.locator(".preview .front")).to_have_text("3 14")
    expect(form.locator(".preview .own").first).to_contain_text("9")
    form.get_by_role("button", name="Fill the gaps").click()
    page.wait_for_function("unmask.sides[0].source === 'live' && unmask.sides[0].done && unmask.runs.own.from === 5")
    expect(cell(page, 1)).to_have_class(re.compile(r"\bgiven\b(?!.*\bown\b)"))
    expect(cell(page, 2)).to_have_class(re.compile(r"\bwritten\b"))
    expect(cell(page, 3)).to_have_class(re.compile(r"\bown\b"))


def test_why_a_gap_keeps_its_length_is_said_where_a_person_asks_for_another(page: Page) -> None:
    page.evaluate("unmask.setValues({...unmask.values, constraint: 'avoids', rule: '7'})")
    another(page)
    page.get_by_role("button", name="Write or edit a text").click()
    form = page.get_by_role("form", name="Write or edit a text")
    expect(form.get_by_label("Gaps may grow and shrink")).to_be_disabled()
    expect(form.locator(".fixed")).to_have_text(
        "Gaps keep their length: there is a rule for the text, and it counts on it."
    )
