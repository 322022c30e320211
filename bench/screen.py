"""Frames that the page paints in Chromium, beside Gradio's HighlightedText fed by a generator.

Unpaced frames are painted one by one as they arrive, since waiting for the screen would limit them to 60 a second."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.process import app, work
from bench.row import Row, at_least, at_most
from unmask.canvas import blank
from unmask.live.device import Device
from unmask.live.session import Session
from unmask.models import ModelInput
from unmask.models.toy import Toy
from unmask.run.command import Play
from unmask.run.settings import Settings
from unmask.run.state import start
from unmask.run.timeline import new_timeline

CELLS, RUNS = 256, 5
TEMPORARY = Path(tempfile.gettempdir())
QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run".split()
UNCAPPED = """
async () => {
  const unmask = document.querySelector("unmask-stage").controller;
  unmask.player.pause();
  const { frames } = unmask;
  let due = false;
  frames.request = () => {
    if (!due) queueMicrotask(() => ((due = false), frames.now()));
    due = true;
  };
}
"""
LISTEN = """
window.events = []; window.sent = [];
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  constructor(...a) { super(...a); this.addEventListener("message", (e) => {
    const did = e.data.slice(0, 4000).match(/"did":"(\\w+)"/)?.[1];
    window.events.push([did, performance.now(), e.data.length, did === "stepped" ? JSON.parse(e.data).at : -1]);
  }); }
  send(data) { window.sent.push([JSON.parse(data).do, performance.now()]); super.send(data); }
};
"""
BASELINE = """
import gradio as gr, random, sys, time
def run():
    words, frame = [["word%d " % i, None] for i in range(256)], 0
    while True:
        frame += 1; words[0][0] = "frame%d " % frame
        for i in random.sample(range(1, 256), 12): words[i] = [words[i][0], random.choice("abc")]
        yield [tuple(w) for w in words]
with gr.Blocks() as demo:
    box = gr.HighlightedText(elem_id="box"); go = gr.Button("Go"); go.click(run, None, box)
demo.launch(server_port=int(sys.argv[1]), quiet=True, ssr_mode=False)
"""


class Sprinter(Toy):
    """A toy model whose logits are rows of a table, so a forward takes almost no time."""

    def __init__(self) -> None:
        import torch

        super().__init__(words=50)
        self.table = torch.rand(4096, 50, generator=torch.Generator().manual_seed(1)) * 6

    def logits(self, model_inputs: Sequence[ModelInput]) -> list[Any]:
        return [self.table[t.rows] for t in model_inputs]


def serve(port: int) -> None:
    """Start the app, with `Sprinter` as the model `toy`."""
    import torch

    from unmask.models import toy
    from unmask.ui import app as ours

    torch.set_num_threads(1)  # there is nothing to compute on a second thread
    toy.Toy = lambda *_: Sprinter()  # type: ignore[assignment,misc]
    blocks = ours.serve(port, models=("toy",), prompt="1 2 3", quiet=True, prevent_thread_lock=True)
    print(blocks.server.thread.native_id, flush=True)
    blocks.server.thread.join()


def open_page(browser: Any, url: str, *scripts: str) -> Page:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(CONTROLLER)
    for script in scripts:
        page.add_init_script(script)
    page.goto(url)
    return page


PLAY = """
async ([length, model, policy, more]) => {
  const unmask = document.querySelector("unmask-stage").controller;
  const { SPEEDS } = await import("/unmask/assets/clock/playhead.js");
  window.events.length = 0;
  // the page has no speed of this many passes a second, so add one
  const wanted = more.pace ? { name: "bench", axis: "pass", slow: 0, passes: 1 / more.pace } : null;
  if (wanted) SPEEDS.push(wanted);
  unmask.player.setPace(wanted ? SPEEDS.length - 1 : SPEEDS.findIndex(({ name }) => name === "as it comes"));
  const sides = [{ model, settings: { policy, passes: length, ...more.settings } }];
  unmask.open({ do: "open", id: unmask.newId(), prompt: "", length, play: true, seed: 0, sides, ...more });
}
"""
ONE = """
async () => {
  const side = document.querySelector(".side[data-side='0']"), seen = new Map();
  const look = () => seen.has(side.dataset.moment) || seen.set(side.dataset.moment, performance.now());
  const eye = new MutationObserver(look);
  eye.observe(side, { subtree: true, childList: true, characterData: true, attributes: true });
  while (!window.events.some((t) => t[0] === "done")) await new Promise((done) => setTimeout(done, 20));
  eye.disconnect();
  const steps = window.events.filter((t) => t[0] === "stepped");
  const rate = (times) => (times.length - 1) / (times.at(-1) - times[0]) * 1000;
  return { arrived: rate(steps.map((t) => t[1])), painted: rate([...seen.values()].slice(1)),
    sizes: steps.map((t) => t[2]), frames: steps.length, seen: seen.size };
}
"""
PAINTED = """
async ([place, seconds]) => {
  const node = document.querySelector(place), seen = new Set();
  const look = () => seen.add(node.dataset.moment ?? node.textContent.match(/frame(\\d+)/)?.[1]);
  const eye = new MutationObserver(look);
  const began = performance.now(), before = (window.events ?? []).length;
  eye.observe(node, { subtree: true, childList: true, characterData: true, attributes: true });
  await new Promise((done) => setTimeout(done, seconds * 1000));
  eye.disconnect();
  const spent = (performance.now() - began) / 1000;
  const received = (window.events ?? []).slice(before).filter((t) => t[0] === "stepped").length;
  return [received / spent, seen.size / spent];
}
"""
# the page keeps nothing on its global object: the rows reach its stage by this name
CONTROLLER = """Object.defineProperty(globalThis, "unmask", {
    configurable: true, get: () => document.querySelector("unmask-stage")?.controller,
})"""
SCRUB = """
async (far) => {
  const painted = [], laid = [];
  const last = window.unmask.sides[0].moments.length - 1, sides = document.querySelector(".sides");
  for (let i = 0; i < 120; i++) {
    const to = Math.floor((far ? (i * 37) % 60 : i / 2) / 60 * last);
    const began = performance.now();
    window.unmask.player.seek(to);
    window.unmask.frames.now();
    painted.push(performance.now() - began);
    void sides.offsetHeight; // styled and laid out
    laid.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, 5));
  }
  return [painted, laid].map((times) => times.sort((a, b) => a - b)[60]);
}
"""
CLICK = """
async () => {
  document.querySelector("unmask-stage").deepen(true);
  const opened = [], known = [], node = document.querySelector(".inspector");
  for (let i = 0; i < 60; i++) {
    const cell = String(20 + i * 3);
    const until = (right) => new Promise((done) => {
      if (right()) return done();
      const seen = new MutationObserver(() => { if (right()) { seen.disconnect(); done(); } });
      seen.observe(node, { subtree: true, childList: true, characterData: true, attributes: true });
      setTimeout(done, 1000);
    });
    const began = performance.now();
    document.querySelector(`.side[data-side='0'] [data-cell='${cell}']`).click();
    await until(() => node.dataset.of === cell && node.querySelector("h3")?.textContent.includes(`place ${cell}:`));
    opened.push(performance.now() - began);
    await until(() => node.dataset.of === cell && node.dataset.known === "yes");
    known.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, 20 + (i * 7) % 20));
  }
  return [opened, known].map((times) => times.sort((a, b) => a - b));
}
"""


CLOCK_SLIDER = """async () => {
    const unmask = document.querySelector("unmask-stage").controller;
    unmask.player.turnClock({}, true);
    document.querySelector("unmask-stage").deepen(true);
    const slider = document.querySelector(".clock-panel input[type=range]");
    const times = [];
    for (let i = 0; i < 60; i++) {
        slider.value = String(i % 9);
        const began = performance.now();
        slider.dispatchEvent(new Event("input"));
        unmask.frames.now();
        times.push(performance.now() - began);
        await new Promise(requestAnimationFrame);
    }
    unmask.player.turnClock({}, false);
    return times;
}"""


def begin(page: Page, length: int, model: str = "toy", policy: str = "confidence", **more: Any) -> None:
    """Start a run of `length` cells through the page's controller, one cell a pass."""
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    page.evaluate(PLAY, [length, model, policy, more])


def baseline(browser: Any) -> float:
    """Repaints a second of Gradio's own element; it is below a screen's frame rate, so no limit has to be removed."""
    script = TEMPORARY / "highlighted.py"
    script.write_text(BASELINE)
    with app(str(script)) as (url, _):
        page = open_page(browser, url)
        page.get_by_role("button", name="Go", exact=True).click()
        page.wait_for_function("document.querySelector('#box')?.textContent.includes('word200')")
        return float(page.evaluate(PAINTED, ["#box", 4])[1])


def thread(log: str) -> int:
    """The id of the thread that runs the server's event loop, from its log."""
    while not (numbers := [line for line in Path(log).read_text().splitlines() if line.isdecimal()]):
        time.sleep(0.05)
    return int(numbers[0])


def seconds_without_viewers(cells: int) -> float:
    """Processor seconds of the event loop's thread for a pass without viewers."""

    async def run() -> float:
        device = Device()
        times = []
        for _ in range(RUNS):
            session = Session(
                Sprinter(), device, new_timeline(Sprinter().card, start(blank([cells]), Settings(passes=cells)))
            )
            actor, began = asyncio.ensure_future(session.run()), time.thread_time()
            session.send(Play())
            while not session.state.done:
                await asyncio.sleep(0.02)
            times.append((time.thread_time() - began) / cells)
            session.close()
            await actor
        device.close()
        return statistics.median(times)

    return asyncio.run(run())


def unpaced(browser: Any, url: str, loop: tuple[int, int], slow: float, alone: float) -> Iterator[Row]:
    """Frames at full speed, and scrubbing."""
    page = open_page(browser, url, LISTEN)
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    page.evaluate(UNCAPPED)
    runs, shares = [], []
    for _ in range(RUNS):
        before = work(*loop)
        begin(page, CELLS)
        runs.append(page.evaluate(ONE))
        shares.append((work(*loop) - before) / runs[-1]["frames"])
    arrived, painted = (statistics.median(run[key] for run in runs[1:]) for key in ("arrived", "painted"))
    sizes = sorted(size for run in runs for size in run["sizes"])
    watched = statistics.median(shares[1:])
    yield at_least("Frames to screen at 256 cells, a second", painted, 400, "", 0, f" ({arrived:.0f} arrived)")
    yield at_least("the same over HighlightedText", painted / slow, 15, " x", 1, f" ({slow:.0f} repaints)")
    yield at_most("bytes of a frame, median", statistics.median(sizes), 1536, " B", 0, f", largest {sizes[-1]}")
    note = f", a pass unwatched {1000 * alone:.2f}"
    yield at_most("server time of a frame for who watches", 1000 * (watched - alone), 0.3, " ms", note=note)
    for far, what in ((False, "dragged along"), (True, "in jumps")):
        put, laid = page.evaluate(SCRUB, far)
        yield at_most(f"scrub {what}: a seek and its repaint", put, 2, " ms", note=f", laid out {laid:.2f}")
    page.close()


def paced(browser: Any, url: str) -> Iterator[Row]:
    """Frames at a fixed pace, and clicks during a run."""
    page = open_page(browser, url, LISTEN)
    begin(page, CELLS, pace=0.02)
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 5")
    for what, times in zip(("inspector", "candidates"), page.evaluate(CLICK), strict=True):
        wanted = 20 if what == "inspector" else None
        yield at_most(f"click to {what} during a run, p95", times[56], wanted, " ms", 1, f", p50 {times[30]:.1f}")
    times = sorted(page.evaluate(CLOCK_SLIDER))
    yield at_most(
        "a slider of the modelled clock and its repaint, p95", times[56], 16, " ms", 1, f", p50 {times[30]:.1f}"
    )
    begin(page, 1024, pace=0.05)
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 20")
    received, painted = page.evaluate(PAINTED, [".side[data-side='0']", 5])
    yield Row("1,024 cells at 20 frames a second: arrived, painted", f"{received:.1f}, {painted:.1f}")
    put, laid = page.evaluate(SCRUB, True)
    yield at_most("scrub 1,024 cells in jumps: a seek and its repaint", put, 50, " ms", note=f", laid out {laid:.2f}")
    page.close()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


def rows(tiny: bool = False) -> Iterator[Row]:
    alone = seconds_without_viewers(CELLS)
    with chromium() as browser:
        slow = baseline(browser)
        with (TEMPORARY / "server.out").open("w+") as log, app("-m", "bench.screen", out=log) as (url, pid):
            yield from unpaced(browser, url, (pid, thread(log.name)), slow, alone)
            yield from paced(browser, url)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
