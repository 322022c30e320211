"""What stands behind the first view: a dock that covers nothing, and tasks done by clicking alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, decoder, deeper, finished, pace, run, side, stop_at
from tests.browser.visit import Visitor
from tests.long import mostly_long

SIZES = [
    (1440, 900, "light"),
    (1280, 800, "dark"),
    (1024, 768, "light"),
    (390, 844, "light"),
    (1920, 1080, "projector"),
]

# texts that are painted over each other, cut off by the dock, or smaller than 13 px; and targets that a finger misses
WRONG = """() => {
  const dock = document.querySelector("unmask-dock");
  const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const texts = [];
  const walker = document.createTreeWalker(dock, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    const apart = parent.closest("svg, header, .visually-hidden, [aria-hidden=true]");
    if (!node.data.trim() || !seen(parent) || apart) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1) texts.push({ box, text: node.data.trim(), parent });
  }
  const wrong = [];
  const { left, right } = dock.getBoundingClientRect();
  for (const [i, one] of texts.entries()) {
    if (parseFloat(getComputedStyle(one.parent).fontSize) < 12.9) wrong.push(`small: ${one.text.slice(0, 40)}`);
    if (one.box.right > right + 1 || one.box.left < left - 1) wrong.push(`cut: ${one.text.slice(0, 40)}`);
    for (const other of texts.slice(i + 1)) {
      if (one.parent.contains(other.parent) || other.parent.contains(one.parent)) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const tall = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 3 && tall > 5) wrong.push(`over: ${one.text.slice(0, 30)} | ${other.text.slice(0, 30)}`);
    }
  }
  for (const node of dock.querySelectorAll("button, summary, [role=tab]")) {
    if (!seen(node) || node.closest(".visually-hidden")) continue;
    const { width, height } = node.getBoundingClientRect();
    const name = node.textContent.slice(0, 30);
    if (width && (height < 23.5 || width < 23.5)) wrong.push(`target ${width}x${height}: ${name}`);
  }
  return wrong;
}"""


# what can be used on a page of the dock; a list of words or decoders and a slider with its number count as one
CONTROLS = """() => {
  const fields = [...document.querySelectorAll("unmask-dock :is(button, input, select, textarea, summary, a[href])")];
  const seen = fields.filter((node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && node.getBoundingClientRect().width > 1 && !node.closest("header, [role=tab], .visually-hidden"));
  const one = (node) => node.closest("fieldset, ol, .steps, #controls .block:has([type=range])") ?? node;
  return [...new Set(seen.map(one))].map((node) => node.ariaLabel || node.textContent.trim() || node.outerHTML);
}"""

PAGES = ("run", "run Curves", "how", "word", "many Lab", "many Race", "many Claims")


@pytest.mark.parametrize(("width", "height", "theme"), mostly_long(SIZES, [SIZES[1], SIZES[3]]))
def test_nothing_is_painted_over_anything_on_any_page(visitor: Visitor, width: int, height: int, theme: str) -> None:
    page = visitor.open(theme=theme, width=width, height=height, reduced_motion="reduce", deep=False)
    stop_at(page, 5)
    for tab in PAGES:
        of, _, part = tab.partition(" ")
        deeper(page, of)
        if part:
            page.get_by_role("tab", name=part, exact=True).click()
        if tab == "many Claims":
            page.locator("unmask-claims .question").scroll_into_view_if_needed()
            expect(page.locator("unmask-claims .race-picture[data-drawn]")).to_be_visible()
        if tab == "word":
            page.evaluate("unmask.select(0, 42, false, true); unmask.frames.now()")
            expect(page.locator(".inspector .candidates button")).not_to_have_count(0)
        expect(page.locator(f"#dock-{of}")).to_be_visible()
        page.wait_for_timeout(150)
        assert page.evaluate(WRONG) == [], tab
        controls = page.evaluate(CONTROLS)
        assert len(controls) <= (12 if tab == "word" else 7), (tab, controls)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab
        if width > 900:  # the stage is seen beside it, whole
            box = page.locator(".sides").bounding_box()
            dock = page.locator("unmask-dock").bounding_box()
            assert box and dock and box["x"] + box["width"] <= dock["x"] + 1 and box["y"] + box["height"] <= height
        else:
            assert page.evaluate("document.documentElement.scrollHeight") <= 2500, tab


def test_the_dock_is_a_tab_list_that_takes_the_keyboard_and_gives_it_back(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    opener = page.locator("button.deeper")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="This run")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="How it decides")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="How it decides")).to_be_visible()
    expect(page.get_by_role("tabpanel", name="This run")).to_be_hidden()
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Many runs")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("unmask-dock")).to_be_hidden()
    expect(opener).to_be_focused()


def test_the_map_is_read_with_arrow_keys_and_enter_opens_the_word(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    stop_at(page, 4)
    chart = page.locator("unmask-maps canvas").first
    chart.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    reading = page.locator("unmask-maps .map .reading").first
    expect(reading).to_have_text(re.compile(r"^Look \d+, place 30\. "))
    expect(cell(page, 30)).to_have_class(re.compile("linked"))
    page.keyboard.press("Enter")
    expect(page.locator(".inspector")).to_have_attribute("data-of", "30")
    expect(page.locator("#dock-word")).to_be_visible()


# six tasks, by clicks alone


def test_a_bolder_decoder_is_found_and_run(page: Page) -> None:
    pace(page, "as it comes")
    page.get_by_role("tab", name="How it decides").click()
    page.locator("unmask-decoders").get_by_text("bold", exact=True).click()
    expect(page.locator("unmask-decoders h3")).to_contain_text("Write fast, correct")
    # it starts by itself: a recording continues under the new decoder from this moment
    page.wait_for_function("""unmask.sides[0].source === "live" && [unmask.sides[0].head.settings,
        ...unmask.sides[0].moments.map((m) => m.event?.settings)].some((row) => row?.policy === "edit")""")
    finished(page)
    expect(side(page)).to_have_attribute("data-source", "live")


def test_when_a_word_was_decided_and_why_is_read(page: Page) -> None:
    stop_at(page, 6)
    cell(page, 42).click()
    expect(page.get_by_role("tab", name="A word")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".inspector .why")).to_have_text(re.compile("Written by the model at look|Still open"))
    expect(page.locator(".inspector .candidates li")).not_to_have_count(0)


def test_a_decoder_is_picked_out_of_all_by_what_it_does(page: Page) -> None:
    wino = decoder(page, "wino")
    page.locator("unmask-decoders .filter").get_by_text("Changes its mind").click()
    expect(page.locator("unmask-decoders fieldset[data-group]:visible")).to_have_count(1)
    expect(wino).to_be_attached()
    page.locator("unmask-decoders").get_by_text("Bold, then a blind check").click()
    expect(page.locator("unmask-decoders h3")).to_contain_text("WINO: Hong et al. 2025")


def test_decoders_are_compared_over_prompts(page: Page) -> None:
    page.get_by_role("tab", name="Many runs").click()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_visible()


def test_only_what_can_be_done_with_a_word_is_offered(page: Page) -> None:
    run(page)
    finished(page)
    cell(page, 0).click()
    acts = page.locator(".steer .acts button:visible")
    expect(acts.filter(has_text="Change the prompt")).to_have_count(1)
    expect(acts.filter(has_text="Ban word")).to_have_count(0)
    cell(page, 60).click()
    expect(acts.filter(has_text="Ban word")).to_have_count(1)
    expect(acts.filter(has_text="Release")).to_have_count(0)
    assert page.locator("#dock-word :is(button, input):visible").count() <= 12 + 5


def test_each_of_many_runs_says_what_it_answers_and_claims_need_no_race(page: Page) -> None:
    """Claims were asked for by the race's tab, which Gradio makes when it is first opened; and their chart was cut."""
    deeper(page, "many")
    expect(page.locator("unmask-lab .question")).to_contain_text("Which decoder is right more often")
    page.get_by_role("tab", name="Claims").click()
    claims = page.locator("unmask-claims")
    expect(claims.locator(".question")).to_contain_text("who says it")
    expect(claims).to_have_attribute("data-ready", "yes")
    chart = claims.locator(".race-picture[data-drawn] .main-svg").first
    expect(chart).to_be_visible()
    wide, whole = chart.bounding_box(), claims.bounding_box()
    assert wide and whole and wide["x"] + wide["width"] <= whole["x"] + whole["width"] + 1
    page.get_by_role("tab", name="Race").click()
    expect(page.locator("unmask-race .question")).to_contain_text("Which model answers your prompt first")
