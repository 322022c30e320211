"""Undo on the page is exact: canvas, branch, settings and controls are what they were, after random acts.

`UNDO_ACTS` says how many acts are tried in a row."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, drawn, finished, more_settings, pace, paused, pinned, run, side, stop_at, words
from tests.browser.visit import Visitor
from tests.long import grown

WHAT = """() => ({
  prompt: document.querySelector("#prompt textarea").value,
  sides: unmask.sides.map((side, number) => {
    const at = unmask.player.at(number);
    const moment = side.moments[at];
    const { [side.branch]: newest, ...heads } = side.heads; // the other side may have been written further meanwhile
    return { at, source: side.source, branch: side.branch, heads,
      tokens: moment && Array.from(moment.tokens), kinds: moment && Array.from(moment.kinds),
      settings: side.moments.findLast((one, i) => i <= at && one.event?.settings)?.event.settings ?? null };
  }),
  shown: [...document.querySelectorAll(".side[data-side='0'] [data-cell]")].map((word) => word.textContent).join("|"),
})"""

# what a person can do to what stands, as the page itself does it
ACTS = {
    "run": "unmask.run({ seed: %d, length: 24, prompt: '%d %d' }, true)",
    "pin": "unmask.edit1(%d, '7')",
    "replace": "unmask.steering.replace(0, unmask.some(%d), { text: '5' })",
    "erase": "unmask.acts(%d, 'erase')",
    "insert": "unmask.acts(%d, 'insert')",
    "ban": "unmask.acts(%d, 'ban', '3')",
    "boost": "unmask.acts(%d, 'boost', '4')",
    "fork": "unmask.acts(%d, 'fork')",
    "tune": "unmask.tuned(0.%d)",
    "switch": "unmask.branching.act(0, 'switch', unmask.heads(%d))",
    "step": "unmask.player.step(1)",
    "back": "unmask.player.step(-1)",
    "seek": "unmask.player.jump(0, unmask.moment(%d))",
}
HELP = """() => {
  unmask.tuned = (temperature) => { const before = unmask.values;
    unmask.setValues({ ...before, temperature }); unmask.runs.tune(before); };
  unmask.some = (n) => { const { tokens, kinds } = unmask.sides[0].moments[unmask.player.at(0)];
    const free = [...tokens.keys()].filter((i) => kinds[i] !== 0); return free[n % free.length] ?? 0; };
  unmask.acts = (n, act, text = "") => { const one = unmask.some(n);
    unmask.selection.select(0, one, false); unmask.steering.steer(act, text); };
  unmask.edit1 = (n, text) => unmask.steering.edit(0, { do: "pin", at: unmask.some(n), text });
  unmask.heads = (n) => { const all = Object.keys(unmask.sides[0].heads); return all[n % all.length]; };
  unmask.moment = (n) => n % unmask.sides[0].moments.length;
}"""


def settled(page: Page) -> None:
    """Until the server has answered everything and nothing moves: a question that is answered in turn comes back."""
    page.wait_for_function("!unmask.next && !unmask.going")
    page.evaluate(
        """async () => { for (const side of unmask.live.filter((one) => one.keys.own)) {
            const n = side.n;
            unmask.connection.send({ do: "peek", session: side.session, cell: 0 });
            while ((unmask.sides.find((one) => one.session === side.session)?.n ?? Infinity) <= n)
                await new Promise((done) => setTimeout(done, 5));
        } }"""
    )
    page.evaluate("unmask.player.pause()")
    paused(page)
    drawn(page)


def different(one: dict[str, Any], two: dict[str, Any]) -> list[str]:
    """The names of what differs, by side. The twin was not changed: it may have been written further meanwhile."""
    pairs = enumerate(zip(one["sides"], two["sides"], strict=True))
    ahead = ("at", "tokens", "kinds")
    return [
        f"{name} of {i}: {a[name]}, {b[name]}"
        for i, (a, b) in pairs
        for name in a
        if name != "source" and a[name] != b[name] and not (i == 1 and name in ahead and b["source"] == "live")
    ]


def act(page: Page, rng: random.Random) -> int:
    """One act of a person; how many undos it takes, which is none for what was refused or only looked at."""
    name = rng.choice(list(ACTS))
    numbers = tuple(rng.randrange(1, 9) for _ in range(ACTS[name].count("%d")))
    before = page.evaluate("unmask.undo.past.length")
    page.evaluate(f"() => void {ACTS[name] % numbers}")
    page.wait_for_timeout(20)
    settled(page)
    return int(page.evaluate("unmask.undo.past.length")) - int(before)


@pytest.mark.parametrize("acts", grown(6, 14))
def test_any_acts_are_undone_and_redone_exactly(visitor: Visitor, acts: int) -> None:
    """Six other runs are in `tests/contract/test_undo.py`, by engine and page without a browser."""
    rng = random.Random(0)
    page = visitor.open(reduced_motion="reduce", deep=False)
    page.evaluate(HELP)
    run(page, "as it comes", length=24)
    settled(page)
    page.evaluate("unmask.undo.state.past = []")
    stack: list[dict[str, Any]] = []
    for _ in range(int(os.environ.get("UNDO_ACTS", acts))):
        before = page.evaluate(WHAT)
        took = act(page, rng)
        assert took in (0, 1)
        if took:
            stack.append(before)
    assert len(stack) > 3
    undone = []
    for before in reversed(stack):
        undone.append(page.evaluate(WHAT))
        page.keyboard.press("ControlOrMeta+z")
        settled(page)
        assert not different(page.evaluate(WHAT), before)
    for after in reversed(undone):
        page.keyboard.press("ControlOrMeta+Shift+z")
        settled(page)
        assert not different(page.evaluate(WHAT), after)


def test_a_run_is_undone_to_the_recording_with_its_prompt(page: Page) -> None:
    before = page.evaluate(WHAT)
    pace(page, "as it comes")
    page.get_by_label("Prompt", exact=True).fill("2 7 1")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)
    page.locator(".say").click()
    page.keyboard.press("ControlOrMeta+z")
    expect(side(page)).to_have_attribute("data-source", "replay")
    expect(page.get_by_label("Prompt", exact=True)).to_have_value(before["prompt"])
    page.get_by_role("button", name="Redo", exact=True).first.click()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value("2 7 1")


def test_a_word_in_the_recording_is_undone_to_the_recording(page: Page) -> None:
    stop_at(page, 6)
    before = words(page)
    cell(page, 30).click()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    pinned(cell(page, 30))
    page.locator(".say").click()
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator(".say")).to_contain_text("Undone")
    expect(side(page)).to_have_attribute("data-source", "replay")
    drawn(page)
    assert words(page) == before


@pytest.mark.long
def test_controls_follow_an_undone_setting(page: Page) -> None:
    more_settings(page)
    knob = page.locator("#threshold-tau input[type=number]")
    expect(knob).to_be_visible()
    before = knob.input_value()
    run(page, "look by look")
    knob.fill("0.55")
    knob.press("Enter")
    knob.blur()
    page.wait_for_function("unmask.sides[0].moments.some((moment) => moment.event?.edit?.do === 'tune')")
    page.evaluate("unmask.player.pause()")
    paused(page)
    page.locator(".say").click()
    page.keyboard.press("ControlOrMeta+z")
    expect(knob).to_have_value(before)
    page.keyboard.press("ControlOrMeta+Shift+z")
    expect(knob).to_have_value("0.55")
