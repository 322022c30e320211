"""What stands behind the first view: a dock that covers nothing, and tasks done by clicking alone."""

from __future__ import annotations

import math
import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, decoder, deeper, finished, many, pace, run, share, side, stop_at
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

PAGES = ("run", "run Curves", "how", "word", "many", "many Lab", "many Race", "many Claims", "many Decisions", "share")


@pytest.mark.parametrize(("width", "height", "theme"), mostly_long(SIZES, [SIZES[1], SIZES[3]]))
def test_nothing_is_painted_over_anything_on_any_page(visitor: Visitor, width: int, height: int, theme: str) -> None:
    page = visitor.open(theme=theme, width=width, height=height, reduced_motion="reduce", deep=False)
    stop_at(page, 5)
    for tab in PAGES:
        of, _, part = tab.partition(" ")
        if tab == "share":
            share(page)
        elif of == "many" and part:
            many(page, part)
        else:
            deeper(page, of)
            if part:
                page.get_by_role("tab", name=part, exact=True).click()
        if tab == "many Claims":
            page.locator("unmask-claims .question").scroll_into_view_if_needed()
            expect(page.locator("unmask-claims .race-picture[data-drawn]")).to_be_visible()
        if tab == "word":
            page.evaluate("unmask.select(0, 42, false, true); unmask.frames.now()")
            expect(page.locator(".inspector .candidates button")).not_to_have_count(0)
        expect(page.locator(".share" if tab == "share" else f"#dock-{of}")).to_be_visible()
        if of == "many" and part:  # its script is loaded when it is opened
            expect(
                page.locator(f"unmask-{part.lower()} :is(button, summary)").filter(visible=True).first
            ).to_be_visible()
        page.wait_for_timeout(150)
        assert page.evaluate(WRONG) == [], tab
        controls = page.evaluate(CONTROLS)
        assert len(controls) <= (12 if tab == "word" else 7), (tab, controls)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab
        if width > 900:  # the stage is seen beside it, whole
            box = page.locator(".sides").bounding_box()
            dock = page.locator("unmask-dock").bounding_box()
            assert box and dock and box["x"] + box["width"] <= dock["x"] + 1 and box["y"] + box["height"] <= height
            cut = """[...document.querySelectorAll(".side h2")].filter((name) => {
              const [own, room] = [name, name.parentElement].map((one) => one.getBoundingClientRect());
              return own.right > room.right + 1;
            }).length"""
            assert page.evaluate(cut) == 0, tab  # both names are whole
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
    expect(reading).to_have_text(re.compile(r"^Look \d+, place 34\. "))
    expect(cell(page, 34)).to_have_class(re.compile("linked"))  # the prompt has four, and the map none of them
    page.keyboard.press("Enter")
    expect(page.locator(".inspector")).to_have_attribute("data-of", "34")
    expect(page.locator("#dock-word")).to_be_visible()


# where a look lies on the timeline, and how much of it its mark takes, against the times of the run
POINTED = """() => {
  const [time, look] = [".time", ".player .pointed"].map((css) => document.querySelector(css).getBoundingClientRect());
  const clock = unmask.sides[0].moments.map((moment) => moment.clock);
  const last = Math.max(...unmask.sides.map((side) => side.moments.at(-1).clock));
  return [
    (look.left - time.left) / time.width - clock[3] / last,
    look.width / time.width - (clock[4] - clock[3]) / last,
  ];
}"""


def test_the_timeline_shows_the_look_that_is_pointed_at_on_the_map(page: Page) -> None:
    stop_at(page, 5)
    chart = page.locator("unmask-maps canvas").first
    chart.scroll_into_view_if_needed()
    pointed = page.locator(".player .pointed")
    expect(pointed).to_be_hidden()
    box = chart.bounding_box()
    rows = page.evaluate("unmask.sides[0].moments.length - 1")
    assert box
    chart.hover(position={"x": box["width"] / 2, "y": box["height"] * 3.5 / rows})
    expect(pointed).to_be_visible()
    expect(page.locator("unmask-maps .reading[role=status]").first).to_contain_text("Look 4, ")
    assert [round(off, 2) for off in page.evaluate(POINTED)] == [0, 0]


# how many of the places that were open at first were above a threshold in the first look
ABOVE = """(tau) => {
  const [start, first] = unmask.sides[0].moments;
  const open = [...start.kinds].flatMap((kind, cell) => (kind === 1 ? [cell] : []));
  const { block } = unmask.sides[0].head.settings;
  return open.slice(0, block || undefined).filter((cell) => first.sure[cell] / 255 > tau).length;
}"""
# a run begins with the number, or one that is under way takes it up
TAKEN = """(tau) => [unmask.sides[0].head.settings, ...unmask.sides[0].moments.map((moment) => moment.event?.settings)]
  .some((settings) => settings?.options?.tau === tau)"""


def test_a_number_of_the_rule_is_dragged_and_the_words_it_would_write_are_tinted(page: Page) -> None:
    pace(page, "as it comes")
    stop_at(page, 5)
    deeper(page, "how")
    number = page.locator("#threshold-tau input[type=number]")
    sentence = page.locator(".first-look")
    usual = float(number.input_value())
    expect(page.locator("unmask-decoder-list:defined")).to_be_attached()  # it drags; loaded with this page of the dock
    page.wait_for_timeout(700)
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    assert box
    page.mouse.move(box["x"] + 30, box["y"] + 10)
    expect(sentence).to_contain_text(f"places were above {usual:g}")
    page.mouse.down()
    page.mouse.move(box["x"] - 130, box["y"] + 10, steps=4)
    lower = float(number.input_value())
    assert lower < usual - 0.3
    expect(sentence).to_contain_text(f"places were above {lower:g}")
    tinted = page.locator(".paper .cell.tinted")
    expect(tinted).to_have_count(page.evaluate(ABOVE, lower))
    assert page.evaluate(ABOVE, lower) > page.evaluate(ABOVE, usual)
    page.mouse.up()
    page.wait_for_function(TAKEN, arg=lower)
    page.mouse.move(10, 10)
    expect(sentence).to_be_empty()
    expect(tinted).to_have_count(0)
    number.dblclick()  # the usual value again
    expect(number).to_have_value(f"{usual:g}")
    number.press("ArrowUp")
    number.press("Shift+ArrowDown")
    changed = round(usual - 9 * 0.005, 3)
    expect(number).to_have_value(f"{changed:g}")
    page.wait_for_function(TAKEN, arg=changed)


def test_the_chart_of_decoders_shows_what_was_measured_and_where_this_run_lies(page: Page) -> None:
    stop_at(page, 5)
    deeper(page, "how")
    chart = page.locator("unmask-decoders .measured")
    measured = page.evaluate("document.querySelector('unmask-decoders').items.filter(({ looks }) => looks)")
    expect(chart.locator(".dot")).to_have_count(len(measured))
    names = [text.strip() for text in chart.locator(".dot span").all_inner_texts()]
    assert sorted(names) == ["bold", "careful", "proofread", "weighed"]
    chosen = page.evaluate("document.querySelector('unmask-decoders').chosen")
    looks = [next(item["looks"] for item in measured if item["name"] == chosen)]
    looks.append(page.evaluate("unmask.sides[0].moments.at(-1).passes"))
    first, last = (int(chart.locator("li").nth(i).inner_text()) for i in (0, -1))
    field = chart.locator(".field").bounding_box()
    for css, value in zip((".chosen", ".this"), looks, strict=True):
        box = chart.locator(css).bounding_box()
        assert box and field
        place = (box["x"] + box["width"] / 2 - field["x"]) / field["width"]
        assert abs(place - math.log(value / first) / math.log(last / first)) < 0.02, css
    page.locator("unmask-decoders .dial").get_by_text("careful", exact=True).click()
    expect(chart.locator(".chosen span")).to_have_text("careful")


def test_many_runs_opens_on_a_figure_of_each_part_and_goes_back_to_it(page: Page) -> None:
    stop_at(page, 5)
    deeper(page, "many")
    parts = page.locator("unmask-many-runs section")
    expect(parts.locator("h3")).to_have_text(["Lab", "Race", "Claims", "Decisions"])
    expect(page.locator("#more")).to_be_hidden()
    expect(parts.nth(0).locator("tbody tr")).to_have_count(4)  # what was measured of the decoders on the dial
    seconds = page.evaluate("unmask.sides.map((side) => (side.moments.at(-1).clock / 1000).toFixed(2))")
    expect(parts.nth(1).locator("tr")).to_have_count(2)
    for number, time in enumerate(seconds):
        expect(parts.nth(1).locator("tr").nth(number)).to_contain_text(f"{time} s")
    expect(parts.nth(2)).to_contain_text("Inception, the maker: 1009")
    expect(parts.nth(2).get_by_role("button")).to_have_text(re.compile(r"all \d\d, with their sources"))
    opener = parts.nth(1).get_by_role("button", name="set up a race")
    opener.click()
    expect(page.locator("unmask-race .question")).to_be_visible()
    expect(parts).to_have_count(0)
    page.keyboard.press("Escape")  # the latest first
    expect(opener).to_be_focused()
    expect(page.locator("unmask-race .question")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("unmask-dock")).to_be_hidden()


def test_share_shows_how_the_run_ends_and_gives_the_keyboard_back(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)
    stop_at(page, 5)
    opener = page.get_by_role("button", name="Share", exact=True)
    opener.click()
    expect(page.get_by_role("heading", name="Share this run")).to_be_focused()
    expect(page.get_by_role("tab", name="This run")).to_be_hidden()
    picture = page.locator(".share-preview img")
    expect(picture).to_be_visible()
    page.wait_for_function("document.querySelector('.share-preview img').naturalWidth === 1920")
    source = unquote(picture.get_attribute("src") or "")
    ends = page.evaluate("unmask.sides[0].moments.at(-1).passes")
    assert source.startswith("data:image/svg+xml,") and f">{ends} looks<" in source  # not of look 5, which is shown
    page.get_by_text("More formats").click()
    page.get_by_role("button", name="Table (CSV)").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Table (CSV)")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("unmask-dock")).to_be_hidden()
    expect(opener).to_be_focused()
    deeper(page, "how")  # the tabs are there again
    expect(page.locator("#dock-how")).to_be_visible()


# six tasks, by clicks alone


def test_a_bolder_decoder_is_found_and_run(page: Page) -> None:
    pace(page, "as it comes")
    page.get_by_role("tab", name="How it decides").click()
    page.locator("unmask-decoders .dial").get_by_text("bold", exact=True).click()
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
    page.locator("unmask-decoder-list .filter").get_by_text("Changes its mind").click()
    expect(page.locator("unmask-decoder-list fieldset[data-group]:visible")).to_have_count(1)
    expect(wino).to_be_attached()
    page.locator("unmask-decoder-list").get_by_text("Bold, then a blind check").click()
    expect(page.locator("unmask-decoders h3")).to_contain_text("WINO: Hong et al. 2025")


def test_decoders_are_compared_over_prompts(page: Page) -> None:
    page.get_by_role("tab", name="Many runs").click()
    page.get_by_role("button", name="compare decoders").click()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_visible()


def test_only_what_can_be_done_with_a_word_is_offered(page: Page) -> None:
    run(page)
    finished(page)
    cell(page, 0).click()
    acts = page.locator(".steer .acts button:visible")
    expect(acts.filter(has_text="Change the prompt")).to_have_count(1)
    anywhere = page.locator(".steer .anywhere")
    expect(anywhere).to_be_hidden()
    cell(page, 60).click()
    expect(anywhere.get_by_role("button", pressed=True)).to_have_text("as it is")
    # once there were seven equal buttons, and figures in nats
    expect(acts).to_have_text(["Erase", "Insert", "Undo"])
    expect(page.get_by_text("nats")).to_be_hidden()
    expect(acts.filter(has_text="Release")).to_have_count(0)
    assert page.locator("#dock-word :is(button, input):visible").count() <= 12 + 5


def test_each_of_many_runs_says_what_it_answers_and_claims_need_no_race(page: Page) -> None:
    """Claims were asked for by the race's tab, which Gradio makes when it is first opened; and their chart was cut."""
    many(page, "Lab")
    expect(page.locator("unmask-lab .question")).to_contain_text("Which decoder is right more often")
    many(page, "Claims")
    claims = page.locator("unmask-claims")
    expect(claims.locator(".question")).to_contain_text("who says it")
    expect(claims).to_have_attribute("data-ready", "yes")
    chart = claims.locator(".race-picture[data-drawn] .main-svg").first
    expect(chart).to_be_visible()
    wide, whole = chart.bounding_box(), claims.bounding_box()
    assert wide and whole and wide["x"] + wide["width"] <= whole["x"] + whole["width"] + 1
    many(page, "Race")
    expect(page.locator("unmask-race .question")).to_contain_text("Which model answers your prompt first")
