"""What reaches the screen, and how fast: our canvas in a real Chromium beside HighlightedText fed by a generator.

Our unpaced frames are put on the page one by one as they arrive, since waiting for the screen would cap them at 60."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from dllm.canvas import blank
from dllm.live.device import Device
from dllm.live.session import Session
from dllm.models import Thought
from dllm.models.toy import Toy
from dllm.run.command import Play
from dllm.run.settings import Settings
from dllm.run.state import start
from dllm.run.timeline import begun

CELLS, RUNS = 256, 5
TEMPORARY = Path(tempfile.gettempdir())
ROOT = Path(__file__).parents[1]
QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run".split()
UNCAPPED = """
async () => {
  const { unmask } = await import("/unmask/stage/controller.js");
  unmask.pause();
  unmask.changed = () => unmask.now();
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
    """Words at random, known beforehand: a table is looked up and nothing is reckoned."""

    def __init__(self) -> None:
        import torch

        super().__init__(words=50)
        self.table = torch.rand(4096, 50, generator=torch.Generator().manual_seed(1)) * 6

    def logits(self, thoughts: Sequence[Thought]) -> list[Any]:
        return [self.table[t.rows] for t in thoughts]


def serve(port: int) -> None:
    """The whole app, where `toy` is the sprinter."""
    import torch

    import app as ours
    from dllm.serve import host

    torch.set_num_threads(1)  # nothing is reckoned, so nobody has to wait for a second thread
    host._loaded = lambda name: Sprinter()  # type: ignore[assignment]
    blocks = ours.serve(port, models=("toy",), prompt="1 2 3", quiet=True, prevent_thread_lock=True)
    print(blocks.server.thread.native_id, flush=True)
    blocks.server.thread.join()


def free() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextlib.contextmanager
def app(*command: str, out: Any = subprocess.DEVNULL) -> Iterator[tuple[str, int]]:
    """A server in a process of its own: its address and its process."""
    port = free()
    quiet = {"env": os.environ | {"PYTHONPATH": str(ROOT), "GRADIO_ANALYTICS_ENABLED": "False"}, "cwd": ROOT}
    process = subprocess.Popen([sys.executable, *command, str(port)], stdout=out, **quiet)  # type: ignore[call-overload]
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None:
                raise RuntimeError("the server did not start")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(20)


def cpu(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def work(pid: int, thread: int) -> float:
    """Seconds of processor time of one thread so far."""
    return int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0]) / 1e9


def opened(browser: Any, url: str, *scripts: str) -> Page:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 900})
    for script in scripts:
        page.add_init_script(script)
    page.goto(url)
    return page


PLAY = """
async ([length, model, policy, more]) => {
  const { unmask } = await import("/unmask/stage/controller.js");
  window.unmask = unmask;
  window.events.length = 0;
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
SCRUB = """
async (far) => {
  const painted = [], laid = [];
  const last = window.unmask.sides[0].moments.length - 1, sides = document.querySelector(".sides");
  for (let i = 0; i < 120; i++) {
    const to = Math.floor((far ? (i * 37) % 60 : i / 2) / 60 * last);
    const began = performance.now();
    window.unmask.seek(to);
    window.unmask.now();
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
  const opened = [], known = [], node = document.querySelector(".inspector"), title = node.querySelector("h3");
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
    await until(() => node.dataset.cell === cell && title.textContent.startsWith(`Cell ${cell},`));
    opened.push(performance.now() - began);
    await until(() => node.dataset.cell === cell && node.dataset.known === "yes");
    known.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, 20 + (i * 7) % 20));
  }
  return [opened, known].map((times) => times.sort((a, b) => a - b));
}
"""
STEER = """
async () => {
  const rows = [], rest = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let i = 0; i < 20; i++) {
    const cell = 245 - i * 2, began = performance.now(), before = window.events.length;
    window.unmask.edit(0, { do: "pin", at: cell, text: "x" });
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


def begin(page: Page, length: int, model: str = "toy", policy: str = "confidence", **more: Any) -> None:
    """Start a diffusion run of so many cells through the page's own instrument, one cell a pass."""
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    page.evaluate(PLAY, [length, model, policy, more])


def baseline(browser: Any) -> float:
    """Repaints a second of Gradio's own element: far below what a screen can show, so nothing has to be uncapped."""
    script = TEMPORARY / "highlighted.py"
    script.write_text(BASELINE)
    with app(str(script)) as (url, _):
        page = opened(browser, url)
        page.get_by_role("button", name="Go", exact=True).click()
        page.wait_for_function("document.querySelector('#box')?.textContent.includes('word200')")
        return float(page.evaluate(PAINTED, ["#box", 4])[1])


def thread(log: str) -> int:
    """The thread that the server says its loop runs in."""
    while not (numbers := [line for line in Path(log).read_text().splitlines() if line.isdecimal()]):
        time.sleep(0.05)
    return int(numbers[0])


def unwatched(cells: int) -> float:
    """Processor seconds of the loop's thread for a pass that nobody looks at: asking, deciding, remembering."""

    async def run() -> float:
        device = Device()
        times = []
        for _ in range(RUNS):
            session = Session(Sprinter(), device, begun(Sprinter().card, start(blank([cells]), Settings(passes=cells))))
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


def row(what: str, figure: str, target: str) -> None:
    print(f"{what:58} {figure:>22}   {target}", flush=True)


def unpaced(browser: Any, url: str, loop: tuple[int, int], slow: float, alone: float) -> None:
    """Everything as fast as it comes."""
    page = opened(browser, url, LISTEN)
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
    row("HighlightedText, 256 words: repaints a second", f"{slow:.0f}", "the baseline")
    row("256 cells: frames a second, arrived and painted", f"{arrived:.0f}, {painted:.0f}", ">= 400")
    row("  against the baseline", f"{painted / slow:.1f} x", ">= 15 x")
    row("  bytes a frame: median, largest", f"{statistics.median(sizes):.0f}, {sizes[-1]}", "<= 1536, keyframe 4096")
    row("  server, beside thinking: a pass unwatched", f"{1000 * alone:.2f} ms", "")
    row("  and on top of it a frame for who watches", f"{1000 * (watched - alone):.2f} ms", "<= 0.3 ms")
    for far, what in ((False, "dragged along"), (True, "in jumps")):
        put, laid = page.evaluate(SCRUB, far)
        row(f"  scrub {what}: a seek and its repaint, and laid out", f"{put:.2f}, {laid:.2f} ms", "<= 2 ms")
    page.close()


def paced(browser: Any, url: str) -> None:
    """As a screen shows it."""
    page = opened(browser, url, LISTEN)
    begin(page, CELLS, pace=0.02)
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 5")
    for what, times in zip(("inspector", "candidates"), page.evaluate(CLICK), strict=True):
        row(f"  click to {what} during a run, p50, p95", f"{times[30]:.1f}, {times[56]:.1f} ms", "p95 <= 20 ms")
    begin(page, 1024, pace=0.05)
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 20")
    received, painted = page.evaluate(PAINTED, [".side[data-side='0']", 5])
    row("1,024 cells at 20 a second: arrived, painted", f"{received:.1f}, {painted:.1f}", "20")
    page.close()


def steered(browser: Any, url: str) -> None:
    """The shipped model, as fast as it thinks."""
    page = opened(browser, url, LISTEN)
    begin(page, 248, "denoiser", settings={"end": "forbid"})
    page.wait_for_function("window.events.filter((t) => t[0] === 'stepped').length > 5", timeout=60_000)
    times, one, landed = page.evaluate(STEER)
    assert landed, "no edit reached the run"
    row("steer to first affected frame on screen, p50, p95", f"{times[10]:.0f}, {times[18]:.0f} ms", "")
    row("  a pass takes, and so the rest is", f"{one:.0f}, {times[18] - one:.0f} ms", "<= 50 ms")
    page.close()


SHIFTS = """
window.shift = window.flow = 0;
window.moved = {};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    // words flow as they are written, which is what one came to see; all else should stay where it is
    const nodes = entry.sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
    const others = nodes.filter((node) => node && !node.closest(".grid"));
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


def first_frames(browser: Any, url: str) -> None:
    """From Run to the first live frame: at once on a page whose server has loaded nothing, then with all open."""
    page = opened(browser, url, SHIFTS)
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    cold = page.evaluate(RUN)
    warm = []
    for _ in range(RUNS):
        page.wait_for_function("unmask.over", timeout=120_000)
        warm.append(page.evaluate(RUN))
    shift, flow, moved = page.evaluate("[window.shift, window.flow, window.moved]")
    row("Run to the first live frame, nothing loaded", f"{cold / 1000:.2f} s", "<= 6 s")
    row("  with everything open, median", f"{statistics.median(warm) / 1000:.2f} s", "<= 1 s")
    row("layout shift of a first minute, words that flow left out", f"{shift:.4f}", "<= 0.02")
    most = sorted(moved, key=moved.get, reverse=True)[:3]
    row("  of flowing words; what else moved most", f"{flow:.2f}; {', '.join(most)}", "")
    page.close()


def main() -> None:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    alone = unwatched(CELLS)
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=QUIET)
        slow = baseline(browser)
        with (TEMPORARY / "server.out").open("w+") as log, app("bench/page.py", "--serve", out=log) as (url, pid):
            unpaced(browser, url, (pid, thread(log.name)), slow, alone)
            paced(browser, url)
        if (ROOT / "assets/models/denoiser/config.json").exists():
            with app("app.py", "--port") as (url, _):
                first_frames(browser, url)
                steered(browser, url)
        browser.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]))
    else:
        main()
