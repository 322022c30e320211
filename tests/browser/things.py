"""Counts what stands in the first view: controls, numbers outside the sentence, slips. Words count as one group."""

from __future__ import annotations

from playwright.sync_api import Page

THINGS = """() => {
  const seen = (node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && // what is only for screen readers has one pixel
      box.top < innerHeight && box.bottom > 0 &&
      getComputedStyle(node).visibility === "visible";
  };
  const controls = [...document.querySelectorAll("button, a, input, select, textarea, summary")].filter(seen);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const numbers = [];
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (/\\d/.test(texts.currentNode.data) && seen(node) && !node.closest(".say, .paper, script, style, textarea"))
      if (getComputedStyle(node.closest("ol") ?? node).opacity !== "0") numbers.push(texts.currentNode.data.trim());
  }
  const slips = [...document.querySelectorAll(".slip")].filter(seen);
  const papers = [...document.querySelectorAll(".paper")].filter(seen);
  return { controls: controls.length, numbers: numbers.length, slips: slips.length, papers: papers.length };
}"""


def things(page: Page) -> dict[str, int]:
    """How many things of each kind are seen without scrolling."""
    counted: dict[str, int] = page.evaluate(THINGS)
    return counted
