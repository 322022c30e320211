"""A run taken away as one page: opened from disk without a network it plays, scrubs and shows what a cell believed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.steps import advanced, drawn, share, side
from tests.browser.visit import Visitor


def test_a_saved_page_plays_from_disk_without_a_network(visitor: Visitor, chromium: Browser, tmp_path: Path) -> None:
    page = visitor.open(reduced_motion="reduce")
    expect(side(page)).to_have_attribute("data-source", "replay")
    share(page)
    with page.expect_download() as taken:
        page.locator(".share").get_by_role("button", name="Page").click()
    file = tmp_path / "run.html"
    taken.value.save_as(file)
    assert file.stat().st_size < 1_500_000
    context = chromium.new_context(offline=True)
    alone, wrong = context.new_page(), []
    alone.on("pageerror", lambda error: wrong.append(str(error)))
    alone.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    alone.on("request", lambda request: wrong.append(request.url) if request.url.startswith(("http", "ws")) else None)
    alone.goto(file.as_uri())
    for number in (0, 1):
        expect(side(alone, number)).to_have_attribute("data-source", "replay")
    advanced(alone, 2)
    for where in (alone, page):
        where.evaluate("document.querySelector('unmask-stage').controller.player.seek(Infinity)")
        drawn(where)
    texts = [side(where).locator("[data-cell]").all_text_contents() for where in (alone, page)]
    assert texts[0] == texts[1] and len(texts[0]) > 10
    side(alone).locator("[data-cell]").nth(6).click()
    alone.get_by_role("dialog").get_by_role("button", name="more", exact=True).click()
    expect(alone.locator(".inspector")).to_be_visible()
    expect(alone.get_by_role("button", name="Fork here")).to_be_hidden()
    assert not wrong
    context.close()
