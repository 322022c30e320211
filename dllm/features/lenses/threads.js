/** Threads between cells: whose belief moves with whose. Drawn over the cells. */

/** @typedef {{from: number, to: number, weight: number, kind: "for" | "against", arrow?: boolean}} Thread a weight goes to 1 */
/** @typedef {{left: number, top: number, width: number, height: number}} Box */

const SVG = "http://www.w3.org/2000/svg";
const THICKEST = 7; // px
const MOST = 60; // threads at once: more are a knot

/**
 * From the upper edge of one box to that of another, bent more the farther they are. Pure.
 * @param {Box} a
 * @param {Box} b
 */
export function arc(a, b) {
  const [x, y, u, v] = [a.left + a.width / 2, a.top + 2, b.left + b.width / 2, b.top + 2].map((n) => Math.round(n));
  const bend = Math.round(Math.min(46, 12 + Math.hypot(Number(u) - Number(x), Number(v) - Number(y)) / 6));
  return `M ${x} ${y} C ${x} ${Number(y) - bend} ${u} ${Number(v) - bend} ${u} ${v}`;
}

/** The strongest of them, none too thin to be seen. Pure.
 * @param {Thread[]} threads
 */
export function strongest(threads) {
  return [...threads].sort((a, b) => b.weight - a.weight).slice(0, MOST);
}

export class Threads {
  /** @param {HTMLElement} grid */
  constructor(grid) {
    this.grid = grid;
    this.node = document.createElementNS(SVG, "svg");
    this.node.setAttribute("class", "threads");
    this.node.setAttribute("aria-hidden", "true"); // tables beside say the same
    grid.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(grid);
  }

  /** @type {Thread[]} */
  shown = [];
  key = "";

  /**
   * @param {Thread[]} threads
   * @param {number} painted how often the cells were painted: they may have moved
   */
  show(threads, painted) {
    if (!threads.length && !this.shown.length) return;
    const key = `${painted} ${threads.map(({ from, to, weight }) => `${from}-${to}-${weight.toFixed(2)}`).join()}`;
    if (key === this.key) return;
    this.key = key;
    this.shown = strongest(threads);
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (!this.shown.length && !this.node.childElementCount) return;
    const field = this.grid.getBoundingClientRect();
    const box = (/** @type {number} */ cell) => {
      const node = this.grid.querySelector(`[data-cell="${cell}"]`);
      const rect = node instanceof HTMLElement && node.offsetParent ? node.getBoundingClientRect() : null;
      return (
        rect && { left: rect.left - field.left, top: rect.top - field.top, width: rect.width, height: rect.height }
      );
    };
    const paths = this.shown.flatMap(({ from, to, weight, kind, arrow }) => {
      const [a, b] = [box(from), box(to)];
      if (!a || !b) return [];
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", arc(a, b));
      path.setAttribute("class", kind);
      path.setAttribute("stroke-width", (1.2 + (THICKEST - 1.2) * Math.min(1, weight)).toFixed(1));
      path.dataset.from = String(from);
      path.dataset.to = String(to);
      if (!arrow) return [path];
      const point = document.createElementNS(SVG, "path"); // every arc comes down to its cell from above
      const [x, y] = [Math.round(b.left + b.width / 2), Math.round(b.top + 4)];
      point.setAttribute("d", `M ${x - 6} ${y - 9} L ${x + 6} ${y - 9} L ${x} ${y} Z`);
      point.setAttribute("class", `point ${kind}`);
      return [path, point];
    });
    this.node.replaceChildren(...paths);
  }
}
