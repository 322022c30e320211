/** One lane on the page: its name and state, its grid of cells, its meters. */

import { el, say } from "./dom.js";
import { costOf, readings } from "./meters.js";
import { Painter, look } from "./painter.js";
import { NOTHING } from "./wire.js";

/** @typedef {import("./store.js").Lane} Lane */

/**
 * @typedef {object} Deeds
 * @property {(lane: number, cell: number, extend: boolean, open: boolean) => void} select
 * @property {(lane: number, cell: number) => void} hover
 * @property {(lane: number, cell: number) => void} visit
 * @property {() => void} cancel give up a place in the queue
 * @property {(lane: number) => string} save where the trace of the shown run is found
 */

const WIDTHS = [4, 5, 6, 8, 10, 12, 16, 20, 25, 32];

export class LaneView {
  /**
   * @param {number} number
   * @param {string} name
   * @param {string} says
   * @param {Deeds} deeds
   */
  constructor(number, name, says, deeds) {
    this.number = number;
    this.name = name;
    this.model = el("p", { className: "model" });
    this.badge = el("span", { className: "badge" });
    this.state = el("span", { className: "state" });
    this.grid = el("div", {
      className: "grid",
      role: "grid",
      "aria-label": `${name}: cells`,
      "aria-multiselectable": "true",
    });
    this.meters = el("dl", { className: "meters", "aria-label": `${name}: meters` });
    this.painter = new Painter(this.grid);
    this.turn = el("span", {});
    this.waits = el(
      "p",
      { className: "waits", role: "status", hidden: true },
      this.turn,
      el("button", { type: "button", onclick: () => deeds.cancel() }, "Cancel"),
    );
    this.save = el("a", {
      className: "save",
      role: "button",
      hidden: true,
      title: "Take this run away as a file; drop it on the page to replay it",
      onclick: () => this.save && Object.assign(this.save, { href: deeds.save(number) }),
    });
    this.save.textContent = "Save run";
    this.node = el(
      "section",
      { className: "lane", "data-lane": number, "data-moment": -1, "aria-label": name },
      el("header", {}, el("h2", {}, name), this.badge, el("p", { className: "says" }, says), this.state),
      this.waits,
      this.grid,
      this.meters,
      el("div", { className: "foot" }, this.model, this.save),
    );
    this.listen(deeds);
    /** @type {unknown[]} */
    this.seen = [];
    new ResizeObserver(([entry]) => entry && this.fit(entry.contentRect.width)).observe(this.grid);
  }

  /** @type {import("./painter.js").Look | null} */
  look = null;

  /** @param {Deeds} deeds */
  listen(deeds) {
    const cellOf = (/** @type {Event} */ event) => {
      const node = event.target instanceof Element ? event.target.closest("[data-cell]") : null;
      return node instanceof HTMLElement ? Number(node.dataset.cell) : NOTHING;
    };
    // a word that comes may move its row between press and click: what was pressed is meant
    let pressed = NOTHING;
    this.grid.addEventListener("pointerdown", (event) => {
      pressed = cellOf(event);
    });
    this.grid.addEventListener("click", (event) => {
      const cell = event.detail && pressed !== NOTHING ? pressed : cellOf(event); // a key presses nowhere
      pressed = NOTHING;
      if (cell !== NOTHING) deeds.select(this.number, cell, event.shiftKey, true);
    });
    this.grid.addEventListener("pointerover", (event) => deeds.hover(this.number, cellOf(event)));
    this.grid.addEventListener("pointerleave", () => deeds.hover(this.number, NOTHING));
    this.grid.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell !== NOTHING) deeds.visit(this.number, cell);
    });
  }

  /** @param {number} width */
  fit(width) {
    const size = parseFloat(getComputedStyle(this.grid).fontSize);
    const room = width / (size * 2.95);
    const fitting = WIDTHS.filter((cells) => cells <= room);
    this.painter.widen(fitting[fitting.length - 1] ?? 4);
  }

  /**
   * @param {Lane} lane
   * @param {number} at
   * @param {import("./painter.js").Touch} touch
   * @param {string} badge
   * @param {string} state
   * @param {string} kin what a recording's weights have to do with those here
   */
  show(lane, at, touch, badge, state, kin) {
    say(this.badge, badge);
    say(this.state, state);
    say(this.model, modelLine(lane, kin));
    this.await(lane);
    this.badge.hidden = !badge;
    if (this.seen[0] === lane && this.seen[1] === at && this.seen[2] === touch) return;
    this.seen = [lane, at, touch];
    this.look = look(lane, at, touch, this.look);
    this.painter.paint(this.look?.row ?? []);
    const data = this.node.dataset;
    data.moment = String(at);
    data.moments = String(lane.moments.length);
    data.source = lane.source;
    this.save.hidden = lane.source === "empty" || !lane.moments.length;
    data.done = String(lane.done && at === lane.moments.length - 1);
    data.branches = String(lane.branches.length);
    this.measure(lane, at);
  }

  /** Others think first: the place in the queue, and the way out of it.
   * @param {Lane} lane
   */
  await(lane) {
    const { place = 0, seconds = 0 } = lane.waiting ?? {};
    this.waits.hidden = !lane.waiting;
    this.node.dataset.waiting = String(place);
    const wait = seconds >= 1 ? `about ${Math.ceil(seconds)} s` : "a moment";
    if (lane.waiting) say(this.turn, `Others think here first. Your place is ${place}: ${wait} to wait.`);
  }

  /**
   * @param {Lane} lane
   * @param {number} at
   */
  measure(lane, at) {
    readings(costOf(lane, at)).forEach(({ name, value, title }, i) => {
      let entry = /** @type {HTMLElement | undefined} */ (this.meters.children[i]);
      if (!entry) {
        entry = el("div", { title, "data-meter": name }, el("dt", {}, name), el("dd", {}));
        this.meters.append(entry);
      }
      say(/** @type {Node} */ (entry.lastElementChild), value);
    });
  }

  /** Give the keyboard to a cell.
   * @param {number} cell
   */
  focus(cell) {
    this.rove(cell);
    this.painter.nodes[cell]?.focus();
  }

  /** One cell of a grid is in the order of the tab key.
   * @param {number} cell
   */
  rove(cell) {
    for (const node of this.grid.querySelectorAll("[tabindex='0']")) /** @type {HTMLElement} */ (node).tabIndex = -1;
    const node = this.painter.nodes[cell];
    if (node) node.tabIndex = 0;
  }
}

/** What thinks here, on what, and what must be known about it.
 * @param {Lane} lane
 * @param {string} kin
 */
function modelLine(lane, kin) {
  const { name, device, number, trained, note } = lane.head.model ?? {};
  if (!name) return "";
  const words = [
    name,
    device && `${device}${number ? ` ${number}` : ""}`,
    trained === false ? "no trained weights" : "",
    lane.source === "replay" ? kin : "",
    note,
  ];
  return words.filter(Boolean).join(" · ");
}
