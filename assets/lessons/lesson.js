/** One lesson: prose with numbers to drag, questions with answers, and runs to play on the stage. */

import { openOrder } from "../stage/order.js";
import { el, say } from "../looks/dom.js";
import { language } from "../looks/language.js";

/** @typedef {{text?: string, strong?: boolean, link?: string, handle?: string, unit?: string, value?: number, low?: number, high?: number}} Part */
/** @typedef {Record<string, any>} Order */
/**
 * @typedef {object} Block
 * @property {"text" | "predict" | "check" | "play" | "why"} kind
 * @property {Part[]} [parts]
 * @property {Part[][]} [paragraphs]
 * @property {string} [question]
 * @property {string[]} [answers]
 * @property {number} [right]
 * @property {string} [because]
 * @property {Order} [order]
 * @property {string} [button]
 */

/**
 * An order with one of its numbers changed: its seed, its length, or a setting.
 * @param {Order} order
 * @param {Record<string, number>} values
 * @returns {Order}
 */
export function withValues(order, values) {
  /** @type {Order} */
  const made = { ...order, changes: { ...order.changes } };
  for (const [name, value] of Object.entries(values)) {
    if (name === "seed" || name === "length") made[name] = value;
    else if (name.startsWith("options.")) made.changes.options = { ...made.changes.options, [name.slice(8)]: value };
    else made.changes[name] = value;
  }
  return made;
}

export class Lesson {
  /**
   * @param {import("./lessons.js").LessonRow} row
   * @param {number} number
   * @param {Record<string, string>} words what stands around it, in its language
   * @param {() => void} done called when its check was answered
   */
  constructor(row, number, words, done) {
    this.done = done;
    this.words = words;
    /** @type {Record<string, number>} the numbers in the prose since the last run */
    this.values = {};
    this.node = el(
      "article",
      { className: "lesson" },
      el("p", { className: "lesson-number" }, `${words.lesson} ${number}`),
      el("h2", {}, row.title),
      el("p", { className: "lesson-claim" }, row.claim),
      ...(row.language === language() ? [] : [el("p", { className: "lesson-note" }, words.untranslated ?? "")]),
      ...row.blocks.map((block) => this.block(block)),
    );
  }

  /** @param {Block} block */
  block(block) {
    switch (block.kind) {
      case "text":
        return el("p", {}, ...this.prose(block.parts ?? []));
      case "why":
        return el(
          "details",
          {},
          el("summary", {}, this.words.why ?? ""),
          ...(block.paragraphs ?? []).map((parts) => el("p", {}, ...this.prose(parts))),
        );
      case "play":
        return this.play(block);
      default:
        return this.question(block);
    }
  }

  /** @param {Part[]} parts */
  prose(parts) {
    return parts.map((part) => {
      if (part.handle) return this.handle(part);
      if (part.link) return el("a", { href: part.link, target: "_blank", rel: "noopener" }, part.text ?? "");
      return part.strong ? el("em", {}, part.text ?? "") : (part.text ?? "");
    });
  }

  /** A number in the prose: drag it, or use the arrow keys.
   * @param {Part} part
   */
  handle({ handle = "", unit = "", value = 0, low = 0, high = 1 }) {
    const step = high - low > 2 ? 1 : 0.05;
    const node = el("span", { className: "lesson-handle", role: "slider", tabIndex: 0, ariaLabel: `${handle}${unit}` });
    const values = this.values; // those of the next run: it takes them along
    const set = (/** @type {number} */ wanted) => {
      const now = Math.min(high, Math.max(low, Math.round(wanted / step) * step));
      values[handle] = Number(now.toFixed(2));
      node.setAttribute("aria-valuenow", String(values[handle]));
      say(node, `${values[handle]}${unit}`);
    };
    node.setAttribute("aria-valuemin", String(low));
    node.setAttribute("aria-valuemax", String(high));
    set(value);
    node.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      set((values[handle] ?? value) + by * step);
    });
    node.addEventListener("pointerdown", (down) => {
      const [from, began] = [values[handle] ?? value, down.clientX];
      node.setPointerCapture(down.pointerId);
      node.onpointermove = (move) => set(from + ((move.clientX - began) / 160) * (high - low));
      node.onpointerup = () => (node.onpointermove = null);
    });
    return node;
  }

  /** @param {Block} block */
  play({ order = {}, button = "Play it" }) {
    const values = this.values; // numbers that stand before a run change that run, and no later one
    this.values = {};
    return el(
      "button",
      {
        type: "button",
        className: "lesson-play",
        onclick: () => openOrder(withValues(order, values)),
      },
      `▶ ${button}`,
    );
  }

  /** @param {Block} block */
  question({ kind, question = "", answers = [], right = 0, because = "" }) {
    const verdict = el("p", { role: "status", className: "lesson-verdict" });
    const buttons = answers.map((answer, at) =>
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            buttons.forEach((one, i) => (one.dataset.chosen = i === at ? (at === right ? "right" : "wrong") : ""));
            if (kind === "predict") say(verdict, this.words.noted ?? "");
            else say(verdict, `${at === right ? this.words.yes : this.words.no} ${because}`);
            if (kind === "check") this.done();
            else reveal.hidden = false;
          },
        },
        answer,
      ),
    );
    const reveal = el(
      "details",
      { hidden: true },
      el("summary", {}, this.words.reveal ?? ""),
      `${answers[right] ?? ""}. ${because}`,
    );
    return el(
      "fieldset",
      { className: `lesson-ask lesson-${kind}` },
      el("legend", {}, this.words[kind] ?? ""),
      el("p", {}, question),
      ...buttons,
      verdict,
      ...(kind === "predict" ? [reveal] : []),
    );
  }
}
