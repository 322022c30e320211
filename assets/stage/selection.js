/** What a person points at: the focused and selected cells, what is hovered, and words that are on their way. */

import { NOTHING } from "../wire/canvas.js";

/** @typedef {import("../cells/face.js").Highlight} Highlight */

export class Selection {
  constructor() {
    this.side = 0;
    this.cell = NOTHING;
    this.anchor = NOTHING;
    /** @type {number[]} */
    this.selected = [];
    this.hovered = { side: 0, cell: NOTHING };
    /** @type {Map<number, {side: number, cell: number, text: string}>} by the number of the request */
    this.pending = new Map();
    /** @type {Highlight[]} */
    this.highlights = [];
  }

  /**
   * Select a cell, or all cells from the first one selected to this.
   * @param {number} side
   * @param {number} cell
   * @param {boolean} extend
   */
  select(side, cell, extend) {
    if (!extend || this.side !== side || this.anchor === NOTHING) this.anchor = cell;
    this.side = side;
    this.cell = cell;
    const [low, high] = [Math.min(this.anchor, cell), Math.max(this.anchor, cell)];
    this.selected = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    this.highlights = [];
  }

  leave() {
    this.selected = [];
    this.anchor = NOTHING;
    this.highlights = [];
  }

  /**
   * Whether another cell is hovered than before.
   * @param {number} side
   * @param {number} cell
   */
  hover(side, cell) {
    if (this.hovered.cell === cell && this.hovered.side === side) return false;
    this.hovered = { side, cell };
    this.highlights = [];
    return true;
  }

  /**
   * A word is shown in its cell until the answer to the request comes.
   * @param {number} ref
   * @param {{side: number, cell: number, text: string}} what
   */
  expect(ref, what) {
    this.pending.set(ref, what);
    this.highlights = [];
  }

  /** The answer came; without a number, to everything.
   * @param {number} [ref]
   */
  settle(ref) {
    if (ref === undefined) this.pending.clear();
    else this.pending.delete(ref);
    this.highlights = [];
  }

  /** What a side's painter must know; the same object until something differs.
   * @param {number} side
   * @returns {Highlight}
   */
  highlight(side) {
    return (this.highlights[side] ??= {
      selected: new Set(this.side === side ? this.selected : []),
      hovered: this.hovered.cell,
      pending: new Map([...this.pending.values()].filter((p) => p.side === side).map((p) => [p.cell, p.text])),
    });
  }
}
