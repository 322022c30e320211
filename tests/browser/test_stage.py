"""The stage in a real browser: watching, pausing, scrubbing, looking into a cell, steering, comparing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.recorded import pair
from tests.browser.steps import (
    SHORT,
    advanced,
    cell,
    decoder,
    deeper,
    drawn,
    every_number,
    example,
    finished,
    moment,
    more_settings,
    numbers,
    pace,
    paused,
    pinned,
    run,
    side,
    stop_at,
    word,
    words,
)
from tests.browser.visit import PROMPT, Visitor
from tests.long import mostly_long


def test_a_recording_plays_before_any_model_is_there(visitor: Visitor) -> None:
    page = visitor.open()
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-source", "replay")
        expect(numbers(page, number).locator(".badge")).to_have_text("replay")
        advanced(page, 0, number)


def test_the_answer_is_nowhere_before_its_animation(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")  # so the recording waits at its start
    expect(side(page)).to_have_attribute("data-moment", "0")
    assert all(not text for text in words(page)[4:])
    page.get_by_role("button", name="To the end").click()
    for number in (0, 1):
        expect(side(page, number)).not_to_have_attribute("data-moment", "0")
    answer = [text for text in words(page)[4:] if len(text) > 3]
    page.get_by_role("button", name="To the start").click()
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-moment", "0")
    drawn(page)
    page.locator(".clock-panel").evaluate("(panel) => panel.remove()")  # its figures may be numbers of the text
    page.locator(".announcements").evaluate("(region) => region.remove()")  # the end may just have been announced
    shown = page.locator("unmask-stage").inner_text()
    assert not [word for word in answer if re.search(rf"\b{re.escape(word)}\b", shown.split("Prompt")[-1])][1:]


def test_it_pauses_steps_and_scrubs(visitor: Visitor) -> None:
    page = visitor.open()
    advanced(page, 0)
    page.get_by_role("button", name="Pause").click()
    paused(page)
    here = moment(page)
    page.get_by_role("button", name="One look back").click()
    expect(side(page)).to_have_attribute("data-moment", str(here - 1))
    page.get_by_role("button", name="One look on").click()
    expect(side(page)).to_have_attribute("data-moment", str(here))
    track = page.get_by_role("slider", name="Position in the run")
    box = track.bounding_box()
    assert box
    track.click(position={"x": box["width"] - 4, "y": 5})
    expect(side(page, 1)).to_have_attribute("data-moment", "80")
    page.keyboard.press("Home")
    expect(side(page)).to_have_attribute("data-moment", "0")


SCRUB = """([seeks, by]) => {
  const cells = [...document.querySelectorAll(".side .cell > span")];
  const eye = new MutationObserver(() => {});
  for (const grid of document.querySelectorAll(".side .paper"))
    eye.observe(grid, { subtree: true, childList: true, characterData: true, attributes: true });
  const found = { changed: 0, touched: 0, both: 0 };
  for (let i = 0; i < seeks; i++) {
    const before = cells.map((cell) => cell.outerHTML);
    unmask.player.seek((i * by) % unmask.sides[1].moments.length);
    unmask.frames.run(performance.now());
    const targets = eye.takeRecords().map(({ target }) => (target.closest ? target : target.parentElement));
    const touched = new Set(targets.flatMap((target) => target.closest(".cell > span") ?? []));  // rows are no cells
    const changed = cells.filter((cell, at) => cell.outerHTML !== before[at]);
    found.touched += touched.size;
    found.changed += changed.length;
    found.both += changed.filter((cell) => touched.has(cell)).length;
  }
  return found;
}"""


def scrubbed(page: Page, seeks: int, by: int) -> None:
    """Scrubbing touches the cells that change and no other. How long it takes is in bench/screen.py."""
    found = page.evaluate(SCRUB, [seeks, by])
    assert found["touched"] == found["changed"] == found["both"] > seeks


def test_scrubbing_stays_in_the_browser_and_touches_only_what_changes(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    stop_at(page, 1)
    sent = page.evaluate("performance.getEntriesByType('resource').length")
    scrubbed(page, 60, 37)
    assert page.evaluate("performance.getEntriesByType('resource').length") == sent


def test_a_cell_tells_its_candidates_its_guesses_and_why(page: Page) -> None:
    stop_at(page, 3)
    late = page.evaluate("unmask.sides[0].moments[3].since.findIndex((look) => look === 3)")
    cell(page, late).click()
    drawer = page.locator(".inspector")
    expect(drawer).to_be_visible()
    expect(drawer.locator(".why")).to_contain_text(re.compile(r"Written by the model at look \d+: .*\d+\s%"))
    expect(drawer.locator(".candidates button").first).to_contain_text("%")
    chart = drawer.locator(".word-chart")  # a line for each of them, up to the look that wrote it
    expect(chart.locator("path[data-word]")).to_have_count(drawer.locator(".candidates button").count())
    expect(chart.locator("path.standing")).to_have_attribute("d", re.compile(r"[ML]1000\.0 "))
    expect(chart.locator("li")).to_have_text(["look 1", "2", "3"])
    drawer.locator(".candidates button").nth(1).hover()
    expect(chart.locator("path.lit")).to_have_attribute("data-word", "1")
    chart.locator(".field").click(position={"x": 2, "y": 40})
    expect(side(page)).to_have_attribute("data-moment", "1")


def test_a_run_of_one_side_waits_for_no_other_and_is_steered(page: Page) -> None:
    stop_at(page, 1)
    page.evaluate(
        """() => unmask.open({ do: "open", id: unmask.newId(), prompt: "3 14", length: 24, seed: 0, play: true,
        pace: 0.05, sides: [{ model: "toy", settings: { policy: "confidence", passes: 24 } }] })"""
    )
    expect(side(page)).to_have_attribute("data-source", "live")
    expect(side(page, 1)).to_have_attribute("data-source", "empty")
    page.evaluate("""unmask.steering.edit(0, { do: "pin", at: 25, text: "7" })""")
    pinned(cell(page, 25))


def test_a_live_run_is_computed_in_front_of_you(page: Page) -> None:
    run(page, "look by look")
    for number in (0, 1):
        expect(numbers(page, number).locator(".badge")).to_have_text("live")
    advanced(page, moment(page))
    page.get_by_role("button", name="Pause").click()
    paused(page)
    pace(page, "as it comes")
    page.get_by_role("button", name="Play", exact=True).click()
    finished(page)
    paused(page)


def test_a_live_cell_is_looked_into_while_it_runs(page: Page) -> None:
    run(page, "look by look")
    cell(page, 30).click()
    drawer = page.locator(".inspector")
    expect(drawer).to_have_attribute("data-known", "yes")
    expect(drawer.locator(".candidates button")).not_to_have_count(0)


def test_a_pinned_word_changes_the_text_around_it(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    before = words(page)
    page.get_by_role("button", name="To the start").click()
    expect(side(page)).to_have_attribute("data-moment", "0")
    cell(page, 20).click()
    word = "7" if before[20] != "7" else "8"
    page.get_by_label("Word to pin").fill(word)
    page.get_by_role("button", name="Pin", exact=True).click()
    pinned(cell(page, 20))
    expect(page.locator(".say .status")).to_contain_text(f"Pinned “{word}” in cell 20.")
    expect(side(page)).to_have_attribute("data-branches", "1")
    finished(page)
    expect(page.locator(".say > .first")).to_contain_text(  # a branch that goes on by itself is told in the sentence
        re.compile(r"You changed one word\. Diffusion went back, and (one|\d+) more followed")
    )
    after = words(page)
    assert after[20] == word
    assert after[17:20] + after[21:24] != before[17:20] + before[21:24]


def test_a_candidate_is_chosen_with_one_click(page: Page) -> None:
    run(page, "look by look")
    cell(page, 40).click()
    choice = page.locator(".candidates button").nth(1)
    choice.hover()  # and from now on the list holds still, though the run goes on
    word = choice.locator(".piece").inner_text()
    choice.click()
    pinned(cell(page, 40))
    expect(cell(page, 40).locator("span")).to_have_text(word)


def test_erase_and_undo(page: Page) -> None:
    run(page, "look by look")
    page.get_by_role("button", name="Pause").click()
    paused(page)
    word = side(page).locator(".cell.written > [data-cell]").first
    place = int(word.get_attribute("data-cell") or 0)
    word.click()
    page.get_by_role("button", name="Erase").click()
    expect(cell(page, place)).to_have_class(re.compile("open erased"))
    page.get_by_role("button", name="Undo").click()
    expect(cell(page, place)).to_have_class(re.compile("written"))


def test_a_word_that_is_banned_in_a_finished_run_is_written_otherwise_at_once(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    before = words(page)
    cell(page, 20).click()
    page.get_by_role("button", name="banned").click()
    page.wait_for_function("unmask.sides[0].moments.some((m) => m.event?.edit?.do === 'ban') && unmask.over")
    drawn(page)
    assert before[20] not in words(page)[len(before) - SHORT :]


def test_a_refusal_is_a_sentence(page: Page) -> None:
    run(page, "look by look")
    cell(page, 0).click()
    page.get_by_role("button", name="Change the prompt").click()
    expect(page.locator(".say .status.refused")).to_contain_text("The prompt stays as it is.")


def test_a_knob_is_turned_while_it_runs(page: Page) -> None:
    more_settings(page)
    knob = page.locator("#threshold-tau input[type=number]")
    expect(knob).to_be_visible()  # opened before the run begins: the run would not wait for it
    run(page, "look by look")
    knob.fill("0.55")
    knob.press("Enter")
    knob.blur()
    page.wait_for_function("unmask.sides[0].moments.some((m) => m.event?.edit?.do === 'tune')")
    settings = page.evaluate("unmask.sides[0].moments.find((m) => m.event?.edit?.do === 'tune').event.settings")
    assert settings["options"]["tau"] == 0.55
    expect(side(page)).to_have_attribute("data-source", "live")


def test_a_preset_fills_in_the_knobs_and_the_plan(page: Page) -> None:
    plan = page.locator("#plan")
    expect(plan).to_contain_text("The plan:")
    decoder(page, "llada2").check()
    expect(page.locator("#passes input[type=number]")).to_have_value("32")
    expect(side(page)).to_have_attribute("data-source", "live")  # touching a knob takes the recording over
    assert page.evaluate("unmask.values.policy") == "block_threshold"


def test_both_sides_are_compared_in_a_sentence_that_agrees_with_the_meters(page: Page) -> None:
    run(page)
    finished(page)
    clocks = [page.evaluate(f"unmask.sides[{i}].moments.at(-1).clock") for i in (0, 1)]
    verdict = page.locator(".say").inner_text()
    assert verdict.startswith("Diffusion finished after")
    measured = page.locator(".say > .second").inner_text()
    if "faster" in measured:
        assert ("Diffusion was" in measured) == (clocks[0] < clocks[1])
    every_number(page, 1)
    assert numbers(page, 1).locator('[data-meter="tokens"] dd').inner_text() == "112"
    assert numbers(page, 1).locator('[data-meter="per look"] dd').inner_text() == "1.00"


def test_a_recording_is_taken_over_by_a_touch(page: Page) -> None:
    stop_at(page, 1)
    cell(page, 50).click()
    page.get_by_label("Word to pin").fill("7")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(side(page)).to_have_attribute("data-source", "live")
    pinned(cell(page, 50))


def test_the_map_and_the_stage_are_linked(page: Page) -> None:
    stop_at(page, 4)
    drawn = page.locator("unmask-maps canvas").first
    box = drawn.bounding_box()
    assert box
    rows = page.evaluate("unmask.sides[0].moments.length - 1")
    drawn.click(position={"x": box["width"] * 0.5, "y": box["height"] * 1.5 / rows})
    inspector = page.locator(".inspector")
    expect(inspector).to_have_attribute("data-of", re.compile(r"^4[2-6]$"))  # half-way along, behind the prompt
    expect(side(page)).to_have_attribute("data-moment", "2")
    expect(cell(page, int(inspector.get_attribute("data-of") or 0))).to_have_class(re.compile("selected"))


def test_the_curves_are_read_and_lead_to_a_look(page: Page) -> None:
    stop_at(page, 2)
    deeper(page, "run")
    page.get_by_role("tab", name="Curves").click()
    page.locator("unmask-curves").scroll_into_view_if_needed()
    expect(page.locator("unmask-curves > .curves")).to_have_attribute("data-drawn", re.compile(r"[1-9]"))
    first = page.locator(".curves .field").first
    box = first.bounding_box()
    assert box
    first.hover(position={"x": box["width"] - 2, "y": 20})
    expect(page.locator(".curves .value").first).to_contain_text("Diffusion, look 2: ")
    first.click(position={"x": 1, "y": 20})  # the first look of the side whose line is nearer
    page.wait_for_function("unmask.player.at(0) < 2 && [0, 1].some((side) => unmask.player.at(side) === 1)")


def test_a_word_shows_within_a_pass(page: Page) -> None:
    run(page, "look by look")
    cell(page, 60).click()
    page.keyboard.type("5")
    expect(page.get_by_label("Your own word")).to_be_focused()
    page.keyboard.press("Enter")
    pinned(cell(page, 60))
    expect(word(page, 60)).to_be_focused()


def test_what_was_pressed_is_meant_though_its_row_moves_before_the_click(page: Page) -> None:
    """A word that came between press and release moved the row, and the cell that slid under the pointer was chosen."""
    run(page, "look by look")
    page.evaluate("unmask.player.pause()")
    paused(page)  # nothing but the test moves the row
    place = cell(page, 60)
    box = place.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate("document.querySelector('.side .paper').style.paddingTop = '90px'")
    page.mouse.up()
    expect(page.locator(".inspector")).to_have_attribute("data-of", "60")


def test_letters_go_to_the_selected_cell_while_its_row_moves(page: Page) -> None:
    run(page, "look by look")
    cell(page, 60).click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type("5")
    expect(page.get_by_label("Your own word")).to_be_focused()
    page.keyboard.press("Enter")
    pinned(cell(page, 60))


def test_an_example_says_what_it_shows(page: Page) -> None:
    example(page, "bold")
    expect(page.locator("#shows")).to_contain_text("do not know of each other")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#shows")).to_be_empty()


def test_what_an_example_sets_ends_with_its_own_prompt(page: Page) -> None:
    before = page.evaluate("({ ...unmask.values })")
    example(page, "bold")
    expect(page.locator(".say .status.refused")).to_be_visible()
    pace(page, "as it comes")
    deeper(page, "how")
    passes = page.get_by_label(re.compile("^number input for Looks"))
    expect(passes).to_have_value("2")
    prompt = page.locator("#prompt textarea")
    prompt.fill(PROMPT)
    prompt.press("Enter")
    expect(passes).to_have_value(str(before["passes"]))
    expect(prompt).to_have_value(PROMPT)
    expect(page.locator("#shows")).to_be_empty()
    finished(page)
    assert page.evaluate("unmask.values") == before | {"prompt": PROMPT}


@pytest.mark.parametrize("cells", mostly_long([120, 1000], [120]))
def test_of_many_cells_only_those_that_change_are_painted(visitor: Visitor, rerecorded: Path, cells: int) -> None:
    pair(rerecorded, length=cells, decoder="mdlm")
    page = visitor.open(reduced_motion="reduce")
    expect(side(page, 1)).to_have_attribute("data-moments", str(cells + 1))
    scrubbed(page, 40, 20)
