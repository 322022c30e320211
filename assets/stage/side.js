/** One side on the page: its name, how far it is, and its paper. */

import { el } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { look } from "../cells/face.js";
import { html, render } from "../vendor/lit-html.js";
import { differing, followed } from "../views/changes.js";
import { fromRight } from "./direction.js";
import { Paper } from "./paper.js";
import { nameOf, wayOf } from "../views/names.js";
import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/**
 * @typedef {object} Handlers
 * @property {(side: number, cell: number, extend: boolean) => void} choose
 * @property {(side: number, cell: number) => void} hover
 * @property {(side: number, cell: number) => void} visit
 * @property {() => void} cancel give up a place in the queue
 */

export class SideView {
  /**
   * @param {number} number
   * @param {Handlers} handlers
   */
  constructor(number, handlers) {
    this.number = number;
    this.handlers = handlers;
    this.header = el("header");
    this.waits = el("p", { className: "waits flow", role: "status", hidden: true });
    this.paper = new Paper(el("div", { className: "paper" }));
    this.node = el(
      "section",
      { className: "side", "data-side": number, "data-moment": -1 },
      this.header,
      this.waits,
      el("div", { className: "field" }, this.paper.node),
    );
    this.listen(handlers);
  }

  /** @type {unknown[]} */
  seen = [];
  /** @type {import("../cells/face.js").Look | null} */
  look = null;
  /** @type {string | null} the run whose direction of writing the paper has */
  directed = null;
  marked = false;

  /** @param {Handlers} handlers */
  listen(handlers) {
    const { node } = this.paper;
    const cellOf = (/** @type {Event} */ event) => {
      const place = event.target instanceof Element ? event.target.closest(".cell") : null;
      const ink = place?.querySelector("[data-cell]");
      return ink instanceof HTMLElement ? Number(ink.dataset.cell) : NOTHING;
    };
    // a word that comes may move its line between press and click: what was pressed is meant
    let pressed = NOTHING;
    node.addEventListener("pointerdown", (event) => {
      pressed = cellOf(event);
    });
    node.addEventListener("click", (event) => {
      const cell = event.detail && pressed !== NOTHING ? pressed : cellOf(event); // a key presses nowhere
      pressed = NOTHING;
      if (cell !== NOTHING) handlers.choose(this.number, cell, event.shiftKey);
    });
    node.addEventListener("pointerover", (event) => handlers.hover(this.number, cellOf(event)));
    node.addEventListener("pointerleave", () => handlers.hover(this.number, NOTHING));
    node.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell !== NOTHING) handlers.visit(this.number, cell);
    });
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {import("../cells/face.js").Highlight} highlight
   * @param {object} now
   * @param {string} now.state where something is in the way
   * @param {boolean} now.ahead
   * @param {import("./paper.js").Motion} now.motion
   * @param {boolean} now.marks
   */
  show(side, at, highlight, { state, ahead, motion, marks }) {
    const name = nameOf(side, this.number);
    const causal = Boolean(side.head.causal);
    const how = state || (side.source === "empty" ? "" : t(wayOf(side)));
    const looks = side.moments[at]?.passes ?? 0;
    const count = !looks ? "" : looks === 1 ? t("1 look") : t("{n} looks", { n: looks });
    render(
      html`<div class="called">
          <h2>${name}</h2>
          <span class="how">${how}</span>
        </div>
        <span class="count">${count}</span>`,
      this.header,
    );
    const seen = [side, at, highlight, ahead, marks, motion.still];
    if (seen.every((one, i) => one === this.seen[i])) return;
    this.seen = seen;
    const other = this.directed !== side.session;
    if (other) this.direct(side, name);
    this.paper.causal = causal;
    this.paper.marks = marks;
    this.look = look(side, at, highlight, this.look, ahead);
    this.paper.paint(this.look?.row ?? [], motion, other, this.look?.moment.ids);
    this.mark(side, at);
    const data = this.node.dataset;
    data.moment = String(at);
    data.moments = String(side.moments.length);
    data.source = side.source;
    data.done = String(side.done && at === side.moments.length - 1);
    data.branches = String(side.branches.size);
    const open = side.moments[at]?.open ?? 0;
    this.paper.caret.hidden = !causal || !open || side.done;
  }

  /**
   * @param {Side} side
   * @param {string} name
   */
  direct(side, name) {
    this.directed = side.session;
    this.paper.fromRight = fromRight(side);
    this.paper.node.dir = this.paper.fromRight ? "rtl" : "ltr";
    const second = this.number === 1 && name === t("Diffusion");
    this.node.ariaLabel = second ? t("Diffusion, second side") : name; // no two regions have one name
    this.paper.grid.ariaLabel = t("what {name} wrote: arrows choose a word, Enter changes it", { name });
  }

  /** Words that differ from the branch this one is compared with; where none is, those that followed from a change.
   * @param {Side} side
   * @param {number} at
   */
  mark(side, at) {
    const ids = side.moments[at]?.ids;
    const last = at === side.moments.length - 1 && !side.moments[at]?.open;
    const differ = side.comparison
      ? differing(side.comparison)
      : new Set(last ? followed(side).map((cell) => ids?.[cell]) : []);
    if (!differ.size && !this.marked) return; // nothing to mark, as in nearly every frame
    this.marked = differ.size > 0;
    this.paper.cells.forEach(({ place }, cell) =>
      place.toggleAttribute("data-differs", differ.has(ids?.[cell] ?? cell)),
    );
  }

  /** Others think first: the place in the queue, and the way out of it.
   * @param {Side} side
   */
  await(side) {
    const { place = 0, seconds = 0 } = side.waiting ?? {};
    this.node.dataset.waiting = String(place);
    const wait = seconds >= 1 ? t("about {n} s", { n: Math.ceil(seconds) }) : t("a moment");
    const says = t("Others think here first. Your place is {place}: {wait} to wait.", { place, wait });
    this.waits.hidden = !side.waiting;
    render(
      html`<span>${side.waiting ? says : ""}</span
        ><button type="button" @click=${this.handlers.cancel}>${t("Cancel")}</button>`,
      this.waits,
    );
  }

  /** Give the keyboard to a cell.
   * @param {number} cell
   */
  focus(cell) {
    this.rove(cell);
    this.paper.cells[cell]?.ink.focus();
  }

  /** One cell of a paper is in the order of the tab key.
   * @param {number} cell
   */
  rove(cell) {
    this.paper.cells.forEach(({ ink }, number) => {
      const index = number === cell ? 0 : -1;
      if (ink.tabIndex !== index) ink.tabIndex = index;
    });
  }
}
