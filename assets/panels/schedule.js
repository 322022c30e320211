/** What is drawn by hand over a run: a schedule, or a temperature. By pointer, or by arrow keys. */

import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { Decoders } from "./decoders.js";
import { COLUMNS, STEP, stroke } from "../steer/strokes.js";

/** The strip among the controls; it reports its value when the pointer is released. */
export class Schedule extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.most = JSON.parse(this.dataset.most ?? "1");
    this.empty = JSON.parse(this.dataset.empty ?? "false");
    const name = JSON.parse(this.dataset.name ?? '"schedule"');
    if (this.empty) this.shares = this.shares.map(() => 0);
    this.bars = this.shares.map((_, column) =>
      el("div", {
        role: "slider",
        tabIndex: column ? -1 : 0,
        "aria-orientation": "vertical",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-label":
          name === "schedule"
            ? t("Part {n} of {all}", { n: column + 1, all: COLUMNS })
            : t("Temperature, part {n} of {all}", { n: column + 1, all: COLUMNS }),
        "data-column": column,
      }),
    );
    this.strip = el(
      "div",
      {
        className: "strip",
        role: "group",
        "aria-label":
          name === "schedule"
            ? t("Draw the schedule: left is the first look")
            : t("Draw the temperature: left is the first look"),
      },
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

  most = 1; // what a whole bar stands for
  empty = false; // whether nothing at all may be drawn
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
    this.shares = stroke(this.shares, this.last ?? to, to, this.empty);
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
      this.shares = stroke(this.shares, [column, to], [column, to], this.empty);
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
    this.dispatchEvent(
      new CustomEvent("unmask-schedule", { bubbles: true, detail: this.shares.map((share) => share * this.most) }),
    );
  }
}

/** Which decoders a schedule governs, and one to take where the chosen one goes its own way. */
export class Governs extends HTMLElement {
  connectedCallback() {
    if (this.childElementCount) return;
    this.line = el("p", { role: "status" });
    this.take = el("button", { type: "button", onclick: () => this.choose() }, t("Take one that does"));
    this.append(this.line, this.take);
    document.addEventListener("unmask-governed", () => this.show());
    this.show();
  }

  /** @type {HTMLElement | undefined} */
  line;
  /** @type {HTMLElement | undefined} */
  take;

  get list() {
    const found = document.querySelector("unmask-decoders");
    return found instanceof Decoders ? found : null;
  }

  show() {
    const { list } = this;
    if (!list || !this.line || !this.take) return;
    const titles = list.items.filter(({ governed }) => governed).map(({ title }) => title);
    const now = list.items.find(({ name }) => name === list.chosen);
    const name = now?.title ?? t("This decoder");
    const follows = now?.governed ? t("{name} follows it.", { name }) : t("{name} does not follow it.", { name });
    say(this.line, `${follows} ${t("A drawn schedule governs {names}.", { names: titles.join(", ") })}`);
    this.take.hidden = now?.governed ?? false;
  }

  /** The first that follows a schedule. */
  choose() {
    const { list } = this;
    const item = list?.items.find(({ governed }) => governed);
    if (item) list?.take(item.name);
  }
}
