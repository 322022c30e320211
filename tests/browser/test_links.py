"""A link opens to the same tokens, or says what differs; a damaged one is refused; a run stands in another page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, advanced, cell, finished, pace, run, share, side, words
from tests.browser.visit import Visitor

MAKE = """async (change) => {
  const { linkOf, packed } = await import(new URL("unmask/assets/links/link.js", document.baseURI));
  const defaults = JSON.parse(document.querySelector("unmask-links").dataset.defaults);
  const link = linkOf(unmask.sides, unmask.models, defaults);
  return "#" + (await packed({ ...link, sides: link.sides.map((side) => ({ ...side, ...change })) }));
}"""


def edited(page: Page) -> None:
    """A run of one's own with a pin in its middle and another when all is written."""
    run(page, length=SHORT)
    finished(page)
    page.evaluate("unmask.player.jump(0, 3)")
    cell(page, 30).click()
    page.get_by_label("Word to pin in the selected cell").fill("7")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(side(page)).to_have_attribute("data-source", "live")
    page.wait_for_function("unmask.sides[0].branch === '2'")
    page.evaluate("unmask.player.head.playing || unmask.player.move({ playing: true, following: true })")
    page.wait_for_function("unmask.sides[0].moments.length > 6 && unmask.sides[0].done && unmask.sides[1].done")
    page.evaluate("unmask.player.jump(0, unmask.sides[0].moments.length - 1)")  # an edit is made where one looks
    expect(side(page)).to_have_attribute("data-moment", str(page.evaluate("unmask.sides[0].moments.length - 1")))
    page.evaluate("unmask.steering.edit(0, { do: 'erase', cells: [40] })")
    page.wait_for_function("unmask.sides[0].moments.at(-1).kind === 'edit'")


def copied(page: Page) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share(page)
    page.locator(".share").get_by_role("button", name="Link").click()
    expect(page.locator(".say .status")).to_contain_text("The link is copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_a_link_gives_the_same_tokens_with_all_edits(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    edited(page)
    link = copied(page)
    assert link.startswith(visitor.address) and len(link) <= 1024 and "theme" not in link
    other = visitor.open(more=link[link.index("#") :])
    pace(other, "as it comes")
    expect(other.locator(".banner")).to_contain_text("First the text without the change, then with it.")
    expect(other.locator(".banner")).to_contain_text("token for token")
    first = "unmask.sides[0].branches.get('1').at(-1).tokens.join()"  # it ended as if nothing had been changed
    assert other.evaluate(first) == page.evaluate(first)
    expect(other.locator("#prompt textarea")).to_have_value("3 14 15 9")
    state = "unmask.sides.map((side) => [...side.moments.at(-1).tokens])"
    at = page.evaluate("unmask.sides.map((side) => side.moments.length)")
    other.wait_for_function(f"unmask.sides[0].moments.length >= {at[0]}")
    assert other.evaluate(state.replace(".at(-1)", f"[{at[0] - 1}]"))[0] == page.evaluate(state)[0]
    assert other.evaluate("unmask.sides[0].moments.filter((m) => m.kind === 'edit').map((m) => m.event.edit.do)") == [
        "pin",
        "erase",
    ]
    assert words(other, 1) == words(page, 1)


@pytest.mark.long
def test_a_link_says_precisely_what_differs(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    change = {"weights": "0123456789", "number": "bf16", "model": "someone/model", "digest": "0"}
    other = visitor.open(more=page.evaluate(MAKE, change))
    pace(other, "as it comes")
    banner = other.locator(".banner")
    expect(banner).to_contain_text("It came out differently from the run in the link.")
    for words_of_it in ("other weights (0123456789; here", "another number type (bf16;", "someone/model, which is not"):
        expect(banner).to_contain_text(words_of_it)
    run(other, length=SHORT)
    expect(banner).to_be_empty()  # of a run of one's own nothing is said


def test_a_damaged_link_is_refused_and_the_page_greets_as_ever(visitor: Visitor) -> None:
    page = visitor.open(more="#run=1.abc.def", reduced_motion="reduce")
    expect(page.locator(".banner")).to_contain_text("This link is damaged")
    expect(side(page)).to_have_attribute("data-source", "replay")
    newer = visitor.open(more="#run=7.abc.def", reduced_motion="reduce")
    expect(newer.locator(".banner")).to_contain_text("newer version")


@pytest.mark.long
def test_a_run_stands_in_another_page_without_the_controls(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    share(page)
    page.get_by_text("More formats").click()
    page.get_by_role("button", name="Line for a course page").click()
    expect(page.locator(".say .status")).to_contain_text("The line is copied")
    line = str(page.evaluate("navigator.clipboard.readText()"))
    found = re.fullmatch(
        r'<iframe src="([^"]+)" title="[^"]+" width="100%" height="560" loading="lazy"></iframe>', line
    )
    assert found
    holder = page.context.new_page()
    holder.route("**/course.html", lambda route: route.fulfill(body=line, content_type="text/html"))
    holder.goto(f"{visitor.address}course.html")
    frame = holder.frame_locator("iframe")
    frame.get_by_role("button", name="Pause", exact=True).wait_for()
    expect(frame.locator('.side[data-side="0"]')).to_have_attribute("data-done", "true")
    for hidden in ("#masthead", "#prompt", "#controls", "#more", "#views", ".deeper"):
        expect(frame.locator(hidden)).to_be_hidden()
    expect(frame.get_by_role("button", name="Replay")).to_be_visible()


def test_a_link_in_the_address_bar_opens_without_loading_the_page_again(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    fragment = page.evaluate(MAKE, {})
    run(page, length=SHORT)
    page.evaluate("(fragment) => (location.hash = fragment)", fragment)
    advanced(page, 1)
    expect(page.locator(".banner")).to_contain_text("token for token")
