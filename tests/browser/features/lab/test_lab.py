"""The Lab in a real browser: a sweep stopped and gone on with, a point opened on the stage, lanes in step, a game."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import many, side
from tests.browser.visit import Visitor
from tests.long import grown


def open_lab(visitor: Visitor) -> tuple[Page, Locator]:
    page = visitor.open(reduced_motion="reduce")
    many(page, "Lab")
    lab = page.locator("unmask-lab")
    expect(lab).to_have_attribute("data-state", "ready")
    return page, lab


# counted worlds are swept in a second: the hand that stops it is the page's own
STOP = """(sweep) => {
  sweep.dataset.state = "";
  const stop = [...sweep.querySelectorAll("button")].find((button) => button.textContent.trim() === "Stop");
  const running = new MutationObserver(() => {
    if (sweep.dataset.state !== "running" || stop.hidden) return;
    running.disconnect();
    stop.click();
  });
  running.observe(sweep, { attributes: true, subtree: true });
}"""


def swept(sweep: Locator) -> None:
    """Wait until a sweep is done: however many texts there are, as long as they come."""
    moved = """(before) => {
        const { state, done } = document.querySelector("unmask-lab .lab-sweep").dataset;
        return state === "done" || done !== before;
    }"""
    while sweep.get_attribute("data-state") != "done":
        sweep.page.wait_for_function(moved, arg=sweep.get_attribute("data-done"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("many", grown(2, 6))
def test_a_sweep_is_stopped_gone_on_with_and_a_point_opens_its_run(visitor: Visitor, many: int) -> None:
    decoders = seeds = many
    page, lab = open_lab(visitor)
    sweep = lab.locator(".lab-sweep")
    for box in sweep.get_by_role("checkbox", checked=True).all()[: decoders - 1 : -1]:
        box.uncheck()
    expect(sweep.get_by_role("checkbox", checked=True)).to_have_count(decoders)
    sweep.get_by_text("Measure, model, seeds, prompts of your own").click()
    sweep.get_by_role("combobox", name="Model", exact=True).fill("balanced")
    prompts = ("(", "[", "(()", "[[]", "([]", "[()", "()(", "[][")  # enough that it can be stopped
    sweep.get_by_label("Prompts").fill("\n---\n".join(prompts))
    sweep.get_by_label("Words to write").fill("7")
    sweep.get_by_label("Seeds").fill(str(seeds))
    for _ in range(12):  # a sweep may be over before a busy page gets to its button
        sweep.evaluate(STOP)
        sweep.get_by_role("button", name="Compare").click()
        expect(sweep).to_have_attribute("data-state", re.compile("stopped|done"))
        if sweep.get_attribute("data-state") == "stopped":
            break
    expect(sweep).to_have_attribute("data-state", "stopped")
    stood = int(sweep.get_attribute("data-done") or 0)
    sweep.get_by_role("button", name="Go on").click()
    swept(sweep)
    whole = int(sweep.get_attribute("data-done") or 0)
    assert stood < whole and whole % seeds == 0
    marks = sweep.locator(".lab-chart .scatterlayer .points path")
    expect(marks.first).to_be_visible()
    marks.last.click(force=True)
    run = sweep.locator(".lab-run").first
    expect(run).to_be_visible()
    text = re.sub(r"\s+", " ", run.inner_text())
    run.get_by_role("button", name="Open on the stage").click()
    expect(side(page)).to_have_attribute("data-source", "live")
    expect(side(page)).to_have_attribute("data-done", "true", timeout=60_000)
    shown = "".join(side(page).locator(".cell").all_inner_texts())
    brackets = "".join(c for c in text.split(":", 1)[1] if c in "()[]")
    assert len(brackets) in (8, 10) and brackets in re.sub(r"[^()\[\]]", "", shown)
    expect(page.locator("#length input[type=number]")).to_have_value("8")  # the slider begins there
    expect(page.locator("#prompt textarea")).to_have_value(re.compile(rf"^{re.escape(brackets[0])}"))
    sweep.get_by_role("button", name="Advise").click()
    expect(sweep.locator(".lab-advice")).to_contain_text("looks a text")
    page.locator("#prompt textarea").fill("{")
    sweep.get_by_role("button", name="Use it on the stage").click()
    expect(page.locator("#prompt textarea")).to_have_value(re.compile(r"^[(\[]"))
    rule = page.evaluate("unmask.sides[0].head.settings.policy")
    expect(page.locator("#policy input")).to_have_value(rule)
    page.wait_for_function("(policy) => unmask.values.policy === policy", arg=rule)


def test_a_sweep_that_cannot_be_is_a_sentence(visitor: Visitor) -> None:
    _, lab = open_lab(visitor)
    sweep = lab.locator(".lab-sweep")
    sweep.get_by_text("Measure, model, seeds, prompts of your own").click()
    sweep.get_by_role("combobox", name="Model", exact=True).fill("toy")
    sweep.get_by_label("Prompts").fill("1 2")
    visitor.wrong.clear()
    sweep.get_by_role("button", name="Compare").click()
    expect(sweep.get_by_role("status")).to_contain_text("no judge knows a text that begins '1 2'")
    visitor.wrong[:] = [line for line in visitor.wrong if "status of 400" not in line]  # the browser's own note


def test_three_decoders_stand_in_step(visitor: Visitor) -> None:
    _page, lab = open_lab(visitor)
    lab.locator("summary", has_text="Side by side").click()
    part = lab.locator(".lab-part").nth(1)
    part.get_by_role("combobox", name="Model", exact=True).fill("toy")
    part.get_by_label("Prompt", exact=True).fill("1 2 3")
    part.get_by_label("Words to write").fill("16")
    part.get_by_role("button", name="Set side by side").click()
    lanes = part.locator(".lab-lane")
    expect(lanes).to_have_count(3)
    slider = part.get_by_label("How much is written")
    for share in (0, 50, 100):
        slider.fill(str(share))
        for lane in lanes.all():
            shut = 16 - lane.locator(".lab-open").count()
            assert shut <= share * 16 / 100 + 1e-9
    assert all(lane.locator(".lab-open").count() == 0 for lane in lanes.all())


def test_a_game_against_the_schedule_is_played_to_its_end(visitor: Visitor) -> None:
    _, lab = open_lab(visitor)
    lab.locator("summary", has_text="Beat the schedule").click()
    game = lab.locator(".lab-game")
    game.get_by_role("button", name="New game").click()
    for cells in ((0, 1, 2), (3,)):
        for at in cells:
            game.locator(".lab-cell").nth(at).click()
        game.get_by_role("button", name="Write these").click()
        expect(game.locator(".lab-stands")).to_have_count(cells[-1] + 1)
    expect(game.get_by_role("status")).to_contain_text("in 2 looks. Your way of choosing ends right in 38 %")
    expect(game.get_by_role("status")).to_contain_text("The best schedule of as many looks ends right in 38 %")


def test_prompts_of_ones_own_are_scored_and_two_saved_sweeps_are_compared(visitor: Visitor, tmp_path: Path) -> None:
    _, lab = open_lab(visitor)
    sweep = lab.locator(".lab-sweep")
    for box in sweep.get_by_role("checkbox", checked=True).all()[::-1]:
        box.uncheck()
    for name in ("LLaDA", "Fast-dLLM"):
        sweep.get_by_role("checkbox", name=name, exact=True).check()
    sweep.get_by_text("Measure, model, seeds, prompts of your own").click()
    sweep.get_by_role("combobox", name="Model", exact=True).fill("toy")
    sweep.get_by_label("Words to write").fill("8")
    sweep.get_by_label("Seeds").fill("1")
    own = sweep.get_by_label("File", exact=True)
    saved = []
    for at, starts in enumerate((range(1, 5), range(3, 7))):
        rows = "\n".join(json.dumps({"prompt": f"{n} {n + 1}", "reference": "4"}) for n in starts)
        own.set_input_files({"name": f"pairs{at}.jsonl", "mimeType": "application/jsonl", "buffer": rows.encode()})
        expect(sweep.locator(".lab-own")).to_contain_text(f"4 prompts of pairs{at}.")
        sweep.evaluate("(node) => { node.dataset.state = ''; }")
        sweep.get_by_role("button", name="Compare", exact=True).click()
        expect(sweep).to_have_attribute("data-state", "done", timeout=60_000)
        with sweep.page.expect_download() as taken:
            sweep.get_by_role("link", name="Save the sweep").click()
        saved.append(tmp_path / f"{at}.sweep.jsonl")
        taken.value.save_as(saved[-1])
    second = sweep.locator(".lab-second")
    second.get_by_text("Compare with another saved sweep").click()
    second.get_by_label("Its file").set_input_files(saved[0])
    expect(second.get_by_role("status")).to_have_text("Here: 0.sweep.jsonl.")
    expect(second.locator("tbody th b", has_text="LLaDA, 4 passes")).to_be_visible()
    expect(second.locator("tbody td:last-child").first).to_contain_text("no difference seen")  # of prompts 3 and 4
    visitor.wrong.clear()
    second.get_by_label("Its file").set_input_files(
        {"name": "no.jsonl", "mimeType": "application/jsonl", "buffer": b"{}"}
    )
    expect(second.get_by_role("status")).to_contain_text("no file of a sweep")
    expect(second.locator("table")).to_have_count(0)
    visitor.wrong[:] = [line for line in visitor.wrong if "status of 400" not in line]  # the browser's own note
    sweep.get_by_role("button", name="Use the prompts above instead").click()
    expect(sweep.locator(".lab-own")).not_to_contain_text("4 prompts")
