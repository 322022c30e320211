"""Everybody reaches it: by keyboard, on a phone, with a screen reader, in each appearance; and no text is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.recorded import pair
from tests.browser.steps import (
    LEAST,
    SHORT,
    advanced,
    another,
    cell,
    deeper,
    drawn,
    every_number,
    finished,
    moment,
    more_settings,
    paused,
    pinned,
    run,
    share,
    side,
    stop_at,
    word,
)
from tests.browser.visit import Visitor
from tests.long import mostly_long

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
HOSTILE = [
    " <script>document.title='taken'</script>",
    "<img src=x onerror=alert(1)>",
    "${document.title='taken'}",
    " `backticks`",
    " {{value}}",
    ' "><b>',
    "javascript:alert(1)",
    "\u202eright to left",
    "\u200d",
    "\x00",
]


def tab_until(page: Page, there: str) -> None:
    """Press the tab key until something matches, as a person would."""
    for _ in range(40):
        if page.evaluate(f"document.activeElement.matches({there!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not reach {there}")


def test_a_whole_run_by_keyboard_alone(page: Page) -> None:
    tab_until(page, "#prompt textarea")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("1 2 3")
    tab_until(page, "#run")
    page.keyboard.press("Enter")
    expect(side(page)).to_have_attribute("data-source", "live")
    advanced(page, 0)
    page.keyboard.press("Space")  # the pause is in hand
    paused(page)
    here = moment(page)
    page.keyboard.press("ArrowRight")
    advanced(page, here)
    page.keyboard.press("ArrowLeft")
    expect(side(page)).to_have_attribute("data-moment", str(here))
    page.keyboard.press("End")
    tab_until(page, '.side[data-side="0"] [data-cell]')
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    focused = int(page.evaluate("document.activeElement.dataset.cell"))
    page.keyboard.press("Enter")
    expect(page.locator(".inspector")).to_have_attribute("data-of", str(focused))
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    pinned(cell(page, focused))
    expect(word(page, focused)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".inspector")).to_be_hidden()
    page.evaluate("unmask.player.setPace(1)")  # as it comes
    page.keyboard.press("Space")
    finished(page)


@pytest.mark.parametrize("width", mostly_long([320, 390, 820, 1280], [320, 820]))
def test_nothing_is_wider_than_the_screen(visitor: Visitor, width: int) -> None:
    page = visitor.open(width=width, height=844, reduced_motion="reduce")
    stop_at(page, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('.gradio-container').scrollWidth") <= width


def test_on_a_phone_a_thumb_finds_every_control(visitor: Visitor) -> None:
    page = visitor.open(width=390, height=844, has_touch=True, reduced_motion="reduce")
    run(page, "look by look")
    cell(page, 12).tap()
    deeper(page, "word")
    for button in page.locator(".player button, .steer button:visible, #run, unmask-dock > header [role=tab]").all():
        box = button.bounding_box()
        assert box and box["height"] >= 44, (box, button.evaluate("(node) => node.outerHTML"))
    expect(page.locator(".inspector")).to_have_attribute("data-known", "yes")


@pytest.mark.parametrize(
    ("theme", "width", "options"),
    [
        ("light", 1280, {}),
        pytest.param("dark", 1280, {}, marks=pytest.mark.long),
        pytest.param("projector", 1920, {}, marks=pytest.mark.long),
        ("light", 390, {"reduced_motion": "reduce"}),
    ],
)
def test_axe_finds_nothing(visitor: Visitor, theme: str, width: int, options: dict[str, Any]) -> None:
    page = visitor.open(theme=theme, width=width, **options)
    stop_at(page, 5)
    side(page).locator(".cell.written").first.click()
    expect(page.locator(".inspector .candidates button")).not_to_have_count(0)
    more_settings(page)
    another(page)
    page.get_by_role("button", name="What can I ask?").click()
    page.wait_for_function("document.getAnimations().every((a) => a.playState !== 'running')")
    page.add_script_tag(path=AXE)
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    wrong = [
        f"{v['id']}: {n['html'][:160]} {n.get('failureSummary', '')[:240]}"
        for v in found["violations"]
        for n in v["nodes"][:6]
    ]
    assert not wrong, "\n".join(wrong)


def test_a_screen_reader_hears_what_happens_but_not_all_of_it(page: Page) -> None:
    page.evaluate(
        """() => { globalThis.texts = []; const region = document.querySelector('.announcements');
        const watcher = new MutationObserver(() => texts.push(region.textContent));
        watcher.observe(region, {childList: true, subtree: true, characterData: true}); }"""
    )
    run(page, length=SHORT)
    finished(page)
    expect(page.locator(".announcements")).to_contain_text("Finished")
    assert 1 <= page.evaluate("texts.length") <= 6
    assert "open" in (word(page, 3).get_attribute("aria-label") or "") or "given" in (
        word(page, 3).get_attribute("aria-label") or ""
    )


def test_who_wants_no_motion_gets_none(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    expect(side(page)).to_have_attribute("data-source", "replay")
    paused(page)
    assert page.evaluate("getComputedStyle(document.querySelector('.cell')).transitionDuration") == "0s"


def test_hostile_text_is_only_text(visitor: Visitor, rerecorded: Path) -> None:
    pair(rerecorded, words=HOSTILE)
    page = visitor.open(reduced_motion="reduce")
    stop_at(page, 3)
    page.get_by_role("button", name="To the end").click()
    side(page).locator(".cell").nth(9).click()
    expect(page.locator(".inspector")).to_be_visible()
    shown = " ".join(side(page).locator(".cell > span").all_text_contents())
    for text in ("<img src=x onerror=alert(1)>", "${document.title='taken'}", "‹202E›right to left", "ZWJ", "␀"):
        assert text in shown
    assert page.title() == "Unmask"
    assert page.locator("unmask-stage :is(script, img)").count() == 0
    assert page.locator("unmask-stage .side b, .inspector b").count() == 0
    deeper(page, "run")
    page.get_by_role("tab", name="Curves").click()
    expect(page.locator("unmask-curves > .curves")).to_have_attribute("data-drawn", "13")
    assert page.title() == "Unmask"


SIZES = [
    *(
        (width, height, theme)
        for width, height in ((1280, 800), (1440, 900), (1920, 1080))
        for theme in ("light", "dark")
    ),
    (1920, 1080, "projector"),
    (390, 844, "light"),
    (390, 844, "dark"),
]


@pytest.mark.parametrize(("width", "height", "theme"), mostly_long(SIZES, [SIZES[0], SIZES[-1]]))
def test_both_texts_the_player_and_the_sentence_are_seen_together(
    visitor: Visitor, width: int, height: int, theme: str
) -> None:
    page = visitor.open(theme, width, height, reduced_motion="reduce", deep=False)
    stop_at(page, 5)
    for name in (".side", ".player", ".say"):
        for part in page.locator(name).all():
            box = part.bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= (950 if width < 500 else height), (name, box)
    cut = """() => [...document.querySelectorAll(".paper")].some((paper) => {
        const box = paper.getBoundingClientRect();
        return [...paper.querySelectorAll("[data-cell]")].some((word) => {
            const own = word.getBoundingClientRect();
            return own.width && (own.bottom > box.bottom + 2 || own.right > box.right + 2 || own.left < box.left - 2);
        });
    })"""
    assert not page.evaluate(cut)
    cell(page, 10).click()
    box = page.get_by_role("dialog").bounding_box()
    assert box and box["y"] >= 0 and box["y"] + box["height"] <= height + 1


SHARE = """() => [...document.querySelectorAll(".side")].reduce((sum, side) => {
    const { width, height } = side.getBoundingClientRect();
    return sum + (width * height) / innerWidth / innerHeight;
}, 0)"""


@pytest.mark.parametrize(("width", "height", "theme", "least"), mostly_long(LEAST, [LEAST[0], LEAST[3]]))
def test_the_letters_are_the_picture(visitor: Visitor, width: int, height: int, theme: str, least: int) -> None:
    """On the page's own recording: its letters, how much of the view is canvas, how many things stand there."""
    page = visitor.open(theme, width, height, reduced_motion="reduce", deep=False, more="#gallery=name")
    page.wait_for_function("unmask.sides[0].moments.length > 5 && unmask.sides[0].session")
    page.evaluate("unmask.player.seek(Infinity)")
    drawn(page)
    size = float(page.locator(".paper").first.evaluate("(paper) => parseFloat(paper.style.fontSize)"))
    assert size >= least * 0.6  # another text than the first view's, which is longer
    assert page.evaluate(SHARE) >= 0.55
    assert page.evaluate("document.documentElement.scrollHeight") <= max(height, 950 if width < 500 else height)


def test_the_keyboard_saves_a_run(page: Page) -> None:
    """A link without an address is passed over by the tab key, and a file without a name is found by nobody."""
    stop_at(page, 5)
    save = every_number(page).get_by_role("button", name="Save run")
    save.focus()
    expect(save).to_be_focused()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "run.trace.jsonl"


def test_a_prompt_that_wraps_is_not_cut_in_the_middle_of_a_line(visitor: Visitor) -> None:
    page = visitor.open(width=390, height=844, reduced_motion="reduce")
    prompt = page.locator("#prompt")
    expect(page.locator("#prompt[data-lines]")).to_have_count(0)
    page.locator("#prompt textarea").fill("3 14 15\n")  # a line break at the end is no second line
    expect(page.locator("#prompt[data-lines]")).to_have_count(0)
    page.locator("#prompt textarea").fill("3 14 15 9 2 6 5 35 8 9 7 9 3 2 38 4 6 26 4 33 8 3 27 9 5 0")
    expect(prompt).to_have_attribute("data-lines", "two")
    expect(page.locator("#prompt[data-more]")).to_have_count(0)
    page.locator("#prompt textarea").fill("3 14 15 9 2 6 5 35 8 9 7 9 3 2 38 4 6 26 4 33 8 3 27 9 5 0" * 3)
    page.locator("#prompt textarea").blur()
    expect(page.locator("#prompt[data-more]")).to_have_count(1)  # a sign for what has no room


def test_what_can_be_shared_is_in_sight_on_a_phone(visitor: Visitor) -> None:
    page = visitor.open(width=390, height=844, reduced_motion="reduce", deep=False)
    share(page)
    for name in ("Link", "GIF", "Page"):
        expect(page.locator(".share").get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


@pytest.mark.long
def test_what_stands_stays_until_the_first_live_frame(visitor: Visitor) -> None:
    page = visitor.open()
    advanced(page, 3)
    page.evaluate(
        """() => { globalThis.blanks = 0; const watch = () => {
            if (!document.querySelector(".side .cell.written")) blanks++;
            requestAnimationFrame(watch); };
        watch(); }"""
    )
    page.get_by_role("button", name="Run", exact=True).click()
    expect(side(page)).to_have_attribute("data-source", "live")
    assert page.evaluate("blanks") == 0


@pytest.mark.long
def test_at_twice_the_size_the_words_have_room(visitor: Visitor) -> None:
    """The dock stayed in sight and covered the stage where the window is low."""
    page = visitor.open(width=640, height=400, reduced_motion="reduce", device_scale_factor=2)
    page.locator("unmask-stage").evaluate("(stage) => stage.scrollIntoView()")
    for place in (0, 20):
        cell(page, place).scroll_into_view_if_needed()
        assert cell(page, place).evaluate(
            """(cell) => {
              const { left, top, width, height } = cell.getBoundingClientRect();
              return cell.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            }"""
        )
