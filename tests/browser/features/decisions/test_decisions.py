"""Decisions in a real browser: two questions that depend on each other, both ways of asking, a file of one's own."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import many
from tests.browser.visit import Visitor


def opened(visitor: Visitor) -> tuple[Page, Locator]:
    page = visitor.open(reduced_motion="reduce")
    many(page, "Decisions")
    part = page.locator("unmask-decisions")
    expect(part.locator(".decisions-curve")).to_have_attribute("data-state", "measured")
    return page, part


def test_two_questions_that_depend_on_each_other_are_asked_both_ways(visitor: Visitor) -> None:
    _, part = opened(visitor)
    for _ in range(2):
        part.get_by_role("button", name="remove question 3").click()
    part.get_by_label("Text", exact=True).fill("1")
    part.get_by_label("Model").fill("permutations")
    for n in (1, 2):
        part.get_by_label(f"question {n}", exact=True).fill("")
        part.get_by_label(f"options of question {n}", exact=True).fill("2, 3, 4")
    part.get_by_role("button", name="Ask", exact=True).click()
    expect(part).to_have_attribute("data-state", "answered")
    rows = part.locator(".decisions-row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("torn")
    expect(rows.first.locator("li")).to_have_text(["233 %", "333 %", "433 %"])
    expect(part.locator(".decisions-way")).to_contain_text("one look of")
    expect(part.locator(".decisions-turned").first).to_have_text(
        "With 2 written for “1”, “2” turns from 2 to 3 (50 %)."
    )
    part.get_by_role("button", name="alone").click()
    expect(part.locator(".decisions-way")).to_contain_text("2 looks")
    visitor.wrong.clear()
    part.get_by_label("Model").fill("twin")
    part.get_by_role("button", name="Ask", exact=True).click()
    expect(part.get_by_role("status").first).to_contain_text("reads from left to right")
    visitor.wrong[:] = [line for line in visitor.wrong if "status of 400" not in line]  # the browser's own note


def test_a_file_of_answered_questions_is_drawn_with_its_threshold(visitor: Visitor) -> None:
    _, part = opened(visitor)
    curve = part.locator(".decisions-curve")
    expect(curve).to_contain_text("200 questions about stories that it never saw")
    expect(curve.locator(".decisions-chart[data-points]")).to_be_visible()
    expect(curve.locator(".decisions-gate")).to_contain_text("of 100 questions; the others wait for a person")
    criteria = {"2": None, "3": None, "4": None}
    question = {"next": {"type": "choice", "criteria": criteria}}
    states = [("1 2 3", "4"), ("1 2 4", "3"), ("1 4 3", "2"), ("1", "4")]
    rows = [json.dumps({"state": s, "questions": question, "answers": {"next": a}}) for s, a in states]
    part.get_by_label("Model").fill("permutations")
    file = {"name": "mine.jsonl", "mimeType": "application/jsonl", "buffer": "\n".join(rows).encode()}
    curve.locator("input[type=file]").set_input_files(file)
    expect(curve).to_have_attribute("data-state", "mine.jsonl")
    expect(curve).to_contain_text("4 questions of mine.jsonl")
    curve.get_by_label("wrong answers at most").select_option(label="10 %")
    expect(curve.locator(".decisions-gate")).to_contain_text("act only from 100 % on. That answers 75 of 100 questions")
    curve.get_by_label("wrong answers at most").select_option(label="30 %")
    expect(curve.locator(".decisions-gate")).to_contain_text("act only from 33 % on. That answers 100 of 100 questions")
