"""The clock on the page: pace, meters, sentence and chart are those of the formula."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bench.screen import CLOCK_SLIDER
from tests.browser.steps import SHORT, deeper, every_number, finished, run
from unmask.run.clock_sentence import TimedRun, clock_sentence
from unmask.run.modelled_time import Clock
from unmask.run.pass_time import CHIPS, SIZES
from unmask.run.timeline import Timeline
from unmask.run.trace import load

UNEQUAL = "Their texts differ too much in length to compare their times."
ENDS = "unmask.player.timed.map(({moments}) => moments.at(-1).clock)"


def ran(page: Page, folder: Path) -> list[Timeline]:
    """Both sides of what is on the page, as saved."""
    found = []
    for number in (0, 1):
        with page.expect_download() as begun:
            every_number(page, number).locator(".save").click()
        begun.value.save_as(folder / f"{number}.dllm")
        found += load(folder / f"{number}.dllm").runs
    return found


def timed(timeline: Timeline, name: str) -> TimedRun:
    return TimedRun(name, timeline.measured(), timeline.works())


def opened(page: Page) -> Locator:
    """The panel, behind a run whose end is shown."""
    page.evaluate("unmask.player.move({ at: Infinity, playing: false, following: false })")
    page.get_by_role("button", name="Choose the clock").click()
    folded = page.locator("details.whose-clock")
    if folded.get_attribute("open") is None:
        deeper(page, "run")
        folded.locator("summary").first.click()
    return page.get_by_role("region", name="Whose clock?")


def modelled(page: Page) -> str:
    return page.locator(".clock-panel .says").text_content() or ""


def test_the_clock_turns_pace_meters_sentence_and_chart(page: Page, tmp_path: Path) -> None:
    run(page, length=SHORT)
    finished(page)
    measured = page.evaluate(ENDS)
    panel = opened(page)
    expect(panel.get_by_label("This machine, as measured")).to_be_checked()
    one, two = ran(page, tmp_path)

    panel.get_by_label("Another machine, modelled").check()
    for users, slider in ((1, "0"), (32, "5")):
        panel.get_by_label("Users at once").fill(slider)
        clock = Clock(CHIPS["h100"], SIZES["llada-8b"], users)
        wanted = [1000 * side.modelled(clock).seconds for side in (one, two)]
        expect(panel.locator("caption")).to_have_text(
            "Modelled, for one user" if users == 1 else f"Modelled, with {users} users at once"
        )
        assert page.evaluate(ENDS) == pytest.approx(wanted)
        parts = clock_sentence(clock, timed(one, ""), timed(two, ""))
        assert modelled(page) == (str(parts[1]) if len(parts) > 1 else UNEQUAL)
        seconds = max(wanted) / 1000
        shown = page.locator(".player .unit").inner_text()
        assert shown == f"{seconds:.{3 if seconds < 0.1 else 2}f} s on one H100 SXM, modelled"
        expect(page.locator(".numbers[data-side='0']")).to_contain_text("Times on one H100 SXM, modelled.")
        rate = page.locator(".numbers[data-side='0'] [data-meter='tokens/s'] dd").inner_text()
        assert float(rate) == pytest.approx(one.modelled(clock).tokens_per_second, rel=0.01)
    with page.expect_download() as begun:
        panel.get_by_role("button", name="Save as CSV").click()
    begun.value.save_as(tmp_path / "clock.csv")
    rows = list(csv.DictReader((tmp_path / "clock.csv").read_text().splitlines()))
    assert len(rows) == 18
    for row in rows:
        time = {"run": one, "twin": two}[row["side"]].modelled(replace(clock, users=int(row["users"])))
        assert float(row["tokens_per_second_per_user"]) == pytest.approx(time.tokens_per_second, rel=1e-5)
        assert float(row["first_pass_seconds"]) == pytest.approx(time.first, rel=1e-5)
    with page.expect_download() as begun:
        panel.get_by_role("button", name="Save as SVG").click()
    begun.value.save_as(tmp_path / "clock.svg")
    assert (tmp_path / "clock.svg").read_text().count("<path") > 8

    panel.get_by_label("This machine, as measured").check()
    assert page.evaluate(ENDS) == measured  # nothing measured was overwritten


def test_both_sides_play_at_the_modelled_pace(page: Page) -> None:
    opened(page)
    page.get_by_label("Another machine, modelled").check()
    page.get_by_label("Speed", exact=True).select_option("real time")
    wait: Any = page.evaluate(
        """async () => {
            unmask.player.move({ at: 0, playing: true, following: false });
            const began = performance.now();
            while (unmask.player.head.playing) await new Promise(requestAnimationFrame);
            const ends = unmask.player.timed.map(({moments}) => moments.at(-1).clock);
            return [performance.now() - began, Math.max(...ends)];
        }"""
    )
    assert wait[0] >= wait[1]  # as long as that machine would take, and the frames of the screen
    page.get_by_label("Speed", exact=True).select_option(index=0)
    halves = page.evaluate(
        """() => {
            const [one, two] = unmask.player.timed.map(({moments}) => moments.map(({clock}) => clock));
            unmask.player.move({ at: one.at(-1), playing: false, following: false });
            const [shown, beside] = [unmask.player.at(0), unmask.player.at(1)];
            return [shown, one.length - 1, beside, two.filter((at) => at <= one.at(-1)).length - 1];
        }"""
    )
    assert halves[0] == halves[1] and halves[2] == halves[3]


def test_numbers_of_ones_own(page: Page) -> None:
    panel = opened(page)
    panel.get_by_label("Machine", exact=True).select_option("own")
    panel.get_by_label("Model", exact=True).select_option("own")
    panel.get_by_label("Billion parameters, dense, bf16").fill("1")
    panel.get_by_label("Terabytes read a second").fill("")
    expect(panel).to_contain_text("Give every number of your own.")
    assert modelled(page) == ""
    panel.get_by_label("Terabytes read a second").fill("1")
    panel.get_by_label("Trillion operations a second, bf16").fill("100")
    expect(page.locator(".clock-panel .says")).to_contain_text(re.compile("On one accelerator, a model of 1 billion"))
    price = panel.get_by_label("Price of an hour")
    before = panel.locator("tbody tr").last.inner_text()
    price.fill("30")
    expect(panel.locator("tbody tr").last).not_to_have_text(before)
    cells = [
        json.loads(text.replace(",", "")) for text in panel.locator("tbody tr").last.locator("td").all_inner_texts()
    ]
    assert all(cell > 0 for cell in cells)


def test_a_slider_is_followed_at_once(page: Page) -> None:
    opened(page)
    page.get_by_label("Another machine, modelled").check()
    times = page.evaluate(CLOCK_SLIDER)
    assert len(times) == 60  # how long it takes is a row of the bench
    expect(page.locator(".clock-panel output").first).to_have_text("32")


def test_what_is_set_before_the_next_drawing_leaves_the_clock_on(page: Page) -> None:
    """The form sent which clock it had drawn last: a number set at once turned the one just chosen off again."""
    panel = opened(page)
    panel.evaluate(
        """(panel) => {
            panel.querySelectorAll("[type=radio]")[1].click();
            panel.querySelector("[type=range]").dispatchEvent(new Event("input"));
        }"""
    )
    expect(page.locator(".player .unit")).to_contain_text("modelled")
    expect(panel.get_by_label("Another machine, modelled")).to_be_checked()
