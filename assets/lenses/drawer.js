/** The drawer about words that are about to be written together: how they suit each other, and what that has cost. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { saveButton } from "../takeaway/answers.js";
import { matrixOf, matrixSays, moves, paidSentence, paidUpTo, pairs, priceOf, threadsOf, worst } from "./fit.js";
import { NO_LOOK } from "./lenses.js";
import { OPEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */
/** @typedef {import("./lenses.js").Kind} Kind */
/** @typedef {import("./lenses.js").Look} Look */
/** @typedef {import("./threads.js").Thread} Thread */

export class Drawer {
  /**
   * @param {(side: Side, at: number, kind: Kind, cell?: number) => Look} look
   * @param {() => void} close
   */
  constructor(look, close) {
    this.look = look;
    this.about = el("p", { className: "about", role: "status" });
    this.worst = el("p", { className: "worst" });
    this.price = el("p", {});
    this.pointed = el("p", { className: "pointed" });
    this.table = el("div", { className: "wide", tabIndex: 0, role: "group", "aria-label": t("Each word with each") });
    this.save = saveButton(() => this.answer());
    this.paid = el("p", { className: "paid" });
    this.meter = el("div", { className: "meter", "aria-hidden": "true" });
    this.node = el(
      "section",
      { className: "drawer", hidden: true, "aria-labelledby": "unmask-fit" },
      el(
        "header",
        {},
        el("h3", { id: "unmask-fit" }, t("Which words clash?")),
        el("button", { type: "button", className: "quiet close", "aria-label": t("Close"), onclick: close }, "×"),
      ),
      this.about,
      this.worst,
      this.pointed,
      this.price,
      this.table,
      this.save,
      el("h4", {}, t("Paid so far")),
      this.paid,
      this.meter,
    );
  }

  /** @type {Thread[]} */
  threads = [];
  /** @type {Record<string, any> | null} */
  drawn = null;
  /** @type {Side | null} */
  side = null;

  /** What stands here, to be taken away. */
  answer() {
    const { columns, rows, left } = matrixOf(/** @type {Side} */ (this.side), this.drawn ?? {});
    /** @type {Record<string, string>} */
    const inks = { against: "doubt", for: "accent", "": "ink-2" };
    return {
      title: t("Which words clash?"),
      says: [this.worst.textContent ?? "", this.price.textContent ?? "", this.paid.textContent ?? ""],
      columns,
      rows: rows.map(({ name, cells }) => ({
        name,
        cells: cells.map(({ text, sign }) => ({ text, ink: inks[sign] })),
      })),
      note: matrixSays(left),
    };
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {number} pointed the cell under the pointer
   * @param {boolean} moving
   */
  show(side, at, pointed, moving) {
    const moment = side.moments[at];
    this.threads = [];
    this.node.hidden = false;
    if (!moment) return;
    const open = moment.open > 0;
    const whole = open && !moving ? this.look(side, at, "clash") : NO_LOOK;
    const row = open && moment.kinds[pointed] === OPEN ? this.look(side, at, "clash", pointed) : NO_LOOK;
    const known = whole.state === "known";
    say(this.about, this.says(open, moving, whole));
    say(this.worst, known ? worst(side, whole.answer) : "");
    say(this.price, known ? priceOf(whole.answer) : "");
    say(
      this.pointed,
      row.state === "known" ? moves(side, row.answer) : row.state === "asking" ? t("Asking …") : row.why,
    );
    if (row.state === "known") this.threads = threadsOf(pairs(row.answer));
    else if (known) this.threads = threadsOf(pairs(whole.answer));
    this.save.hidden = this.table.hidden = !known || !threadsOf(pairs(whole.answer)).length;
    if (known && this.drawn !== whole.answer) {
      this.drawn = whole.answer;
      this.side = side;
      this.table.replaceChildren(...matrix(side, whole.answer));
    }
    this.pay(side, at, moving);
  }

  /**
   * @param {boolean} open
   * @param {boolean} moving
   * @param {Look} whole
   */
  says(open, moving, whole) {
    if (!open) return t("Everything is written: go back to a look where cells are open.");
    if (moving)
      return t("Pause to see which of the next words suit each other. Point at an open cell to see what it moves.");
    if (whole.state === "asking") return t("Writing each of the next words alone …");
    if (whole.state !== "known") return whole.why;
    const { coming, cells } = whole.answer;
    const more = cells.length - coming;
    return [
      coming === 1
        ? t("The next look would write one word.")
        : t("The next look would write {n} words at once, none knowing of the others.", { n: coming }),
      t("Each was tried alone."),
      ...(more === 1 ? [t("So was one guess that may still change.")] : []),
      ...(more > 1 ? [t("So were {n} guesses that may still change.", { n: more })] : []),
      t("Threads show whose chances a word changes."),
    ].join(" ");
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {boolean} moving
   */
  pay(side, at, moving) {
    const last = side.moments.length - 1;
    const look = moving || side.playing ? NO_LOOK : this.look(side, last, "paid");
    const paid = look.state === "known" ? paidUpTo(look.answer.nats, at) : null;
    const passOf = (/** @type {number} */ moment) => side.moments[moment]?.passes ?? moment;
    say(
      this.paid,
      paid ? paidSentence(paid, passOf) : look.state === "none" ? t("Pause to count it.") : look.why || t("Counting …"),
    );
    const most = Math.max(0.5, paid?.most.nats ?? 0);
    this.meter.replaceChildren(
      ...(paid?.nats ?? []).map(({ moment, nats }) => {
        const title = t("Look {look}: {nats} nats", { look: passOf(moment), nats: nats.toFixed(2) });
        const bar = el("i", { title });
        bar.style.setProperty("--share", String(Math.max(0, nats) / most));
        return bar;
      }),
    );
  }

  hide() {
    this.node.hidden = true;
    this.threads = [];
  }
}

/**
 * @param {Side} side
 * @param {Record<string, any>} answer
 */
function matrix(side, answer) {
  const { columns, rows, left } = matrixOf(side, answer);
  if (!rows.length) return [];
  const table = el(
    "table",
    { className: "matrix", "aria-label": t("What each word does to the chance of each other") },
    el("thead", {}, el("tr", {}, el("td", {}), ...columns.map((name) => el("th", { scope: "col" }, name)))),
    el(
      "tbody",
      {},
      ...rows.map(({ name, cells }) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, name),
          ...cells.map(({ text, sign, title }) => el("td", { "data-sign": sign, title }, text)),
        ),
      ),
    ),
  );
  return [el("p", { className: "reading" }, matrixSays(left)), table];
}
