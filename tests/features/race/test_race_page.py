"""In Chromium: the local pair races two scripted rivals, both kinds move, and the table can be read and taken away."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.features.race.providers.scripted import DONE, Line, Rival, chunk, head, usage
from tests.serve.process import free_port

pytestmark = pytest.mark.browser
SECRET = "sk-typed-by-a-visitor"
HOSTILE = "<img src=x onerror=alert(1)>"


class Halfway:
    """A rival in a thread of its own that sends some words, and the others when the test has seen the first."""

    def __init__(self, first: Sequence[bytes], then: Sequence[bytes]) -> None:
        self.first, self.then, self.seen = first, then, threading.Event()
        self.rival = Rival(self.script)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        begun = asyncio.start_server(self.rival.answer, "127.0.0.1", 0)
        server = asyncio.run_coroutine_threadsafe(begun, self.loop).result(60)
        self.rival.port = server.sockets[0].getsockname()[1]

    def script(self, _: int) -> Iterator[Line]:
        yield from ((0, line) for line in (head(), *self.first))
        self.seen.wait(60)
        yield from ((0, line) for line in (*self.then, DONE))

    def close(self) -> None:
        self.seen.set()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(60)


@pytest.fixture(scope="module")
def halves() -> Iterator[list[Halfway]]:
    words = [chunk(word) for word in ("one ", "two ", HOSTILE)]
    texts = [chunk(text) for text in ("x y z", "a y z", "a b c")]
    end = chunk(None, "stop")
    made = [Halfway(words[:2], [*words[2:], end, chunk(usage=usage(3, 30))]), Halfway(texts[:2], [*texts[2:], end])]
    yield made
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def rivals(halves: list[Halfway]) -> list[Rival]:
    return [one.rival for one in halves]


@pytest.fixture(scope="module")
def address(rivals: list[Rival]) -> Iterator[str]:
    from unmask.config import config
    from unmask.features.race import FEATURE
    from unmask.features.race.routes import routes
    from unmask.serve.runtime import Runtime
    from unmask.ui.app import files
    from unmask.ui.elements import head as first
    from unmask.ui.features import head, tabs

    patch = pytest.MonkeyPatch()
    patch.setenv("UNMASK_RIVAL_ORIGINS", " ".join(r.origin for r in rivals))
    patch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
    config.cache_clear()
    for name in [n for n in os.environ if n.endswith("_API_KEY")]:
        patch.delenv(name)
    with gr.Blocks() as blocks, gr.Tabs():
        tabs("1 2 3", [FEATURE])
    doors: list[Any] = [*routes(Runtime(), ("toy", "second=toy:1")), *files()]
    blocks.launch(
        server_port=free_port(),
        head=first() + head([FEATURE]),
        ssr_mode=False,
        prevent_thread_lock=True,
        quiet=True,
        app_kwargs={"routes": doors},
    )
    yield blocks.local_url
    blocks.close(verbose=False)
    patch.undo()
    config.cache_clear()


@pytest.fixture(scope="module")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context()
    made.set_default_timeout(60_000)
    yield made
    made.close()


@pytest.fixture
def page(address: str, context: BrowserContext) -> Iterator[Page]:
    wrong: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(address)
    expect(page.locator("unmask-race")).to_have_attribute("data-ready", "yes")
    page.evaluate("document.body.dataset.stands = 'yes'")  # no stage is here to say so, and it is hidden for 5 s
    yield page
    page.close()
    assert not wrong


def test_the_pair_races_two_rivals_and_the_table_is_read(
    page: Page, halves: list[Halfway], rivals: list[Rival]
) -> None:
    race = page.locator("unmask-race")
    expect(race.locator(".race-notice")).to_contain_text("INCEPTION_API_KEY")  # no key: what to set
    race.locator("input[type=number]").fill("48")
    race.locator("details summary").click()
    race.get_by_role("button", name="Another server of your own").click()
    for i, rival in enumerate(rivals):
        form = race.locator(".race-own").nth(i)
        form.get_by_label("Address of your own server").fill(f"{rival.origin}/v1")
        form.get_by_label("Its model").fill(f"scripted {i}")
        form.get_by_label("Its key").fill(SECRET)
    race.locator(".race-own").nth(1).get_by_label("ask for drafts").check()
    race.get_by_role("button", name="Race", exact=True).click()
    racers = race.locator(".race-racer")
    expect(racers).to_have_count(4)  # ours are opened first
    append, replace = racers.nth(2), racers.nth(3)
    expect(append).to_have_attribute("data-state", "running")  # it moves before it is done
    expect(replace.locator("pre")).to_contain_text("y z")
    for one in halves:
        one.seen.set()
    for i in range(4):
        expect(racers.nth(i)).to_have_attribute("data-state", "done")
    expect(append.locator("pre")).to_have_text(f"one two {HOSTILE}")  # as text, never as markup
    assert not page.locator("unmask-race img").count()
    expect(replace.locator("pre")).to_have_text("a b c")
    expect(replace.locator(".race-note")).to_contain_text("inferred")
    table = race.locator(".race-result table")
    expect(table.locator("[data-row='0'] [data-figure='tokens']")).to_have_text("48")
    expect(table.locator("[data-row='2'] [data-figure='tokens']")).to_have_text("30")
    expect(table.locator("[data-row='3'] [data-figure='tokens']")).to_have_text("unknown")
    expect(table.locator("[data-row='3'] [data-figure='cost']")).to_have_text("unknown")
    with page.expect_download() as taken:
        race.get_by_role("link", name="Take away as CSV").click()
    text = taken.value.path().read_text()
    assert "scripted 1" in text and SECRET not in text
    assert SECRET not in page.content()
    assert all(SECRET in head for rival in rivals for head in rival.heads)  # it went where it belongs


@pytest.mark.long
def test_claims_stand_side_by_side_with_what_you_measured(page: Page) -> None:
    claims = page.locator("unmask-claims")
    page.get_by_role("tab", name="Claims").click()
    expect(claims).to_have_attribute("data-ready", "yes")
    dots = claims.locator(".race-picture[data-drawn]")  # a picture first: a row a figure, a dot a claim
    expect(dots).to_have_count(1)
    assert int(dots.get_attribute("data-drawn") or 0) > 8
    picture, drawn = dots.bounding_box(), dots.locator("svg.main-svg").first.bounding_box()
    assert picture and drawn and drawn["height"] > 200
    assert drawn["y"] + drawn["height"] <= picture["y"] + picture["height"] + 1  # nothing below is drawn over
    expect(claims.get_by_text("1009 tokens/s").first).to_be_hidden()
    claims.get_by_text("Every claim with its source and condition").click()
    for value in ("1009 tokens/s", "1196 tokens/s", "711.6 tokens/s", "23.4 s", "0.25 and 0.75", "89 and 200"):
        expect(claims.get_by_text(value, exact=False).first).to_be_visible()
    claims.get_by_text("What that means").click()
    loop = claims.locator("table").nth(1)
    expect(loop.locator("tr").nth(1)).to_contain_text("Mercury 2, 1009 claimed")
    before = loop.locator("tr").nth(1).inner_text()
    claims.locator("[data-work='calls']").fill("500")
    expect(loop.locator("tr").nth(1)).not_to_have_text(before)
    page.get_by_role("tab", name="Race").click()
    page.locator("unmask-race").get_by_role("button", name="Race", exact=True).click()
    expect(page.locator("unmask-race")).to_have_attribute("data-state", "done")
    page.get_by_role("tab", name="Claims").click()
    expect(loop.locator("tr").nth(1)).to_contain_text("toy, your race")
