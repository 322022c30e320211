"""The open models are named and can be chosen; runs are saved and opened again; a busy place says how long to wait."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.recorded import pair
from tests.browser.steps import (
    SHORT,
    cell,
    decoder,
    every_number,
    finished,
    models,
    name_model,
    numbers,
    pace,
    paused,
    run,
    side,
    stop_at,
    words,
)
from tests.browser.visit import Visitor
from tests.contract.test_bad_files import TABLE, built
from unmask.live.device import Job
from unmask.run import trace
from unmask.serve.runtime import Runtime

# texts of a row that are wider than their place, or smaller than a person reads
CUT = """[...document.querySelectorAll('.models li :is(h4, p, span, button)')].filter((node) =>
    node.checkVisibility() && (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0
      || parseFloat(getComputedStyle(node).fontSize) < 13)).map((node) => node.textContent)"""
DROP = """([name, text]) => { const carried = new DataTransfer();
    carried.items.add(new File([text], name, {type: 'application/x-ndjson'}));
    document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: carried, bubbles: true, cancelable: true})); }"""


def drop(page: Page, text: str) -> None:
    page.evaluate(DROP, ["run.trace.jsonl", text])


def saved(page: Page) -> str:
    with page.expect_download() as coming:
        every_number(page).get_by_text("Save run").click()
    return Path(coming.value.path()).read_text(encoding="utf-8")


def test_the_header_says_what_thinks(page: Page) -> None:
    line = models(page).locator(".now")
    expect(line).to_contain_text("You see a recording by toy")
    run(page)
    expect(line).to_contain_text(re.compile(r"toy 0 runs here: 64-bit numbers \(fp64\) on a processor, \d+ thread"))
    page.get_by_text("What writes on each side").click()
    expect(page.locator(".models .cards")).to_contain_text("toy-50-0-49, not trained")


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_a_long_list_of_models_does_not_stretch_the_page(visitor: Visitor, width: int, height: int) -> None:
    """It was a column 266 px wide in the menu."""
    page = visitor.open(width=width, height=height, reduced_motion="reduce", deep=False)
    found = models(page)
    expect(found.locator("li")).not_to_have_count(1)  # the models of the Hub are there
    found.get_by_role("button", name="Show all").click()
    for row in found.locator("li").all():
        box = row.bounding_box()
        assert box is not None and box["width"] >= min(360, 0.85 * width)
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width > 900:
        assert page.evaluate("document.documentElement.scrollHeight") <= height  # the dock scrolls by itself


def test_another_model_begins_as_its_card_says_and_the_controls_follow(page: Page) -> None:
    """The fast mode is one press away where the whole canvas was slower, and writes the twin's very text."""
    prompt = "Story: One evening Mina baked twelve doughnuts."
    page.evaluate("unmask.faster = true; unmask.setModels(['denoiser', 'twin'])")
    pace(page, "as it comes")
    page.locator("#prompt textarea").fill(prompt)
    page.evaluate("(prompt) => unmask.run({ prompt, length: 72, preset: 'fast-dllm' }, true)", prompt)
    page.wait_for_function("unmask.sides[0].head.model?.name === 'Unmask denoiser' && unmask.over", timeout=90_000)
    models(page)
    page.get_by_text("What writes on each side").click()
    page.locator(".models select").first.select_option("fast")
    page.wait_for_function("unmask.sides[0].head.model?.name === 'Unmask fast' && unmask.over", timeout=90_000)
    expect(decoder(page, "draft-and-verify")).to_be_checked()
    expect(side(page).locator(".how")).to_have_text("drafted at once, then verified")
    drafted, read = ("".join(words(page, number)) for number in (0, 1))
    assert drafted == read and len(drafted) > 100
    page.get_by_role("button", name="Let Diffusion write it again").click()
    page.wait_for_function("unmask.sides[0].head.model?.name === 'Unmask denoiser'", timeout=90_000)
    expect(decoder(page, "draft-and-proofread")).to_be_checked()
    page.wait_for_function("unmask.over", timeout=90_000)
    expect(side(page).locator(".how")).to_have_text("drafted everywhere, then proofread")


def test_a_model_that_is_not_there_is_refused_in_a_sentence_and_the_old_one_stays(page: Page) -> None:
    run(page, length=SHORT)
    name_model(page, "nonsense")
    page.get_by_role("button", name="Open as diffusion").click()
    expect(page.locator(".say .status.refused")).to_contain_text("'nonsense' is no folder here and no id")
    run(page, length=SHORT)
    finished(page)


def test_a_recording_of_other_weights_is_not_gone_on_with(visitor: Visitor, rerecorded: Path) -> None:
    pair(rerecorded, weights="others")
    page = visitor.open(reduced_motion="reduce")
    pace(page, "as it comes")
    stop_at(page, 3)
    cell(page, 50).click()
    page.get_by_label("Word to pin").fill("7")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".say .status")).to_contain_text("made by other weights than toy 0 has here")
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)
    assert not page.evaluate("unmask.sides[0].moments.some((m) => m.kind === 'edit')")


def test_a_run_is_saved_and_dropped_back(page: Page) -> None:
    run(page, length=SHORT)
    finished(page)
    last = page.evaluate("Array.from(unmask.sides[0].moments.at(-1).tokens)")
    text = saved(page)
    kept = trace.parse_trace(text)
    assert kept.first.head.canvas.tokens.tolist() == last
    drop(page, text)
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.locator(".say .status")).to_contain_text("its weights are those here")
    expect(numbers(page).locator(".badge")).to_have_text("replay")
    page.get_by_role("button", name="To the end").click()
    assert page.evaluate("Array.from(unmask.sides[0].moments.at(-1).tokens)") == last
    assert saved(page) == text
    first, _, rest = text.partition("\n")
    head = json.loads(first)
    head["runs"][0]["head"]["model"]["weights"] = "others"
    drop(page, json.dumps(head) + "\n" + rest)
    expect(page.locator(".say .status")).to_contain_text("its weights are not those here")
    expect(numbers(page).locator(".model")).to_contain_text("its weights are not those here")


@pytest.mark.long
def test_a_steered_recording_of_one_side_is_taken_over_with_its_edits(page: Page) -> None:
    """What was pinned in it was lost, and so was the touch: a side that was not recorded passed for other weights."""
    page.locator("#prompt textarea").fill("1 2 3")
    run(page)
    finished(page)
    page.evaluate("unmask.player.jump(0, 4); unmask.steering.edit(0, { do: 'pin', cells: [60], tokens: [9] })")
    page.wait_for_function("unmask.sides[0].branch === '2' && unmask.sides[0].done")
    text = saved(page)
    page.reload()
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-source", "replay")
    drop(page, text)
    expect(page.locator(".say .status")).to_contain_text("This is a recording by toy")
    expect(side(page, 1)).to_have_attribute("data-source", "empty")
    page.evaluate("unmask.player.jump(0, unmask.sides[0].moments.length - 3)")
    page.wait_for_function("unmask.player.at(0) === unmask.sides[0].moments.length - 3")
    before = page.evaluate("[...unmask.sides[0].moments[unmask.player.at(0)].tokens]")
    place = page.evaluate("unmask.sides[0].moments[unmask.player.at(0)].kinds.lastIndexOf(1)")
    page.evaluate(f"unmask.steering.edit(0, {{ do: 'pin', cells: [{place}], tokens: [8] }})")
    expect(page.locator(".say .status")).to_contain_text(f"in cell {place}.")
    expect(side(page, 1)).to_have_attribute("data-source", "live")
    page.wait_for_function("unmask.sides[0].done")
    edited = "unmask.sides[0].moments.filter(({ kind }) => kind === 'edit').map(({ event }) => event.edit.cells[0])"
    assert page.evaluate(edited) == [60, place]
    at = page.evaluate("unmask.sides[0].moments.findLastIndex(({ kind }) => kind === 'edit')")
    assert page.evaluate(f"[...unmask.sides[0].moments[{at} - 1].tokens]") == before


def test_an_edited_unsealed_or_foreign_recording_stands_under_a_banner(page: Page, tmp_path: Path) -> None:
    """Such a file once looked like any other, and said that its weights were those here."""
    run(page, length=SHORT)
    finished(page)
    banner = page.locator(".banner")
    whole = saved(page)
    drop(page, whole)
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(banner).to_be_empty()
    lines = whole.splitlines(keepends=True)
    head = json.loads(lines[0])
    head["runs"][0]["head"]["prompt"] = "another"  # the seal is the old one
    drop(page, "".join([json.dumps(head) + "\n", *lines[1:]]))
    expect(banner).to_contain_text("This file was changed after it was written")
    drop(page, "".join(lines[:-1]))
    expect(banner).to_contain_text("This file has no seal")
    drop(page, (pair(tmp_path, weights="others") / "first.diffusion.trace.jsonl").read_text(encoding="utf-8"))
    expect(banner).to_have_text("It says it was made with other weights than those here.")
    drop(page, whole)
    expect(banner).to_be_empty()


def test_a_file_that_cannot_be_shown_is_refused_in_a_sentence(page: Page) -> None:
    stop_at(page, 1)
    for text, why in (
        ("hello", "not a trace"),
        ('{"unmask": 6}', "newer version"),
        ('{"unmask": 1, "head": {}, "canvas": {"tokens": [1], "kinds": ""}}', "Line 1 of this trace is damaged"),
        (built(TABLE["bad"]["no passes"], TABLE["good"]), "passes is out of range"),
    ):
        drop(page, text)
        expect(page.locator(".say .status.refused")).to_contain_text(why)
    expect(side(page)).to_have_attribute("data-moments", re.compile(r"\d\d"))  # what was there is still there


@pytest.mark.long
def test_entropy_comes_with_a_live_run_for_those_who_look(page: Page) -> None:
    run(page, "look by look")
    before = page.evaluate("unmask.sides[0].moments.length")
    page.get_by_text("how undecided", exact=True).click()
    page.wait_for_function("unmask.sides[0].moments.at(-1).event?.e !== undefined")
    early = page.evaluate("(n) => unmask.sides[0].moments.slice(1, n).map(({ event }) => event?.e ?? null)", before)
    assert early and not any(early)
    pace(page, "as it comes")
    finished(page)
    run(page)
    finished(page)
    assert page.evaluate("unmask.sides[0].moments[1].event.e !== undefined")


def test_who_must_wait_sees_the_place_and_can_leave_it(page: Page, runtime: Runtime) -> None:
    run(page)  # so that the models are open
    finished(page)
    free = threading.Event()

    def hold() -> None:
        free.wait()

    runtime.device._jobs.append(Job(hold, None))  # something long keeps the device, and turns wait behind it
    with runtime.device._wake:
        runtime.device._wake.notify()
    try:
        page.get_by_role("button", name="Run", exact=True).click()
        waits = side(page).locator(".waits")
        expect(waits).to_contain_text("Your place is 1")
        assert page.evaluate("unmask.next.sides[0].moments.length") == 1
        waits.get_by_role("button", name="Cancel").click()
        expect(waits).to_be_hidden()
        paused(page)
    finally:
        free.set()
    page.get_by_role("button", name="Play", exact=True).click()
    finished(page)
