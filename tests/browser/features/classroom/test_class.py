"""A class in three browsers: one presents, two follow through a run, a prediction, a lost line, and rights refused."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import cell, deeper, moment, open_class, pace, paused, run, side, words
from tests.browser.visit import Visitor

CODE = "<img src=x onerror=alert(1)>"
PHONES: list[dict[str, Any]] = [{"has_touch": True}, {}]  # and a narrow window


def drawer(page: Page) -> Locator:
    return page.locator("aside.class-drawer")


def strip(page: Page) -> Locator:
    return page.locator(".class-strip")


def start_class(visitor: Visitor) -> tuple[Page, str]:
    """A presenter with a run that stands, and the link to the class."""
    page = visitor.open(reduced_motion="reduce")
    run(page, "look by look")
    page.get_by_role("button", name="Pause", exact=True).click()
    open_class(page)
    drawer(page).get_by_role("button", name="Start a class").click()
    link = drawer(page).get_by_label("Link to the class")
    page.wait_for_function("document.querySelector('.class-drawer input[readonly]')?.value.includes('#class=')")
    return page, link.input_value()


def test_one_follows_predicts_and_may_not_steer(visitor: Visitor) -> None:
    page, link = start_class(visitor)
    expect(page.locator("unmask-menu > div")).to_be_hidden()  # it lay over the stage and over Run
    one = visitor.open(more=link[link.index("#") :], reduced_motion="reduce")
    expect(strip(one)).to_contain_text("You follow the class.")
    one.wait_for_function(f"unmask.player.at(0) === {moment(page)}")
    assert words(one) == words(page)
    one.evaluate("unmask.steering.edit(0, { do: 'pin', cells: [40], tokens: [7] })")
    expect(one.locator(".say .status")).to_contain_text("You may watch this run")
    drawer(page).get_by_role("button", name="Which cell is next?").click()
    expect(strip(one)).to_contain_text("Which cell is written next?")
    cell(one, 60).click()
    expect(drawer(page).locator(".class-asking")).to_contain_text("1 of 1 have answered")
    page.get_by_role("button", name="One look on").click()
    expect(one.locator(".class-count").first).to_have_text("1")
    expect(strip(one)).to_contain_text("One answer,")
    drawer(page).get_by_role("button", name="End the class").click()
    expect(strip(one)).to_have_count(0)


def test_a_class_sees_a_recording_that_its_presenter_shows(visitor: Visitor) -> None:
    """A class that was started over a recording saw two empty cards, "press Run", and on the presenter's page at times
    "Place must be a number, not None": the end of a recording was sent as infinity, for which JSON has no number."""
    page = visitor.open(reduced_motion="reduce", before="localStorage.setItem('unmask-seen', 'yes')")
    expect(side(page)).to_have_attribute("data-source", "replay")
    page.evaluate("unmask.player.move({ at: Infinity, playing: false })")
    open_class(page)
    drawer(page).get_by_role("button", name="Start a class").click()
    page.wait_for_function("document.querySelector('.class-drawer input[readonly]')?.value.includes('#class=')")
    link = drawer(page).get_by_label("Link to the class").input_value()
    one = visitor.open(more=link[link.index("#") :], reduced_motion="reduce")
    expect(side(one)).to_have_attribute("data-source", "replay")
    one.wait_for_function(f"unmask.player.at(0) === {moment(page)}")
    assert words(one) == words(page) and moment(page) > 1
    expect(page.locator(".say .status")).to_be_empty()
    one.evaluate("unmask.steering.edit(0, { do: 'pin', cells: [40], tokens: [7] })")
    expect(one.locator(".say .status")).to_contain_text("Only the one who presents may change it.")
    page.evaluate("unmask.player.move({ at: 0, playing: false })")
    one.wait_for_function("unmask.player.at(0) === 0")


@pytest.mark.long
def test_a_class_follows_predicts_and_comes_back(visitor: Visitor) -> None:
    page, link = start_class(visitor)
    picture = drawer(page).locator("img.class-qr")
    assert picture.evaluate("async (img) => (await img.decode(), img.naturalWidth)") > 100
    fragment = link[link.index("#") :]
    one, two = [visitor.open(more=fragment, reduced_motion="reduce") for _ in range(2)]
    for other in (one, two):
        expect(strip(other)).to_contain_text("You follow the class.")
        other.wait_for_function(f"unmask.player.at(0) === {moment(page)}")
        assert words(other) == words(page)
    one.get_by_placeholder("Your name, if you like").fill(CODE)
    one.keyboard.press("Enter")
    expect(drawer(page).locator(".class-people li")).to_have_count(2)
    expect(drawer(page).locator(".class-people li span").first).to_have_text(CODE[:24])

    # a follower may not steer, may look around, and catches up with one key
    cell(one, 40).click()
    one.get_by_label("Word to pin in the selected cell").fill("7")
    one.get_by_role("button", name="Pin", exact=True).click()
    expect(one.locator(".say .status")).to_contain_text("You may watch this run")
    one.keyboard.press("Escape")
    before = moment(page)
    deeper(one, "run")
    one.get_by_role("button", name="To the start").click()
    expect(strip(one)).to_contain_text("You look around by yourself.")
    expect(side(one)).to_have_attribute("data-moment", "0")
    assert moment(page) == before == moment(two)
    one.locator("body").press("c")
    expect(side(one)).to_have_attribute("data-moment", str(before))

    # a prediction, revealed when the pass comes
    drawer(page).get_by_role("button", name="Which cell is next?").click()
    for other, place in ((one, 60), (two, 60)):
        expect(strip(other)).to_contain_text("Which cell is written next?")
        cell(other, place).click()
        expect(strip(other)).to_contain_text("Your answer: cell 60.")
    expect(drawer(page).locator(".class-asking")).to_contain_text("2 of 2 have answered")
    expect(page.locator(".class-count")).to_have_count(0)
    page.get_by_role("button", name="One look on").click()
    for other in (page, one, two):
        expect(other.locator(".class-count").first).to_be_visible()
        assert "2" in other.locator(".class-count").all_inner_texts()
    expect(strip(one)).to_contain_text("2 answers,")

    # an answer that is code is only text
    cell(page, 70).click()
    drawer(page).get_by_role("button", name="Which word comes here?").click()
    two.get_by_label("Your answer").fill(CODE)
    two.get_by_role("button", name="Answer", exact=True).click()
    expect(strip(two)).to_contain_text(f"Your answer: “{CODE}”")
    drawer(page).get_by_role("button", name="Show the answers").click()
    expect(page.locator(".class-word strong")).to_have_text(CODE)
    assert page.locator(".class-word img").count() == 0
    # the rule for a right word once named an element that the tally no longer had
    assert "✓" in page.locator(".class-word").evaluate(
        "(row) => (row.dataset.right = 'true', getComputedStyle(row.querySelector('strong'), '::after').content)"
    )

    # the pins are handed over, the screens frozen, and let go
    drawer(page).get_by_role("button", name="Hand over the pins").nth(1).click()
    expect(strip(two)).to_contain_text("The pins are yours")
    two.evaluate("unmask.steering.edit(0, { do: 'pin', cells: [75], tokens: [9] })")
    page.wait_for_function("unmask.sides[0].moments.at(-1).kind === 'edit'")
    drawer(page).get_by_role("button", name="Freeze all screens").click()
    expect(strip(one)).to_contain_text("All screens are stopped")
    now = moment(one)
    deeper(one, "run")
    one.get_by_role("button", name="To the start").click()
    assert moment(one) == now
    drawer(page).get_by_role("button", name="Let all screens go").click()

    # the presenter loads the page again and keeps the room; followers stay, and see the next run
    page.reload()
    expect(drawer(page).locator(".class-people li")).to_have_count(2)
    assert drawer(page).get_by_label("Link to the class").input_value() == link
    run(page)
    for other in (one, two):
        expect(side(other)).to_have_attribute("data-done", "true")
    drawer(page).get_by_role("button", name="End the class").click()
    for other in (one, two):
        expect(other.locator(".say .status")).to_contain_text("The class is over.")
        expect(strip(other)).to_have_count(0)


@pytest.mark.long
def test_a_finished_run_is_asked_about_where_the_presenter_has_gone_back_to(visitor: Visitor) -> None:
    page, link = start_class(visitor)
    pace(page, "as it comes")
    page.evaluate("unmask.player.toggle()")
    page.wait_for_function("unmask.over")
    page.evaluate("unmask.player.pause()")
    paused(page)
    page.evaluate("unmask.player.jump(0, 3)")
    expect(side(page)).to_have_attribute("data-moment", "3")
    one = visitor.open(more=link[link.index("#") :], reduced_motion="reduce")
    one.wait_for_function("unmask.player.at(0) === 3")
    drawer(page).get_by_role("button", name="Which cell is next?").click()
    expect(strip(one)).to_contain_text("Which cell is written next?")
    right = one.evaluate("unmask.sides[0].moments[4].fresh[0]")
    cell(one, right).click()
    expect(drawer(page).locator(".class-asking")).to_contain_text("1 of 1 have answered")
    expect(page.locator(".class-count")).to_have_count(0)
    page.get_by_role("button", name="One look on").click()
    expect(page.locator('.class-count[data-right="true"]').first).to_be_visible()
    expect(drawer(page).locator(".class-asking")).to_contain_text("1 answered, 1 right.")
    expect(strip(one)).to_contain_text("One answer, 1 right.")


@pytest.mark.long
def test_a_class_plays_beat_the_schedule(visitor: Visitor) -> None:
    """Before any run: a game is about none."""
    page = visitor.open(reduced_motion="reduce")
    open_class(page)
    drawer(page).get_by_role("button", name="Start a class").click()
    link = drawer(page).get_by_label("Link to the class")
    page.wait_for_function("document.querySelector('.class-drawer input[readonly]')?.value.includes('#class=')")
    fragment = "#" + link.input_value().partition("#")[2]
    one, two = [visitor.open(more=fragment, reduced_motion="reduce", width=390, **more) for more in PHONES]
    one.get_by_placeholder("Your name, if you like").fill(CODE)
    one.keyboard.press("Enter")
    expect(drawer(page).locator(".class-people li")).to_have_count(2)
    drawer(page).get_by_label("In how many looks").select_option("3")
    drawer(page).get_by_role("button", name="Start the game").click()
    for other, clicks in ((one, (2, 3, 3)), (two, (1, 2, 2, 3, 3))):
        expect(strip(other)).to_contain_text("the numbers 1 to 4, each once, in 3 looks")
        for cell_number in clicks:
            other.get_by_role("button", name=f"cell {cell_number}: look").click()
        other.get_by_role("button", name="Hand it in").click()
    expect(strip(one)).to_contain_text("Your schedule is in: 1231.")
    expect(strip(two)).to_contain_text("Your schedule is in: 2331.")
    expect(drawer(page).locator(".class-asking")).to_contain_text("2 of 2 have handed in a schedule")
    expect(drawer(page).locator(".class-ranking")).to_be_hidden()
    drawer(page).get_by_role("button", name="Show the answers").click()
    rows = drawer(page).locator(".class-ranking li")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text(f"{CODE[:24]}75 %1231")
    expect(rows.nth(1)).to_contain_text("somebody50 %2331")
    assert drawer(page).locator(".class-ranking img").count() == 0
    expect(strip(one)).to_contain_text("Your schedule ends right in 75 %: place 1 of 2.")
    expect(strip(two)).to_contain_text("Your schedule ends right in 50 %: place 2 of 2. The best of the class: 75 %.")
    two.reload()  # who loads the page again still knows
    expect(strip(two)).to_contain_text("Your schedule ends right in 50 %: place 2 of 2.")


def test_a_wrong_code_is_said_and_the_page_stays(visitor: Visitor) -> None:
    page = visitor.open(more="#class=AAAA2222", reduced_motion="reduce")
    expect(drawer(page).locator(".class-wrong")).to_contain_text("There is no class with this code")
    expect(side(page)).to_have_attribute("data-source", "replay")


@pytest.mark.long
def test_a_question_that_cannot_be_asked_says_why_and_answers_are_read_from_the_last_row(visitor: Visitor) -> None:
    page = visitor.open(theme="projector", width=1920, height=1080, reduced_motion="reduce")
    open_class(page)
    drawer(page).get_by_role("button", name="Start a class").click()
    which = drawer(page).get_by_role("button", name="Which cell is next?")
    word = drawer(page).get_by_role("button", name="Which word comes here?")
    expect(which).to_be_disabled()
    expect(drawer(page).locator(".class-why")).to_contain_text("Run something first")
    expect(drawer(page).get_by_role("button", name="Show the answers")).to_be_disabled()
    run(page, "look by look")
    page.get_by_role("button", name="Pause", exact=True).click()
    paused(page)
    expect(which).to_be_enabled()
    expect(word).to_be_disabled()
    expect(drawer(page).locator(".class-why")).to_contain_text("click an open cell first")
    link = drawer(page).get_by_label("Link to the class").input_value()
    which.click()
    back = drawer(page).get_by_role("button", name="Take the question back")
    one = visitor.open(more=link[link.index("#") :], reduced_motion="reduce")  # who comes late sees the open question
    expect(strip(one)).to_contain_text("Which cell is written next?")
    back.click()
    expect(strip(one)).to_contain_text("You follow the class.")
    expect(page.locator(".class-results")).to_be_hidden()
    which.click()
    expect(strip(one)).to_contain_text("Which cell is written next?")
    one.locator(".side[data-side='0'] .cell.open").first.click()
    expect(drawer(page).locator(".class-asking")).to_contain_text("1 of 1 have answered")
    drawer(page).get_by_role("button", name="Show the answers").click()
    results = page.locator(".class-results")
    expect(results).to_be_visible()
    expect(results.locator("li")).to_have_count(1)
    letters = "(node) => parseFloat(getComputedStyle(node).fontSize)"
    assert results.locator(".class-results-label").evaluate(letters) >= 26
    with page.expect_download() as saved:
        drawer(page).get_by_role("button", name="Save the answers (CSV)").click()
    rows = saved.value.path().read_text().splitlines()
    assert (
        rows[0] == "question,kind,moment,cell,answer,count,right" and rows[1].startswith("1,cell,") and len(rows) == 2
    )
    page.reload()  # the answers stay with the tab
    expect(drawer(page).get_by_role("button", name="Save the answers (CSV)")).to_be_visible()
    late = page.evaluate("document.querySelector('unmask-class').presenter.state")
    drawer(page).get_by_role("button", name="End the class").click()
    page.evaluate("(event) => document.querySelector('unmask-class').hear(event)", late)  # news that was on its way
    expect(page.locator(".class-results")).to_have_count(0)
    expect(drawer(page).get_by_role("button", name="Start a class")).to_be_visible()
