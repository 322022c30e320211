"""What reaches the screen, and how fast: our canvas in a real Chromium beside HighlightedText fed by a generator.

Frames are painted one by one here (animation frames are replaced by tasks), since a screen would cap both at 60."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from dllm.models import Thought
from dllm.models.toy import Toy

ROOT = Path(__file__).parents[1]
QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run".split()
UNCAPPED = """
const tasks = [], line = new MessageChannel();
line.port1.onmessage = () => { for (const task of tasks.splice(0)) task(performance.now()); };
window.requestAnimationFrame = (task) => { tasks.push(task); line.port2.postMessage(0); return tasks.length; };
"""
HEARD = """
window.told = []; window.sent = [];
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  constructor(...a) { super(...a); this.addEventListener("message", (e) => {
    const did = e.data.slice(0, 4000).match(/"did":"(\\w+)"/)?.[1];
    window.told.push([did, performance.now(), e.data.length, did === "stepped" ? JSON.parse(e.data).at : -1]);
  }); }
  send(data) { window.sent.push([JSON.parse(data).do, performance.now()]); super.send(data); }
};
"""
BASELINE = """
import gradio as gr, random, sys, time
def run():
    words = [["word%d " % i, None] for i in range(256)]
    while True:
        for i in random.sample(range(256), 12): words[i] = [words[i][0], random.choice("abc")]
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
    import app as ours
    from dllm.serve import host

    host._loaded = lambda name: Sprinter()  # type: ignore[assignment]
    ours.serve(port, models=("toy",), prompt="1 2 3", quiet=True)


def free() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextlib.contextmanager
def app(*command: str) -> Iterator[tuple[str, int]]:
    """A server in a process of its own: its address and its process."""
    port = free()
    quiet = {"env": os.environ | {"PYTHONPATH": str(ROOT), "GRADIO_ANALYTICS_ENABLED": "False"}, "cwd": ROOT}
    process = subprocess.Popen([sys.executable, *command, str(port)], stdout=subprocess.DEVNULL, **quiet)  # type: ignore[call-overload]
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


def opened(browser: Any, url: str, *scripts: str) -> Page:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 900})
    for script in scripts:
        page.add_init_script(script)
    page.goto(url)
    return page


def begin(page: Page, length: int, **more: Any) -> None:
    """Start a diffusion run of so many cells through the page's own instrument, one cell a pass."""
    page.wait_for_selector("unmask-stage[data-ready=yes]")
    page.evaluate(
        """async ([length, more]) => {
            const { unmask } = await import("/unmask/instrument.js");
            window.unmask = unmask;
            window.told.length = 0;
            const lanes = [{ model: "toy", settings: { policy: "confidence", passes: length } }];
            unmask.line.send({ do: "open", id: "bench", prompt: "1 2 3", length, play: true, seed: 0, lanes, ...more });
        }""",
        [length, more],
    )


def frames(page: Page, seconds: float = 4.0) -> tuple[float, float]:
    """Frames that arrived and changes of the canvas that were painted, a second, while a run goes on."""
    told: list[float] = page.evaluate(
        """async (seconds) => {
            const lane = document.querySelector(".lane[data-lane='0']") ?? document.querySelector("#box");
            let painted = 0;
            new MutationObserver(() => { painted += 1; }).observe(lane,
                { subtree: true, childList: true, characterData: true, attributes: true });
            const began = performance.now(), before = (window.told ?? []).length;
            while (performance.now() - began < seconds * 1000) {
                await new Promise((done) => setTimeout(done, 50));
                if (window.told?.at(-1)?.[0] === "done") break;
            }
            const spent = (performance.now() - began) / 1000;
            const heard = (window.told ?? []).slice(before).filter((t) => t[0] === "stepped").length;
            return [heard / spent, painted / spent];
        }""",
        seconds,
    )
    return told[0], told[1]


def baseline(browser: Any) -> float:
    script = Path(os.environ.get("TMPDIR", "/tmp")) / "highlighted.py"
    script.write_text(BASELINE)
    with app(str(script)) as (url, _):
        page = opened(browser, url, UNCAPPED)
        page.get_by_role("button", name="Go").click()
        page.wait_for_function("document.querySelector('#box')?.textContent.includes('word200')")
        return frames(page)[1]


def row(what: str, figure: str, target: str) -> None:
    print(f"{what:58} {figure:>22}   {target}")


def main() -> None:
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=QUIET)
        slow = baseline(browser)
        with app("bench/page.py", "--serve") as (url, pid):
            page = opened(browser, url, UNCAPPED, HEARD)
            begin(page, 253)
            page.wait_for_function("window.told.some((t) => t[0] === 'stepped')")
            before, began = cpu(pid), len(page.evaluate("window.told"))
            page.wait_for_function("window.told.at(-1)[0] === 'done'")
            told = [t for t in page.evaluate("window.told")[began:] if t[0] == "stepped"]
            watched = (cpu(pid) - before) / len(told)
            # the same run with nobody reading: the page has gone from it
            arrived = (len(told) - 1) / (told[-1][1] - told[0][1]) * 1000
            sizes = sorted(t[2] for t in told)
            begin(page, 253)
            heard, painted = frames(page)
            row("HighlightedText, 256 words: repaints a second", f"{slow:.0f}", "the baseline")
            row("256 cells: frames a second, arrived and painted", f"{heard:.0f}, {painted:.0f}", ">= 400")
            row("  against the baseline", f"{painted / slow:.1f} x", ">= 15 x")
            row("  alone on the line", f"{arrived:.0f}", "")
            row(
                "  bytes a frame: median, largest", f"{statistics.median(sizes):.0f}, {sizes[-1]}", "<= 1536 all ghosts"
            )
            row("  server processor time a frame, thinking included", f"{1000 * watched:.2f} ms", "")
            scrub(page)
            inspect(page)
            page.close()
            page = opened(browser, url, HEARD)
            begin(page, 1021, pace=0.05)
            page.wait_for_function("window.told.some((t) => t[0] === 'stepped')")
            heard, painted = frames(page, 5.0)
            row("1,024 cells at 20 a second: arrived, painted", f"{heard:.1f}, {painted:.1f}", "20")
            page.close()
        browser.close()


def scrub(page: Page) -> None:
    page.wait_for_function("window.told.at(-1)[0] === 'done'")
    times: list[float] = page.evaluate(
        """async () => {
            const times = [], frame = () => new Promise((done) => requestAnimationFrame(done));
            const last = window.unmask.lanes[0].moments.length - 1;
            for (let i = 0; i < 60; i++) {
                const began = performance.now();
                window.unmask.seek(Math.floor(((i * 37) % 60) / 60 * last));
                await frame();
                times.push(performance.now() - began);
            }
            return times;
        }"""
    )
    row("  scrub: a seek and its repaint, median", f"{statistics.median(times):.2f} ms", "<= 2 ms")


def inspect(page: Page) -> None:
    begin(page, 253, pace=0.02)
    page.wait_for_function("window.told.filter((t) => t[0] === 'stepped').length > 5")
    times: list[float] = page.evaluate(
        """async () => {
            const times = [], node = document.querySelector(".inspector");
            for (let i = 0; i < 40; i++) {
                const cell = document.querySelector(`.lane[data-lane='0'] [data-cell='${20 + i * 3}']`);
                const began = performance.now();
                const shown = new Promise((done) => {
                    const seen = new MutationObserver(() => { seen.disconnect(); done(); });
                    seen.observe(node, { subtree: true, childList: true, characterData: true, attributes: true });
                });
                window.unmask.select(0, Number(cell.dataset.cell), false, true);
                await Promise.race([shown, new Promise((done) => setTimeout(done, 1000))]);
                times.push(performance.now() - began);
                await new Promise((done) => setTimeout(done, 30));
            }
            return times;
        }"""
    )
    times.sort()
    row("  click to inspector during a run, p50, p95", f"{times[20]:.1f}, {times[38]:.1f} ms", "p95 <= 20 ms")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]))
    else:
        main()
