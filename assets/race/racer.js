/** One racer: its text as it types or refines, its clock, and what is only inferred of it. */

import { el, say } from "../looks/dom.js";
import { figure, many, seconds } from "./estimate.js";

/** @typedef {Record<string, any>} Row */

export class Racer {
  /**
   * @param {Row} racer
   * @param {number} index
   */
  constructor(racer, index) {
    this.racer = racer;
    this.clock = el("span", { className: "race-clock" }, "waiting");
    this.settled = el("span", { className: "race-settled" });
    this.draft = el("span", { className: "race-draft" });
    this.note = el("p", { className: "race-note" }, this.sight());
    this.strip = el("div", { className: "race-seen" });
    this.node = el(
      "section",
      { className: "race-racer", "data-racer": index, "data-state": "waiting", "aria-label": racer.title },
      el("header", {}, el("b", {}, racer.title), el("small", {}, `${racer.kind}, ${racer.where}`), this.clock),
      el("pre", {}, this.settled, this.draft),
      this.note,
      this.strip,
    );
  }

  /** When each word settled: a word's bar is as long as its share of the run; a line stands where a block begins.
   * The same is inferred of every racer from its drafts, so rivals and ours can be compared.
   * @param {Row} seen
   */
  work(seen) {
    const last = Math.max(1, seen.passes - 1);
    const bars = seen.words.map((/** @type {string} */ word, /** @type {number} */ i) => {
      const bar = el("i", { title: `${word.trim()}: ${seconds(seen.times[i])}` });
      bar.style.setProperty("--share", String(seen.settled[i] / last));
      if (this.racer.kind !== "autoregressive" && seen.edges.includes(i)) bar.dataset.edge = "yes";
      return bar;
    });
    const parts = [many(seen.passes, "step"), `${many(seen.rewritten, "word")} changed`];
    // where each word comes after the one before it, an edge is no block's
    if (this.racer.kind !== "autoregressive") parts.push(many(seen.edges.length + 1, "block"));
    const words = `Seen from its drafts alone: ${parts.join(", ")}`;
    return [el("div", { className: "race-bars", role: "img", "aria-label": words }, ...bars), el("small", {}, words)];
  }

  /** What can be seen of this racer, and what cannot. */
  sight() {
    if (this.racer.where === "here") return "Every look is measured; open it in Play to see what it believes.";
    if (this.racer.diffusing)
      return "Its drafts replace each other. The settled part is inferred from them; what it believed, and why, cannot be seen.";
    return "It appends; between two pieces nothing can be seen.";
  }

  /** @param {Row} news */
  show(news) {
    const text = String(news.text);
    const begins = text.length - text.trimStart().length; // the space between prompt and answer is not seen
    say(this.settled, text.slice(begins, news.settled));
    say(this.draft, text.slice(Math.max(begins, news.settled)));
    const meter = news.meter;
    if (meter.failed) {
      this.node.dataset.state = "failed";
      say(this.clock, "failed");
      say(this.note, meter.why);
      return;
    }
    this.node.dataset.state = news.done ? "done" : "running";
    this.node.dataset.pieces = String(meter.drafts);
    say(this.clock, news.done ? `done in ${seconds(meter.end)}` : seconds(news.at));
    const parts = [`first text ${seconds(meter.first)}`];
    if (meter.passes != null) parts.push(`${meter.passes} looks`);
    if (this.racer.diffusing) parts.push(`${meter.drafts} drafts, ${meter.rewrites} took something back (inferred)`);
    if (news.done) parts.push(`${figure(meter.tokens, "tokens")}`, `${figure(meter.tokens_per_second, "tokens/s")}`);
    say(this.note, parts.join(" · "));
    if (news.done && meter.seen) this.strip.replaceChildren(...this.work(meter.seen));
  }
}
