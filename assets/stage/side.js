/** One side on the page: its name and state, its grid of cells, its meters. */

import { textOfPieces } from "../looks/bytes.js";
import { el, say } from "../looks/dom.js";
import { t } from "../looks/language.js";
import { costOf, readings } from "./meters.js";
import { Painter, look } from "./painter.js";
import { BranchesView } from "../views/branches.js";
import { Threads } from "../lenses/threads.js";
import { Slide } from "./slide.js";
import { NOTHING, OPEN } from "../wire/canvas.js";

/** @typedef {import("../wire/store.js").Side} Side */

/**
 * @typedef {object} Handlers
 * @property {(side: number, cell: number, extend: boolean, open: boolean) => void} select
 * @property {(side: number, cell: number) => void} hover
 * @property {(side: number, cell: number) => void} visit
 * @property {() => void} cancel give up a place in the queue
 * @property {(side: number, act: import("../views/branches.js").BranchAct, name: string, more?: string) => void} branch
 * @property {(side: number) => void} fit look at how the next words suit each other
 * @property {(side: number) => void} script take the run along as a Python script
 * @property {(side: number) => string} save where the trace of the shown run is found
 */

/** How a text comes about where its decoder reads what it drafted. @type {Record<string, string>} */
const MANNERS = { self_speculate: "drafted at once, then verified", proofread: "drafted everywhere, then proofread" };

export class SideView {
  /**
   * @param {number} number
   * @param {string} name
   * @param {string} says
   * @param {Handlers} handlers
   */
  constructor(number, name, says, handlers) {
    this.number = number;
    this.name = name;
    this.model = el("p", { className: "model" });
    this.heading = el("h2", {}, name);
    this.manner = says;
    this.says = el("p", { className: "says" }, says);
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
    this.threads = new Threads(this.grid);
    this.slide = new Slide(this.painter);
    this.fit = link(t("Which words clash?"), "See how the words about to be written suit each other", () =>
      handlers.fit(number),
    );
    this.script = link(t("Copy as Python"), "This run as a script for the engine", () => handlers.script(number));
    this.branches = new BranchesView((act, branch, more) => handlers.branch(number, act, branch, more));
    this.turn = el("span", {});
    this.waits = el(
      "p",
      { className: "waits", role: "status", hidden: true },
      this.turn,
      el("button", { type: "button", onclick: () => handlers.cancel() }, "Cancel"),
    );
    this.save = el("a", {
      className: "save",
      role: "button",
      download: "run.trace.jsonl", // a recording of the page's own has no name; the server names the others
      href: "#", // or the keyboard would not find it; where it really leads is known when it is pressed
      hidden: true,
      title: "Take this run away as a file; drop it on the page to replay it",
      onclick: () => this.save && Object.assign(this.save, { href: handlers.save(number) }),
    });
    this.save.textContent = t("Save run");
    this.node = el(
      "section",
      { className: "side", "data-side": number, "data-moment": -1, "aria-label": name },
      el("header", {}, this.heading, this.says, this.badge, this.state),
      this.waits,
      el("div", { className: "field" }, this.grid, this.threads.node),
      this.branches.node,
      this.meters,
      el("div", { className: "foot" }, this.model, this.fit, this.script, this.save),
    );
    this.listen(handlers);
    /** @type {unknown[]} */
    this.seen = [];
  }

  /** What stands around the cells and may come, go or grow: the cells have the rest. */
  get around() {
    return [this.waits, this.branches.node, this.meters];
  }

  /** How large this appearance writes. */
  get scale() {
    return Number(getComputedStyle(this.node).getPropertyValue("--scale")) || 1;
  }

  /** @type {import("./painter.js").Look | null} */
  look = null;
  /** @type {string | null} the run whose direction of writing the grid has */
  directed = null;

  /** @param {Handlers} handlers */
  listen(handlers) {
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
      if (cell !== NOTHING) handlers.select(this.number, cell, event.shiftKey, true);
    });
    this.grid.addEventListener("pointerover", (event) => {
      handlers.hover(this.number, cellOf(event));
      const node = event.target instanceof Element ? event.target.closest("[data-cell]") : null;
      if (node instanceof HTMLElement) node.title = node.ariaLabel ?? ""; // its number, and what stands there
    });
    this.grid.addEventListener("pointerleave", () => handlers.hover(this.number, NOTHING));
    this.grid.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell !== NOTHING) handlers.visit(this.number, cell);
    });
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {import("./painter.js").Highlight} highlight
   * @param {string} badge
   * @param {string} state
   * @param {string} weights what a recording's weights have to do with those here
   * @param {import("./quality.js").Quality | null} quality
   */
  show(side, at, highlight, badge, state, weights, quality) {
    say(this.heading, side.title || this.name);
    const manner = MANNERS[side.head.settings?.policy] ?? this.manner;
    say(this.says, side.title ? t("another branch of the same run") : t(manner));
    say(this.badge, badge);
    say(this.state, state);
    const line = modelLine(side, weights);
    say(this.model, line);
    if (this.model.title !== line) this.model.title = line;
    this.badge.hidden = !badge;
    const seen = [side, at, highlight, quality];
    if (seen.every((one, i) => one === this.seen[i])) return;
    this.seen = seen;
    if (this.directed !== side.session) this.grid.dir = fromRight(side) ? "rtl" : "ltr";
    this.directed = side.session;
    this.look = look(side, at, highlight, this.look);
    this.slide.paint(side.moments[at], () => this.painter.paint(this.look?.row ?? []));
    this.branches.show(side);
    this.mark(side, at);
    const data = this.node.dataset;
    data.moment = String(at);
    data.moments = String(side.moments.length);
    data.source = side.source;
    this.save.hidden = side.source === "empty" || !side.moments.length || side.of !== "" || Boolean(side.keys.left); // its run has all branches
    this.script.hidden = side.source !== "live";
    this.fit.hidden = side.source !== "live" || Boolean(side.head.causal); // one word at a time suits itself
    data.done = String(side.done && at === side.moments.length - 1);
    data.branches = String(side.branches.size);
    this.measure(side, at, quality);
  }

  /** Cells that differ from the branch this one is compared with.
   * @param {Side} side
   * @param {number} at
   */
  mark(side, at) {
    if (!side.comparison && !this.marked) return; // nothing to mark, as in nearly every frame
    this.marked = side.comparison !== null;
    const differ = new Set((side.comparison?.changed ?? []).map((/** @type {[number, number]} */ [name]) => name));
    const ids = side.moments[at]?.ids;
    this.painter.nodes.forEach((node, cell) => node.toggleAttribute("data-differs", differ.has(ids?.[cell] ?? cell)));
  }

  marked = false;

  /** Others think first: the place in the queue, and the way out of it.
   * @param {Side} side
   */
  await(side) {
    const { place = 0, seconds = 0 } = side.waiting ?? {};
    this.waits.hidden = !side.waiting;
    this.node.dataset.waiting = String(place);
    const wait = seconds >= 1 ? `about ${Math.ceil(seconds)} s` : "a moment";
    if (side.waiting) say(this.turn, `Others think here first. Your place is ${place}: ${wait} to wait.`);
  }

  /**
   * @param {Side} side
   * @param {number} at
   * @param {import("./quality.js").Quality | null} quality
   */
  measure(side, at, quality) {
    readings(costOf(side, at), quality).forEach(({ name, value, title }, i) => {
      let entry = /** @type {HTMLElement | undefined} */ (this.meters.children[i]);
      if (!entry) {
        entry = el("div", { title, "data-meter": name }, el("dt", {}, t(name)), el("dd", {}));
        this.meters.append(entry);
      }
      if (entry.title !== title) entry.title = title;
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

/**
 * A button that looks like a link.
 * @param {string} text
 * @param {string} title
 * @param {() => void} onclick
 */
function link(text, title, onclick) {
  return el("button", { type: "button", className: "ask", title, hidden: true, onclick }, text);
}

/** Whether the text of a run begins in a script that is written from right to left.
 * @param {Side} side
 */
export function fromRight(side) {
  const first = side.moments[0];
  if (!first) return false;
  const pieces = Array.from(first.tokens, (token, cell) =>
    first.kinds[cell] === OPEN ? "" : (side.pieces.get(token) ?? ""),
  );
  const letter = /\p{L}/u.exec(textOfPieces(pieces))?.[0] ?? "";
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter);
}

/** What thinks here, on what, and what must be known about it.
 * @param {Side} side
 * @param {string} weights
 */
function modelLine(side, weights) {
  const { name, device, number, trained, note } = side.head.model ?? {};
  if (!name) return "";
  const words = [
    name,
    device && `${device}${number ? ` ${number}` : ""}`,
    trained === false ? "no trained weights" : "",
    side.source === "replay" ? weights : "",
    note,
  ];
  return words.filter(Boolean).join(" · ");
}
