"""Another decoder in the middle of a run is exactly that decoder; a schedule that is drawn by hand is followed."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import decoder, more_settings, run, side
from unmask.models.bundled import decoding_mode
from unmask.models.toy import Toy
from unmask.run.plan import plan_run
from unmask.run.presets import presets
from unmask.run.spec import RunSpec

TOY = Toy()
KEPT = {"seed", "noise"}
TUNED = """async (name) => {
  const edits = () => unmask.sides[0].moments.filter((m) => m.event?.edit?.do === "tune");
  const before = edits().length;
  unmask.runs.decode(unmask.names.map((each) => (each === "preset" ? name : unmask.values[each])));
  while (edits().length === before) await new Promise((done) => setTimeout(done, 5));
  return edits().at(-1).event.settings;
}"""


def fresh(name: str, length: int) -> dict[str, Any]:
    """A run of this decoder that ends as the page's controls say; the page's own decoder is as the page opened with."""
    own = decoding_mode("toy")
    changes = own["settings"] if name == own["preset"] else {"end": own["settings"]["end"]}
    settings = RunSpec(length=length, preset=name, changes=changes).settings(TOY.card, length).to_dict()
    return {k: v for k, v in settings.items() if k not in KEPT}


def test_a_switch_between_two_decoders_is_exact(page: Page) -> None:
    """Once around; every pair of them is in `tests/contract/test_decoders.py`."""
    run(page, "look by look")
    page.get_by_role("button", name="Pause").click()
    length = int(page.evaluate("unmask.values.length"))
    names = sorted(presets())
    for name in [*names, names[0]]:
        settings = page.evaluate(TUNED, name)
        assert {k: v for k, v in settings.items() if k not in KEPT} == fresh(name, length), name


def test_a_decoder_is_chosen_in_the_menu_of_a_running_page(page: Page) -> None:
    run(page, "look by look")
    length = int(page.evaluate("unmask.values.length"))
    decoder(page, "llada2").check()
    page.wait_for_function("unmask.sides[0].moments.some((m) => m.event?.edit?.do === 'tune')")
    settings = page.evaluate("unmask.sides[0].moments.findLast((m) => m.event?.edit?.do === 'tune').event.settings")
    assert {k: v for k, v in settings.items() if k not in KEPT} == fresh("llada2", length)
    plan = plan_run(RunSpec(length=length, preset="llada2").start(TOY.card, TOY.tokenizer))
    expect(page.locator("#plan")).to_contain_text(f"at most {plan.passes} looks")


@pytest.mark.long  # one part is drawn in test_first_minute.py
def test_a_schedule_is_drawn_by_hand_and_the_plan_follows(page: Page) -> None:
    decoder(page, "dream").check()  # one that a schedule governs
    expect(page.locator("#plan")).to_contain_text("at most")
    expect(side(page)).to_have_attribute("data-source", "live")  # another decoder begins at once
    more_settings(page)
    expect(page.locator("unmask-schedule")).to_have_count(0)
    page.locator("#schedule input").click()
    page.get_by_role("option", name="drawn by hand").click()
    first = page.get_by_role("slider", name="Part 1 of 16")
    before = page.locator("#plan").inner_text()
    first.press("End")
    expect(first).to_have_attribute("aria-valuenow", "100")
    expect(page.locator("#plan")).not_to_have_text(before)
    strip = page.locator("unmask-schedule .strip")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5, steps=6)
    page.mouse.up()
    page.wait_for_function(  # a running run gets the new plan, and so does a new one
        """[unmask.sides[0].head, ...unmask.sides[0].moments.map((m) => m.event)]
        .some((row) => row?.settings?.shares?.at(-1) < 0.2)"""
    )
    assert page.evaluate("unmask.values.shares[0] > 0.8")
    first.press("ArrowRight")
    expect(page.get_by_role("slider", name="Part 2 of 16")).to_be_focused()
