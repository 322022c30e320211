/** Letters as large as the papers allow, for both sides alike. A text that needs more makes the page grow; none is cut. */

import { drawnCells, largest, places, withoutBlanks } from "../cells/places.js";
import { samplesOf } from "../cells/samples.js";

/** @typedef {import("./side.js").SideView} SideView */
/** @typedef {import("./controller.js").Controller} Controller */

const LEAST = 16; // px
const LEAST_PROJECTED = 26;
const MOST = 64;
const LOOSE = 1.78; // of the letters, from line to line, where there is room

export class Fit {
  /**
   * @param {SideView[]} views
   * @param {Controller} controller
   */
  constructor(views, controller) {
    this.views = views;
    this.controller = controller;
  }

  key = "";
  size = 0;

  /** The box or the letters have changed. */
  again() {
    this.key = "";
    this.controller.frames.redraw();
  }

  /** Fit the letters where another run is shown, where a text has outgrown them, and where it is over.
   * @param {boolean} over
   */
  check(over) {
    const { sides } = this.controller;
    const key = `${over} ${sides.map(({ session, moments }) => `${session}/${moments[0]?.tokens.length ?? 0}`).join()}`;
    const overflows = this.views.some(({ paper }) => paper.used > paper.height + 4 && paper.used > 40);
    if (key === this.key && !this.slipped() && !(overflows && this.outgrown())) return;
    const fresh = key !== this.key;
    this.key = key;
    this.fit(fresh);
  }

  /** Whether a slip has made a text higher than its paper, or is gone from a paper that grew for it. */
  slipped() {
    return this.views.some(({ paper }) => (paper.slip?.opens ? paper.full > paper.height : paper.grown));
  }

  /** Whether letters that are smaller would help. */
  outgrown() {
    return this.size > this.least && this.views.some(({ paper }) => paper.slip === null && !openOnly(paper));
  }

  get least() {
    return document.documentElement.dataset.theme === "projector" ? LEAST_PROJECTED : LEAST;
  }

  /** @param {boolean} grows whether the letters may become larger than they are */
  fit(grows) {
    const { views } = this;
    const phone = matchMedia("(width <= 720px)").matches;
    const scale = Number(getComputedStyle(document.documentElement).getPropertyValue("--scale")) || 1;
    for (const { paper } of views) paper.node.style.minHeight = "";
    for (const { paper } of views) paper.box();
    // a side that stands alone has the whole width, and the other none
    const shown = views.flatMap((view, number) => (view.paper.width ? [{ paper: view.paper, number }] : []));
    if (!shown.length) return;
    const rooms = shown.map(({ paper, number }) => ({
      width: paper.width,
      height: paper.height,
      slip: number ? 0 : phone ? 34 : 40 * scale,
      popover: number || phone ? 0 : 116 * scale,
    }));
    const texts = shown.map(({ paper, number }) => ({ paper, list: this.texts(number) }));
    const linesAt = (/** @type {number} */ size) =>
      texts.map(({ paper, list }) => {
        const width = paper.width / size;
        return Math.max(1, ...list.map(({ row, drawn }) => places(row, drawn, width, paper.measure).lines));
      });
    const most = Math.min(grows ? MOST : this.size, (rooms[0]?.width ?? 0) / 9);
    const size = largest(linesAt, rooms, { most, least: this.least, pitch: phone ? 1.34 : 1.46 });
    const lines = Math.max(...linesAt(size));
    const height = Math.min(...rooms.map((room) => room.height));
    this.size = size;
    for (const [i, { paper }] of shown.entries()) {
      const needs = Math.ceil(lines * size * 1.3 + (rooms[i]?.slip ?? 0));
      if (size <= this.least && needs > height) paper.node.style.minHeight = `${needs}px`;
      paper.size = size;
      paper.pitch = Math.max(
        size * 1.2,
        Math.min(size * LOOSE, Math.max(height, size <= this.least ? needs : 0) / lines),
      );
      paper.rows = Math.max(lines, Math.floor(height / paper.pitch));
      paper.node.style.fontSize = `${size}px`;
      paper.node.toggleAttribute("data-still", (paper.still = true)); // nothing glides to where larger or smaller letters stand
      paper.box();
      paper.arrange();
      paper.grown = Boolean(paper.slip?.opens) && paper.full > paper.height;
      if (paper.grown) paper.node.style.minHeight = `${paper.full}px`;
      if (paper.grown) paper.box();
    }
  }

  /** What a side shows in the course of its run.
   * @param {number} number
   */
  texts(number) {
    const side = this.controller.side(number);
    const marks = this.views[number]?.paper.marks;
    return samplesOf(side).map((row) => ({
      row,
      drawn: marks ? row.map(() => true) : withoutBlanks(row, drawnCells(row, Boolean(side.head.causal))),
    }));
  }
}

/** Whether nothing but places for words stands in the lines that are too many.
 * @param {import("./paper.js").Paper} paper
 */
function openOnly({ row, placed, rows }) {
  return row.every(({ open, text }, cell) => (placed?.at[cell]?.line ?? 0) < rows || (open && !text));
}
