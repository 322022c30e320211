"""What a person asks beside a run: which words clash, why a word stands there, what an edit changed."""

from __future__ import annotations

import json
import re
import threading
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import SHORT, cell, deeper, every_number, pace, paused, run, side
from tests.browser.test_reach import AXE
from tests.browser.visit import Visitor
from unmask.features.lenses import lenses

ENDED = "unmask.sides[0].done && unmask.sides[0].moments.length > 3"


def violations(page: Page) -> list[str]:
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run('unmask-stage', {resultTypes: ['violations']})")
    return [one["id"] for one in found["violations"]]


def sudoku(page: Page) -> None:
    """A run of a model that knows every 4 × 4 sudoku, seen before its first pass."""
    settings = "{policy: 'confidence', passes: 3, seed: 1}"
    page.evaluate(
        f"unmask.open({{do: 'open', id: unmask.newId(), prompt: '1 2 [MASK:14]', length: 14, seed: 1, play: false,"
        f" sides: [{{model: 'sudoku4', settings: {settings}}}, {{model: 'sudoku4', settings: {settings}}}]}})"
    )
    page.wait_for_function("unmask.sides.every((side) => side.source === 'live' && side.done)")
    page.evaluate("unmask.player.pause()")
    paused(page)
    page.evaluate("unmask.player.seek(0)")


@pytest.mark.long
def test_threads_join_two_clashing_ghosts_and_the_sentence_says_by_how_much(page: Page) -> None:
    sudoku(page)
    opener = every_number(page).get_by_role("button", name="Which words clash?")
    opener.click()
    drawer = page.get_by_role("region", name="Which words clash?")
    expect(drawer.locator(".about")).to_contain_text("words at once, none knowing of the others")
    expect(drawer.locator(".worst")).to_have_text(
        re.compile(r"“\d” in cell \d+ is [\d.]+ % sure and “\d” in cell \d+ [\d.]+ %; both together 0 %\.")
    )
    threads = side(page).locator(".threads path.against")
    expect(threads.first).to_be_attached()
    a, b = (int(threads.first.get_attribute(f"data-{end}") or -1) for end in ("from", "to"))
    for place in (a, b):
        expect(cell(page, place)).to_have_class(re.compile(r"\bopen\b"))
    expect(drawer.locator("table td[data-sign=against]").first).to_have_text(re.compile("÷"))
    cell(page, a).hover()
    expect(drawer.locator(".pointed")).to_contain_text(f"written in cell {a}")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(side(page).locator(".threads path")).to_have_count(0)


def test_a_word_says_what_it_leans_on_and_what_had_come_without_it(page: Page) -> None:
    run(page, length=SHORT)
    page.wait_for_function(ENDED)
    last = page.evaluate("unmask.sides[0].moments.at(-1).kinds.length - 3")
    cell(page, last).click()
    drawer = page.locator(".inspector")
    expect(drawer.locator(".why")).to_contain_text("Written by the model at look")
    leans = drawer.locator("summary", has_text="What it leans on")
    leans.focus()
    page.keyboard.press("Enter")
    expect(drawer.locator(".reasons .answer p").first).to_contain_text("With every other word as it is")
    drawer.locator("summary", has_text="At which layer").click()
    expect(drawer.get_by_text("This model does not show its layers", exact=False)).to_be_visible()
    assert violations(page) == []

    with page.expect_download() as download:
        drawer.get_by_role("button", name="Save as SVG").first.click()
    drawn = ElementTree.parse(download.value.path()).getroot()
    assert "What it leans on" in [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]

    instead = drawer.get_by_role("button", name="instead (")  # what the model would have written but for this word
    word = re.search(r"“(.*)”", instead.inner_text())
    assert word and f"“{word[1]}”" not in drawer.get_by_role("heading").first.inner_text()
    for branch, name in (("2", "Take “"), ("3", "Write “")):
        drawer.get_by_role("button", name=name).click()
        page.wait_for_function(f"unmask.sides[0].branch === '{branch}'")
        page.evaluate("unmask.send(unmask.sides[0], {do: 'play'})")
        page.wait_for_function(ENDED)
        action = "erased a word." if branch == "2" else "erased a word, then pinned “"  # changes add up
        expect(page.locator(".branches .difference")).to_contain_text(f"On branch {branch} you {action}")
        page.evaluate("unmask.player.seek(Infinity)")


def test_a_long_question_about_a_word_can_be_stopped(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    original, stopped = lenses.leave_one_out, threading.Event()

    def slow(*question: Any) -> Any:
        stopped.wait(30)
        return original(*question)

    monkeypatch.setattr(lenses, "leave_one_out", slow)
    run(page, length=SHORT)
    page.wait_for_function(ENDED)
    cell(page, page.evaluate("unmask.sides[0].moments.at(-1).kinds.length - 3")).click()
    part = page.locator(".inspector details", has=page.get_by_text("What it leans on"))
    part.locator("summary").click()
    expect(part).to_contain_text("Trying it without each of the other words")
    part.get_by_role("button", name="stop").click()
    expect(part).not_to_have_attribute("open", "")
    stopped.set()
    part.locator("summary").click()
    expect(part.locator(".answer p").first).to_contain_text("With every other word as it is")  # it was found meanwhile
    expect(part.get_by_role("button", name="stop")).to_be_hidden()


def test_an_edit_marks_what_it_changed(page: Page) -> None:
    run(page, length=SHORT)
    page.wait_for_function(ENDED)
    place = page.evaluate("unmask.sides[0].moments.at(-1).kinds.length - 2")
    other = page.evaluate(f"unmask.sides[0].moments.at(-1).tokens[{place}] === 7 ? 8 : 7")
    page.evaluate(f"unmask.send(unmask.sides[0], {{do: 'pin', cells: [{place}], tokens: [{other}], at_moment: 2}})")
    page.wait_for_function("unmask.sides[0].branch === '2'")
    page.evaluate("unmask.send(unmask.sides[0], {do: 'play'})")
    page.wait_for_function(f"{ENDED} && unmask.sides[0].comparison !== null")
    changed = page.evaluate("unmask.sides[0].comparison.changed.map(([name]) => name)")
    others = [name for name in changed if name != place]
    assert others  # the toy's words hang on each other
    page.evaluate("unmask.player.seek(Infinity)")
    for name in others:
        expect(cell(page, name)).to_have_attribute("data-differs", "")
    cell(page, others[0]).click()
    expect(page.locator(".reasons .cause")).to_contain_text("Your edit caused it: branch 1")


def test_a_run_is_copied_as_a_script(visitor: Visitor) -> None:
    page = visitor.open(reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"])
    run(page, length=SHORT)
    every_number(page).get_by_role("button", name="Copy as Python").click()
    expect(page.locator(".say .status")).to_have_text("Copied: this run as a Python script for this engine.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert "from unmask.models import load" in text
    compile(text, "run.py", "exec")


def test_a_rule_holds_in_a_random_order_and_says_what_it_leaves_to_a_cell(page: Page) -> None:
    order = "preset: 'llada-random', policy: 'random', length: 8, passes: 8"
    page.evaluate(f"unmask.run({{{order}, constraint: 'regex', rule: '7 7 7( [0-9]+)*'}}, true)")
    page.wait_for_function("unmask.sides[0].source === 'live' && unmask.sides[0].moments.length > 2")
    page.evaluate("unmask.player.pause()")
    paused(page)
    open_cell = page.evaluate("unmask.sides[0].moments[1].kinds.indexOf(1)")
    page.evaluate("unmask.player.jump(0, 1)")
    cell(page, open_cell).click()
    page.locator("summary", has_text="What the rule leaves").click()
    expect(page.locator(".reasons .answer p").filter(has_text="allowed here")).to_have_text(
        re.compile(r"^\d+ → \d+ words allowed here\. ")
    )
    expect(page.locator(".reasons .answer p").filter(has_text="without the rule")).to_be_visible()
    page.evaluate("unmask.player.seek(Infinity); unmask.player.toggle()")
    page.wait_for_function("unmask.sides[0].done")
    words = page.evaluate(
        "[...unmask.sides[0].moments.at(-1).tokens.slice(-8)].map((t) => unmask.sides[0].pieces.get(t).trim())"
    )
    assert words[:3] == ["7", "7", "7"]


RECORD = "Text: Mia is 9 years old. She lives in Oslo and has a dog.\nJSON:"
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 99},
        "pet": {"enum": ["cat", "dog", "fish"]},
    },
    "required": ["name", "age", "pet"],
}
ANSWER = """() => {
  const side = unmask.sides[0];
  const { kinds, tokens, since } = side.moments.at(-1);
  const cells = [...kinds.keys()].filter((at) => kinds[at] === 3 && !side.head.ends.includes(tokens[at]));
  return { text: cells.map((at) => side.pieces.get(tokens[at])).join(""), since: cells.map((at) => since[at]) };
}"""


def test_a_record_is_written_in_random_order_and_valid(page: Page) -> None:
    """The embedded pair, with a schema in the form as the rule for the text."""
    pace(page, "as it comes")
    deeper(page, "how")
    page.get_by_role("button", name="A rule for the text").click()
    kind = page.get_by_label("The text must")
    kind.click()
    page.get_by_role("option", name="be JSON of this schema").click()
    rule = page.get_by_label("Text, pattern, grammar or schema")
    rule.fill(json.dumps(SCHEMA))
    rule.blur()
    page.wait_for_function("unmask.values.constraint === 'schema' && unmask.values.rule.startsWith('{')")
    order = {"prompt": RECORD, "length": 40, "preset": "llada-random", "policy": "random", "passes": 40, "block": 0}
    page.evaluate(f"unmask.setModels(['denoiser', 'twin']); unmask.run({json.dumps(order)}, true)")
    page.wait_for_function("unmask.sides[0].source === 'live' && unmask.sides[0].done", timeout=240_000)
    found = page.evaluate(ANSWER)
    record = json.loads(found["text"])
    assert list(record) == ["name", "age", "pet"] and record["pet"] in SCHEMA["properties"]["pet"]["enum"]
    assert isinstance(record["name"], str) and type(record["age"]) is int and 0 <= record["age"] <= 99
    since = found["since"]
    back = sum(later < earlier for earlier, later in pairwise(since))
    assert back > len(since) // 5  # written all over the text, not from left to right
    assert page.evaluate("unmask.sides[0].head.settings.policy") == "random"
