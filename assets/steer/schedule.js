/** A schedule drawn by hand: how much of the text each stretch of the run decides. By pointer, or by arrow keys. */

import { el } from "../looks/dom.js";
import { COLUMNS, STEP, stroke } from "./strokes.js";

/** The strip among the controls; it reports its value when the pointer is released. */
export class Schedule extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.bars = this.shares.map((_, column) =>
      el("div", {
        role: "slider",
        tabIndex: column ? -1 : 0,
        "aria-orientation": "vertical",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-label": `Stretch ${column + 1} of ${COLUMNS}`,
        "data-column": column,
      }),
    );
    this.strip = el(
      "div",
      { className: "strip", role: "group", "aria-label": "Draw the schedule: left is the first pass" },
      ...this.bars,
    );
    this.append(this.strip);
    this.strip.addEventListener("pointerdown", (event) => {
      this.strip?.setPointerCapture(event.pointerId);
      this.last = this.place(event);
      this.draw(this.last);
    });
    this.strip.addEventListener("pointermove", (event) => this.last && event.buttons && this.draw(this.place(event)));
    this.strip.addEventListener("pointerup", () => this.release());
    this.strip.addEventListener("pointercancel", () => this.release());
    this.strip.addEventListener("keydown", (event) => this.press(event));
    this.show();
  }

  shares = Array.from({ length: COLUMNS }, () => 0.5);
  /** @type {HTMLElement[]} */
  bars = [];
  /** @type {HTMLElement | undefined} */
  strip;
  /** @type {[number, number] | null} */
  last = null;

  /** @param {PointerEvent} event
   * @returns {[number, number]}
   */
  place(event) {
    const box = /** @type {HTMLElement} */ (this.strip).getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * COLUMNS);
    return [Math.min(COLUMNS - 1, Math.max(0, column)), 1 - (event.clientY - box.top) / box.height];
  }

  /** @param {[number, number]} to */
  draw(to) {
    this.shares = stroke(this.shares, this.last ?? to, to);
    this.last = to;
    this.show();
  }

  release() {
    if (!this.last) return;
    this.last = null;
    this.report();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const column = Number(event.target instanceof HTMLElement ? event.target.dataset.column : NaN);
    const height = this.shares[column];
    if (height === undefined) return;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = { ArrowUp: height + STEP, ArrowDown: height - STEP, Home: 0, End: 1 }[event.key];
    if (along !== undefined) {
      const next = this.bars[column + along];
      for (const bar of this.bars) bar.tabIndex = bar === (next ?? event.target) ? 0 : -1;
      next?.focus();
    } else if (to !== undefined) {
      this.shares = stroke(this.shares, [column, to], [column, to]);
      this.show();
      this.report();
    } else return;
    event.preventDefault();
    event.stopPropagation(); // these keys also walk along the run
  }

  show() {
    this.shares.forEach((share, column) => {
      const bar = this.bars[column];
      if (!bar) return;
      bar.style.setProperty("--share", String(share));
      bar.ariaValueNow = String(Math.round(100 * share));
    });
  }

  report() {
    this.dispatchEvent(new CustomEvent("unmask-schedule", { bubbles: true, detail: this.shares }));
  }
}
