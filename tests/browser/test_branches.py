"""A person goes back, pins another word, and sees what that changed: the tree, the comparison, and the way back."""

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import numbers, pace, side

ENDED = "unmask.sides[0].done && unmask.sides[0].moments.length > 3"


def test_a_fork_with_another_word_is_compared_named_and_left_again(page: Page) -> None:
    pace(page, "as it comes")
    page.evaluate("unmask.run({ preset: 'llada-random', policy: 'random', length: 24, passes: 24 }, true)")
    page.wait_for_function(f"unmask.sides[0].source === 'live' && {ENDED}", timeout=60_000)
    one = side(page)
    expect(page.locator("nav.branches").first).to_be_hidden()
    first = page.evaluate("unmask.sides[0].moments.at(-1).tokens.join()")
    cell = page.evaluate("unmask.sides[0].moments.at(-1).kinds.length - 2")
    other = page.evaluate(f"unmask.sides[0].moments.at(-1).tokens[{cell}] === 7 ? 8 : 7")
    page.evaluate(f"unmask.send(unmask.sides[0], {{do: 'pin', cells: [{cell}], tokens: [{other}], at_moment: 2}})")
    page.wait_for_function("unmask.sides[0].branch === '2'")
    page.evaluate("unmask.send(unmask.sides[0], {do: 'play'})")
    page.wait_for_function(ENDED, timeout=60_000)
    branches = page.get_by_role("navigation", name="Branches")
    expect(branches).to_be_visible()
    expect(branches.locator("svg path")).to_have_count(2)
    expect(branches.get_by_role("button", name=re.compile("^2 with “"))).to_have_attribute("aria-current", "true")

    branches.get_by_role("button", name="Compare").click()
    expect(branches.locator(".difference")).to_have_text(
        re.compile(
            r"cells? differs? between branches 1 and 2\. The first differs at once\. On branch 2 you pinned “.+”\."
        )
    )
    changed = page.evaluate("unmask.sides[0].comparison.changed.length")
    expect(one.locator("[data-differs]")).to_have_count(changed)
    assert changed >= 1

    branches.get_by_role("button", name="Race").click()
    rival = side(page, 1)
    expect(rival.get_by_role("heading", name="Branch 1")).to_be_visible()
    expect(rival).to_have_attribute("data-source", "replay")
    expect(rival.locator(".how")).to_have_text("another branch of the same run")
    assert page.evaluate("unmask.player.pace.name") == "look by look"
    pace(page, "as it comes")
    page.wait_for_function("!unmask.player.head.playing && unmask.player.at(0) > 0")
    assert page.evaluate("unmask.sides[1].moments.at(-1).tokens.join()") == first
    expect(numbers(page, 1).locator(".save")).to_be_hidden()

    # what is not on the page is asked of the server, which keeps every branch
    page.evaluate("unmask.player.jump(1, 3)")
    rival.locator(f"[data-cell='{cell}']").click()
    inspector = page.locator(".inspector")
    expect(inspector).to_have_attribute("data-known", "yes")
    expect(inspector.locator(".candidates li")).to_have_count(5)
    # who touches it goes on from there, on the side that lives
    inspector.locator(".candidates button").nth(1).click()
    page.wait_for_function("unmask.sides[0].branch === '3' && unmask.sides[0].done && !unmask.player.head.playing")
    expect(rival.get_by_role("heading", name="Branch 1")).to_be_visible()
    assert page.evaluate("unmask.sides[1].moments.at(-1).tokens.join()") == first
    assert page.evaluate("unmask.sides[0].tree.find(({name}) => name === '3').left") == "1"
    expect(one.locator(f".cell:has(> [data-cell='{cell}'])")).to_have_class(re.compile(r"\bpinned\b"))
    branches.get_by_role("button", name=re.compile("^2 with “")).click()
    page.wait_for_function("unmask.sides[0].branch === '2'")
    branches.locator("[data-branch='3']").get_by_role("button", name="Delete").click()
    expect(branches.locator("[data-branch='3']")).to_have_count(0)

    branches.locator("[data-branch='2']").get_by_role("button", name="Rename").click()
    field = branches.get_by_label("Name of the branch")
    field.fill("blue")
    field.press("Enter")
    expect(branches.get_by_role("button", name=re.compile("^blue with “"))).to_be_visible()

    branches.get_by_role("button", name="1 the first text", exact=True).click()
    page.wait_for_function("unmask.sides[0].branch === '1'")
    assert page.evaluate("unmask.sides[0].moments.at(-1).tokens.join()") == first
    expect(one.locator("[data-differs]")).to_have_count(0)
    branches.locator("[data-branch='blue']").get_by_role("button", name="Delete").click()
    expect(branches).to_be_hidden()
