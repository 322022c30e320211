"""Lost and blocked connections, runs that the server no longer has, and visitors that must not see each other."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, example, finished, numbers, pace, paused, pinned, run, side, words
from tests.browser.visit import Visitor


def test_two_visitors_do_not_meet(visitor: Visitor) -> None:
    one, two = [visitor.open(reduced_motion="reduce") for _ in range(2)]
    run(one)
    two.locator("#prompt textarea").fill("9 9 9 9")
    run(two)
    finished(one)
    finished(two)
    assert words(one)[:4] != words(two)[:4]
    assert one.evaluate("unmask.sides[0].session") != two.evaluate("unmask.sides[0].session")


def test_a_lost_line_comes_back_and_catches_up(page: Page) -> None:
    run(page, "look by look")
    known = page.evaluate(  # and no other line comes
        """() => {
          unmask.connection.Socket = class { close() {} };
          unmask.connection.socket.close();
          return unmask.sides[0].moments.length;
        }"""
    )
    expect(page.locator(".say .status")).to_contain_text("connection was lost")
    page.evaluate("() => { unmask.connection.Socket = WebSocket; unmask.connection.socket?.onclose(); }")
    expect(page.locator("unmask-stage")).to_have_attribute("data-link", "open")
    page.wait_for_function("(known) => unmask.sides[0].moments.length > known", arg=known)
    pace(page, "as it comes")
    finished(page)


def test_a_run_that_the_server_has_no_more_stays_as_a_recording_and_is_taken_over(page: Page) -> None:
    """After a restart of the server a touch was refused in words of the protocol."""
    run(page)
    finished(page)
    before = words(page)
    page.evaluate(
        """() => {
          for (const side of unmask.live) unmask.send(side, { do: "close" });
          unmask.connection.socket.close();
        }"""
    )
    expect(page.locator(".say .status")).to_contain_text("The server does not have this run any more.")
    for number in (0, 1):
        expect(side(page, number)).to_have_attribute("data-source", "replay")
    expect(numbers(page).locator(".save")).to_be_hidden()
    assert words(page) == before
    cell(page, 60).click()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    pinned(cell(page, 60))
    expect(side(page)).to_have_attribute("data-source", "live")
    finished(page)
    assert words(page)[60] == "5" and words(page)[:4] == before[:4]


@pytest.mark.long
def test_where_sockets_are_blocked_the_same_frames_go_another_way(visitor: Visitor) -> None:
    deaf = "globalThis.WebSocket = class { readyState = 0; send() {} close() { this.onclose?.(); } }"
    page = visitor.open(before=deaf, reduced_motion="reduce")
    run(page, "look by look")
    assert page.evaluate("Boolean(unmask.connection.detour)")
    cell(page, 40).click()
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    pinned(cell(page, 40))
    pace(page, "as it comes")
    finished(page)


def test_a_prompt_that_cannot_be_read_is_refused_in_a_sentence(visitor: Visitor) -> None:
    page = visitor.open()
    pace(page, "as it comes")
    example(page, "list")  # words, and the toy knows only numbers
    expect(page.locator(".say .status.refused")).to_contain_text("This model has no tokenizer")
    expect(page.locator("#prompt textarea")).to_have_value(re.compile("^Sort:"))
    paused(page)
