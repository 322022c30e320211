/** One racer: its text as it types or refines, its clock, and what is only inferred of it. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { figure, seconds } from "./estimate.js";

/** @typedef {Record<string, any>} Row */

export class Racer {
  /**
   * @param {Row} racer
   * @param {number} index
   */
  constructor(racer, index) {
    this.racer = racer;
    this.clock = el("span", { className: "race-clock" }, t("waiting"));
    this.settled = el("span", { className: "race-settled" });
    this.draft = el("span", { className: "race-draft" });
    this.note = el("p", { className: "race-note" }, this.sight());
    this.strip = el("div", { className: "race-seen" });
    this.node = el(
      "section",
      { className: "race-racer", "data-racer": index, "data-state": "waiting", "aria-label": racer.title },
      el("header", {}, el("b", {}, racer.title), el("small", {}, `${t(racer.kind)}, ${t(racer.where)}`), this.clock),
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
    const parts = [
      seen.passes === 1 ? t("1 step") : t("{n} steps", { n: seen.passes }),
      seen.rewritten === 1 ? t("1 word changed") : t("{n} words changed", { n: seen.rewritten }),
    ];
    const blocks = seen.edges.length + 1;
    // where each word comes after the one before it, an edge is no block's
    if (this.racer.kind !== "autoregressive") parts.push(blocks === 1 ? t("1 block") : t("{n} blocks", { n: blocks }));
    const words = t("Seen from its drafts alone: {parts}", { parts: parts.join(", ") });
    return [el("div", { className: "race-bars", role: "img", "aria-label": words }, ...bars), el("small", {}, words)];
  }

  /** What can be seen of this racer, and what cannot. */
  sight() {
    if (this.racer.where === "here") return t("Every look is measured; open it in Play to see what it believes.");
    if (this.racer.diffusing)
      return t(
        "Its drafts replace each other. The settled part is inferred from them; what it believed, and why, cannot be seen.",
      );
    return t("It appends; between two pieces nothing can be seen.");
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
      say(this.clock, t("failed"));
      say(this.note, meter.why);
      return;
    }
    this.node.dataset.state = news.done ? "done" : "running";
    this.node.dataset.pieces = String(meter.drafts);
    say(this.clock, news.done ? t("done in {time}", { time: seconds(meter.end) }) : seconds(news.at));
    const parts = [t("first text {time}", { time: seconds(meter.first) })];
    if (meter.passes != null) parts.push(t("{n} looks", { n: meter.passes }));
    if (this.racer.diffusing)
      parts.push(
        t("{n} drafts, {rewrites} took something back (inferred)", { n: meter.drafts, rewrites: meter.rewrites }),
      );
    if (news.done) parts.push(figure(meter.tokens, t("tokens")), figure(meter.tokens_per_second, t("tokens/s")));
    say(this.note, parts.join(" · "));
    if (news.done && meter.seen) this.strip.replaceChildren(...this.work(meter.seen));
  }
}
