"""The first minute: a tour that waits for what it asks for, one selection, a keyboard that starts nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import (
    SHORT,
    cell,
    decoder,
    deeper,
    drawn,
    finished,
    more_settings,
    pace,
    pinned,
    run,
    side,
    stop_at,
    word,
    words,
)
from tests.browser.visit import Visitor


def step(page: Page, name: str) -> None:
    expect(page.locator("unmask-tour")).to_have_attribute("data-step", name)


def test_a_first_visit_is_told_what_it_sees_and_invited_to_change_a_word(visitor: Visitor) -> None:
    page = visitor.open(deep=False)
    slip = side(page).locator(".slip")
    for caption in ("it guesses every word at once", "it keeps its best guesses", "and looks again"):
        expect(slip).to_contain_text(caption)
    slip.get_by_role("button", name="skip").click()
    expect(page.locator("unmask-stage")).to_have_attribute("data-state", "finished")
    page.reload()  # a browser is told once: the second visit finds the recording finished
    expect(page.locator("unmask-stage")).to_have_attribute("data-state", "finished")
    expect(page.locator("unmask-stage")).to_have_attribute("data-playing", "false")


def test_a_word_in_a_finished_run_is_replaced_and_the_rest_follows(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    before = words(page)
    cell(page, 30).click()
    page.keyboard.type("7")
    expect(page.get_by_label("Your own word")).to_have_value("7")
    page.keyboard.press("Enter")
    pinned(cell(page, 30))
    expect(side(page)).to_have_attribute("data-branches", "1")
    finished(page)
    expect(page.locator(".say")).to_contain_text("You changed one word. Diffusion went back, and ")
    page.locator(".say").click()
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator(".say")).to_contain_text("Undone")
    page.wait_for_function("unmask.sides[0].branch === '1'")
    drawn(page)
    assert words(page) == before


def test_changes_add_up_and_each_is_taken_back_by_itself(page: Page) -> None:
    """A second change dropped the first, and nothing on the page but Control+Z took one back."""
    run(page, length=SHORT)
    finished(page)
    before = words(page)
    changes = page.locator(".changes .change")
    for place, text in ((40, "7"), (20, "8")):
        page.evaluate(f"unmask.steering.replace(0, {place}, {{ text: '{text}' }})")
        pinned(cell(page, place))
        page.wait_for_function("!unmask.steering.changing && unmask.over && !unmask.player.head.playing")
    expect(changes).to_have_text([re.compile("^“7”"), re.compile("^“8”")])
    expect(page.locator(".say")).to_contain_text("You changed 2 words. Diffusion went back, and ")
    expect(side(page).locator(".slip .undo")).to_be_visible()
    changes.first.get_by_role("button", name="Take back: “7”").click()
    page.wait_for_function("unmask.sides[0].branch === '4' && unmask.over && !unmask.player.head.playing")
    expect(cell(page, 20)).to_have_class(re.compile(r"\bpinned\b"))
    expect(cell(page, 40)).not_to_have_class(re.compile(r"\bpinned\b"))
    side(page).locator(".slip .undo").click()
    page.wait_for_function("unmask.sides[0].branch === '3'")
    expect(changes).to_have_text([re.compile("^“7”"), re.compile("^“8”")])
    page.get_by_role("button", name="Show the first text").click()
    page.wait_for_function("unmask.sides[0].branch === '1'")
    drawn(page)
    assert words(page) == before


def test_moving_through_the_controls_with_tab_starts_nothing(page: Page) -> None:
    stop_at(page, 2)
    more_settings(page)
    first = page.get_by_role("slider", name=re.compile("Length|length")).first
    first.focus()
    for _ in range(40):
        page.keyboard.press("Tab")
    drawn(page)
    assert page.evaluate("unmask.opening") == ""
    assert page.evaluate("unmask.runs.settling ?? null") is None  # nor will a run start when a control has rested
    expect(side(page)).to_have_attribute("data-source", "replay")


def test_one_selection_is_followed_by_inspector_map_and_curves(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    cell(page, 42).click()
    expect(page.locator(".inspector")).to_have_attribute("data-of", "42")
    deeper(page, "run")
    page.locator("unmask-maps .maps").scroll_into_view_if_needed()
    expect(page.locator("unmask-maps .maps .reading").first).to_contain_text("place 42.")
    page.get_by_role("tab", name="Curves").click()
    page.locator("unmask-curves").scroll_into_view_if_needed()
    expect(page.locator("unmask-curves > .curves")).to_contain_text("cell 42")
    page.keyboard.press("Escape")
    word(page, 42).focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    deeper(page, "run")
    page.locator("unmask-curves").scroll_into_view_if_needed()  # what nobody sees is not drawn
    expect(page.locator("unmask-curves > .curves")).not_to_contain_text("cell 42")


def test_who_wants_no_motion_sees_a_still_with_a_button_to_play(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    expect(side(page)).to_have_attribute("data-moment", "0")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


@pytest.mark.long
def test_a_drawn_temperature_is_previewed_before_the_run_and_saved_with_it(page: Page) -> None:
    more_settings(page)
    page.locator("#warmth input").check()
    part = page.get_by_role("slider", name="Temperature, part 2 of 16")
    part.press("End")
    expect(page.locator("#plan")).to_contain_text("Temperature:")
    run(page)
    heats = page.evaluate("unmask.sides[0].head.settings.heats")
    assert len(heats) == 16 and heats[1] == 2 and sum(heats) == 2


def test_a_schedule_says_whom_it_governs_and_offers_one(page: Page) -> None:
    more_settings(page)
    page.locator("#schedule input").click()
    page.get_by_role("option", name="drawn by hand").click()
    says = page.locator("unmask-governs")
    expect(says).to_contain_text("does not follow it. A drawn schedule governs")
    says.get_by_role("button", name="Take one that does").click()
    expect(says).to_contain_text(re.compile("^Dream follows it"))
    expect(decoder(page, "dream")).to_be_checked()
    # taking it once took what was drawn away: the decoder brought its own schedule
    first = page.get_by_role("slider", name="Part 1 of 16")
    first.press("End")
    expect(page.locator("#schedule input")).to_have_value("drawn by hand")
    run(page)
    settings = page.evaluate("unmask.sides[0].head.settings")
    assert (settings["schedule"], settings["shares"][:2]) == ("drawn", [1, 0.5])
    decoder(page, "eb-sampler").check()  # which follows none
    expect(first).to_be_hidden()


def test_instant_examples_name_each_pass(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    page.evaluate("unmask.player.setPace(0)")
    page.evaluate("""() => { unmask.player.inSlowMotion(true); unmask.player.jump(0, 2); }""")
    expect(page.locator(".say .status")).to_contain_text(re.compile(r"In slow motion\. Look 2: \d+ token"))
    pace(page, "as it comes")
    expect(page.locator(".say .status")).not_to_contain_text("slow motion")
