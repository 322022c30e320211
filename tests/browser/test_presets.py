"""Another decoder in the middle of a run is exactly that decoder: settings and plan are a fresh order's."""

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import decoder, run
from unmask.models.toy import Toy
from unmask.run.plan import plan_run
from unmask.run.presets import presets
from unmask.run.spec import RunSpec

TOY = Toy()
KEPT = {"seed", "noise"}
TUNED = """async (name) => {
  const edits = () => unmask.sides[0].moments.filter((m) => m.event?.edit?.do === "tune");
  const before = edits().length;
  unmask.runs.tune({}, name);
  while (edits().length === before) await new Promise((done) => setTimeout(done, 5));
  return edits().at(-1).event.settings;
}"""


def fresh(name: str, length: int) -> dict[str, Any]:
    settings = RunSpec(length=length, preset=name).settings(TOY.card, length).to_dict()
    return {k: v for k, v in settings.items() if k not in KEPT}


def every_pair(names: list[str]) -> list[str]:
    """A walk that goes from each name to each other one exactly once."""
    left = {a: [b for b in reversed(names) if b != a] for a in names}
    walk, stack = [], [names[0]]
    while stack:
        if left[stack[-1]]:
            stack.append(left[stack[-1]].pop())
        else:
            walk.append(stack.pop())
    return walk[::-1]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["around", "every pair"])
def test_a_switch_between_two_decoders_is_exact(page: Page, every: bool) -> None:
    run(page, "look by look")
    page.get_by_role("button", name="Pause").click()
    length = int(page.evaluate("unmask.values.length"))
    names = sorted(presets())
    walk = every_pair(names) if every else [*names, names[0]]
    assert len(set(pairwise(walk))) == len(names) * (len(names) - 1 if every else 1)
    for name in walk:
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
