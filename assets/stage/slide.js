/** When cells come or go, the text behind them slides to its new place instead of being somewhere else at once. */

/** @typedef {import("../wire/timeline.js").Moment} Moment */

const LASTS = 320; // ms

/**
 * Where each cell of a row stood in another, by lasting name; nothing where no cell came or went. Pure.
 * @param {Int32Array} before
 * @param {Int32Array} now
 * @returns {[number, number][]} its place now and before, where these differ
 */
export function moved(before, now) {
  if (before.length === now.length && before.every((id, i) => id === now[i])) return [];
  const place = new Map(Array.from(before, (id, cell) => [id, cell]));
  return Array.from(now).flatMap((id, cell) => {
    const was = place.get(id);
    return was === undefined || was === cell ? [] : [/** @type {[number, number]} */ ([cell, was])];
  });
}

export class Slide {
  /** @param {import("./painter.js").Painter} painter */
  constructor(painter) {
    this.painter = painter;
    /** @type {Int32Array | null} the lasting names that were painted last */
    this.ids = null;
  }

  /**
   * Paint, and let what has another place come from its old one.
   * @param {Moment | undefined} moment
   * @param {() => void} paint
   */
  paint(moment, paint) {
    const before = this.ids;
    this.ids = moment?.ids ?? null;
    // a cell more or less is seen; another run is another text
    const near = before && this.ids && Math.abs(before.length - this.ids.length) < before.length / 2;
    const rows = near && this.ids && before !== this.ids ? moved(before, this.ids) : [];
    const still = !rows.length || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const boxes = still
      ? []
      : this.painter.nodes.map((node) => (node.offsetParent ? node.getBoundingClientRect() : null));
    paint();
    if (still) return;
    for (const [cell, was] of rows) {
      const [node, from] = [this.painter.nodes[cell], boxes[was]];
      if (!node?.offsetParent || !from) continue;
      const to = node.getBoundingClientRect();
      const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      node.animate([{ transform: shift }, { transform: "none" }], { duration: LASTS, easing: "ease-out" });
    }
  }
}
