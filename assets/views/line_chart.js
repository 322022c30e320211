/** A small chart of lines: its frame, the ends of its axes, and where a pointer is in it. */

import { el, say } from "../looks/dom.js";

const SVG = "http://www.w3.org/2000/svg";
export const WIDE = 1000;
export const TALL = 100;
const NUMBERS = 4; // named under the axis, at most

/** @typedef {{path: string, name: string, data?: Record<string, string>}} Line a path, its class, and what marks it */
/** @typedef {{at: number, text: string}} Mark a share of the width, and what stands under it */

/** Which of so many places are named under the axis: the first, the last, and a few between. Pure.
 * @param {number} count
 */
export function named(count) {
  const step = Math.max(1, Math.ceil((count - 1) / (NUMBERS - 1)));
  const kept = Array.from({ length: count }, (_, i) => i).filter((i) => i % step === 0);
  const last = kept[kept.length - 1] ?? 0;
  if (last === count - 1 || count < 1) return kept;
  if (count - 1 - last <= step / 2) kept.pop(); // it would touch the last one
  return [...kept, count - 1];
}

export class LineChart {
  /**
   * @param {(across: number, up: number) => void} pick called with shares of the width and the height
   * @param {(across: number) => void} [hover]
   */
  constructor(pick, hover = () => {}) {
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDE} ${TALL}`);
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.setAttribute("aria-hidden", "true");
    this.most = el("span", { className: "most", "aria-hidden": "true" });
    this.least = el("span", { className: "least", "aria-hidden": "true" });
    this.numbers = el("ol", { "aria-hidden": "true" });
    this.field = el("div", { className: "field" }, this.svg);
    const share = (/** @type {MouseEvent} */ { clientX, clientY }) => {
      const { left, bottom, width, height } = this.field.getBoundingClientRect();
      return /** @type {[number, number]} */ ([(clientX - left) / width, (bottom - clientY) / height]);
    };
    this.field.addEventListener("click", (event) => pick(...share(event)));
    this.field.addEventListener("pointermove", (event) => hover(share(event)[0]));
    this.node = el("div", { className: "line-chart" }, this.most, this.field, this.least, this.numbers);
  }

  /**
   * @param {Line[]} lines
   * @param {[string, string]} ends of the axis that goes up
   * @param {Mark[]} marks of the axis that goes across
   */
  show(lines, [least, most], marks) {
    const grid = marks.map(({ at }) => `M${(WIDE * at).toFixed(1)} ${TALL}v-${TALL}`).join("");
    const frame = { path: `M0 0H${WIDE}M0 ${TALL / 2}H${WIDE}M0 ${TALL}H${WIDE}${grid}`, name: "grid" };
    this.svg.replaceChildren(...[frame, ...lines].map(pathOf));
    say(this.least, least);
    say(this.most, most);
    this.numbers.replaceChildren(
      ...marks.map(({ at, text }) => {
        const number = el("li", {}, text);
        number.style.left = `${100 * at}%`;
        return number;
      }),
    );
  }
}

/** @param {Line} line */
function pathOf({ path, name, data = {} }) {
  const node = document.createElementNS(SVG, "path");
  node.setAttribute("d", path);
  node.setAttribute("class", name);
  for (const [key, value] of Object.entries(data)) node.setAttribute(`data-${key}`, value);
  return node;
}
