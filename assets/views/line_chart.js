/** A small chart of lines: its frame, the ends of its axes, and where a pointer is in it. */

import { html, nothing, svg } from "../vendor/lit-html.js";
import { TALL, WIDE } from "./axis.js";

/** @typedef {{path: string, name: string, word?: number}} Line a path, its class, and which word it is of */
/** @typedef {{at: number, text: string}} Mark a share of the width, and what is written under it */

/**
 * @param {Line[]} lines
 * @param {[string, string]} ends of the axis that goes up
 * @param {Mark[]} marks of the axis that goes across
 * @param {(across: number, up: number) => void} [pick] called with shares of the width and the height
 * @param {(across: number) => void} [hover]
 */
export function lineChart(lines, [least, most], marks, pick = () => {}, hover = () => {}) {
  const grid = marks.map(({ at }) => `M${(WIDE * at).toFixed(1)} ${TALL}v-${TALL}`).join("");
  const frame = { path: `M0 0H${WIDE}M0 ${TALL / 2}H${WIDE}M0 ${TALL}H${WIDE}${grid}`, name: "grid" };
  const share = (/** @type {MouseEvent} */ { clientX, clientY, currentTarget }) => {
    const { left, bottom, width, height } = /** @type {Element} */ (currentTarget).getBoundingClientRect();
    return /** @type {[number, number]} */ ([(clientX - left) / width, (bottom - clientY) / height]);
  };
  return html`<div class="line-chart">
    <span class="most" aria-hidden="true">${most}</span>
    <div
      class="field"
      @click=${(/** @type {MouseEvent} */ event) => pick(...share(event))}
      @pointermove=${(/** @type {MouseEvent} */ event) => hover(share(event)[0])}
    >
      <svg viewBox="0 0 ${WIDE} ${TALL}" preserveAspectRatio="none" aria-hidden="true">
        ${[frame, ...lines].map(pathOf)}
      </svg>
    </div>
    <span class="least" aria-hidden="true">${least}</span>
    <ol aria-hidden="true">
      ${marks.map(({ at, text }) => html`<li style="left: ${100 * at}%">${text}</li>`)}
    </ol>
  </div>`;
}

/** @param {Line} line */
function pathOf({ path, name, word }) {
  return svg`<path d=${path} class=${name} data-word=${word ?? nothing} />`;
}
