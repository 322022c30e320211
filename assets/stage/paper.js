/** Draws the cells of a side: every word in its place, sharper the surer it is. Only what differs is touched. */

import { drawnCells, places } from "../cells/places.js";
import { widthInSerif } from "../looks/letters.js";

/** @typedef {import("../cells/face.js").Face} Face */
/** @typedef {{place: HTMLElement, ink: HTMLElement, face: Face | null, drawn: boolean, x: number, y: number, line: number,
 *   hidden: boolean, jumps: boolean}} Cell */
/** @typedef {{ghost: number, spread: number, still: boolean}} Motion ms in which guesses sharpen; over how many they begin */
/** @typedef {{cell: number, node: HTMLElement, height: number, wide: boolean, opens: boolean}} Slip what lies between two lines */

const MOST_GONE = 40; // words that dissolve at once
const STILL = { ghost: 0, spread: 0, still: true };

export class Paper {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
    this.grid = document.createElement("div");
    this.grid.role = "grid";
    this.words = document.createElement("div");
    this.words.role = "row";
    this.grid.append(this.words);
    this.caret = document.createElement("i");
    this.caret.className = "caret";
    node.append(this.grid, this.caret);
  }

  /** @type {Cell[]} */
  cells = [];
  /** @type {Face[]} */
  row = [];
  /** @type {boolean[]} */
  drawn = [];
  size = 24; // px of the letters
  pitch = 38; // px from line to line
  width = 0; // px of the paper
  height = 0;
  still = false; // nothing moves
  rows = 99; // lines that the paper has room for
  causal = false; // it writes from left to right: only the next place is known
  fromRight = false; // its script runs from right to left
  marks = false; // everything is drawn, ends and what follows them too
  painted = 0;
  /** @type {Slip | null} */
  slip = null;
  /** @type {import("../cells/places.js").Placed | null} */
  placed = null;

  /** The words' own elements, by cell. */
  get nodes() {
    return this.cells.map(({ ink }) => ink);
  }

  /** Take the size of its box; what is drawn follows. */
  box() {
    this.width = this.node.clientWidth;
    this.height = this.node.clientHeight;
  }

  measure = widthInSerif;

  /**
   * @param {Face[]} row
   * @param {Motion} [motion]
   * @param {boolean} [other] the text of another run, so that none of the old words count as erased
   * @param {ArrayLike<number>} [ids] of the cells
   */
  paint(row, motion = STILL, other = false, ids = []) {
    if (this.still !== motion.still) this.node.toggleAttribute("data-still", (this.still = motion.still));
    const ghost = `${Math.round(motion.ghost)}ms`;
    if (this.ghost !== ghost) this.node.style.setProperty("--ghost", (this.ghost = ghost));
    const drawn = this.marks ? row.map(() => true) : drawnCells(row, this.causal);
    const dissolving = !motion.still && !other;
    if (!other) this.follow(ids, dissolving);
    this.ids = Array.from(ids);
    while (this.cells.length < row.length) this.cells.push(this.made(this.cells.length));
    for (const { place } of this.cells.splice(row.length)) place.remove();
    let gone = this.node.getElementsByClassName("gone").length;
    row.forEach((face, number) => {
      const cell = /** @type {Cell} */ (this.cells[number]);
      const shown = drawn[number] ?? false;
      if (cell.face === face && cell.drawn === shown) return;
      const before = cell.drawn ? (cell.ink.textContent ?? "") : "";
      const text = shown ? face.ink : "";
      if (before.trim() && before !== text && dissolving && gone++ < MOST_GONE) this.dissolve(cell, before);
      draw(cell, face, shown, text, number, motion.spread);
    });
    this.row = row;
    this.drawn = drawn;
    this.painted++;
    this.arrange();
  }

  ghost = "";
  /** @type {number[]} */
  ids = [];

  /** Every word keeps its element where cells came or went before it, so that it moves and is not written again.
   * @param {ArrayLike<number>} ids
   * @param {boolean} dissolving
   */
  follow(ids, dissolving) {
    const { cells } = this;
    const same = ids.length === this.ids.length && this.ids.every((id, number) => ids[number] === id);
    if (same || !ids.length || cells.length !== this.ids.length) return;
    const left = new Map(this.ids.map((id, number) => [id, /** @type {Cell} */ (cells[number])]));
    this.cells = Array.from(ids, (id, number) => {
      const cell = left.get(id);
      left.delete(id);
      if (cell?.drawn) cell.ink.dataset.cell = String(number);
      return cell ?? this.made(number);
    });
    for (const cell of left.values()) {
      if (dissolving && cell.drawn && cell.ink.textContent?.trim()) this.dissolve(cell, cell.ink.textContent);
      cell.place.remove();
    }
    this.cells.reduceRight((/** @type {Node | null} */ after, { place }) => {
      if (place.nextSibling !== after) this.words.insertBefore(place, after);
      return place;
    }, null);
  }

  /** @param {number} number */
  made(number) {
    const place = document.createElement("span");
    const ink = document.createElement("span");
    place.className = "cell hide";
    place.role = "presentation";
    ink.role = "gridcell";
    ink.tabIndex = number ? -1 : 0;
    place.append(ink);
    this.words.append(place);
    return { place, ink, face: null, drawn: false, x: NaN, y: NaN, line: -1, hidden: false, jumps: false };
  }

  /** A word that goes: erased words rise, guesses only fade.
   * @param {Cell} cell
   * @param {string} text
   */
  dissolve({ place, face }, text) {
    const gone = document.createElement("span");
    gone.className = face && !face.open ? "gone was" : "gone";
    gone.textContent = text;
    gone.ariaHidden = "true";
    gone.style.translate = place.style.translate;
    gone.addEventListener("animationend", () => gone.remove());
    this.node.append(gone);
    setTimeout(() => gone.remove(), 1000); // where nothing is animated
  }

  /** Put every word where it stands; a slip opens a gap under the line of its word, and the other lines draw together. */
  arrange() {
    const { size, slip } = this;
    const { width, height } = this; // measured before: reading them here would lay out the page with every frame
    if (!width) return;
    const placed = (this.placed = places(this.row, this.drawn, width / size, this.measure));
    let { pitch } = this;
    let gap = 0;
    let under = Infinity;
    if (slip?.opens) {
      under = placed.at[slip.cell]?.line ?? Math.min(2, placed.lines - 1);
      gap = slip.height + 12;
      pitch = Math.max(size * 1.14, Math.min(pitch, (height - gap) / placed.lines));
    }
    const above = (pitch - size) / 2;
    const y = (/** @type {number} */ line) => above + line * pitch + (line > under ? gap : 0);
    this.cells.forEach((cell, number) => {
      const at = placed.at[number];
      if (!at) return;
      const x = this.fromRight ? width - (at.x + at.width) * size : at.x * size;
      const top = y(at.line);
      const hidden = at.line >= this.rows && cell.face?.open === true && cell.face.ink === "";
      if (cell.hidden !== hidden) cell.place.hidden = cell.hidden = hidden;
      if (Math.abs(cell.x - x) < 0.05 && Math.abs(cell.y - top) < 0.05) return;
      // nobody flies to another line: a word goes out here and comes up there
      const jumps = cell.line !== at.line;
      if (cell.jumps !== jumps) cell.place.toggleAttribute("data-jumps", (cell.jumps = jumps));
      if (jumps && cell.x === cell.x && !this.still)
        cell.ink.animate([{ opacity: 0 }, {}], { duration: 280, easing: "ease-out" });
      cell.place.style.translate = `${x.toFixed(1)}px ${top.toFixed(1)}px`;
      [cell.x, cell.y, cell.line] = [x, top, at.line];
    });
    const x = (placed.end.x + 0.1) * size;
    this.caret.style.translate = `${(this.fromRight ? width - x : x).toFixed(1)}px ${y(placed.end.line).toFixed(1)}px`;
    if (slip?.opens) this.lay(slip, placed, width, above + under * pitch + size * 1.14 + 7);
    this.used = Math.ceil(y(placed.lines - 1) + size * 1.3 + (under === placed.lines - 1 ? gap : 0));
  }

  used = 0; // px that the text takes
  grown = false; // it is higher while a slip is open

  /** How high the text is without the space under its last line. */
  get full() {
    return Math.ceil(this.used - this.size / 4);
  }

  /**
   * @param {Slip} slip
   * @param {import("../cells/places.js").Placed} placed
   * @param {number} width
   * @param {number} y
   */
  lay({ node, cell, wide }, placed, width, y) {
    const at = placed.at[cell];
    const own = node.offsetWidth;
    const middle = at && !wide ? (at.x + at.width / 2) * this.size : width / 2;
    const centre = this.fromRight ? width - middle : middle;
    const x = Math.max(0, Math.min(width - own, centre - own / 2));
    node.style.translate = `${x.toFixed(1)}px ${y.toFixed(1)}px`;
    node.style.setProperty("--nose", `${Math.max(14, Math.min(own - 14, centre - x)).toFixed(1)}px`);
  }

  /** Put a slip under the line of a word, or take it away.
   * @param {Slip | null} slip
   */
  open(slip) {
    this.slip = slip;
    this.arrange();
  }

  /** Cells up to the last one that is shown. */
  get shown() {
    return Math.max(1, this.drawn.lastIndexOf(true) + 1);
  }

  /** The first cells of the lines, for keys that go up and down. */
  get lines() {
    /** @type {number[]} */
    const starts = [];
    let line = -1;
    this.placed?.at.forEach((at, cell) => {
      if (!at || at.line === line) return;
      line = at.line;
      starts.push(cell);
    });
    return starts;
  }
}

/**
 * @param {Cell} cell
 * @param {Face} face
 * @param {boolean} shown
 * @param {string} text
 * @param {number} number
 * @param {number} spread
 */
function draw(cell, face, shown, text, number, spread) {
  const { place, ink } = cell;
  const old = cell.face;
  const was = cell.drawn;
  [cell.face, cell.drawn] = [face, shown];
  if (shown !== was) {
    if (shown) ink.dataset.cell = String(number);
    else ink.removeAttribute("data-cell");
    if (shown) cell.x = NaN; // it comes up where it belongs
  }
  if (ink.textContent !== text) ink.textContent = text;
  const look = shown ? `${face.look}${face.open && text ? " ghost" : ""}` : "cell hide";
  if (place.className !== look) place.className = look;
  if (!shown) return;
  const late = spread ? `${Math.round((((number * 37) % 19) / 19) * spread)}ms` : "";
  if ((place.dataset.late ?? "") !== late) {
    place.style.setProperty("--late", late || "0ms");
    place.dataset.late = late;
  }
  if (face.open && (old?.share !== face.share || !old?.open)) ink.style.setProperty("--share", face.share.toFixed(2));
  if (old?.sure !== face.sure) place.dataset.sure = face.sure;
  if (old?.ticks !== face.ticks) place.dataset.ticks = face.ticks;
  if (ink.ariaLabel !== face.label) ink.ariaLabel = face.label;
}
