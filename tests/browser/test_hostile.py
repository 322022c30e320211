"""Markup in what comes from elsewhere stays text: recordings, links, lessons, translations, and files made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.steps import SHORT, deeper, finished, run, side, taken
from tests.browser.test_links import MAKE
from tests.browser.visit import Visitor
from unmask.config import config

EVIL = """"'><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>"""
SHOWN = ("name", "note", "licence", "prompt", "weights", "tokenizer", "number", "device", "family")
# what a page holds only if a text was read as markup
MADE = """() => [...document.querySelectorAll("*")]
  .filter((one) => [...one.attributes].some(({name, value}) => name.startsWith("on") && value.includes("taken"))
    || (one.localName === "script" && one.textContent.includes("'taken'") && !one.type.includes("json"))
    || (one.localName === "img" && one.getAttribute("src") === "x")
    || ["href", "src", "action"].some((name) => /^\\s*javascript:/i.test(one.getAttribute(name) ?? "")))
  .map((one) => one.outerHTML.slice(0, 200))"""


def untouched(page: Page) -> None:
    page.wait_for_timeout(50)  # an image that does not load calls its handler within a task
    assert page.evaluate(MADE) == []
    assert "taken" not in page.title()


def changed(row: Any, change: Callable[[str], str], key: str = "") -> Any:
    """A row of a recording, with the texts that a page shows changed."""
    if isinstance(row, dict):
        pieces = key == "pieces"
        return {name: changed(value, change, "name" if pieces else name) for name, value in row.items()}
    if isinstance(row, list):
        return [changed(value, change, key) for value in row]
    return change(row) if isinstance(row, str) and key in (*SHOWN, "why") else row


def test_markup_would_be_seen(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.evaluate("(evil) => document.querySelector('unmask-stage').insertAdjacentHTML('beforeend', evil)", EVIL)
    with pytest.raises(AssertionError):
        untouched(page)
    visitor.wrong.clear()  # the picture that is not there


def test_a_request_to_another_machine_is_refused_and_seen_on_the_console(page: Page, visitor: Visitor) -> None:
    for at, request in {
        "one.example": "fetch('http://one.example').catch(() => 0)",
        "two.example": "void (new Image().src = 'https://two.example/a.png')",
        "three.example": "import('https://three.example/a.js').catch(() => 0)",
        "four.example": "void new WebSocket('wss://four.example')",
        "192.0.2.5": "fetch('http://192.0.2.5').catch(() => 0)",
    }.items():
        with page.expect_console_message(lambda line, at=at: line.type == "error" and at in line.text):
            page.evaluate(request)
    assert len(visitor.wrong) >= 5
    visitor.wrong.clear()


@pytest.fixture
def recording(traces: Path, tmp_path: Path) -> Path:
    """A whole recording of both sides, with markup in each text that is shown."""
    file = traces / "first.diffusion.trace.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    evil = [changed(row, lambda text: text + EVIL) for row in rows if "seal" not in row and row.get("did") != "sealed"]
    made = tmp_path / "evil.trace.jsonl"
    made.write_text("".join(json.dumps(row) + "\n" for row in evil), "utf-8")
    return made


def test_a_recording_made_elsewhere(visitor: Visitor, recording: Path, tmp_path: Path) -> None:
    page = visitor.open(reduced_motion="reduce")
    page.locator("input[type=file]").set_input_files(recording)
    expect(page.locator(".banner")).to_contain_text("no seal")
    page.evaluate("unmask.player.seek(Infinity)")
    assert "onerror=" in side(page).inner_text()  # its words are shown, as text
    for tab in ("run", "how", "word", "many"):
        deeper(page, tab)
        untouched(page)
    side(page).locator("[data-cell]").nth(20).click()
    untouched(page)
    for name in ("Page", "Picture (SVG)", "Map (SVG)"):
        saved = taken(page, name, tmp_path)
        other = page.context.new_page()
        other.goto(saved.as_uri())
        untouched(other)
        other.close()


@pytest.mark.long
def test_a_link_with_markup_in_every_text(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce")
    run(page, length=SHORT)
    finished(page)
    for change in (
        {"model": EVIL},
        {"preset": EVIL},
        {"settings": {"policy": EVIL}},
        {"name": EVIL},
        {"weights": EVIL},
    ):
        link = page.evaluate(MAKE, change)
        other = visitor.open(more=link, reduced_motion="reduce")
        untouched(other)
    made = page.evaluate(
        """async (prompt) => {
          const { packed } = await import(new URL("unmask/assets/links/link.js", document.baseURI));
          const { linkOf } = await import(new URL("unmask/assets/links/link.js", document.baseURI));
          const defaults = JSON.parse(document.querySelector("unmask-links").dataset.defaults);
          return "#" + (await packed({ ...linkOf(unmask.sides, unmask.models, defaults), prompt }));
        }""",
        EVIL,
    )
    other = visitor.open(more=made, reduced_motion="reduce")
    expect(other.locator("#prompt textarea")).to_have_value(EVIL)
    untouched(other)
    for query in ("&lang=", "&theme=", "&lesson=", "&hide=", "&embed=", "&class=", "&gallery="):
        other = visitor.open(more=f"{query}{EVIL.replace('#', '')}", reduced_motion="reduce")
        untouched(other)


def test_a_lesson_with_markup_in_every_part(visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quoted = json.dumps(EVIL)
    (tmp_path / "evil.md").write_text(
        f"---\nruns:\n  one:\n    button: {quoted}\n    prompt: '3 14'\n    model: toy\n    length: 8\n"
        f"    goals: {{{json.dumps(EVIL.replace(':', ''))}: looks > 0}}\n---\n# Mine {EVIL}\n\n> A claim {EVIL}\n\n"
        f"Text {EVIL} **bold** [a link](javascript:document.title='taken') `{EVIL}`\n\n```play\none\n```\n\n"
        f"```predict\n{EVIL}\n- no {EVIL}\n  No {EVIL}\n+ yes {EVIL}\n  Yes {EVIL}\n```\n\n```why\n{EVIL}\n```\n"
    )
    monkeypatch.setenv("UNMASK_LESSONS", str(tmp_path))
    config.cache_clear()
    try:
        page = visitor.open(more="&lesson=evil.md", reduced_motion="reduce", deep=False)
        drawer = page.locator("aside.lessons")
        expect(drawer).to_contain_text("Mine")
        untouched(page)
        drawer.locator(".lesson-play").click()
        drawer.get_by_role("button", name="Next").click()
        untouched(page)
        drawer.locator("button", has_text="yes").first.click()
        untouched(page)
        page.get_by_role("button", name="Worksheet").click()
        untouched(page)
    finally:
        config.cache_clear()


@pytest.mark.long
def test_a_translation_with_markup_in_every_phrase(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", deep=False)

    def evil(route: Route) -> None:
        phrases = route.fetch().json()
        route.fulfill(json={name: text + EVIL for name, text in phrases.items()})

    page.context.route("**/phrases.json", evil)
    page.goto(page.url + "&lang=it")
    expect(page.locator("unmask-stage")).to_have_attribute("data-ready", "yes")
    expect(page.locator("body")).to_contain_text("taken")
    for tab in ("run", "how", "word", "many"):
        page.evaluate("(page) => document.querySelector('unmask-stage').open(page)", tab)
        untouched(page)
    page.context.unroute("**/phrases.json")
