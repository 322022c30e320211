"""A model from a folder on the page: opened, run, steered and compared, with no refusal that the prompt did not cause.

With trained weights of antibodies where they are there (`UNMASK_REAL`, see `make real`), else with random ones of the
same vocabulary of letters."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.steps import cell, name_model, pace, pinned, side, words
from tests.models.forge_encoders import forged

SHARED = Path(__file__).parents[3] / "shared" / "checkpoints" / "real" / "sapiens_vh"
HEAVY = (
    "EVQLVESGGGLVQPGGSLRLSCAASGFTFSSYAMSWVRQAPGKGLEWVSAISGSGGSTYYADSVKGRFTISRDNSKNTLYLQ[MASK:8]TAVYYCAKDRGGYFDY"
    "WGQGTLVTVSS"
)
GAP = "MNSLRAED"  # what the trained weights write there
# texts that are painted over each other, outside of what floats above the page
OVERLAPS = """() => {
    const floats = "dialog, .announcements, .visually-hidden, .slip, [popover], .map, .plane, svg, canvas, .track";
    const seen = [...document.querySelectorAll("unmask-stage *, #deep *")].filter((node) => {
        const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
        return own && node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && !node.closest(floats);
    }).flatMap((node) => [...node.childNodes].filter((child) => child.nodeType === 3).flatMap((child) => {
        const range = document.createRange();
        range.selectNodeContents(child);
        return [...range.getClientRects()].map((box) => [node, box]);
    })).filter(([node, box]) => {
        const clip = node.closest(".called")?.getBoundingClientRect(); // what does not fit there is not painted
        return box.width > 1 && box.height > 1 && (!clip || box.top < clip.bottom - 4);
    });
    const found = [];
    for (const [i, [one, a]] of seen.entries()) for (const [two, b] of seen.slice(i + 1)) {
        if (one === two) continue;
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 4) found.push(`${one.textContent.trim()} | ${two.textContent.trim()}`);
    }
    return found.slice(0, 5);
}"""
OVER = "() => document.querySelector('unmask-stage').dataset.run === 'over'"


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model whose words are letters."""
    named = os.environ.get("UNMASK_REAL")
    if folder := Path(named) if named else SHARED if SHARED.exists() else None:
        return folder
    folder = tmp_path_factory.mktemp("letters")
    forged("RobertaForMaskedLM", folder, max_position_embeddings=146)
    return folder


def is_trained(folder: Path) -> bool:
    return folder.name == "sapiens_vh"


def opened(page: Page, folder: Path) -> None:
    """Open a folder: the page of models, its name, the button."""
    pace(page, "as it comes")
    name_model(page, folder)
    page.get_by_role("button", name="Open as diffusion").click()
    page.wait_for_function("(path) => unmask.models[0] === path && unmask.sides[0].done", arg=str(folder))
    page.wait_for_function(OVER)
    page.keyboard.press("Escape")


def ran(page: Page, prompt: str) -> None:
    page.locator("#prompt textarea").fill(prompt)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function(OVER)


def test_a_folder_is_opened_run_and_pinned_alone(page: Page, letters: Path) -> None:
    page.locator("#prompt textarea").fill("Story: One evening Mina baked twelve doughnuts.")
    opened(page, letters)
    expect(page.locator(".say")).to_contain_text("cannot read “Story: One evening")
    expect(page.locator("#prompt textarea")).to_have_value("")
    expect(side(page, 1)).to_be_hidden()
    assert side(page).bounding_box()["width"] > 0.9 * page.locator(".sides").bounding_box()["width"]  # type: ignore[index]
    expect(page.locator("unmask-another .with")).to_be_visible()  # examples go back to the pair by themselves

    ran(page, HEAVY)
    text = "".join(words(page))
    assert text.startswith("EVQL") and text.endswith("TVSS") and " " not in text
    if is_trained(letters):
        assert GAP in text
    place = HEAVY.index("[")  # the first written cell
    cell(page, place).click()
    page.keyboard.type("W")
    page.keyboard.press("Enter")
    pinned(cell(page, place))
    page.wait_for_function(OVER)
    assert words(page)[place] == "W"
    expect(page.locator(".say")).not_to_contain_text("One word at a time")


@pytest.mark.long
def test_a_text_that_stands_alone_is_laid_out_anew_where_the_page_narrows(page: Page, letters: Path) -> None:
    opened(page, letters)
    ran(page, HEAVY)
    outside = """() => { const paper = document.querySelector('.side[data-side="0"] .paper');
        const right = paper.getBoundingClientRect().right + 2;
        const words = [...paper.querySelectorAll("[data-cell]")];
        return words.filter((word) => word.getBoundingClientRect().right > right).length; }"""
    for width in (1000, 1600, 700):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"({outside})() === 0")


def test_what_cannot_be_spelled_is_named_and_the_next_run_works(page: Page, letters: Path) -> None:
    opened(page, letters)
    before = words(page)
    page.locator("#prompt textarea").fill("Why is the sky blue?")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".say .refused")).to_contain_text("vocabulary has no token for 'h', 'y'")
    assert words(page) == before
    ran(page, "EVQL")
    assert "".join(words(page)).startswith("EVQL")


def test_a_refused_folder_changes_nothing_and_is_refused_where_it_was_asked_for(page: Page) -> None:
    models = page.evaluate("[...unmask.models]")
    row = name_model(page, "/nowhere/at/all")
    page.get_by_role("button", name="Open as diffusion").click()
    expect(row.locator(".why")).to_contain_text("either a folder here nor a hub id")
    assert page.evaluate("[...unmask.models]") == models
    expect(page.locator(".models .now")).not_to_contain_text("nowhere")
    page.keyboard.press("Escape")
    page.evaluate("void unmask.run({ length: 24 }, true)")
    page.wait_for_function(OVER)


@pytest.mark.long
def test_the_same_model_may_stand_beside_itself_under_its_decoders_name(page: Page, letters: Path) -> None:
    opened(page, letters)
    ran(page, "EVQLVESGGGLVQPGGS[MASK:12]CAASG")
    page.get_by_role("button", name="Compare it with").click()
    beside = page.get_by_label("Model beside it")
    beside.select_option("=autoregressive")
    page.wait_for_function("unmask.sides[1].done")
    expect(side(page, 1).locator(".how")).to_have_text("left to right, but reads both ways")
    beside.select_option("=fast-dllm")
    page.wait_for_function("unmask.sides[1].done && unmask.sides[1].head.settings.policy === 'threshold'")
    expect(side(page, 1).locator("h2")).to_have_text("Fast-dLLM")
    # of a short text two careful decoders may write the same
    same, apart = r"and Fast-dLLM wrote word for word the same, in", r"finished after \d+ looks at the text, Fast-dLLM"
    expect(page.locator(".say")).to_contain_text(re.compile(f"Diffusion ({same}|{apart}) "))
    expect(page.locator(".say")).not_to_contain_text(re.compile(r"in (\d+ looks) and \1"))
    beside.select_option("")
    page.wait_for_function("unmask.sides[1].source === 'empty' && unmask.sides[0].done")
    expect(side(page, 1)).to_be_hidden()


def test_whether_it_fits_is_said_before_it_is_opened(page: Page, letters: Path) -> None:
    row = name_model(page, letters)
    expect(row.locator(".fits")).to_contain_text(re.compile(r"fits\. .* of memory in fp32, .* are free"))


def test_a_mask_that_nobody_named_can_be_chosen(page: Page, letters: Path, tmp_path: Path) -> None:
    copy = tmp_path / "bare"
    copy.mkdir()
    for name in ("config.json", "model.safetensors"):
        (copy / name).write_bytes((letters / name).read_bytes())
    name_model(page, copy)
    page.get_by_role("button", name="Open as diffusion").click()
    page.get_by_label("Id of its mask token").fill("24")
    page.get_by_role("button", name="Open as diffusion").click()
    page.wait_for_function("unmask.models[0].endsWith('?mask_id=24') && unmask.sides[0].moments.length > 1")


@pytest.mark.long  # test_dock.py opens every panel
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_painted_over_anything_with_a_model_from_a_folder(page: Page, letters: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    opened(page, letters)
    page.locator("unmask-stage").evaluate("(stage) => stage.deepen(true)")
    cell(page, 20).click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVERLAPS) == []
