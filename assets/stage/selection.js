/** What a person points at: the focused and selected cells, what is hovered, and words that are on their way. */

import { NOTHING } from "../wire/canvas.js";
import { reactive } from "../wire/reactive.js";

/** @typedef {import("../cells/face.js").Highlight} Highlight */

export class Selection {
  state = reactive({
    side: 0,
    cell: NOTHING,
    anchor: NOTHING,
    selected: /** @type {number[]} */ ([]),
    hovered: { side: 0, cell: NOTHING, moment: NOTHING },
    tinted: /** @type {number[]} */ ([]), // of the first side
    /** @type {Map<number, {side: number, cell: number, text: string}>} by the number of the request */
    pending: new Map(),
  });
  /** @type {Highlight[]} */
  highlights = [];

  get side() {
    return this.state.side;
  }

  get cell() {
    return this.state.cell;
  }

  /** The first cell of those that are selected. */
  get anchor() {
    return this.state.anchor;
  }

  get selected() {
    return this.state.selected;
  }

  get hovered() {
    return this.state.hovered;
  }

  /**
   * Select a cell, or all cells from the first one selected to this.
   * @param {number} side
   * @param {number} cell
   * @param {boolean} extend
   */
  select(side, cell, extend) {
    if (!extend || this.side !== side || this.anchor === NOTHING) this.state.anchor = cell;
    this.state.side = side;
    this.state.cell = cell;
    const [low, high] = [Math.min(this.anchor, cell), Math.max(this.anchor, cell)];
    this.state.selected = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    this.highlights = [];
  }

  leave() {
    this.state.selected = [];
    this.state.anchor = NOTHING;
    this.highlights = [];
  }

  /**
   * Whether another cell is hovered than before.
   * @param {number} side
   * @param {number} cell
   * @param {number} [moment] of a map, which the timeline shows as well
   */
  hover(side, cell, moment = NOTHING) {
    const { hovered } = this;
    if (hovered.cell === cell && hovered.side === side && hovered.moment === moment) return false;
    this.state.hovered = { side, cell, moment };
    this.highlights = [];
    return true;
  }

  /** Tint words of the first side.
   * @param {number[]} cells
   */
  tint(cells) {
    this.state.tinted = cells;
    this.highlights = [];
  }

  /**
   * A word is shown in its cell until the answer to the request comes.
   * @param {number} ref
   * @param {{side: number, cell: number, text: string}} what
   */
  expect(ref, what) {
    this.state.pending = new Map(this.state.pending).set(ref, what);
    this.highlights = [];
  }

  /** The answer came; without a number, to everything.
   * @param {number} [ref]
   */
  settle(ref) {
    const { pending } = this.state;
    this.state.pending = new Map(ref === undefined ? [] : [...pending].filter(([request]) => request !== ref));
    this.highlights = [];
  }

  /** What a side's painter must know; the same object until something differs.
   * @param {number} side
   * @returns {Highlight}
   */
  highlight(side) {
    const { selected, hovered, tinted, pending } = this.state;
    return (this.highlights[side] ??= {
      selected: new Set(this.side === side ? selected : []),
      hovered: hovered.cell,
      tinted: new Set(side === 0 ? tinted : []),
      pending: new Map([...pending.values()].filter((p) => p.side === side).map((p) => [p.cell, p.text])),
    });
  }
}
