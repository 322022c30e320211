"""A first minute in Chromium: start to first paint, Run to the first live frame, and steering latency."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

from bench.process import app
from bench.row import Row, at_most
from bench.screen import LISTEN, begin, chromium, open_page

STEER = """
async () => {
  const rows = [], rest = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let i = 0; i < 20; i++) {
    const cell = 245 - i * 2, began = performance.now(), before = window.events.length;
    window.unmask.steering.edit(0, { do: "pin", at: cell, text: "x" });
    const affected = () => {
      const news = window.events.slice(before), edit = news.findIndex((t) => t[0] === "edited");
      return edit >= 0 && news.slice(edit).some((t) => t[0] === "stepped");
    };
    while (!affected() && performance.now() - began < 2000) await rest(0);
    await new Promise((done) => requestAnimationFrame(done));
    rows.push(performance.now() - began);
    await rest(30 + (i * 13) % 40);
  }
  const passes = window.unmask.sides[0].moments.filter((m) => m.kind === "pass");
  const pass = passes.map((m) => m.event.ms[0] + m.event.ms[1]).sort((a, b) => a - b)[passes.length >> 1];
  return [rows.sort((a, b) => a - b), pass, window.unmask.sides[0].moments.some((m) => m.kind === "edit")];
}
"""
SHIFTS = """
window.shift = window.flow = 0;
window.moved = {};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    // words in the grid move as they are written, which is intended; everything else should stay in place
    const nodes = entry.sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
    const others = nodes.filter((node) => node && !node.closest(".paper"));
    const name = (node) => node.id || node.className || node.tagName;
    for (const node of others) window.moved[name(node)] = (window.moved[name(node)] ?? 0) + entry.value;
    if (others.length) window.shift += entry.value;
    else window.flow += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""
RUN = """
async () => {
  const side = document.querySelector(".side[data-side='0']"), before = unmask.sides[0].session;
  const began = performance.now();
  document.querySelector("#run").click();
  while (unmask.sides[0].session === before || !(Number(side.dataset.moment) > 0))
    await new Promise((done) => setTimeout(done, 4));
  return performance.now() - began;
}
"""
PAINT = """() => new Promise((done) => new PerformanceObserver((list) =>
  list.getEntriesByName("first-contentful-paint").forEach((e) => done(performance.timeOrigin + e.startTime)))
  .observe({ type: "paint", buffered: true }))"""


def first_frames(browser: Any, url: str, began: float, runs: int = 5) -> Iterator[Row]:
    """From Run to the first live frame: first with no model loaded, then with all models open."""
    page = open_page(browser, url, SHIFTS)
    paint = page.evaluate(PAINT) / 1000 - began
    yield at_most("Start of the app to the first paint", paint, 3, " s")
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    cold = page.evaluate(RUN)
    warm = []
    for _ in range(runs):
        page.wait_for_function("unmask.over", timeout=120_000)
        warm.append(page.evaluate(RUN))
    shift, flow, moved = page.evaluate("[window.shift, window.flow, window.moved]")
    yield at_most("Run to the first live frame, nothing loaded", cold / 1000, 6, " s")
    yield at_most("the same with everything open, median", statistics.median(warm) / 1000, 1, " s")
    most = sorted(moved, key=moved.get, reverse=True)[:3]
    note = f" ({flow:.2f} of words that flow; most: {', '.join(most)})"
    yield at_most("layout shift of a first minute, words that flow left out", shift, 0.02, "", 3, note)
    page.close()


def steered(browser: Any, url: str) -> Iterator[Row]:
    """Steering latency of the bundled model at full speed."""
    page = open_page(browser, url, LISTEN)
    begin(page, 248, "denoiser", settings={"end": "forbid"})
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 5", timeout=60_000)
    times, one, landed = page.evaluate(STEER)
    if not landed:
        raise RuntimeError("no edit reached the run")
    note = f" (a pass takes {one:.0f} ms, p50 {times[10]:.0f})"
    yield at_most("steer to the first frame it changes, beyond a pass, p95", times[18] - one, 50, " ms", 0, note)
    page.close()


def rows(tiny: bool = False) -> Iterator[Row]:
    with chromium() as browser:
        began = time.time()
        with app("app.py", "--port") as (url, _):
            yield from first_frames(browser, url, began)
            yield from steered(browser, url)
