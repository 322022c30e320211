/** One racer: its text as it types or refines, its clock, and what is only inferred of it. */

import { t } from "../../assets/looks/language.js";
import { html, nothing, render } from "../../assets/vendor/lit-html.js";
import { figure, seconds } from "./estimate.js";

/** @typedef {Record<string, any>} Row */

export class Racer {
  node = document.createElement("section");

  /**
   * @param {Row} racer
   * @param {number} index
   */
  constructor(racer, index) {
    this.racer = racer;
    this.node.className = "race-racer";
    this.node.ariaLabel = racer.title;
    Object.assign(this.node.dataset, { racer: String(index), state: "waiting" });
    this.draw(t("waiting"), this.sight());
  }

  text = "";
  settled = 0; // characters of it that no draft changes any more, as far as can be inferred
  /** @type {Row | null} when each word settled, once the text is complete */
  seen = null;

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
  show({ text, settled, meter, done, at }) {
    Object.assign(this, { text: String(text), settled, seen: done ? meter.seen : null });
    this.node.dataset.state = meter.failed ? "failed" : done ? "done" : "running";
    if (meter.failed) return this.draw(t("failed"), meter.why);
    this.node.dataset.pieces = String(meter.drafts);
    const clock = done ? t("done in {time}", { time: seconds(meter.end) }) : seconds(at);
    const parts = [t("first text {time}", { time: seconds(meter.first) })];
    if (meter.passes != null) parts.push(t("{n} looks", { n: meter.passes }));
    if (this.racer.diffusing)
      parts.push(
        t("{n} drafts, {rewrites} took something back (inferred)", { n: meter.drafts, rewrites: meter.rewrites }),
      );
    if (done) parts.push(figure(meter.tokens, t("tokens")), figure(meter.tokens_per_second, t("tokens/s")));
    this.draw(clock, parts.join(" · "));
  }

  /**
   * @param {string} clock
   * @param {string} note
   */
  draw(clock, note) {
    const { racer, text, settled, seen } = this;
    const begins = text.length - text.trimStart().length; // the space between prompt and answer is not seen
    const draft = text.slice(Math.max(begins, settled));
    render(
      html`<header>
          <b>${racer.title}</b><small>${t(racer.kind)}, ${t(racer.where)}</small
          ><span class="race-clock">${clock}</span>
        </header>
        <pre><span class="race-settled">${text.slice(begins, settled)}</span><span class="race-draft">${draft}</span></pre>
        <p class="race-note">${note}</p>
        <div class="race-seen">${seen ? this.work(seen) : nothing}</div>`,
      this.node,
    );
  }

  /** When each word settled: a word's bar is as long as its share of the run; a line stands where a block begins.
   * The same is inferred of every racer from its drafts, so rivals and ours can be compared.
   * @param {Row} seen
   */
  work({ passes, words, times, settled, edges, rewritten }) {
    const last = Math.max(1, passes - 1);
    const typed = this.racer.kind === "autoregressive"; // each word comes after the one before it: an edge is no block's
    const parts = [
      passes === 1 ? t("1 step") : t("{n} steps", { n: passes }),
      rewritten === 1 ? t("1 word changed") : t("{n} words changed", { n: rewritten }),
    ];
    if (!typed) parts.push(edges.length ? t("{n} blocks", { n: edges.length + 1 }) : t("1 block"));
    const says = t("Seen from its drafts alone: {parts}", { parts: parts.join(", ") });
    const bars = words.map(
      (/** @type {string} */ word, /** @type {number} */ i) =>
        html`<i
          title=${`${word.trim()}: ${seconds(times[i])}`}
          style="--share: ${settled[i] / last}"
          data-edge=${!typed && edges.includes(i) ? "yes" : nothing}
        ></i>`,
    );
    return html`<div class="race-bars" role="img" aria-label=${says}>${bars}</div>
      <small>${says}</small>`;
  }
}
