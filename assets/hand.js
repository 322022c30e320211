/** What a person points at: the focused and selected cells, what is hovered, and words that are on their way. */

import { NOTHING } from "./wire.js";

/** @typedef {import("./painter.js").Touch} Touch */

export class Hand {
  constructor() {
    this.lane = 0;
    this.cell = NOTHING;
    this.anchor = NOTHING;
    /** @type {number[]} */
    this.selected = [];
    this.over = { lane: 0, cell: NOTHING };
    /** @type {Map<number, {lane: number, cell: number, text: string}>} by the number of the request */
    this.pending = new Map();
    /** @type {Touch[]} */
    this.touches = [];
  }

  /**
   * Select a cell, or all cells from the first one selected to this.
   * @param {number} lane
   * @param {number} cell
   * @param {boolean} extend
   */
  select(lane, cell, extend) {
    if (!extend || this.lane !== lane || this.anchor === NOTHING) this.anchor = cell;
    this.lane = lane;
    this.cell = cell;
    const [low, high] = [Math.min(this.anchor, cell), Math.max(this.anchor, cell)];
    this.selected = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    this.touches = [];
  }

  leave() {
    this.selected = [];
    this.anchor = NOTHING;
    this.touches = [];
  }

  /**
   * Whether another cell is hovered than before.
   * @param {number} lane
   * @param {number} cell
   */
  hover(lane, cell) {
    if (this.over.cell === cell && this.over.lane === lane) return false;
    this.over = { lane, cell };
    this.touches = [];
    return true;
  }

  /**
   * A word is shown in its cell until the answer to the request comes.
   * @param {number} ref
   * @param {{lane: number, cell: number, text: string}} what
   */
  expect(ref, what) {
    this.pending.set(ref, what);
    this.touches = [];
  }

  /** The answer came; without a number, to everything.
   * @param {number} [ref]
   */
  settle(ref) {
    if (ref === undefined) this.pending.clear();
    else this.pending.delete(ref);
    this.touches = [];
  }

  /** What a lane's painter must know; the same object until something differs.
   * @param {number} lane
   * @returns {Touch}
   */
  touch(lane) {
    return (this.touches[lane] ??= {
      selected: new Set(this.lane === lane ? this.selected : []),
      hovered: this.over.cell,
      pending: new Map([...this.pending.values()].filter((p) => p.lane === lane).map((p) => [p.cell, p.text])),
    });
  }
}
