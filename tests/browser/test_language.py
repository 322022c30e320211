"""The page in Italian: from top to bottom, nothing that the catalogue has is shown in English."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import deeper, many, word
from tests.browser.visit import Visitor
from unmask.ui.lessons import phrases

SHOWN = """() => {
  const found = new Set();
  const inText = (node) => node.closest("[data-cell], script, style, textarea");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (parentElement && !inText(parentElement)) found.add(data.trim());
  }
  for (const node of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    for (const name of ["aria-label", "title", "placeholder"])
      if (!inText(node)) found.add(node.getAttribute(name) ?? "");
  return [...found];
}"""


@pytest.mark.long
def test_no_phrase_of_the_catalogue_is_shown_in_english(visitor: Visitor) -> None:
    page = visitor.open(more="&lang=it", reduced_motion="reduce")
    english = {phrase for phrase, translated in phrases("it").items() if phrase != translated}
    expect(page.get_by_role("button", name="Esegui", exact=True)).to_be_visible()
    left = {"at rest": shown(page) & english}
    page.get_by_role("button", name="Esegui", exact=True).click()
    expect(page.locator("unmask-stage")).to_have_attribute("data-run", "over", timeout=60_000)
    left["after a run"] = shown(page) & english
    word(page, 20).click()
    left["a word"] = shown(page) & english
    page.keyboard.press("Escape")
    for name in ("run", "how", "word", "many", "Lab", "Race", "Claims", "Decisions"):
        (many if name[0].isupper() else deeper)(page, name)
        page.evaluate("document.querySelectorAll('unmask-dock details').forEach((one) => (one.open = true))")
        for tab in page.locator("unmask-dock .page [role=tab]:visible").all():
            tab.click()
        page.wait_for_timeout(300)  # what is fetched when it is first seen
        left[name] = shown(page) & english
    page.get_by_role("button", name="Condividi", exact=True).click()
    left["share"] = shown(page) & english
    page.evaluate("document.dispatchEvent(new Event('unmask-models'))")
    expect(page.locator(".models li")).not_to_have_count(1)
    left["models"] = shown(page) & english
    assert {place: found for place, found in left.items() if found} == {}


def shown(page: Page) -> set[str]:
    """Every text, label and tooltip of the page but the words of the runs."""
    return set(page.evaluate(SHOWN))
